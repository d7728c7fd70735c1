// Which tasks the rows of some batches belong to, and about when these stopped.

import { isTime, lengthOf } from "./search";
import type { TaskBatch } from "./tasks";

/** Of these many rows of a batch the stop times are looked at. */
const TIME_SAMPLE = 64;

export interface InsertedTasks {
  first: number;
  last: number;
  lastLane: number;
  /** About when these tasks stopped; a few rows may lie outside. */
  start: number;
  stop: number;
}

export function together(
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
  // A sample without its extremes: one clock that is hours off must not decide.
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
