// The layout of a tree: rows of nodes sorted by x, in samples. It contains all nodes; a
// search within a row skips those that are too narrow to draw.

import { sortByKey } from "../model/search";
import type { FrameColumns, Tree } from "./profile_tree";

export interface Layout {
  /** In samples, from the left edge of the root. */
  readonly x0: Float64Array;
  readonly x1: Float64Array;
  /** All nodes, row by row, sorted by x. */
  readonly nodes: Uint32Array;
  /** Start of each row in `nodes`; the last entry is the end. */
  readonly rows: Uint32Array;
}

/** The rank of each frame by name, file and line: a stable order. */
export function ranksOf({
  name,
  file,
  first_line,
}: FrameColumns): Float64Array {
  const order = Array.from(name, (_, at) => at).sort(
    (a, b) =>
      compared(name[a], name[b]) ||
      compared(file[a], file[b]) ||
      first_line[a] - first_line[b],
  );
  const ranks = new Float64Array(order.length);
  order.forEach((frame, rank) => (ranks[frame] = rank));
  return ranks;
}

/** Compares independently of locale, so that the order is the same on each machine. */
function compared(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Up to this many siblings are sorted by insertion; more are sorted at once. */
const FEW = 24;

/** Sorts siblings by `ranks` of their frames or, without ranks, heaviest first. */
export function layoutOf(tree: Tree, ranks: Float64Array | null): Layout {
  const { parent, frame, total } = tree;
  const size = parent.length;
  const keys = new Float64Array(size);
  for (let node = 0; node < size; node++) {
    keys[node] = ranks ? ranks[frame[node]] : -total[node];
  }
  // By node: its first child and its next sibling, in order; 0 is none.
  const first = new Uint32Array(size);
  const next = new Uint32Array(size);
  const crowded = new Set<number>();
  for (let node = size - 1; node > 0; node--) {
    const above = parent[node];
    const key = keys[node];
    let before = 0;
    let after = first[above];
    for (let steps = 0; after !== 0 && keys[after] < key; steps++) {
      if (steps === FEW) {
        crowded.add(above);
        break;
      }
      before = after;
      after = next[after];
    }
    next[node] = after;
    if (before === 0) first[above] = node;
    else next[before] = node;
  }
  for (const node of crowded) {
    const found: number[] = [];
    for (let child = first[node]; child !== 0; child = next[child]) {
      found.push(child);
    }
    const order = Uint32Array.from(found);
    sortByKey(order, 0, order.length, keys);
    first[node] = order[0];
    order.forEach((child, at) => (next[child] = order[at + 1] ?? 0));
  }
  const x0 = new Float64Array(size);
  const x1 = new Float64Array(size);
  x1[0] = total[0];
  const nodes = new Uint32Array(size);
  const rows = [0];
  let [from, end] = [0, 1];
  while (from < end) {
    rows.push(end);
    let stop = end;
    for (let at = from; at < end; at++) {
      const node = nodes[at];
      let x = x0[node];
      for (let child = first[node]; child !== 0; child = next[child]) {
        x0[child] = x;
        x += total[child];
        x1[child] = x;
        nodes[stop++] = child;
      }
    }
    [from, end] = [end, stop];
  }
  return { x0, x1, nodes, rows: Uint32Array.from(rows) };
}

/**
 * Visits the part of a row between two places; `see` gets a range of `nodes` (end exclusive).
 * A node at least `least` wide comes alone; narrower ones come together, per width of `least`.
 */
export function visible(
  { x0, x1, nodes, rows }: Layout,
  row: number,
  { from, to, least }: { from: number; to: number; least: number },
  see: (first: number, end: number) => void,
): void {
  const stop = rows[row + 1] ?? 0;
  /** The first node that ends after a place. */
  const after = (x: number, since: number): number => {
    let [low, high] = [since, stop];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (x1[nodes[middle]] <= x) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  let at = after(from, rows[row] ?? stop);
  while (at < stop && x0[nodes[at]] < to) {
    const node = nodes[at];
    const end =
      x1[node] - x0[node] >= least
        ? at + 1
        : Math.max(at + 1, after(x0[node] + least, at));
    see(at, end);
    at = end;
  }
}
