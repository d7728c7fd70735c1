// The card beside the pointer: what this task is, in one glance.

import type { JSX } from "preact";
import {
  formatBytes,
  formatDuration,
  formatMoment,
  NOTHING,
} from "../../base/format";
import { spanName } from "../../panel/narrowing";
import type { SeenSession } from "../../panel/seen_session";
import { rowsOf } from "../../session_tables";
import { Card, Swatch, type PlotPlace } from "./card";
import { KeyText, useKey } from "./key_text";
import { capitalized } from "../../panel/action_words";
import { rowWords } from "./row_words";
import type { Hover, ViewState } from "./view_state";
import { placeOf } from "../../panel/worker_groups";

/** More than two lines of an exception do not fit. */
const MOST_CHARS = 200;

export function HoverCard(props: {
  view: ViewState;
  plot: PlotPlace;
}): JSX.Element | null {
  const { view } = props;
  const hover = view.hover.value;
  const session = view.session.value;
  if (!hover || !session) return null;
  return <TaskCard {...props} hover={hover} session={session} />;
}

function TaskCard(props: {
  view: ViewState;
  plot: PlotPlace;
  hover: Hover;
  session: SeenSession;
}): JSX.Element {
  const { view, hover, session } = props;
  const { store } = session;
  const { row } = hover;
  const key = useKey(store, row.task);
  const words = rowWords(row, store, view);
  const exception = words.erred ? exceptionOf(session, row.task) : "";
  const span = spanName(store.spans[row.span]?.name ?? []);
  return (
    <Card
      target={hover}
      plot={props.plot}
      sign={<Swatch colour={words.colour} />}
      title={words.title}
      value={formatDuration(row.duration)}
      foot={["Click to pin", "Shift-drag to select time"]}
    >
      <div class="ds-card-key">
        <KeyText text={key} longest={160} />
      </div>
      {exception !== "" && <div class="ds-card-error">{exception}</div>}
      <dl class="ds-facts">
        <dt>Started</dt>
        <dd>{`+${formatMoment(row.start - session.origin.value, 3)}`}</dd>
        <dt>Worker</dt>
        <dd>{placeOf(view.workers.placed.value, row.lane)}</dd>
        {words.action !== "compute" && (
          <>
            <dt>For</dt>
            <dd>{words.prefix}</dd>
          </>
        )}
        <dt>Result</dt>
        <dd>
          {words.erred
            ? "erred"
            : row.nbytes > 0
              ? formatBytes(row.nbytes)
              : NOTHING}
        </dd>
        {span !== "" && (
          <>
            <dt>Span</dt>
            <dd>{span}</dd>
          </>
        )}
        {otherActions(session, hover, view).map(([name, seconds]) => (
          <>
            <dt>{capitalized(name)}</dt>
            <dd>{formatDuration(seconds)}</dd>
          </>
        ))}
        {row.duration < 0 && (
          <>
            <dt>Clock</dt>
            <dd class="ds-warn">stops before it starts</dd>
          </>
        )}
      </dl>
    </Card>
  );
}

/** The first line of the exception: the rest is where the task is pinned. */
function exceptionOf(session: SeenSession, task: number): string {
  const errors = rowsOf(session.table("errors").value, "time");
  const known = errors.find((error) => error.task === task);
  return known?.exception.split("\n")[0].slice(0, MOST_CHARS) ?? "";
}

/** Seconds of the task's other actions: its transfers, its reads from disk. */
function otherActions(
  session: SeenSession,
  hover: Hover,
  view: ViewState,
): [string, number][] {
  if (!view.environment.visible.value) return [];
  const { row } = hover;
  const sums = new Map<string, number>();
  for (const other of session.store.model.ofTask(row.lane, row.task)) {
    if (other.start === row.start && other.action === row.action) continue;
    const name = session.store.actions[other.action] ?? "other";
    sums.set(name, (sums.get(name) ?? 0) + Math.max(0, other.duration));
  }
  return [...sums].slice(0, 4);
}
