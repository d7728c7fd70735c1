// Goes to a task, or to the one that an error names, and shows what ran around it.

import type { Interval, TaskError } from "../../model/types";
import type { SessionStore } from "../../session/session";
import { rowOfTask, stretchOf } from "../../model/query";
import type { PanelState } from "./panel_state";

/** The lane of a task that ran on no known one. */
const NO_LANE = -2;
/** Room on either side of what is zoomed to, in its own lengths … */
const ROOM = 2;
/** … which no task is too short for. */
const SHORTEST_S = 1e-4;
/** How many tasks of its length fit beside one that is gone to. */
const AROUND = 40;

export function zoomTo(
  view: PanelState,
  [start, stop]: readonly [number, number],
): void {
  const room = Math.max(stop - start, SHORTEST_S) * ROOM;
  view.window.show(start - room, stop + room, true);
}

/**
 * The row that erred; where its detail is not here (any more), its moment. Null for a
 * task that is known nowhere.
 */
export function rowOfError(
  store: SessionStore,
  error: Pick<TaskError, "time" | "task" | "prefix" | "worker">,
): Interval | null {
  if (error.task < 0) return null;
  const first = rowOfTask(store.model, error.task);
  if (first) {
    const rows = store.model.ofTask(first.lane, error.task);
    const computes = (row: Interval): boolean =>
      store.actions[row.action] === "compute";
    return rows.reverse().find(computes) ?? first;
  }
  const lane = store.lanes.findIndex(({ worker }) => worker === error.worker);
  return {
    start: error.time,
    duration: 0,
    lane: lane < 0 ? NO_LANE : lane,
    prefix: error.prefix,
    action: Math.max(0, store.actions.indexOf("compute")),
    status: 1,
    nbytes: 0,
    span: 0,
    task: error.task,
    computation: 0,
  };
}

/** Pins a row and brings its lane onto the screen; the window stays if it can. */
export function pinRow(view: PanelState, row: Interval): void {
  view.pinned.value = row;
  view.plot.peek()?.reveal(row.lane);
  const { window } = view;
  const [start, stop] = stretchOf(row);
  if (stop < window.start || start > window.stop) goToRow(view, row);
}

/** Pins a row and shows it with some of what ran around it. */
export function goToRow(view: PanelState, row: Interval): void {
  const { window } = view;
  const [first, last] = stretchOf(row);
  const length = last - first;
  // Of a task without a length only the moment is known: no reason to zoom.
  const wanted = length > 0 ? length * AROUND : Infinity;
  const width = Math.min(window.width, Math.max(wanted, window.width / 1e6));
  const middle = (first + last) / 2;
  const start = Math.max(middle - width / 2, view.extent?.start ?? -Infinity);
  view.pinned.value = row;
  view.plot.peek()?.reveal(row.lane);
  view.window.show(start, start + width, true);
}
