// Trees of functions from sampled stacks, as columns of nodes, and functions that transform
// them. None of these is recursive, since a stack from a file may be 100,000 frames deep.

import type { TableColumns } from "../schema";
import type { StackSums } from "./profile_slices";

export type FrameColumns = TableColumns["frames"];

/** As in the dictionary `stacks`: a parent precedes its callees. */
export interface Stacks {
  readonly parent: ArrayLike<number>;
  readonly frame: ArrayLike<number>;
}

/** Nodes of a tree by number. Node 0 is the root; a parent precedes its children. */
export interface Tree {
  /** The root is its own parent. */
  readonly parent: Uint32Array;
  readonly frame: Uint32Array;
  /** Samples in the function itself. */
  readonly self: Float64Array;
  /** Samples including callees or, in an inverted tree, callers. */
  readonly total: Float64Array;
  /** 0 for the root. */
  readonly depth: Uint32Array;
  /** Exclusive upper bound of frame numbers. */
  readonly frames: number;
  /** The node's number in the dictionary `stacks`, if the tree was made from it. */
  readonly stack?: Uint32Array;
  /** The tree that this one was made from; gives access to folded frames. */
  readonly origin?: Origin;
}

/** How a tree was made from another one. */
export type Origin =
  | {
      readonly tree: Tree;
      /** By node of that tree: the node that contains it now, or NOWHERE. */
      readonly into: Uint32Array;
    }
  | {
      readonly tree: Tree;
      /** For a tree of callers: the nodes in that tree, grouped by node of this one. */
      readonly nodes: Uint32Array;
      /** Start of each group in `nodes`; the last entry is the end. */
      readonly begin: Uint32Array;
      /** The nodes where stacks end, and the samples of each. */
      readonly ends: Uint32Array;
      readonly samples: Float64Array;
    };

/** Whether children are callers; `self` is then not the time of the function. */
export const isOfCallers = ({ origin }: Tree): boolean =>
  origin !== undefined && !("into" in origin);

export const NOWHERE = 0xffffffff;

/** The tree of stacks that have samples, and of their callers. */
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

/** Frame numbers from here on are groups: no recording has that many frames. */
export const FIRST_GROUP = 0x10000;

/** A tree with one frame per group (from `FIRST_GROUP`) below the root, then its stacks. */
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

/** Checks the parent, since a file may contain invalid ones. */
function callerOf({ parent }: Stacks, at: number): number {
  return parent[at] < at ? parent[at] : 0;
}

/** Finds nodes by parent and frame, and creates missing ones. */
export class Merging {
  private size = 1;
  private readonly parent: Uint32Array;
  private readonly frame: Uint32Array;
  private readonly self: Float64Array;
  /** Hash table of nodes; 0 is none. */
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

/** Moves each node to where `placed` says; NOWHERE drops its samples. */
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

/** All callees of a function, which becomes the root. Recursion counts once. */
export function rootedAt(tree: Tree, frame: number): Tree {
  return mergedBy(tree, frame, (node, into, made) => {
    const above = node === 0 ? NOWHERE : into[tree.parent[node]];
    if (above !== NOWHERE) return made.child(above, tree.frame[node]);
    return tree.frame[node] === frame ? 0 : NOWHERE;
  });
}

/** Removes some frames; their callers get their samples. */
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
  /** Fold a frame into its caller if it is already on the stack. */
  readonly recursion?: boolean;
  /** Fold a library frame into its caller if that is a library frame, too. */
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

/** 1 for each node whose frame is not already on its stack. */
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

/** First child and next sibling of each node; 0 is none. */
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

/** Self and total samples of each sampled frame, sorted by frame number. */
export function functionsOf(tree: Tree): FunctionSums {
  const outermost = outermostOf(tree);
  const self = new Float64Array(tree.frames);
  const total = new Float64Array(tree.frames);
  // Skip the root, unless the tree is rooted at a function.
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
