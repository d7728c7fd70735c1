// Which tasks the page holds completely, as sorted, disjoint ranges of task numbers with
// their start and stop times.

import { isTime, lengthOf } from "./search";
import type { TaskBatch } from "./tasks";

export interface Range {
  first: number;
  end: number;
  start: number;
  stop: number;
}

export class Coverage {
  private ranges: Range[] = [];

  /** Returns the range that the added one was merged into. */
  add(first: number, tasks: number, start = Infinity, stop = -Infinity): Range {
    const added = { first, end: first + tasks, start, stop };
    const before = this.ranges.filter((range) => range.end < first);
    const after = this.ranges.filter((range) => range.first > added.end);
    const touching = this.ranges.slice(
      before.length,
      this.ranges.length - after.length,
    );
    for (const range of touching) {
      added.first = Math.min(added.first, range.first);
      added.end = Math.max(added.end, range.end);
      added.start = Math.min(added.start, range.start);
      added.stop = Math.max(added.stop, range.stop);
    }
    if (tasks > 0) this.ranges = [...before, added, ...after];
    return added;
  }

  covers(first: number, tasks: number): boolean {
    return this.ranges.some(
      (range) => range.first <= first && first + tasks <= range.end,
    );
  }

  /** Whether any task of `first..last` (inclusive) is covered. */
  touches(first: number, last: number): boolean {
    return this.ranges.some(
      (range) => range.first <= last && first < range.end,
    );
  }

  all(): readonly Range[] {
    return this.ranges;
  }

  /** `[first, last + 1]` of each range. */
  list(): [number, number][] {
    return this.ranges.map((range) => [range.first, range.end]);
  }
}

/** Number of rows of a batch whose stop times are sampled. */
const TIME_SAMPLE = 64;

export interface InsertedTasks {
  first: number;
  last: number;
  lastLane: number;
  /** About when these tasks stopped; a few rows may lie outside. */
  start: number;
  stop: number;
}

export function mergeInserted(
  a: InsertedTasks | null,
  b: InsertedTasks,
): InsertedTasks {
  if (!a) return b;
  return {
    first: Math.min(a.first, b.first),
    last: Math.max(a.last, b.last),
    lastLane: Math.max(a.lastLane, b.lastLane),
    start: Math.min(a.start, b.start),
    stop: Math.max(a.stop, b.stop),
  };
}

export function describe(batch: TaskBatch): InsertedTasks {
  const { rows, task: tasks, lane: lanes } = batch;
  let first = tasks[0];
  let last = first;
  let lastLane = 0;
  for (let row = 0; row < rows; row++) {
    const task = tasks[row];
    if (task < first) first = task;
    if (task > last) last = task;
    if (lanes[row] > lastLane) lastLane = lanes[row];
  }
  // Ignore the extremes of the sample: one clock may be hours off.
  const stops: number[] = [];
  const step = Math.max(1, Math.floor(batch.rows / TIME_SAMPLE));
  for (let row = 0; row < batch.rows; row += step) {
    const stop = batch.start[row] + lengthOf(batch.duration[row]);
    if (isTime(stop)) stops.push(stop);
  }
  stops.sort((a, b) => a - b);
  const cut = stops.length >= 16 ? stops.length >> 4 : 0;
  return {
    first,
    last,
    lastLane,
    start: stops[cut] ?? Infinity,
    stop: stops[stops.length - 1 - cut] ?? -Infinity,
  };
}
