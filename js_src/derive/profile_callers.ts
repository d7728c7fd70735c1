// Trees of callers: below the root the sampled functions, below each function its callers.
//
// Such a tree may have as many nodes as all stacks have frames: millions. So callers of
// nodes with few samples are left out until the user zooms to them; `more` marks such nodes.

import { NOWHERE, rootedAt, type Tree } from "./profile_tree";

export interface Callers {
  /** Callers of nodes with fewer samples are left out. */
  readonly least?: number;
  /** Number of rows below the root, or below the zoomed node. */
  readonly rows?: number;
  /** Frames from below the root to the zoomed node: only this path is followed. */
  readonly along?: readonly number[];
}

export interface CallersTree extends Tree {
  /** 1 for each node whose callers were left out: `self` has all its samples. */
  readonly more: Uint8Array;
}

/** Twice the depth of Dask's stacks; stacks in files may be deeper. */
const ROWS = 202;

export function inverted(tree: Tree, how: Callers = {}): CallersTree {
  const { self } = tree;
  const ends = new Uint32Array(self.length);
  let size = 0;
  for (let node = 1; node < self.length; node++) {
    if (self[node] > 0) ends[size++] = node;
  }
  const samples = new Float64Array(size);
  for (let at = 0; at < size; at++) samples[at] = self[ends[at]];
  const root = [tree.frame[0], self[0]] as const;
  return callersOf(tree, ends.slice(0, size), samples, root, how);
}

export interface Sandwich {
  readonly callers: CallersTree;
  readonly callees: Tree;
  readonly total: number;
}

/** All callers and callees of a function, which is the root of both. Recursion counts once. */
export function callersAndCallees(
  tree: Tree,
  frame: number,
  how: Callers = {},
): Sandwich {
  const callees = rootedAt(tree, frame);
  const { origin } = callees;
  const into = origin && "into" in origin ? origin.into : [];
  const ends: number[] = [];
  const samples: number[] = [];
  let first = 0;
  for (let node = 0; node < into.length; node++) {
    const above = tree.parent[node];
    if (into[node] !== 0 || (node > 0 && into[above] !== NOWHERE)) continue;
    if (above === 0) {
      first += tree.total[node];
      continue;
    }
    ends.push(above);
    samples.push(tree.total[node]);
  }
  const callers = callersOf(
    tree,
    Uint32Array.from(ends),
    Float64Array.from(samples),
    [frame, first],
    how,
  );
  return { callers, callees, total: callees.total[0] };
}

/** `ends` are the nodes directly below the root, with the samples of each. */
function callersOf(
  tree: Tree,
  ends: Uint32Array,
  samples: Float64Array,
  [rootFrame, rootSelf]: readonly [frame: number, self: number],
  { least = 0, rows = ROWS, along = [] }: Callers,
): CallersTree {
  const { parent: above, frame } = tree;
  const made = new Growing(2 * ends.length + 64);
  made.add(0, rootFrame, 0);
  made.self[0] = rootSelf;
  made.total[0] = samples.reduce((sum, one) => sum + one, rootSelf);
  /** For each node of `made`: its nodes in `tree`, and the index of their samples. */
  let nodes = new Uint32Array(ends.length + 64);
  let of = new Uint32Array(nodes.length);
  let size = 0;
  /** By frame: the child of the current node with that frame, if already added. */
  const places = new Uint32Array(tree.frames);
  let zoomed = 0;
  for (let node = 0; node < made.size; node++) {
    const first = made.size;
    const depth = made.depth[node];
    const since = node === 0 ? 0 : made.begin[node];
    const until = node === 0 ? ends.length : made.begin[node + 1];
    let followed = made.total[node] >= least && depth - along.length < rows;
    if (depth <= along.length) {
      followed =
        depth === 0 ||
        (made.parent[node] === zoomed && made.frame[node] === along[depth - 1]);
      if (followed) zoomed = node;
    }
    // Number of entries that this node adds.
    let count = 0;
    for (let at = since; at < until; at++) {
      const caller = node === 0 ? ends[at] : above[nodes[at]];
      const index = node === 0 ? at : of[at];
      if (caller === 0 || !followed) {
        made.self[node] += samples[index];
        if (caller !== 0) made.more[node] = 1;
      } else {
        let place = places[frame[caller]];
        if (place < first) {
          place = made.add(node, frame[caller], depth + 1);
          places[frame[caller]] = place;
        }
        made.total[place] += samples[index];
        made.begin[place + 1] += 1;
        count += 1;
      }
    }
    if (size + count > nodes.length) {
      nodes = larger(nodes, size + count);
      of = larger(of, size + count);
    }
    // Turn counts into start positions, one for each child.
    for (let place = first, at = size; place < made.size; place++) {
      const own = made.begin[place + 1];
      made.begin[place + 1] = at;
      at += own;
    }
    for (let at = since; count > 0 && at < until; at++) {
      const caller = node === 0 ? ends[at] : above[nodes[at]];
      if (caller === 0) continue;
      const to = made.begin[places[frame[caller]] + 1]++;
      nodes[to] = caller;
      of[to] = node === 0 ? at : of[at];
    }
    size += count;
  }
  const columns = made.columns();
  const { frames } = tree;
  const { begin, ...others } = columns;
  nodes = nodes.subarray(0, size);
  return { ...others, frames, origin: { tree, nodes, begin, ends, samples } };
}

/** Columns that grow as nodes are appended. */
class Growing {
  size = 0;
  parent: Uint32Array;
  frame: Uint32Array;
  depth: Uint32Array;
  self: Float64Array;
  total: Float64Array;
  more: Uint8Array;
  /** One longer than the others. */
  begin: Uint32Array;

  constructor(room: number) {
    this.parent = new Uint32Array(room);
    this.frame = new Uint32Array(room);
    this.depth = new Uint32Array(room);
    this.self = new Float64Array(room);
    this.total = new Float64Array(room);
    this.more = new Uint8Array(room);
    this.begin = new Uint32Array(room + 1);
  }

  add(parent: number, frame: number, depth: number): number {
    const node = this.size++;
    if (node === this.parent.length) this.grow(2 * node);
    this.parent[node] = parent;
    this.frame[node] = frame;
    this.depth[node] = depth;
    return node;
  }

  columns() {
    const { size } = this;
    return {
      parent: this.parent.subarray(0, size),
      frame: this.frame.subarray(0, size),
      depth: this.depth.subarray(0, size),
      self: this.self.subarray(0, size),
      total: this.total.subarray(0, size),
      more: this.more.subarray(0, size),
      begin: this.begin.subarray(0, size + 1),
    };
  }

  private grow(room: number): void {
    this.parent = larger(this.parent, room);
    this.frame = larger(this.frame, room);
    this.depth = larger(this.depth, room);
    this.self = larger(this.self, room);
    this.total = larger(this.total, room);
    this.more = larger(this.more, room);
    this.begin = larger(this.begin, room + 1);
  }
}

function larger<A extends Uint8Array | Uint32Array | Float64Array>(
  cells: A,
  least: number,
): A {
  const size = Math.max(least, 2 * cells.length);
  const more = new (cells.constructor as new (size: number) => A)(size);
  more.set(cells);
  return more;
}
