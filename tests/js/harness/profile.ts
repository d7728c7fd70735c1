// Made-up stacks that look like real ones: below what Dask calls for each task, functions
// that call a few others each. The same for each seed.

import type { CountColumns } from "../../../js_src/derive/profile_counts";
import { Merging } from "../../../js_src/derive/profile_tree";
import { random } from "./run";

export interface MadeStacks {
  readonly parent: Uint32Array;
  readonly frame: Uint32Array;
  readonly frames: number;
  /** Samples of each, without what it called. */
  readonly counts: Float64Array;
}

/** As many rows as a task's thread has above the first function of a task. */
const ABOVE = 9;
/** Dask cuts stacks to the frames nearest to the leaf. */
const DEEPEST = 101;

export interface StackOptions {
  readonly seed?: number;
  readonly frames?: number;
  /** Of a walk down the stack, in frames below those of Dask. */
  readonly depth?: number;
}

/** At least so many stacks, the root among them. */
export function madeStacks(
  stacks: number,
  { seed = 1, frames = 3_000, depth = 24 }: StackOptions = {},
): MadeStacks {
  const next = random(seed);
  const pick = (below: number): number => Math.floor(next() * below);
  const made = new Merging(stacks + DEEPEST, 0);
  const counts = new Float64Array(stacks + DEEPEST);
  const callees = Array.from({ length: frames }, () =>
    Array.from(
      { length: 1 + pick(6) },
      () => ABOVE + 1 + pick(frames - ABOVE - 1),
    ),
  );
  let size = 1;
  while (size < stacks) {
    let node = 0;
    for (let frame = 1; frame <= ABOVE; frame++) node = made.child(node, frame);
    let frame = ABOVE + 1 + Math.floor(next() ** 3 * 40);
    const rows = Math.min(
      DEEPEST - ABOVE,
      2 + Math.floor(-Math.log(1 - next()) * depth),
    );
    for (let row = 0; row < rows; row++) {
      node = made.child(node, frame);
      size = Math.max(size, node + 1);
      const those = callees[frame % frames]!;
      frame = those[Math.floor(next() ** 2 * those.length)]!;
    }
    counts[node]! += 1 + Math.floor(next() ** 4 * 50);
  }
  const { parent, frame } = made.tree(frames);
  return { parent, frame, frames, counts: counts.slice(0, parent.length) };
}

export interface RunShape {
  readonly seed?: number;
  readonly workers?: number;
  readonly threads?: number;
  readonly seconds?: number;
  /** Of tasks, on average. */
  readonly task_s?: number;
  /** How much longer each of these frames takes than in another run. */
  readonly slower?: ReadonlyMap<number, number>;
}

const ORIGIN = 1_700_000_000;
const INTERVAL_S = 0.01;

/**
 * What samplers of threads would have counted: tasks follow each other on each thread, each
 * of one of the stacks' walks, its samples spread over some of the stacks below its function.
 */
export function madeRun(
  stacks: MadeStacks,
  {
    seed = 1,
    workers = 4,
    threads = 4,
    seconds = 120,
    task_s = 1.5,
    slower = new Map<number, number>(),
  }: RunShape = {},
): { columns: CountColumns; samples: number } {
  const next = random(seed);
  const { parent, frame, counts } = stacks;
  const leaves = [...counts.keys()].filter((stack) => counts[stack]! > 0);
  /** Tasks of a function are alike: 12 functions, with stacks of their own. */
  const functions = Array.from({ length: 12 }, (_, at) =>
    leaves.filter((_, leaf) => leaf % 12 === at),
  );
  const columns: Record<keyof CountColumns, unknown[]> = {
    ...{ time: [], duration: [], scope: [], worker: [], prefix: [] },
    ...{ stack: [], count: [] },
  };
  let samples = 0;
  for (let thread = 0; thread < workers * threads; thread++) {
    const cycles = new Map<string, number>();
    let time = -next() * task_s;
    while (time < seconds) {
      const prefix = Math.floor(next() * functions.length);
      const those = functions[prefix]!;
      let left_s = -Math.log(1 - next()) * task_s;
      while (left_s > 0) {
        const leaf = those[Math.floor(next() ** 2 * those.length)]!;
        let factor = 1;
        for (let at = leaf; at > 0; at = parent[at]!) {
          factor = Math.max(factor, slower.get(frame[at]!) ?? 1);
        }
        // A function runs for a while; what is slower runs for longer.
        const ran = Math.min(left_s, -Math.log(1 - next()) * 0.15);
        left_s -= ran;
        for (
          let at = 0;
          at < ran * factor;
          at += INTERVAL_S, time += INTERVAL_S
        ) {
          if (time < 0 || time >= seconds) continue;
          const key = `${Math.floor(time)} ${prefix} ${leaf}`;
          cycles.set(key, (cycles.get(key) ?? 0) + 1);
        }
      }
    }
    for (const [key, count] of cycles) {
      const [cycle, prefix, stack] = key.split(" ").map(Number);
      columns.time.push(ORIGIN + cycle!);
      columns.duration.push(1);
      columns.scope.push(0);
      columns.worker.push(`tcp://10.0.0.${Math.floor(thread / threads)}:40000`);
      columns.prefix.push(prefix);
      columns.stack.push(stack);
      columns.count.push(count);
      samples += count;
    }
  }
  return { columns: countColumns(columns as never), samples };
}

/** In order of time, as they are read. */
export function countColumns(
  cells: Record<keyof CountColumns, readonly (number | string)[]>,
): CountColumns {
  const times = cells.time as readonly number[];
  const order = [...times.keys()].sort((a, b) => times[a]! - times[b]!);
  const numbers = (name: keyof CountColumns): number[] =>
    order.map((row) => cells[name][row] as number);
  return {
    time: Float64Array.from(numbers("time")),
    duration: Float32Array.from(numbers("duration")),
    scope: Uint8Array.from(numbers("scope")),
    worker: order.map((row) => cells.worker[row] as string),
    prefix: Uint16Array.from(numbers("prefix")),
    stack: Uint32Array.from(numbers("stack")),
    count: Float32Array.from(numbers("count")),
  };
}
