// Two trees next to each other: what has more in the second one, and where that is more than
// chance.
//
// Samples of one task follow each other, so that counts vary by more than their square roots.
// How much more is seen in the halves of each side, which differ by chance alone: `z` is the
// difference of a function between two halves, in standard errors of independent samples. The
// factor is what 95 % of the functions with samples enough stay below in both sides, at least
// 1.96. A difference counts if it exceeds its own standard error times the factor, and what
// the halves of that function differ by. Half a sample on each side is taken off first: 1
// against 0 is never a difference.

import { type FrameColumns, Merging, type Tree } from "./profile_tree";

/** One side: what was seen in its halves. Both are parts of it all over its time. */
export type Halves = readonly [Tree, Tree];

export interface Comparison {
  /** All nodes of both sides. Their `self` and `total` are the means of both sides. */
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

/** Each tree is of the frames of the same dictionary. */
export function compared(
  before: Halves,
  after: Halves,
  { by }: Comparing,
): Comparison {
  const { tree, selves, totals } = united([...before, ...after]);
  const nodes = tree.self.length;
  const sides = [
    sideOf(totals[0], totals[1], by),
    sideOf(totals[2], totals[3], by),
  ];
  const factor = Math.max(LEAST_FACTOR, ...sides.map(({ factor }) => factor));
  const [a, b] = sides;
  const bound = new Float64Array(nodes);
  const sign = new Int8Array(nodes);
  const total = new Float64Array(nodes);
  for (let node = 0; node < nodes; node++) {
    const difference = b.amounts[node] - a.amounts[node];
    const error = Math.sqrt(a.variances[node] + b.variances[node]);
    bound[node] =
      (a.one + b.one) / 2 +
      Math.max(factor * error, a.halves[node], b.halves[node]);
    total[node] = (a.amounts[node] + b.amounts[node]) / 2;
    if (Math.abs(difference) > bound[node]) sign[node] = Math.sign(difference);
  }
  const self = selves[0].map((_, node) => {
    const before = selves[0][node] + selves[1][node];
    return (a.one * before + b.one * (selves[2][node] + selves[3][node])) / 2;
  });
  return {
    tree: { ...tree, self, total },
    ...{ before: a.amounts, after: b.amounts, bound, sign },
  };
}

const LEAST_FACTOR = 1.96;
/** Of fewer samples the halves say nothing of how much samples vary. */
const LEAST_SAMPLES = 8;

interface Side {
  readonly amounts: Float64Array;
  readonly variances: Float64Array;
  /** By how much the halves differ, as amounts. */
  readonly halves: Float64Array;
  readonly factor: number;
  /** What one sample is. */
  readonly one: number;
}

function sideOf(
  first: Float64Array,
  second: Float64Array,
  by: Comparing["by"],
): Side {
  const all = first[0] + second[0];
  const one = by === "samples" ? 1 : all > 0 ? 1 / all : 0;
  // What one sample of a half is, of the side.
  const [k1, k2] = [first[0], second[0]].map((half) => (one * all) / half);
  const known = Number.isFinite(k1) && Number.isFinite(k2);
  const amounts = first.map((count, node) => one * (count + second[node]));
  const variances = amounts.map((amount) => one * amount);
  const halves = amounts.map((_, node) =>
    known ? Math.abs(k1 * first[node] - k2 * second[node]) : Infinity,
  );
  const deviations = halves
    .map((half, node) => {
      if (first[node] + second[node] < LEAST_SAMPLES) return -1;
      const variance = k1 * k1 * first[node] + k2 * k2 * second[node];
      return Math.max(0, half - (k1 + k2) / 2) / Math.sqrt(variance);
    })
    .filter((deviation) => deviation >= 0)
    .sort();
  const factor = deviations[Math.floor(0.95 * deviations.length)] ?? 0;
  return { amounts, variances, halves, factor, one };
}

/** All nodes of some trees, with what each has in each tree. */
export function united(trees: readonly Tree[]): {
  readonly tree: Tree;
  readonly selves: readonly Float64Array[];
  readonly totals: readonly Float64Array[];
} {
  const most = trees.reduce((sum, { self }) => sum + self.length, 1);
  const made = new Merging(most, trees[0]?.frame[0] ?? 0);
  const places = trees.map(({ parent, frame, self }) => {
    const into = new Uint32Array(self.length);
    made.add(0, self[0]);
    for (let node = 1; node < self.length; node++) {
      into[node] = made.child(into[parent[node]], frame[node]);
      made.add(into[node], self[node]);
    }
    return into;
  });
  const frames = Math.max(...trees.map(({ frames }) => frames));
  const tree = made.tree(frames);
  const placed = (of: "self" | "total") =>
    trees.map(({ [of]: samples }, at) => {
      const sums = new Float64Array(tree.self.length);
      places[at].forEach((place, node) => (sums[place] = samples[node]));
      return sums;
    });
  return { tree, selves: placed("self"), totals: placed("total") };
}

/** The frames of two recordings in one dictionary, with the numbers of the second one's. */
export function unitedFrames(
  one: FrameColumns,
  other: FrameColumns,
): { readonly frames: FrameColumns; readonly ofOther: Uint32Array } {
  const keyOf = (frames: FrameColumns, at: number): string =>
    `${frames.name[at]}\0${frames.file[at]}\0${frames.first_line[at]}`;
  const known = new Map(one.name.map((_, at) => [keyOf(one, at), at]));
  const more: number[] = [];
  const ofOther = Uint32Array.from(other.name, (_, at) => {
    const frame = known.get(keyOf(other, at));
    return frame ?? one.name.length + more.push(at) - 1;
  });
  const texts = (of: "name" | "file" | "source"): string[] => [
    ...one[of],
    ...more.map((at) => other[of][at]),
  ];
  const numbers = (of: "first_line" | "line"): Uint32Array =>
    Uint32Array.from([...one[of], ...more.map((at) => other[of][at])]);
  const frames = {
    ...{ name: texts("name"), file: texts("file"), source: texts("source") },
    ...{ first_line: numbers("first_line"), line: numbers("line") },
  };
  return { frames, ofOther };
}

/** A tree with the numbers that its frames have in another dictionary. */
export function renumbered(tree: Tree, numbers: Uint32Array): Tree {
  const frame = tree.frame.map((one) => numbers[one]);
  const frames = numbers.reduce((most, one) => Math.max(most, one + 1), 0);
  return { ...tree, frame, frames };
}
