// Samples over time, in order: what a chart draws, and what can be said of them.

import { findAfter } from "../../model/search";

export interface Series {
  readonly time: Float64Array;
  readonly values: Float64Array;
  /** The longest step between two samples that a line may cross, in seconds. */
  readonly longest_s: number;
}

/**
 * In order of time, without samples whose time is no number. Of the workers, what their
 * last heartbeat told after the run is how the run ended, as the summary has it; what the
 * scheduler told of itself then is of no run.
 */
export function seriesOf(
  time: ArrayLike<number>,
  values: ArrayLike<number>,
  end: number,
  late: "of the end" | "left out",
): Series {
  const order: number[] = [];
  let sorted = true;
  for (let row = 0; row < time.length; row++) {
    if (!Number.isFinite(time[row])) continue;
    if (late === "left out" && time[row] > end) continue;
    if (order.length > 0 && time[row] < time[order[order.length - 1]]) {
      sorted = false;
    }
    order.push(row);
  }
  if (!sorted) order.sort((one, other) => time[one] - time[other]);
  const times = Float64Array.from(order, (row) => Math.min(time[row], end));
  return {
    time: times,
    values: Float64Array.from(order, (row) => values[row]),
    longest_s: longestStep(times),
  };
}

/** From the first to the last of samples, whatever their order; null where there are none. */
export function extentOf(
  ...times: readonly ArrayLike<number>[]
): [start: number, stop: number] | null {
  let start = Infinity;
  let stop = -Infinity;
  for (const time of times) {
    for (let row = 0; row < time.length; row++) {
      if (!Number.isFinite(time[row])) continue;
      start = Math.min(start, time[row]);
      stop = Math.max(stop, time[row]);
    }
  }
  return start <= stop ? [start, stop] : null;
}

/** The sample that holds at a time: the last one before it; NaN before the first. */
export function valueAt({ time, values }: Series, moment: number): number {
  const after = findAfter(time, 0, time.length, moment);
  return after > 0 ? values[after - 1] : NaN;
}

export interface Extremes {
  readonly least: number;
  readonly mean: number;
  readonly most: number;
}

/**
 * Of the samples from `start` to `stop`; between two samples the one before holds. NaN
 * where nothing is known.
 */
export function extremesOf(
  series: Series,
  start: number,
  stop: number,
): Extremes {
  const { time, values } = series;
  let least = Infinity;
  let most = -Infinity;
  let sum = 0;
  let inside = 0;
  let count = 0;
  for (let at = 0; at < time.length; at++) {
    if (time[at] < start || time[at] > stop) continue;
    inside += 1;
    const value = values[at];
    if (!Number.isFinite(value)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
    sum += value;
    count += 1;
  }
  if (count === 0) {
    const held = inside === 0 ? heldAt(series, start) : NaN;
    return { least: held, mean: held, most: held };
  }
  return { least, mean: sum / count, most };
}

/** What a line shows between two samples: nothing in a gap, and after the last one. */
function heldAt({ time, values, longest_s }: Series, moment: number): number {
  const after = findAfter(time, 0, time.length, moment);
  // Of a sample that is not there the step is NaN.
  const known = time[after] - time[after - 1] <= longest_s;
  return known ? values[after - 1] : NaN;
}

/** More than this many usual steps without a sample: nothing is known in between. */
const GAP_STEPS = 10;

function longestStep(time: Float64Array): number {
  const steps = time.subarray(1).map((next, at) => next - time[at]);
  steps.sort();
  const usual = steps[steps.length >> 1] ?? 0;
  return Math.max(usual * GAP_STEPS, 1);
}
