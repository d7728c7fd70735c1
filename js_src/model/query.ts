// Finding rows of a track by time.

import type { RowFilter } from "./filter";
import { findAfter } from "./search";
import { actionOf, hasErred, LEVELS, type Segment } from "./segment";
import type { Track } from "./track";
import type { Interval } from "./types";
import type { TaskModel } from "./tasks";

/** First row that may end after `time`, judged by the longest row of the segment. */
export function firstReaching(segment: Segment, time: number): number {
  return findAfter(segment.start, 0, segment.rows, time - segment.maxDuration);
}

export function blankInterval(): Interval {
  return {
    start: 0,
    duration: 0,
    lane: 0,
    prefix: 0,
    action: 0,
    status: 0,
    nbytes: 0,
    span: 0,
    task: 0,
    computation: 0,
  };
}

export function readRow(
  track: Track,
  segment: Segment,
  row: number,
  into: Interval,
): Interval {
  into.start = segment.start[row];
  into.duration = segment.duration[row];
  into.lane = track.lane;
  into.prefix = segment.prefix[row];
  into.action = actionOf(segment.what[row]);
  into.status = hasErred(segment.what[row]) ? 1 : 0;
  into.nbytes = segment.nbytes[row];
  into.span = segment.span[row];
  into.task = segment.task[row];
  into.computation = segment.computation[row];
  return into;
}

/** The row that contains a time (the last to begin, if several), else the nearest. */
export function hitRow(
  track: Track,
  time: number,
  tolerance_s: number,
  filter: RowFilter | null,
): Interval | null {
  let found: Segment | null = null;
  let foundRow = 0;
  // Prefer a matching row within the tolerance to a dimmed one that contains the time.
  let best = Infinity;
  for (const segment of track.segments) {
    if (segment.firstStart > time + tolerance_s) break;
    if (segment.maxStop < time - tolerance_s) continue;
    const from = firstReaching(segment, time - tolerance_s);
    const to = findAfter(segment.start, from, segment.rows, time + tolerance_s);
    for (let row = to - 1; row >= from; row--) {
      const start = segment.start[row];
      const stop = start + Math.max(0, segment.duration[row]);
      let distance = 0;
      if (time < start) distance = start - time;
      else if (time > stop) distance = time - stop;
      if (distance > tolerance_s) continue;
      if (filter && !filter.matches(segment, row)) distance += 2 * tolerance_s;
      const later =
        found !== null && distance === best && start > found.start[foundRow];
      if (distance < best || later) {
        best = distance;
        found = segment;
        foundRow = row;
        if (best === 0) break;
      }
    }
  }
  return found ? readRow(track, found, foundRow, blankInterval()) : null;
}

/** All rows of a task on this track. Scans one whole column. */
export function rowsOfTask(track: Track, task: number): Interval[] {
  const out: Interval[] = [];
  for (const segment of track.segments) {
    const { task: tasks, rows } = segment;
    for (let row = 0; row < rows; row++) {
      if (tasks[row] === task) {
        out.push(readRow(track, segment, row, blankInterval()));
      }
    }
  }
  return out;
}

/**
 * Visit rows of at least `minDuration_s` that overlap `t0..t1`, sorted by start.
 * The visitor gets the same object each time; returning false stops the visit.
 */
export function visitRows(
  track: Track,
  t0: number,
  t1: number,
  minDuration_s: number,
  into: Interval,
  visit: (row: Readonly<Interval>) => boolean | void,
): void {
  for (const segment of track.segments) {
    if (segment.firstStart >= t1) break;
    if (segment.maxStop <= t0) continue;
    if (segment.maxDuration < minDuration_s) continue;
    const { start, duration, reach, offset, rows } = segment;
    let row = firstReaching(segment, t0);
    while (row < rows && start[row] < t1) {
      // Skip the largest block whose rows are all too short.
      let jumped = false;
      for (let level = LEVELS; level > 0 && minDuration_s > 0; level--) {
        const shift = 3 * level;
        if ((row & ((1 << shift) - 1)) !== 0) continue;
        if (reach[offset[level] + (row >> shift)] >= minDuration_s) continue;
        row += 1 << shift;
        jumped = true;
        break;
      }
      if (jumped) continue;
      const seconds = Math.max(0, duration[row]);
      if (seconds >= minDuration_s && start[row] + seconds >= t0) {
        if (visit(readRow(track, segment, row, into)) === false) return;
      }
      row++;
    }
  }
}

/** Start and stop of a row in order, even if clocks disagree. */
export function intervalOf(row: Interval): [start: number, stop: number] {
  const stop = row.start + row.duration;
  return [Math.min(row.start, stop), Math.max(row.start, stop)];
}

/** The first row of a task on any lane; null if this page has none. */
export function rowOfTask(model: TaskModel, task: number): Interval | null {
  for (let lane = 0; lane < model.laneCount; lane++) {
    const row = model.ofTask(lane, task)[0];
    if (row) return row;
  }
  return null;
}
