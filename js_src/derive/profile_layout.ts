// Where the nodes of a tree are: rows of nodes in order of x, in samples. Nothing is left
// out: what is too narrow to be drawn is found by searching a row.

import { sortByKey } from "../model/search";
import type { FrameColumns, Tree } from "./profile_tree";

export interface Layout {
  /** In samples, from the left edge of the root on. */
  readonly x0: Float64Array;
  readonly x1: Float64Array;
  /** All nodes, row by row, in order of x. */
  readonly nodes: Uint32Array;
  /** Where each row begins in `nodes`; the last one is where they end. */
  readonly rows: Uint32Array;
}

/** Of each frame its place among all, by name, file, and line: an order that stays. */
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

/** In order of code points, as Python has it: the same on each machine. */
function compared(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** The siblings that a child is compared with; where there are more, all are sorted at once. */
const FEW = 24;

/** `ranks` by frame, the least is on the left; without them the heaviest. */
export function layoutOf(tree: Tree, ranks: Float64Array | null): Layout {
  const { parent, frame, total } = tree;
  const size = parent.length;
  const keys = new Float64Array(size);
  for (let node = 0; node < size; node++) {
    keys[node] = ranks ? ranks[frame[node]] : -total[node];
  }
  // Of each node its first child and its next sibling, in order; 0 is none.
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
 * What of a row is between two places: `see` gets from and to before which place of `nodes`.
 * A node that is at least `least` wide comes alone, others as many as are in `least`.
 */
export function visible(
  { x0, x1, nodes, rows }: Layout,
  row: number,
  { from, to, least }: { from: number; to: number; least: number },
  see: (first: number, end: number) => void,
): void {
  const stop = rows[row + 1] ?? 0;
  /** The first whose end is after a place. */
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
