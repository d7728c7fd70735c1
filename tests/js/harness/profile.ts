// Made-up stacks that look like real ones: below what Dask calls for each task, functions
// that call a few others each. The same for each seed.

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
