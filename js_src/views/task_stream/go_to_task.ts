// From a task's number, or from an error that names one, to its place.

import type { Interval, TaskError } from "../../model/types";
import type { SessionStore } from "../../session";
import type { ViewState } from "./view_state";

/** What stands for the lane of a task that ran on none that is known. */
const NO_LANE = -2;

/** The first row of a task, wherever it ran; null while this page has none. */
export function rowOfTask(store: SessionStore, task: number): Interval | null {
  const { model } = store;
  for (let lane = 0; lane < model.laneCount; lane++) {
    const row = model.ofTask(lane, task)[0];
    if (row) return row;
  }
  return null;
}

/**
 * The row that erred; where its detail is not here (any more), its moment. Null for a
 * task that nobody has.
 */
export function rowOfError(
  store: SessionStore,
  error: TaskError,
): Interval | null {
  if (error.task === null) return null;
  const first = rowOfTask(store, error.task);
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
  };
}

/** Pins a row and brings its lane onto the screen; the window stays if it can. */
export function pinRow(view: ViewState, row: Interval): void {
  view.pinned.value = row;
  view.reveal(row.lane);
  const { window } = view;
  const stop = row.start + Math.max(0, row.duration);
  if (stop < window.start || row.start > window.stop) goToRow(view, row);
}

/** Pins a row and shows it with some of what ran around it. */
export function goToRow(view: ViewState, row: Interval): void {
  const { window } = view;
  const middle = row.start + Math.max(0, row.duration) / 2;
  const width = Math.min(
    window.width,
    Math.max(row.duration * 40, window.width / 1e6),
  );
  const start = Math.max(middle - width / 2, view.extent?.start ?? -Infinity);
  view.pinned.value = row;
  view.reveal(row.lane);
  view.show(start, start + width);
}
