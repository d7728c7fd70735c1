// The card beside the pointer: what this task is, in one glance.

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import {
  formatBytes,
  formatDuration,
  formatMoment,
  NOTHING,
} from "../../base/format";
import type { SessionMirror } from "../panel/session_mirror";
import { KeyText, useKey } from "./key_text";
import { placeCard } from "./place_card";
import { capitalized, rowWords } from "./row_words";
import type { Hover, ViewState } from "./view_state";
import { placeOf } from "./worker_groups";

/** `left` and `top` are where the plot begins on the stage. */
export function HoverCard(props: {
  view: ViewState;
  left: number;
  top: number;
}): JSX.Element | null {
  const { view } = props;
  const hover = view.hover.value;
  const session = view.session.value;
  if (!hover || !session) return null;
  return <Card {...props} hover={hover} session={session} />;
}

function Card(props: {
  view: ViewState;
  left: number;
  top: number;
  hover: Hover;
  session: SessionMirror;
}): JSX.Element {
  const { view, hover, session } = props;
  const { store } = session;
  const { row } = hover;
  const card = useRef<HTMLDivElement>(null);
  const key = useKey(store, row.task);
  const words = rowWords(row, store, view.environment.theme.value);
  const span = store.spans[row.span]?.name.join(" › ") ?? "";

  useLayoutEffect(() => {
    if (card.current) placeCard(card.current, hover, props.left, props.top);
  });

  return (
    <div ref={card} class="ds-card" role="tooltip">
      <div class="ds-card-head">
        <span class="ds-swatch" style={{ background: words.colour }} />
        <b class="ds-card-title">{words.title}</b>
        <b class="ds-card-value">{formatDuration(row.duration)}</b>
      </div>
      <div class="ds-card-key">
        <KeyText text={key} longest={160} />
      </div>
      <dl class="ds-facts">
        <dt>Started</dt>
        <dd>{`+${formatMoment(row.start - session.origin.value, 3)}`}</dd>
        <dt>Worker</dt>
        <dd>{placeOf(view.groups.value, row.lane)}</dd>
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
      <div class="ds-card-foot">
        <span>Click to pin</span>
        <span>Shift-drag to select time</span>
      </div>
    </div>
  );
}

/** Seconds of the task's other actions: its transfers, its reads from disk. */
function otherActions(
  session: SessionMirror,
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
