// The card at a mark of the row of events: what happened, when and where.

import type { JSX } from "preact";
import { formatMoment, formatStretch, NOTHING } from "../../base/format";
import type { TaskError } from "../../model/types";
import { CloseIcon, WarningIcon } from "../../panel/icons";
import type { SeenSession } from "../../panel/seen_session";
import { Card, type PlotPlace } from "./card";
import { mergedText, type EventMark } from "./event_marks";
import { KeyText, useKey } from "./key_text";
import { splitException } from "../../panel/traceback";
import type { ViewState } from "./view_state";

const MOST_LISTED = 6;
const TOLD_S = 0.01;

export function EventCard(props: {
  view: ViewState;
  plot: PlotPlace;
}): JSX.Element | null {
  const { view } = props;
  const hover = view.eventHover.value;
  const session = view.session.value;
  if (!hover || !session) return null;
  const { marks, level } = hover.merged;
  const { axis, events } = view.rows.value;
  const only = marks.length === 1 ? marks[0] : undefined;
  const origin = session.origin.value;
  return (
    <Card
      target={{ pointerX: hover.pointerX, top: axis, height: events }}
      plot={props.plot}
      sign={
        <span class={level === "info" ? "ds-quiet" : `ds-${level}`}>
          {level === "error" ? <CloseIcon /> : <WarningIcon />}
        </span>
      }
      title={mergedText(hover.merged, false)}
      value={only ? when(only, origin) : ""}
      foot={footOf(marks)}
    >
      {only?.error ? (
        <OneError session={session} mark={only} error={only.error} />
      ) : (
        !only && <Several marks={marks} origin={origin} />
      )}
    </Card>
  );
}

function footOf(marks: readonly EventMark[]): string[] {
  const known = (mark: EventMark) => (mark.error?.task ?? -1) >= 0;
  const errors = marks.filter(known).length;
  if (errors === 0) return [];
  return ["Click to pin the task", ...(errors > 1 ? ["again: the next"] : [])];
}

function OneError(props: {
  session: SeenSession;
  mark: EventMark;
  error: TaskError;
}): JSX.Element {
  const { session, mark, error } = props;
  const message = firstLine(splitException(error.exception)[1]);
  return (
    <>
      {message !== "" && <p class="ds-card-message">{message}</p>}
      {error.task < 0 ? (
        <p class="ds-card-message ds-quiet">
          Nothing else of this task is known: it was dropped on the scheduler.
        </p>
      ) : (
        <KeyOf session={session} task={error.task} />
      )}
      <dl class="ds-facts">
        <dt>Prefix</dt>
        <dd>{session.store.prefixes[error.prefix] ?? NOTHING}</dd>
        <dt>Worker</dt>
        <dd>{mark.worker}</dd>
      </dl>
    </>
  );
}

function KeyOf(props: { session: SeenSession; task: number }): JSX.Element {
  const key = useKey(props.session.store, props.task);
  return (
    <div class="ds-card-key">
      <KeyText text={key} longest={160} />
    </div>
  );
}

function Several(props: {
  marks: readonly EventMark[];
  origin: number;
}): JSX.Element {
  const { marks, origin } = props;
  const more = marks.length - MOST_LISTED;
  return (
    <ul class="ds-card-events">
      {inOrder(marks, origin)
        .slice(0, MOST_LISTED)
        .map((mark) => (
          <li>
            <span class="ds-quiet">{when(mark, origin)}</span>
            <span class="ds-card-event">{sentence(mark)}</span>
          </li>
        ))}
      {more > 0 && <li class="ds-quiet">{`and ${more} more`}</li>}
    </ul>
  );
}

/** Of time, as far as it is told; what begins together in that of the workers. */
export function inOrder(
  marks: readonly EventMark[],
  origin: number,
): EventMark[] {
  const told = ({ start }: EventMark): number =>
    Math.round((start - origin) / TOLD_S);
  return [...marks].sort(
    (one, other) =>
      told(one) - told(other) ||
      one.worker.localeCompare(other.worker, undefined, { numeric: true }),
  );
}

function when(mark: EventMark, origin: number): string {
  const start = mark.start - origin;
  if (mark.stop === mark.start) return `+${formatMoment(start, 3)}`;
  return Number.isFinite(mark.stop)
    ? formatStretch(start, mark.stop - origin)
    : `since ${formatMoment(start, 1)}`;
}

function sentence(mark: EventMark): string {
  if (!mark.error) return mark.text;
  const message = firstLine(splitException(mark.error.exception)[1]);
  return message === "" ? mark.text : `${mark.text}: ${message}`;
}

const firstLine = (text: string): string =>
  text.trim().split("\n", 1)[0]?.slice(0, 200) ?? "";
