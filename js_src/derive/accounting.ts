// What threads × time was spent on: running, idle by cause, and unaccounted. Time in which
// the cluster had nothing to do is not counted, but reported separately.

import { findAfter } from "../model/search";
import type { Grid } from "./metrics";

export const CAUSES = [
  "reading",
  "paused",
  "queued",
  "data",
  "tail",
  "none",
  "handing",
  "unknown",
] as const;
export type Cause = (typeof CAUSES)[number];

type Numbers = ArrayLike<number>;

/** Values sorted by time; each holds until the next. */
export interface Steps {
  readonly time: Float64Array;
  readonly value: Numbers;
}

/** Tasks in each state; each row holds until the next. */
export interface StateRows {
  readonly time: Float64Array;
  readonly waiting: Numbers;
  readonly queued: Numbers;
  readonly no_worker: Numbers;
  readonly processing: Numbers;
  readonly executing: Numbers;
  readonly fetching: Numbers;
}

/** Tasks that are executing now and began at the same time. */
export interface Running {
  readonly tasks: number;
  readonly since: number;
}

export interface Inputs {
  readonly threads: Steps;
  readonly states: StateRows;
  /** From sending a graph to the scheduler having read it; sorted by time. */
  readonly graphs: readonly (readonly [start: number, stop: number])[];
  /** Threads of paused workers. */
  readonly paused: Steps;
  readonly running: readonly Running[];
  /** Thread-seconds per column of the grid, as measured by metrics. */
  readonly measured: Float64Array;
  /** The part of `measured` in which no task ran (`BESIDE_TASKS`). */
  readonly beside: Float64Array;
  /** Thread-seconds of tasks that have ended. */
  readonly busy: Float64Array;
  /** There are no data before `since` or after `present`. */
  readonly since: number;
  readonly present: number;
}

/** Thread-seconds in each column. */
export interface Account {
  readonly grid: Grid;
  readonly threads: Float64Array;
  /** The part of `threads` in which the cluster had nothing to do. */
  readonly notCounted: Float64Array;
  readonly measured: Float64Array;
  /** Time of running tasks: metrics only arrive when tasks end. */
  readonly unfinished: Float64Array;
  /** At `cause * columns + column`. */
  readonly idle: Float64Array;
}

/** Maximum number of columns for totals by cause. */
const COLUMNS = 240;

/**
 * Splits a time into columns. Idle time is split by cause per column, so other edges would
 * change the totals: if the time `grows`, edges stay until it is twice as long.
 */
export function gridOver(start: number, stop: number, grows: boolean): Grid {
  const least = Math.max(stop - start, 1e-6) / COLUMNS;
  const width = grows ? 2 ** Math.ceil(Math.log2(least)) : least;
  return {
    start,
    width,
    columns: Math.max(1, Math.ceil((stop - start) / width - 1e-6)),
  };
}

export function accountOf(grid: Grid, inputs: Inputs): Account {
  const { start, width, columns } = grid;
  const { measured, beside, busy } = inputs;
  const threads = new Float64Array(columns);
  const nothing = new Float64Array(columns);
  const weights = new Float64Array(CAUSES.length * columns);
  visitMoments(grid, inputs, (from, to, count, split) => {
    const put = (out: Float64Array, base: number, each: number): void => {
      for (let at = Math.floor((from - start) / width); ; at++) {
        const left = Math.max(from, start + at * width);
        const right = Math.min(to, start + (at + 1) * width);
        if (at >= columns || left >= to) return;
        if (right > left && at >= 0) out[base + at] += each * (right - left);
      }
    };
    put(threads, 0, count);
    if (split === null) put(nothing, 0, count);
    else {
      split.forEach((idle, cause) => {
        if (idle > 0) put(weights, cause * columns, idle);
      });
    }
  });
  const unfinished = unfinishedTime(grid, inputs);
  const notCounted = new Float64Array(columns);
  const idle = new Float64Array(CAUSES.length * columns);
  for (let at = 0; at < columns; at++) {
    const ran = Math.max(busy[at] + beside[at], measured[at]);
    // More tasks than threads may run if some have seceded.
    unfinished[at] = Math.min(unfinished[at], Math.max(0, threads[at] - ran));
    const free = Math.max(0, threads[at] - ran - unfinished[at]);
    notCounted[at] = Math.min(nothing[at], free);
    let sum = 0;
    for (let row = at; row < weights.length; row += columns) {
      sum += weights[row];
    }
    const left =
      threads[at] - notCounted[at] - busy[at] - beside[at] - unfinished[at];
    if (!(left > 0)) continue;
    if (sum > 0) {
      for (let row = at; row < weights.length; row += columns) {
        idle[row] = (weights[row] / sum) * left;
      }
    }
  }
  return { grid, threads, notCounted, measured, unfinished, idle };
}

/** Calls `see` for each range without a change; `idle` is null if there was nothing to do. */
function visitMoments(
  { start, width, columns }: Grid,
  { threads, states, graphs, paused, since, present }: Inputs,
  see: (
    from: number,
    to: number,
    threads: number,
    idle: Float64Array | null,
  ) => void,
): void {
  const begin = Math.max(start, since);
  const stop = Math.min(start + width * columns, present);
  if (!(stop > begin)) return;
  const edges = [begin, stop];
  const addIn = (times: Float64Array): void => {
    for (
      let at = findAfter(times, 0, times.length, begin);
      times[at] < stop;
      at++
    ) {
      edges.push(times[at]);
    }
  };
  for (const { time } of [threads, states, paused]) addIn(time);
  for (const graph of graphs) {
    for (const edge of graph) if (edge > begin && edge < stop) edges.push(edge);
  }
  const sorted = Float64Array.from(edges).sort();
  const places = [threads, states, paused].map(
    ({ time }) => findAfter(time, 0, time.length, begin) - 1,
  );
  let graph = 0;
  const idle = new Float64Array(CAUSES.length);
  for (let edge = 0; edge + 1 < sorted.length; edge++) {
    const [from, to] = [sorted[edge], sorted[edge + 1]];
    if (!(to > from)) continue;
    [threads, states, paused].forEach(({ time }, of) => {
      while (time[places[of] + 1] <= from) places[of] += 1;
    });
    while (graph < graphs.length && graphs[graph][1] <= from) graph += 1;
    const isReading = graph < graphs.length && graphs[graph][0] <= from;
    // Before the first sample, assume its value.
    const count = threads.value[Math.max(0, places[0])] ?? 0;
    const away = places[2] < 0 ? 0 : paused.value[places[2]];
    const some = splitIdle(states, places[1], count, away, isReading, idle);
    see(from, to, count, some ? idle : null);
  }
}

/** Minimum idle share, so that idle time between two samples gets a cause, too. */
const LEAST_SHARE = 1e-3;

/** Splits idle threads by cause; returns false if the cluster has nothing to do. */
function splitIdle(
  states: StateRows,
  row: number,
  threads: number,
  paused: number,
  isReading: boolean,
  idle: Float64Array,
): boolean {
  idle.fill(0);
  const add = (cause: Cause, count: number): void => {
    idle[CAUSES.indexOf(cause)] += Math.max(0, count);
  };
  if (row < 0) {
    add(isReading ? "reading" : "unknown", threads);
    return true;
  }
  const queued = states.queued[row];
  const processing = states.processing[row];
  const executing = states.executing[row];
  const waiting = states.waiting[row];
  const ready = queued + processing;
  if (ready + waiting + states.no_worker[row] === 0 && !isReading) return false;
  let left = Math.max(threads - executing, threads * LEAST_SHARE);
  if (ready === 0) {
    add(isReading ? "reading" : "none", left);
    return true;
  }
  const away = Math.min(paused, left);
  add("paused", away);
  left -= away;
  const missing = Math.min(left, Math.max(0, threads - away - ready));
  if (queued > 0) add("queued", left);
  else {
    add("tail", missing);
    left -= missing;
    const waits = states.fetching[row] > 0 || executing === 0;
    add(waits ? "data" : "handing", left);
  }
  return true;
}

/**
 * Start times of running tasks, of which only the mean and the earliest are known: one task
 * gets the earliest, the others the time that makes the mean correct.
 */
export function beganAt(
  tasks: number,
  mean: number,
  earliest: number,
): Running[] {
  if (!(tasks > 0) || Number.isNaN(mean)) return [];
  if (tasks === 1 || !(earliest < mean)) return [{ tasks, since: mean }];
  const others = tasks - 1;
  return [
    { tasks: 1, since: earliest },
    { tasks: others, since: (tasks * mean - earliest) / others },
  ];
}

/** Thread-seconds of tasks that are still running; ended ones are in `busy`. */
function unfinishedTime(
  grid: Grid,
  { running, present }: Inputs,
): Float64Array {
  const out = new Float64Array(grid.columns);
  for (const { tasks, since } of running) {
    const first = Math.floor((since - grid.start) / grid.width);
    for (let at = Math.max(0, first); at < grid.columns; at++) {
      const left = grid.start + at * grid.width;
      const from = Math.max(left, since);
      const to = Math.min(left + grid.width, present);
      if (left >= present) break;
      if (to > from) out[at] += tasks * (to - from);
    }
  }
  return out;
}

export interface Totals {
  /** Threads × time without `notCounted`. */
  readonly counted: number;
  readonly notCounted: number;
  readonly measured: number;
  readonly unfinished: number;
  readonly idle: Readonly<Record<Cause, number>>;
  readonly idleSum: number;
  /** At least 0: with seceded tasks, more may run than threads × time. */
  readonly unaccounted: number;
}

export function sum(cells: Float64Array): number {
  let all = 0;
  for (const cell of cells) all += cell;
  return all;
}

/** Sums all columns: `counted` is running, idle and unaccounted together. */
export function totalsOf(account: Account): Totals {
  const { columns } = account.grid;
  const notCounted = sum(account.notCounted);
  const counted = sum(account.threads) - notCounted;
  const [measured, unfinished] = [
    sum(account.measured),
    sum(account.unfinished),
  ];
  const found = sum(account.idle);
  // Metrics may cover more tasks than this page has.
  const idleSum = Math.max(0, Math.min(found, counted - measured - unfinished));
  const share = found > 0 ? idleSum / found : 0;
  const idle = Object.fromEntries(
    CAUSES.map((cause, at) => [
      cause,
      share * sum(account.idle.subarray(at * columns, (at + 1) * columns)),
    ]),
  ) as Record<Cause, number>;
  const unaccounted = Math.max(0, counted - measured - unfinished - idleSum);
  return {
    counted,
    notCounted,
    measured,
    unfinished,
    idle,
    idleSum,
    unaccounted,
  };
}

/** The contiguous time with most seconds of a cause; null if it has none. */
export function whenOf(
  { grid, idle, threads }: Account,
  cause: Cause,
): { readonly start: number; readonly stop: number; share: number } | null {
  const base = CAUSES.indexOf(cause) * grid.columns;
  const own = idle.subarray(base, base + grid.columns);
  const all = sum(own);
  let best: { from: number; to: number; seconds: number } | null = null;
  for (let at = 0; at < grid.columns; at++) {
    const isIn = (column: number): boolean =>
      own[column] > LEAST_IDLE * threads[column];
    if (!isIn(at)) continue;
    const from = at;
    let seconds = 0;
    for (; at < grid.columns && (isIn(at) || isIn(at + 1)); at++) {
      seconds += own[at];
    }
    if (seconds > (best?.seconds ?? 0)) best = { from, to: at, seconds };
  }
  if (!best) return null;
  return {
    start: grid.start + best.from * grid.width,
    stop: grid.start + best.to * grid.width,
    share: best.seconds / all,
  };
}

/** A cause with a smaller share of the threads does not count in a column. */
const LEAST_IDLE = 0.02;
