// The events above the lanes: errors, gaps in the recording, changes of workers.

import { actionRgb } from "../../panel/pixel_colours";
import { inFocus } from "../../panel/narrowing";
import { splitException } from "../../panel/traceback";
import { type WorkerItem, workerItems } from "../../panel/worker_marks";
import type { Change, Gap, TaskError } from "../../model/types";
import { rowsOf } from "../../session/tables";
import { type Item, type Mark, MarkRow } from "../../timeline/marks";
import { toCss } from "../../base/colour";
import { paintGap, type PlotArea } from "../../timeline/time_plot";
import type { PlotRows } from "./geometry";
import type { PanelState } from "./panel_state";

export interface EventItem extends Item {
  /** Name of the worker; empty if the event belongs to no single worker. */
  readonly worker: string;
  readonly error?: TaskError;
}

const GAPS = "gaps in the recording";

export function eventItems(
  errors: readonly TaskError[],
  gaps: readonly Gap[],
  changes: readonly Change[],
  nameOf: (worker: string) => string,
): EventItem[] {
  return [
    ...gaps.map(({ start, stop, text, reason }): EventItem => ({
      ...{ start, stop, level: "warn", worker: "" },
      text: text || `nothing recorded: ${reason}`,
      ...{ one: "gap in the recording", many: GAPS, brief: ["gap", "gaps"] },
    })),
    ...workerItems(changes, nameOf).filter(
      ({ what }: WorkerItem) => what !== "joined",
    ),
    ...errors.map((error): EventItem => ({
      ...{ start: error.time, stop: error.time, level: "error", error },
      text: splitException(error.exception)[0],
      worker: nameOf(error.worker),
      ...{ one: "error", many: "errors" },
    })),
  ].sort((one, other) => one.start - other.start);
}

/** The error that a click on a mark pins: the one after the currently pinned one. */
export function nextError(
  { items }: Pick<Mark<EventItem>, "items">,
  pinned: number | null,
): TaskError | null {
  const errors = items
    .flatMap(({ error }) => error ?? [])
    .filter(({ task }) => task >= 0);
  const at = errors.findIndex(({ task }) => task === pinned);
  return errors[(at + 1) % errors.length] ?? null;
}

export class EventsRow {
  private readonly row = new MarkRow<EventItem>();

  /** Reads signals of the session, so call it in an effect. */
  read(view: PanelState): void {
    const session = view.session.value;
    const groups = view.placed.value;
    this.row.items = [];
    if (!session) return;
    void view.namesVersion.value;
    // Ignore the time in focus: lanes are also drawn outside of it.
    const focused = inFocus({ ...view.focus.value, time: null });
    const { prefixes } = session;
    const errors = rowsOf(view.table("errors"), "time").filter(
      ({ time, worker, prefix }) =>
        focused({ start: time, stop: time, worker, prefix: prefixes[prefix] }),
    );
    const gaps = rowsOf(view.table("gaps"), "start");
    const changes = rowsOf(view.table("workers"), "time").filter(
      ({ time, worker, what }) =>
        // A restart concerns all workers.
        what === "restarted" ||
        focused({ start: time, stop: time, worker, prefix: null }),
    );
    const names = new Map(groups.map(({ address, name }) => [address, name]));
    const nameOf = (worker: string): string => names.get(worker) ?? worker;
    this.row.items = eventItems(errors, gaps, changes, nameOf);
  }

  paint(area: PlotArea, rows: PlotRows, columns: readonly number[]): void {
    const { context, theme, pixelRatio, height } = area;
    const top = rows.eventsTop * pixelRatio;
    const line = Math.max(1, Math.round(pixelRatio));
    context.fillStyle = toCss(theme.grid);
    for (const x of columns) context.fillRect(x, top, line, height);
    const middle = top + (rows.events * pixelRatio) / 2;
    this.row.paint(area, middle, actionRgb("disk", theme));
  }

  /** Marks gaps of the recording on the lanes, so that they are not mistaken for idle time. */
  paintGaps(area: PlotArea, top: number, bottom: number): void {
    for (const { items, start, stop } of this.row.marks) {
      if (items[0].many === GAPS) paintGap(area, start, stop, top, bottom);
    }
  }

  at(
    x_px: number,
    y_px: number,
    rows: PlotRows,
    pixelRatio: number,
  ): Mark<EventItem> | null {
    if (y_px < rows.eventsTop || y_px > rows.lanesTop) return null;
    return this.row.at(x_px * pixelRatio);
  }
}
