// Where a task is among the rows of this page.

import type { TaskModel } from "../model/tasks";
import type { Interval } from "../model/types";

/** From its first to its last moment, clocks that disagree included. */
export function stretchOf(row: Interval): [start: number, stop: number] {
  const stop = row.start + row.duration;
  return [Math.min(row.start, stop), Math.max(row.start, stop)];
}

/** The first row of a task, wherever it ran; null while this page has none. */
export function rowOfTask(model: TaskModel, task: number): Interval | null {
  for (let lane = 0; lane < model.laneCount; lane++) {
    const row = model.ofTask(lane, task)[0];
    if (row) return row;
  }
  return null;
}
