// The cards beside the pointer: for a task, for a block of the preview, and for events.

import { Card, type PlotPlace, Swatch } from "../../panel/card";
import { FactList } from "../../panel/parts";
import type { JSX } from "preact";
import {
  formatBytes,
  formatDuration,
  formatMoment,
  NOTHING,
  formatShare,
  plural,
  formatRange,
} from "../../base/format";
import { spanName } from "../../panel/narrowing";
import type { SessionStore } from "../../session/session";
import { rowsOf } from "../../session/tables";
import { capitalized } from "../../panel/action_words";
import type { Hover, PanelState } from "./panel_state";
import { placeOf } from "../../panel/worker_groups";
import type { TaskModel } from "../../model/tasks";
import { moreComes } from "./status_facts";
import { KeyText, useKey } from "../../panel/key_text";
import { actionCss, prefixColoursOf } from "../../panel/pixel_colours";
import type { TaskError, Interval } from "../../model/types";
import { CloseIcon, WarningIcon } from "../../panel/icons";
import { mergedText } from "../../timeline/marks";
import type { EventItem } from "./events";
import { splitException } from "../../panel/traceback";

const MOST_CHARS = 200;

export function HoverCard(props: {
  view: PanelState;
  plot: PlotPlace;
}): JSX.Element | null {
  const { view } = props;
  const hover = view.hover.value;
  const session = view.session.value;
  if (!hover || !session) return null;
  return <TaskCard {...props} hover={hover} session={session} />;
}

function TaskCard(props: {
  view: PanelState;
  plot: PlotPlace;
  hover: Hover;
  session: SessionStore;
}): JSX.Element {
  const { view, hover, session } = props;
  const { row } = hover;
  const key = useKey(session, row.task);
  const labels = taskLabels(row, session, view);
  const exception = labels.erred ? exceptionOf(view, row.task) : "";
  const span = spanName(session.spans[row.span]?.name ?? []);
  return (
    <Card
      target={hover}
      plot={props.plot}
      sign={<Swatch colour={labels.colour} />}
      title={labels.title}
      value={formatDuration(row.duration)}
      foot={["Click to pin", "Shift-drag to select time"]}
    >
      <div class="ds-card-key">
        <KeyText text={key} longest={160} />
      </div>
      {exception !== "" && <div class="ds-card-error">{exception}</div>}
      <FactList
        class="ds-facts"
        facts={[
          ["Started", `+${formatMoment(row.start - view.origin.value, 3)}`],
          ["Worker", placeOf(view.placed.value, row.lane)],
          labels.action !== "compute" && ["For", labels.prefix],
          [
            "Result",
            labels.erred
              ? "erred"
              : row.nbytes > 0
                ? formatBytes(row.nbytes)
                : NOTHING,
          ],
          span !== "" && ["Span", span],
          ...otherActions(session, hover, view),
          row.duration < 0 && [
            "Clock",
            <span class="ds-warn">stops before it starts</span>,
          ],
        ]}
      />
    </Card>
  );
}

/** The first line of the exception; pinning the task shows the rest. */
function exceptionOf(view: PanelState, task: number): string {
  const errors = rowsOf(view.table("errors"), "time");
  const known = errors.find((error) => error.task === task);
  return known?.exception.split("\n")[0].slice(0, MOST_CHARS) ?? "";
}

/** Seconds of the task's other actions, such as transfers and disk reads. */
function otherActions(
  session: SessionStore,
  hover: Hover,
  view: PanelState,
): [string, string][] {
  if (!view.environment.visible.value) return [];
  const { row } = hover;
  const sums = new Map<string, number>();
  for (const other of session.model.ofTask(row.lane, row.task)) {
    if (other.start === row.start && other.action === row.action) continue;
    const name = session.actions[other.action] ?? "other";
    sums.set(name, (sums.get(name) ?? 0) + Math.max(0, other.duration));
  }
  return [...sums]
    .slice(0, 4)
    .map(([name, seconds]) => [capitalized(name), formatDuration(seconds)]);
}

export function CoarseCard(props: {
  view: PanelState;
  plot: PlotPlace;
}): JSX.Element | null {
  const { view } = props;
  const block = view.coarseHover.value;
  const store = view.session.value;
  if (!block || !store) return null;
  const colour = prefixColoursOf(view, store)(block.prefix);
  const name = store.prefixes[block.prefix] || "(no name)";
  return (
    <Card
      target={block}
      plot={props.plot}
      sign={<Swatch colour={colour} />}
      title={`Mostly ${name}`}
      value={plural(block.rows, "row")}
      foot={[whyCoarse(store.model, moreComes(view))]}
    >
      <FactList
        class="ds-facts"
        facts={[
          ["Worker", placeOf(view.placed.value, block.lane)],
          ["Busy", formatShare(block.busyShare)],
          block.erred && ["Result", "some erred"],
        ]}
      />
    </Card>
  );
}

/** Why only a preview is shown: its rows are still to arrive, or were dropped. */
function whyCoarse(model: TaskModel, moreComes: boolean): string {
  if (model.evictedRows > 0 && !model.isCoarse) {
    return "Too old to be kept in detail on this page";
  }
  return model.evictedRows === 0 && moreComes
    ? "Tasks loading, newest first"
    : "Details of these tasks are not loaded";
}

const MOST_LISTED = 6;
const SHOWN_S = 0.01;

export function EventCard(props: {
  view: PanelState;
  plot: PlotPlace;
}): JSX.Element | null {
  const { view } = props;
  const hover = view.eventHover.value;
  const session = view.session.value;
  if (!hover || !session) return null;
  const { items: marks, level } = hover.merged;
  const { eventsTop, events } = view.rows.value;
  const only = marks.length === 1 ? marks[0] : undefined;
  const origin = view.origin.value;
  return (
    <Card
      target={{ pointerX: hover.pointerX, top: eventsTop, height: events }}
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

function footOf(marks: readonly EventItem[]): string[] {
  const known = (mark: EventItem) => (mark.error?.task ?? -1) >= 0;
  const errors = marks.filter(known).length;
  if (errors === 0) return [];
  return ["Click to pin the task", ...(errors > 1 ? ["again: the next"] : [])];
}

function OneError(props: {
  session: SessionStore;
  mark: EventItem;
  error: TaskError;
}): JSX.Element {
  const { session, mark, error } = props;
  const message = firstLine(splitException(error.exception)[1]);
  return (
    <>
      {message !== "" && <p class="ds-card-message">{message}</p>}
      {error.task < 0 ? (
        <p class="ds-card-message ds-quiet">
          The rest of this task was dropped on the scheduler.
        </p>
      ) : (
        <KeyOf session={session} task={error.task} />
      )}
      <FactList
        class="ds-facts"
        facts={[
          ["Prefix", session.prefixes[error.prefix] ?? NOTHING],
          ["Worker", mark.worker],
        ]}
      />
    </>
  );
}

function KeyOf(props: { session: SessionStore; task: number }): JSX.Element {
  const key = useKey(props.session, props.task);
  return (
    <div class="ds-card-key">
      <KeyText text={key} longest={160} />
    </div>
  );
}

function Several(props: {
  marks: readonly EventItem[];
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

/** Sorts by time, rounded as displayed, then by worker. */
export function inOrder(
  marks: readonly EventItem[],
  origin: number,
): EventItem[] {
  const rounded = ({ start }: EventItem): number =>
    Math.round((start - origin) / SHOWN_S);
  return [...marks].sort(
    (one, other) =>
      rounded(one) - rounded(other) ||
      one.worker.localeCompare(other.worker, undefined, { numeric: true }),
  );
}

function when(mark: EventItem, origin: number): string {
  const start = mark.start - origin;
  if (mark.stop === mark.start) return `+${formatMoment(start, 3)}`;
  return Number.isFinite(mark.stop)
    ? formatRange(start, mark.stop - origin)
    : `since ${formatMoment(start, 1)}`;
}

function sentence(mark: EventItem): string {
  if (!mark.error) return mark.text;
  const message = firstLine(splitException(mark.error.exception)[1]);
  return message === "" ? mark.text : `${mark.text}: ${message}`;
}

const firstLine = (text: string): string =>
  text.trim().split("\n", 1)[0]?.slice(0, 200) ?? "";

interface TaskLabels {
  readonly prefix: string;
  readonly prefixColour: string;
  readonly action: string;
  /** The colour of the action if it has one, else that of the prefix. */
  readonly colour: string;
  readonly erred: boolean;
  /** The prefix if the row is a computation, else the action. */
  readonly title: string;
}

export function taskLabels(
  row: Interval,
  store: SessionStore,
  view: PanelState,
): TaskLabels {
  const prefix = store.prefixes[row.prefix] ?? "(unknown)";
  const action = store.actions[row.action] ?? "(unknown)";
  const erred = row.status === 1;
  const { dark } = view.environment.theme.value;
  const prefixColour = prefixColoursOf(view, store)(row.prefix);
  return {
    prefix,
    prefixColour,
    action,
    erred,
    title: action === "compute" ? prefix : action,
    colour: actionCss(action, erred, prefixColour, dark),
  };
}
