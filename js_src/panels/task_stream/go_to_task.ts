// Shows a task, or that of an error, with the tasks that ran around it.

import type { Interval, TaskError } from "../../model/types";
import type { SessionStore } from "../../session/session";
import { rowOfTask, intervalOf } from "../../model/query";
import type { PanelState } from "./panel_state";

/** Lane number of a task whose lane is unknown. */
const NO_LANE = -2;
/** Room on either side of a zoomed task, in multiples of its duration … */
const ROOM = 2;
/** … which counts as at least this long. */
const SHORTEST_S = 1e-4;
/** Width of the window when going to a task, in multiples of its duration. */
const AROUND = 40;

export function zoomTo(
  view: PanelState,
  [start, stop]: readonly [number, number],
): void {
  const room = Math.max(stop - start, SHORTEST_S) * ROOM;
  view.window.show(start - room, stop + room, true);
}

/**
 * The row of a failed task or, if the page does not have it, a row without duration at the
 * time of the error. Null if the task is unknown.
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

/** Pins a row and scrolls to its lane; moves the window only if the row is outside. */
export function pinRow(view: PanelState, row: Interval): void {
  view.pinned.value = row;
  view.plot.peek()?.reveal(row.lane);
  const { window } = view;
  const [start, stop] = intervalOf(row);
  if (stop < window.start || start > window.stop) goToRow(view, row);
}

/** Pins a row and shows it with some of the tasks around it. */
export function goToRow(view: PanelState, row: Interval): void {
  const { window } = view;
  const [first, last] = intervalOf(row);
  const length = last - first;
  // Do not zoom to a task without duration, of which only the time is known.
  const wanted = length > 0 ? length * AROUND : Infinity;
  const width = Math.min(window.width, Math.max(wanted, window.width / 1e6));
  const middle = (first + last) / 2;
  const start = Math.max(middle - width / 2, view.extent?.start ?? -Infinity);
  view.pinned.value = row;
  view.plot.peek()?.reveal(row.lane);
  view.window.show(start, start + width, true);
}
