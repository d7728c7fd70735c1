// Stretches of a lane: what is drawn where there are no rows. Sorted by start.

import { CoarseLane } from "./coarse";

export interface Stretch {
  start: number;
  duration: number;
  /** Seconds of it in which the thread computed. */
  busy: number;
  prefix: number;
  erred: number;
  /** How many rows it stands for. */
  rows: number;
}

export function laneOf(stretches: Stretch[]): CoarseLane {
  stretches.sort((a, b) => a.start - b.start);
  const lane = new CoarseLane(stretches.length);
  lane.count = stretches.length;
  stretches.forEach((stretch, i) => {
    lane.start[i] = stretch.start;
    lane.duration[i] = stretch.duration;
    lane.busy[i] = stretch.busy;
    lane.prefix[i] = stretch.prefix;
    lane.erred[i] = stretch.erred;
    lane.rows[i] = stretch.rows;
  });
  return lane;
}

/** Those that are drawn. */
export function stretchesOf(lane: CoarseLane | undefined): Stretch[] {
  const found: Stretch[] = [];
  for (let i = 0; lane && i < lane.count; i++) {
    if (lane.hidden[i] === 1) continue;
    const { start, duration, busy, prefix, erred, rows } = lane;
    found.push({
      start: start[i],
      duration: duration[i],
      busy: busy[i],
      prefix: prefix[i],
      erred: erred[i],
      rows: rows[i],
    });
  }
  return found;
}

/** Neighbours as one: half as many, twice as long. */
export function halved(stretches: readonly Stretch[]): Stretch[] {
  const half: Stretch[] = [];
  for (let i = 0; i < stretches.length; i += 2) {
    const left = stretches[i];
    const right = stretches[i + 1];
    half.push(right ? union(left, right) : left);
  }
  return half;
}

function union(a: Stretch, b: Stretch): Stretch {
  const stop = Math.max(a.start + a.duration, b.start + b.duration);
  return {
    start: a.start,
    duration: stop - a.start,
    busy: a.busy + b.busy,
    prefix: a.busy >= b.busy ? a.prefix : b.prefix,
    erred: a.erred | b.erred,
    rows: a.rows + b.rows,
  };
}
