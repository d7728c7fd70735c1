// Two times, or two recordings, next to each other: what has more in the second one, and where
// that is more than chance.
//
// A function that runs for long is seen many times in a row: samples are not independent. So
// each side is cut into stretches of its time, and what neighbours differ by says how far the
// whole may be off: of N stretches Σ (next - this)² · N / 2(N - 1) is the variance of their
// sum. What runs for longer than a stretch may be alike in neighbours: pairs and fours of
// stretches are compared, too, and the largest variance counts, which is at least that of
// independent samples. A difference counts beyond so many standard errors that at most 5 % of
// the nodes of two halves of one run are coloured, and if it is more than a sample: 1 against
// 0 is none. `derive/profile_difference.py` has the same variance.

import {
  type FrameColumns,
  Merging,
  NOWHERE,
  type Stacks,
  type Tree,
} from "./profile_tree";
import type { StretchedCounts } from "./profile_stretches";

export interface Comparison {
  /** The same nodes; their `self` and `total` are the means of both sides. */
  readonly tree: Tree;
  /** What a node has in each side: of 1, or in samples. */
  readonly before: Float64Array;
  readonly after: Float64Array;
  /** A difference up to this one may be chance. */
  readonly bound: Float64Array;
  /** 1 where there is more in the second side, -1 where less, 0 where that may be chance. */
  readonly sign: Int8Array;
}

export interface Comparing {
  /** Parts of all samples of a side, or samples: for runs that did the same work. */
  readonly by: "share" | "samples";
}

/** `tree` has the stacks of both sides; it may be folded, but not inverted. */
export function compared(
  tree: Tree,
  before: StretchedCounts,
  after: StretchedCounts,
  { by }: Comparing,
): Comparison {
  const places = placesOf(tree);
  const a = sideOf(tree, places, before, by);
  const b = sideOf(tree, places, after, by);
  const nodes = tree.parent.length;
  const bound = new Float64Array(nodes);
  const sign = new Int8Array(nodes);
  const total = new Float64Array(nodes);
  const self = new Float64Array(nodes);
  for (let node = 0; node < nodes; node++) {
    const [one, other] = [a.variance[node], b.variance[node]];
    const error = one + other;
    const spread = one ** 2 / a.degrees + other ** 2 / b.degrees;
    const known = Number.isFinite(error) && error > 0;
    const factor = known ? studentOf(LIMIT, error ** 2 / spread) : 0;
    const chance = known ? factor * Math.sqrt(error) : error;
    bound[node] = Math.max(chance, a.one, b.one);
    const difference = b.total[node] - a.total[node];
    if (Math.abs(difference) > bound[node]) sign[node] = Math.sign(difference);
    total[node] = (a.total[node] + b.total[node]) / 2;
    self[node] = (a.self[node] + b.self[node]) / 2;
  }
  const mean = { ...tree, self, total };
  return { tree: mean, before: a.total, after: b.total, bound, sign };
}

/**
 * In standard errors. Nodes of one branch differ together: with 1.96 it happened that 20 % of
 * the nodes of halves of one run were coloured.
 */
const LIMIT = 3;

/** Student's t that is as rare as a normal deviate (Wallace). */
function studentOf(z: number, degrees: number): number {
  const scale = (8 * degrees + 1) / (8 * degrees + 3);
  return Math.sqrt(degrees * Math.expm1((z / scale) ** 2 / degrees));
}

interface Side {
  readonly self: Float64Array;
  readonly total: Float64Array;
  readonly variance: Float64Array;
  readonly degrees: number;
  /** What one sample is. */
  readonly one: number;
}

function sideOf(
  tree: Tree,
  places: Uint32Array,
  { parts }: StretchedCounts,
  by: Comparing["by"],
): Side {
  const { parent } = tree;
  const nodes = parent.length;
  const summed = (
    of: StretchedCounts["parts"],
  ): [Float64Array, Float64Array] => {
    const self = new Float64Array(nodes);
    for (const { stack, count } of of) {
      for (let row = 0; row < stack.length; row++) {
        const node = places[stack[row]] ?? NOWHERE;
        if (node !== NOWHERE) self[node] += count[row];
      }
    }
    const total = self.slice();
    for (let node = nodes - 1; node > 0; node--) {
      total[parent[node]] += total[node];
    }
    return [self, total];
  };
  const [self, total] = summed(parts);
  const one = by === "samples" ? 1 : total[0] > 0 ? 1 / total[0] : 0;
  const all = total[0];
  // Of one stretch nothing is known of chance: no difference counts.
  const variance = parts.length > 1 ? total.slice() : total.map(() => Infinity);
  const scales = [1, 2, 4].filter(
    (of) => parts.length / of >= Math.min(4, parts.length),
  );
  const steps = scales.map(() => new Float64Array(nodes));
  const sums = scales.map(() => new Float64Array(nodes));
  const last = scales.map(() => new Float64Array(nodes));
  parts.forEach((part, at) => {
    const [, inPart] = summed([part]);
    if (by === "share") {
      // Where all of it varies, its parts stay what they are.
      const busy = all > 0 ? inPart[0] / all : 0;
      for (let node = 0; node < nodes; node++) {
        inPart[node] -= total[node] * busy;
      }
    }
    scales.forEach((of, scale) => {
      const sum = sums[scale];
      for (let node = 0; node < nodes; node++) sum[node] += inPart[node];
      if ((at + 1) % of !== 0) return;
      const [step, before] = [steps[scale], last[scale]];
      if (at + 1 > of) {
        for (let node = 0; node < nodes; node++) {
          step[node] += (sum[node] - before[node]) ** 2;
        }
      }
      [sums[scale], last[scale]] = [before.fill(0), sum];
    });
  });
  steps.forEach((step, scale) => {
    const number = parts.length / scales[scale];
    if (number < 2) return;
    const factor = number / (2 * (number - 1));
    for (let node = 0; node < nodes; node++) {
      variance[node] = Math.max(variance[node], step[node] * factor);
    }
  });
  const scaled = (samples: Float64Array, by: number): Float64Array =>
    by === 1 ? samples : samples.map((count) => count * by);
  return {
    ...{ self: scaled(self, one), total: scaled(total, one), one },
    variance: scaled(variance, one * one),
    degrees: degreesOf(parts.length / 2),
  };
}

/**
 * Degrees of freedom of a variance that is made of differences of neighbours: of pairs of
 * stretches, since the largest variance may be theirs.
 */
const degreesOf = (number: number): number =>
  number < 2 ? 1 : (2 * (number - 1) ** 2) / (3 * number - 4);

/** Of each stack the node that has its samples, or NOWHERE. */
function placesOf(tree: Tree): Uint32Array {
  const into: Uint32Array[] = [];
  let base = tree;
  for (let { origin } = base; origin; { origin } = base) {
    if (!("into" in origin))
      throw new Error("a tree of callers is not compared");
    into.push(origin.into);
    base = origin.tree;
  }
  const { stack } = base;
  if (!stack) throw new Error("not a tree of stacks");
  const places = new Uint32Array((stack[stack.length - 1] ?? 0) + 1).fill(
    NOWHERE,
  );
  for (let node = 0; node < stack.length; node++) {
    let place = node;
    for (let at = into.length - 1; at >= 0 && place !== NOWHERE; at--) {
      place = into[at][place];
    }
    places[stack[node]] = place;
  }
  return places;
}

/** The frames of two recordings in one dictionary, with the numbers of the second one's. */
export function unitedFrames(
  one: FrameColumns,
  other: FrameColumns,
): { readonly frames: FrameColumns; readonly numbers: Uint32Array } {
  const keyOf = (frames: FrameColumns, at: number): string =>
    `${frames.name[at]}\0${frames.file[at]}\0${frames.first_line[at]}`;
  const known = new Map(one.name.map((_, at) => [keyOf(one, at), at]));
  const more: number[] = [];
  const numbers = Uint32Array.from(other.name, (_, at) => {
    const frame = known.get(keyOf(other, at));
    return frame ?? one.name.length + more.push(at) - 1;
  });
  const texts = (of: "name" | "file" | "source"): string[] => [
    ...one[of],
    ...more.map((at) => other[of][at]),
  ];
  const figures = (of: "first_line" | "line"): Uint32Array =>
    Uint32Array.from([...one[of], ...more.map((at) => other[of][at])]);
  const frames = {
    ...{ name: texts("name"), file: texts("file"), source: texts("source") },
    ...{ first_line: figures("first_line"), line: figures("line") },
  };
  return { frames, numbers };
}

/** The stacks of two recordings in one dictionary, with the numbers of both. */
export function unitedStacks(
  one: Stacks,
  other: Stacks,
  /** Of the other's frames, in the dictionary of both. */
  numbers: Uint32Array,
): {
  readonly stacks: Stacks;
  readonly ofOne: Uint32Array;
  readonly ofOther: Uint32Array;
} {
  const made = new Merging(one.parent.length + other.parent.length, 0);
  const added = (
    { parent, frame }: Stacks,
    numberOf: (frame: number) => number,
  ): Uint32Array => {
    const into = new Uint32Array(parent.length);
    for (let at = 1; at < into.length; at++) {
      const above = parent[at] < at ? parent[at] : 0;
      into[at] = made.child(into[above], numberOf(frame[at]));
    }
    return into;
  };
  const ofOne = added(one, (frame) => frame);
  const ofOther = added(other, (frame) => numbers[frame]);
  const { parent, frame } = made.tree(0);
  return { stacks: { parent, frame }, ofOne, ofOther };
}

/** Counts with the numbers that stacks have in another dictionary. */
export function renumbered(
  { parts, samples }: StretchedCounts,
  numbers: Uint32Array,
): StretchedCounts {
  const moved = parts.map(({ stack, count }) => ({
    stack: stack.map((one) => numbers[one]),
    count,
  }));
  return { parts: moved, samples };
}
