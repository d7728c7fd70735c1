// Samples over time, in order: what a chart draws, and what can be said of them.

import { findAfter } from "../model/search";
import type { TableColumns } from "../schema";

/** Each sample is the last value of its step, with the least and the most of that. */
export interface Series {
  readonly time: Float64Array;
  readonly values: Float64Array;
  readonly least: Float64Array;
  readonly most: Float64Array;
}

type Measured = "cpu" | "memory" | "loop_interval";
type Counted = "workers" | "threads" | "memory_limit";
type System = TableColumns["system"];
export type Sampled = Measured | Counted | "process" | "managed" | "spilled";

/**
 * Some columns of the table `system`, of the samples that have any of them: the cluster
 * and the scheduler are sampled one after the other.
 */
export function samplesOf<K extends Sampled>(
  columns: System,
  names: readonly K[],
  end: number,
  late: Late,
): Record<K, Series> {
  const some = Array.from(columns.time.keys()).filter((row) =>
    names.some((name) => Number.isFinite(columns[name][row])),
  );
  const pick = (values: ArrayLike<number>): number[] =>
    some.map((row) => values[row]);
  const time = pick(columns.time);
  const series = names.map((name) => {
    const values = pick(columns[name]);
    const least = pick(columns[`${name}_least`] ?? columns[name]);
    const most = pick(columns[`${name}_most`] ?? columns[name]);
    return [name, seriesOf(time, values, end, late, least, most)] as const;
  });
  return Object.fromEntries(series) as Record<K, Series>;
}

type Late = "of the end" | "left out";

/**
 * In order of time, without samples whose time is no number. Of the workers, what their
 * last heartbeat said after the run is how the run ended, as the summary has it; what the
 * scheduler said of itself then is of no run.
 */
export function seriesOf(
  time: ArrayLike<number>,
  values: ArrayLike<number>,
  end: number,
  late: Late,
  least = values,
  most = values,
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
  const inOrder = (all: ArrayLike<number>): Float64Array =>
    Float64Array.from(order, (row) => all[row]);
  return {
    time: inOrder(time).map((moment) => Math.min(moment, end)),
    values: inOrder(values),
    least: inOrder(least),
    most: inOrder(most),
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
    least = Math.min(least, series.least[at]);
    most = Math.max(most, series.most[at]);
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
function heldAt({ time, values }: Series, moment: number): number {
  const after = findAfter(time, 0, time.length, moment);
  const known =
    after > 0 && after < time.length && !isGap(time, after - 1, after);
  return known ? values[after - 1] : NaN;
}

/** More than this many steps without a sample: nothing is known in between. */
const GAP_STEPS = 10;
const SHORTEST_GAP_S = 1;

/** Whether no line may go from one sample to a later one. Older samples are further apart. */
export function isGap(time: Float64Array, from: number, to: number): boolean {
  const steps = [time[from] - time[from - 1], time[to + 1] - time[to]];
  const usual = Math.max(...steps.filter(Number.isFinite));
  const longest = Math.max(usual * GAP_STEPS, SHORTEST_GAP_S);
  return usual >= 0 && time[to] - time[from] > longest;
}
