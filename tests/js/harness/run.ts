// A made-up run that looks like a real one: a shuffle and a groupby on a few
// workers, with transfers, reads from disk, one error. The same for each seed.

import type { TaskBatch } from "../../../js_src/model/tasks";
import type { Lane } from "../../../js_src/model/types";

export interface RunOptions {
  readonly workers: number;
  readonly threads: number;
  readonly seed?: number;
  /** Seconds since the epoch at which it begins. */
  readonly origin: number;
  /** Makes every task this much shorter or longer. */
  readonly scale?: number;
  /** How many times the whole run is repeated, one after the other. */
  readonly repeat?: number;
}

export interface Run {
  readonly prefixes: string[];
  readonly lanes: Lane[];
  readonly batch: TaskBatch;
  readonly tasks: number;
  readonly erredTask: number;
  readonly stop: number;
}

export const PREFIXES = [
  "read-parquet",
  "rename",
  "shuffle-transfer",
  "shuffle-barrier",
  "shuffle-p2p",
  "groupby-chunk",
  "groupby-agg",
];

/** mulberry32 */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Indexes of spans by prefix: half of them read, the others sum up. */
const SPAN_OF = [1, 1, 1, 1, 2, 2, 2];

export interface Row {
  start: number;
  duration: number;
  lane: number;
  prefix: number;
  action: number;
  status: number;
  nbytes: number;
  task: number;
  computation?: number;
}

export function makeRun(options: RunOptions): Run {
  const { workers, threads, origin, scale = 1, repeat = 1 } = options;
  const next = random(options.seed ?? 7);
  const lanes: Lane[] = [];
  for (let worker = 0; worker < workers; worker++) {
    for (let thread = 0; thread < threads; thread++) {
      lanes.push({
        worker: `tcp://10.4.${worker >> 8}.${21 + (worker & 127)}:${39411 + worker * 7}`,
        thread: String(140000 + worker * 100 + thread),
      });
    }
  }
  const rows: Row[] = [];
  let computation = 0; // of the pass: 2, 3, …
  let tasks = 0;
  let erredTask = -1;
  const add = (
    lane: number,
    prefix: number,
    start: number,
    duration: number,
    status = 0,
    overlay = 0,
  ): void => {
    const task = tasks++;
    const nbytes = 2 ** (18 + next() * 9);
    if (overlay > 0) {
      const length = duration * (0.12 + next() * 0.3);
      rows.push({
        start: start + duration * next() * 0.3,
        duration: length,
        lane,
        prefix,
        action: overlay,
        status,
        nbytes,
        task,
        computation,
      });
    }
    rows.push({
      start,
      duration,
      lane,
      prefix,
      action: 0,
      status,
      nbytes,
      task,
      computation,
    });
  };
  let begin = origin;
  let stop = origin;
  for (let pass = 0; pass < repeat; pass++) {
    computation = pass + 2;
    const barrier = begin + 17.05 * scale;
    lanes.forEach((_, lane) => {
      let t = begin + next() * 0.25 * scale;
      const end = begin + (15.9 + next() * 1.1) * scale;
      while (t < end) {
        const read = (0.3 + next() * 0.35) * scale;
        add(lane, 0, t, read, 0, next() < 0.05 ? 2 : 0);
        t += read + 0.004 * scale;
        const rename = (0.02 + next() * 0.05) * scale;
        add(lane, 1, t, rename);
        t += rename + 0.004 * scale;
        const shuffle = (0.2 + next() * 0.22) * scale;
        add(lane, 2, t, shuffle, 0, next() < 0.06 ? 3 : 0);
        t += shuffle + (0.004 + next() * 0.01) * scale;
      }
    });
    add(
      Math.min(lanes.length - 1, threads + 1),
      3,
      barrier - 0.15 * scale,
      0.23 * scale,
    );
    let aggregates = 26;
    lanes.forEach((_, lane) => {
      let t = barrier + (0.1 + next() * 0.15) * scale;
      const end = barrier + (9.4 + next() * 1.2) * scale;
      while (t < end) {
        const p2p = (0.3 + next() * 0.4) * scale;
        const dice = next();
        add(lane, 4, t, p2p, 0, dice < 0.14 ? 2 : dice < 0.2 ? 1 : 0);
        t += p2p + 0.005 * scale;
        const chunk = (0.15 + next() * 0.2) * scale;
        const fails =
          erredTask < 0 &&
          t > begin + 19.6 * scale &&
          lane === Math.min(10, lanes.length - 1);
        if (fails) erredTask = tasks;
        add(
          lane,
          5,
          t,
          fails ? 0.206 * scale : chunk,
          fails ? 1 : 0,
          fails ? 1 : next() < 0.12 ? 1 : 0,
        );
        t += chunk + (0.005 + next() * 0.02) * scale;
      }
      while (aggregates > 0 && next() < 0.8) {
        const length = (0.25 + next() * 0.3) * scale;
        add(lane, 6, t, length, 0, next() < 0.2 ? 1 : 0);
        t += length + 0.02 * scale;
        aggregates -= 1;
      }
      stop = Math.max(stop, t);
    });
    begin = stop + 1.2 * scale;
  }
  return {
    prefixes: PREFIXES,
    lanes,
    batch: toBatch(rows),
    tasks,
    erredTask,
    stop,
  };
}

export function toBatch(rows: readonly Row[]): TaskBatch {
  return {
    rows: rows.length,
    start: Float64Array.from(rows, (row) => row.start),
    duration: Float32Array.from(rows, (row) => row.duration),
    lane: Uint16Array.from(rows, (row) => row.lane),
    prefix: Uint16Array.from(rows, (row) => row.prefix),
    action: Uint8Array.from(rows, (row) => row.action),
    status: Uint8Array.from(rows, (row) => row.status),
    nbytes: Float32Array.from(rows, (row) => row.nbytes),
    span: Uint16Array.from(rows, (row) => SPAN_OF[row.prefix] ?? 0),
    task: Uint32Array.from(rows, (row) => row.task),
    computation: Uint16Array.from(rows, (row) => row.computation ?? 0),
  };
}

/** One row of a batch. */
export function rowAt(batch: TaskBatch, row: number): Row {
  return {
    start: batch.start[row]!,
    duration: batch.duration[row]!,
    lane: batch.lane[row]!,
    prefix: batch.prefix[row]!,
    action: batch.action[row]!,
    status: batch.status[row]!,
    nbytes: batch.nbytes[row]!,
    task: batch.task[row]!,
  };
}
