// Compares two times or two recordings: what has more samples in the second one, and where
// that is more than chance. `derive/profile_difference.py` has the same rules and the reasons;
// tests/contract/profile.json checks that both give the same figures.

import {
  type FrameColumns,
  Merging,
  NOWHERE,
  outermostOf,
  type Stacks,
  type Tree,
} from "./profile_tree";
import type { SlicedCounts } from "./profile_slices";

/** By node, or by frame. */
export interface Differences {
  /** Amount on each side: samples, or shares of all samples of that side. */
  readonly before: Float64Array;
  readonly after: Float64Array;
  /** A difference up to this may be chance. */
  readonly bound: Float64Array;
  /** 1 if the second side has more, -1 if less, 0 if that may be chance. */
  readonly sign: Int8Array;
}

export interface Comparison extends Differences {
  /** The same nodes, with the mean of both sides as `self` and `total`. */
  readonly tree: Tree;
  /** Totals of functions, by frame; recursion counts once. */
  readonly functions: Differences;
}

export interface Comparing {
  /** Compare shares of all samples, or samples if both runs did the same work. */
  readonly by: "share" | "samples";
}

/** `tree` contains the stacks of both sides; it may be folded, but not inverted. */
export function compared(
  tree: Tree,
  before: SlicedCounts,
  after: SlicedCounts,
  { by }: Comparing,
): Comparison {
  const { parent, frame, frames } = tree;
  const places = placesOf(tree);
  const totalsOf = (self: Float64Array): Float64Array => {
    const total = self.slice();
    for (let node = total.length - 1; node > 0; node--) {
      total[parent[node]] += total[node];
    }
    return total;
  };
  const outermost = outermostOf(tree);
  const functionsOf = (self: Float64Array): Float64Array => {
    const sums = new Float64Array(frames);
    totalsOf(self).forEach((count, node) => {
      if (outermost[node] === 1) sums[frame[node]] += count;
    });
    return sums;
  };
  const selfOf = (parts: SlicedCounts["parts"]): Float64Array => {
    const self = new Float64Array(parent.length);
    for (const { stack, count } of parts) {
      for (let row = 0; row < stack.length; row++) {
        const node = places[stack[row]] ?? NOWHERE;
        if (node !== NOWHERE) self[node] += count[row];
      }
    }
    return self;
  };
  const sides = [before, after].map((counts) => {
    const self = selfOf(counts.parts);
    const all = sum(self);
    const one = by === "samples" ? 1 : all > 0 ? 1 / all : 0;
    return { ...{ counts, selfOf, self, all, one }, shares: by === "share" };
  });
  const [a, b] = sides;
  const nodes = differences(a, b, totalsOf);
  const mean = (one: Float64Array, other: Float64Array): Float64Array =>
    one.map((count, node) => (count + other[node]) / 2);
  const total = mean(nodes.before, nodes.after);
  const self = mean(
    a.self.map((count) => count * a.one),
    b.self.map((count) => count * b.one),
  );
  return {
    ...nodes,
    tree: { ...tree, self, total },
    functions: differences(a, b, functionsOf),
  };
}

interface Side {
  readonly counts: SlicedCounts;
  /** Samples by node, without callees. */
  readonly selfOf: (parts: SlicedCounts["parts"]) => Float64Array;
  /** `selfOf` all slices. */
  readonly self: Float64Array;
  readonly all: number;
  /** The amount that one sample counts. */
  readonly one: number;
  /** Compare shares: a busier slice is then no difference. */
  readonly shares: boolean;
}

type Summed = (self: Float64Array) => Float64Array;

const sum = (counts: Float64Array): number =>
  counts.reduce((all, count) => all + count, 0);

function differences(a: Side, b: Side, summed: Summed): Differences {
  const [one, other] = [varianceOf(a, summed), varianceOf(b, summed)];
  const before = one.total.map((count) => count * a.one);
  const after = other.total.map((count) => count * b.one);
  const sign = new Int8Array(before.length);
  const least = Math.max(a.one, b.one);
  const bound = before.map((_, cell) => {
    const [x, y] = [
      one.excess[cell] * a.one ** 2,
      other.excess[cell] * b.one ** 2,
    ];
    const error = before[cell] * a.one + after[cell] * b.one + x + y;
    const spread = x ** 2 / one.degrees + y ** 2 / other.degrees;
    const degrees = spread > 0 ? error ** 2 / spread : MOST_DEGREES;
    return Math.max(studentOf(degrees) * Math.sqrt(error), least);
  });
  before.forEach((count, cell) => {
    const by = after[cell] - count;
    if (Math.abs(by) > bound[cell]) sign[cell] = Math.sign(by);
  });
  return { before, after, bound, sign };
}

interface Variance {
  readonly total: Float64Array;
  /** Variance of a total beyond that of independent samples. */
  readonly excess: Float64Array;
  readonly degrees: number;
}

/**
 * Estimates variance from the steps between neighbouring slices of each group of workers,
 * minus the steps of all groups together; the largest of single, paired and grouped-by-4 slices.
 */
function varianceOf(side: Side, summed: Summed): Variance {
  const { counts, selfOf, all } = side;
  const { parts, groups } = counts;
  const total = summed(side.self);
  const slices = parts.length / groups;
  const excess = total.map(() => (slices > 1 ? 0 : Infinity));
  const scales = [1, 2, 4].filter((of) => {
    const number = slices / of;
    return number > 1 && number >= Math.min(4, slices);
  });
  const squares = scales.map(() => new Float64Array(total.length));
  /** Adds the steps of groups `first..end`, taken together. */
  const addSteps = (first: number, end: number, weight: number): void => {
    const sums = scales.map(() => new Float64Array(total.length));
    const last = scales.map(() => new Float64Array(total.length));
    for (let at = 0; at < slices; at++) {
      const from = at * groups;
      const self = selfOf(parts.slice(from + first, from + end));
      const busy = side.shares && all > 0 ? sum(self) / all : 0;
      const cells = summed(self);
      scales.forEach((of, scale) => {
        const [wide, before] = [sums[scale], last[scale]];
        for (let cell = 0; cell < cells.length; cell++) {
          wide[cell] += cells[cell] - total[cell] * busy;
        }
        if ((at + 1) % of !== 0) return;
        for (let cell = 0; at >= of && cell < cells.length; cell++) {
          squares[scale][cell] += weight * (wide[cell] - before[cell]) ** 2;
        }
        [sums[scale], last[scale]] = [before.fill(0), wide];
      });
    }
  };
  // Weights that leave the variance around the mean of the groups.
  const own = groups > 1 ? groups / (groups - 1) : 1;
  for (let group = 0; group < groups; group++) addSteps(group, group + 1, own);
  if (groups > 1) addSteps(0, groups, -own / groups);
  squares.forEach((square, scale) => {
    const number = slices / scales[scale];
    const factor = number / (2 * (number - 1));
    square.forEach((sum, cell) => {
      excess[cell] = Math.max(excess[cell], sum * factor - total[cell]);
    });
  });
  const degrees = degreesOf(slices) * Math.max(groups - 1, 1);
  return { total, excess, degrees };
}

/** In standard errors; 3, as nodes of a branch differ together and at most 5 % may by chance. */
const LIMIT = 3;
/** With this many degrees of freedom, t is practically normal. */
const MOST_DEGREES = 1e9;

/** The value of Student's t that is as rare as `LIMIT` for a normal deviate (Wallace). */
function studentOf(found: number): number {
  const degrees = Math.min(Math.max(found, 1e-3), MOST_DEGREES);
  const scale = (8 * degrees + 1) / (8 * degrees + 3);
  const power = Math.min((LIMIT / scale) ** 2 / degrees, 700);
  return Math.sqrt(degrees * Math.expm1(power));
}

/** Degrees of freedom of a variance estimated from differences of neighbours. */
const degreesOf = (number: number): number =>
  number < 2 ? 1 : (2 * (number - 1) ** 2) / (3 * number - 4);

/** By stack: the node that has its samples, or NOWHERE. */
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

/** Merges the frames of two recordings; returns the new numbers of the second's frames. */
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

/** Merges the stacks of two recordings; returns the new numbers of both. */
export function unitedStacks(
  one: Stacks,
  other: Stacks,
  /** New numbers of the second recording's frames. */
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

/** Counts with the new numbers of stacks. */
export function renumbered(
  { parts, ...others }: SlicedCounts,
  numbers: Uint32Array,
): SlicedCounts {
  const moved = parts.map(({ stack, count }) => ({
    stack: stack.map((one) => numbers[one]),
    count,
  }));
  return { parts: moved, ...others };
}
