// The share of a time in which the threads of some lanes were busy.

import { findAfter } from "../model/search";
import { LEVELS } from "../model/segment";
import type { TaskModel } from "../model/tasks";

/** Seconds of `start..stop` in which a lane computed; uses summaries where possible. */
function busySeconds(
  model: TaskModel,
  lane: number,
  start: number,
  stop: number,
): number {
  let seconds = 0;
  const track = model.track(lane, false);
  for (const segment of track?.segments ?? []) {
    if (segment.firstStart >= stop) break;
    if (segment.maxStop <= start) continue;
    if (segment.firstStart >= start && segment.maxStop <= stop) {
      seconds += segment.busy[segment.offset[LEVELS]];
      continue;
    }
    const last = findAfter(segment.start, 0, segment.rows, stop);
    for (let row = 0; row < last; row++) {
      const from = segment.start[row];
      const length = segment.duration[row];
      if (!(length > 0)) continue;
      const part = Math.min(from + length, stop) - Math.max(from, start);
      if (part > 0) seconds += part;
    }
  }
  const coarse = model.coarseLane(lane);
  for (let i = 0; coarse && i < coarse.count; i++) {
    if (coarse.hidden[i] === 1) continue;
    const from = coarse.start[i];
    const length = coarse.duration[i];
    const part = Math.min(from + length, stop) - Math.max(from, start);
    if (part > 0 && length > 0) seconds += coarse.busy[i] * (part / length);
  }
  return seconds;
}

/** Between 0 and 1; NaN when there is nothing to measure. */
export function busyShare(
  model: TaskModel,
  lanes: readonly number[],
  start: number,
  stop: number,
): number {
  if (lanes.length === 0 || !(stop > start)) return NaN;
  let seconds = 0;
  for (const lane of lanes) {
    if (lane >= 0) seconds += busySeconds(model, lane, start, stop);
  }
  return Math.min(1, seconds / ((stop - start) * lanes.length));
}
