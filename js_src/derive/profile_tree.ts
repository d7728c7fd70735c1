// Trees of functions that were seen on stacks: columns of nodes, and what makes another tree
// of one. No function here calls itself, since a stack from a file may be 100,000 deep.

import type { TableColumns } from "../schema";
import type { StackSums } from "./profile_stretches";

export type FrameColumns = TableColumns["frames"];

/** As the dictionary `stacks` has them: a parent precedes what it called. */
export interface Stacks {
  readonly parent: ArrayLike<number>;
  readonly frame: ArrayLike<number>;
}

/** Nodes of a tree by number. Node 0 is the root; a parent precedes its children. */
export interface Tree {
  /** The root's is itself. */
  readonly parent: Uint32Array;
  readonly frame: Uint32Array;
  /** Samples in the function itself. */
  readonly self: Float64Array;
  /** And in what it called; of an inverted tree, in what called it. */
  readonly total: Float64Array;
  /** 0 of the root. */
  readonly depth: Uint32Array;
  /** More than the largest number of a frame. */
  readonly frames: number;
  /** Where a node is in the dictionary `stacks`, if it is one of these. */
  readonly stack?: Uint32Array;
  /** The tree that this one was made of, for what must reach the frames that were folded. */
  readonly origin?: Origin;
}

/** How a tree was made of another one. */
export type Origin =
  | {
      readonly tree: Tree;
      /** Of each node of that tree the node that has it now, or NOWHERE. */
      readonly into: Uint32Array;
    }
  | {
      readonly tree: Tree;
      /** Of a tree of callers: what its nodes are in that tree, those of a node together. */
      readonly nodes: Uint32Array;
      /** Where those of each node begin in `nodes`; the last one is where they end. */
      readonly begin: Uint32Array;
      /** Where stacks end, and the samples of each. */
      readonly ends: Uint32Array;
      readonly samples: Float64Array;
    };

/** Whether children are callers: the `self` of such a node is not the time of its function. */
export const isOfCallers = ({ origin }: Tree): boolean =>
  origin !== undefined && !("into" in origin);

export const NOWHERE = 0xffffffff;

/** The stacks that have samples, and those that called them. */
export function treeOf(stacks: Stacks, counts: ArrayLike<number>): Tree {
  const size = Math.max(1, Math.min(counts.length, stacks.parent.length));
  const totals = new Float64Array(size);
  for (let at = size - 1; at >= 0; at--) {
    totals[at] += counts[at] ?? 0;
    if (at > 0) totals[callerOf(stacks, at)] += totals[at];
  }
  let nodes = 1;
  const places = new Uint32Array(size);
  for (let at = 1; at < size; at++) if (totals[at] > 0) places[at] = nodes++;
  const [parent, frame, stack, depth] = [0, 1, 2, 3].map(
    () => new Uint32Array(nodes),
  );
  const self = new Float64Array(nodes);
  const total = new Float64Array(nodes);
  let largest = 0;
  for (let at = 0; at < size; at++) {
    const node = places[at];
    if (node === 0 && at > 0) continue;
    self[node] = counts[at] ?? 0;
    total[node] = totals[at];
    stack[node] = at;
    frame[node] = stacks.frame[at] ?? 0;
    if (frame[node] > largest) largest = frame[node];
    if (at === 0) continue;
    parent[node] = places[callerOf(stacks, at)];
    depth[node] = depth[parent[node]] + 1;
  }
  return { parent, frame, self, total, depth, frames: largest + 1, stack };
}

/** From here on frames are groups: a recording has fewer frames. */
export const FIRST_GROUP = 0x10000;

/** Below the root a frame for each group, from `FIRST_GROUP` on, and its stacks below that. */
export function splitTree(
  stacks: Stacks,
  groups: ReadonlyMap<number, StackSums>,
): Tree {
  const counts = new Float64Array(stacks.parent.length);
  const trees = [...groups].map(([group, sums]) => {
    counts.fill(0);
    for (const [stack, count] of sums) {
      if (stack < counts.length) counts[stack] = count;
    }
    return [FIRST_GROUP + group, treeOf(stacks, counts)] as const;
  });
  const size = trees.reduce((sum, [, tree]) => sum + tree.frame.length, 1);
  const [parent, frame, depth] = [0, 1, 2].map(() => new Uint32Array(size));
  const [self, total] = [0, 1].map(() => new Float64Array(size));
  let [first, frames] = [1, 1];
  for (const [group, tree] of trees) {
    frame.set(tree.frame, first);
    self.set(tree.self, first);
    total.set(tree.total, first);
    tree.parent.forEach((above, at) => (parent[first + at] = first + above));
    tree.depth.forEach((own, at) => (depth[first + at] = own + 1));
    frame[first] = group;
    parent[first] = 0;
    total[0] += tree.total[0];
    frames = Math.max(frames, group + 1);
    first += tree.frame.length;
  }
  return { parent, frame, self, total, depth, frames };
}

/** A file may say what cannot be. */
function callerOf({ parent }: Stacks, at: number): number {
  return parent[at] < at ? parent[at] : 0;
}

/** Nodes that are found by their parent and frame, and made where there are none. */
export class Merging {
  private size = 1;
  private readonly parent: Uint32Array;
  private readonly frame: Uint32Array;
  private readonly self: Float64Array;
  /** By hash the node; 0 is none. */
  private readonly places: Uint32Array;

  constructor(most: number, root: number) {
    this.parent = new Uint32Array(most);
    this.frame = new Uint32Array(most);
    this.self = new Float64Array(most);
    this.frame[0] = root;
    let places = 16;
    while (places < 2 * most) places *= 2;
    this.places = new Uint32Array(places);
  }

  child(parent: number, frame: number): number {
    const { places } = this;
    const mask = places.length - 1;
    let hash = Math.imul(parent, 0x9e3779b1) ^ Math.imul(frame, 0x85ebca6b);
    hash ^= hash >>> 15;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const node = places[place];
      if (node === 0) {
        this.parent[this.size] = parent;
        this.frame[this.size] = frame;
        return (places[place] = this.size++);
      }
      if (this.parent[node] === parent && this.frame[node] === frame) {
        return node;
      }
    }
  }

  frameOf(node: number): number {
    return this.frame[node];
  }

  add(node: number, samples: number): void {
    this.self[node] += samples;
  }

  tree(frames: number, origin?: Origin): Tree {
    const { size } = this;
    const parent = this.parent.slice(0, size);
    const self = this.self.slice(0, size);
    const total = self.slice();
    const depth = new Uint32Array(size);
    for (let node = 1; node < size; node++) {
      depth[node] = depth[parent[node]] + 1;
    }
    for (let node = size - 1; node > 0; node--) {
      total[parent[node]] += total[node];
    }
    const frame = this.frame.slice(0, size);
    const columns = { parent, frame, self, total, depth, frames };
    return { ...columns, ...(origin && { origin }) };
  }
}

/** Each node goes where `placed` says; NOWHERE leaves its samples out. */
function mergedBy(
  tree: Tree,
  root: number,
  placed: (node: number, into: Uint32Array, made: Merging) => number,
): Tree {
  const { self } = tree;
  const made = new Merging(self.length + 1, root);
  const into = new Uint32Array(self.length);
  for (let node = 0; node < self.length; node++) {
    const place = placed(node, into, made);
    into[node] = place;
    if (place !== NOWHERE) made.add(place, self[node]);
  }
  return made.tree(tree.frames, { tree, into });
}

/** What functions called, wherever: the frame is the root. Recursion counts once. */
export function rootedAt(tree: Tree, frame: number): Tree {
  return mergedBy(tree, frame, (node, into, made) => {
    const above = node === 0 ? NOWHERE : into[tree.parent[node]];
    if (above !== NOWHERE) return made.child(above, tree.frame[node]);
    return tree.frame[node] === frame ? 0 : NOWHERE;
  });
}

/** Without some frames: their samples are those of what called them. */
export function without(tree: Tree, ...frames: readonly number[]): Tree {
  const hidden = new Set(frames);
  return mergedBy(tree, tree.frame[0], (node, into, made) => {
    if (node === 0) return 0;
    const above = into[tree.parent[node]];
    const frame = tree.frame[node];
    return hidden.has(frame) ? above : made.child(above, frame);
  });
}

export interface Collapsing {
  /** A frame that is on its stack already is folded into what called it. */
  readonly recursion?: boolean;
  /** A frame of a library that a library called is folded into that one. */
  readonly library?: ((frame: number) => boolean) | null;
}

export function collapsed(
  tree: Tree,
  { recursion = false, library = null }: Collapsing,
): Tree {
  const outermost = recursion ? outermostOf(tree) : null;
  return mergedBy(tree, tree.frame[0], (node, into, made) => {
    if (node === 0) return 0;
    const above = into[tree.parent[node]];
    if (outermost?.[node] === 0) return above;
    const frame = tree.frame[node];
    const folded =
      library !== null &&
      above !== 0 &&
      library(frame) &&
      library(made.frameOf(above));
    return folded ? above : made.child(above, frame);
  });
}

/** 1 for each node whose frame is not on its stack already. */
export function outermostOf({ parent, frame, frames }: Tree): Uint8Array {
  const { first, next } = childrenOf(parent);
  const within = new Uint32Array(frames);
  const outermost = new Uint8Array(parent.length);
  for (let node = 0; ;) {
    outermost[node] = within[frame[node]] === 0 ? 1 : 0;
    if (first[node] !== 0) {
      within[frame[node]] += 1;
      node = first[node];
      continue;
    }
    while (node !== 0 && next[node] === 0) {
      node = parent[node];
      within[frame[node]] -= 1;
    }
    if (node === 0) return outermost;
    node = next[node];
  }
}

/** Of each node its first child and its next sibling; 0 is none. */
function childrenOf(parent: Uint32Array): {
  readonly first: Uint32Array;
  readonly next: Uint32Array;
} {
  const first = new Uint32Array(parent.length);
  const next = new Uint32Array(parent.length);
  for (let node = parent.length - 1; node > 0; node--) {
    next[node] = first[parent[node]];
    first[parent[node]] = node;
  }
  return { first, next };
}

/** A row of the table of functions; recursion counts once. */
export interface FunctionSums {
  readonly frame: Uint32Array;
  readonly self: Float64Array;
  readonly total: Float64Array;
}

/** Of each frame that was seen what it took, in order of their numbers. */
export function functionsOf(tree: Tree): FunctionSums {
  const outermost = outermostOf(tree);
  const self = new Float64Array(tree.frames);
  const total = new Float64Array(tree.frames);
  // The root is no function, unless the tree begins at one.
  for (let node = 0; node < outermost.length; node++) {
    if (tree.frame[node] === 0) continue;
    self[tree.frame[node]] += tree.self[node];
    if (outermost[node] === 1) total[tree.frame[node]] += tree.total[node];
  }
  const frame = new Uint32Array(total.length)
    .map((_, at) => at)
    .filter((at) => total[at] > 0);
  return {
    frame,
    self: Float64Array.from(frame, (at) => self[at]),
    total: Float64Array.from(frame, (at) => total[at]),
  };
}
