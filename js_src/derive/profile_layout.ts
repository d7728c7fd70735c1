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

/** `ranks` by frame, the least is on the left; without them the heaviest. */
export function layoutOf(tree: Tree, ranks: Float64Array | null): Layout {
  const { parent, frame, total } = tree;
  const size = parent.length;
  const begin = new Uint32Array(size + 2);
  for (let node = 1; node < size; node++) begin[parent[node] + 2] += 1;
  for (let at = 2; at < begin.length; at++) begin[at] += begin[at - 1];
  const children = new Uint32Array(Math.max(0, size - 1));
  // After this `begin[node]` is where its children begin, and the next where they end.
  for (let node = 1; node < size; node++) {
    children[begin[parent[node] + 1]++] = node;
  }
  const keys = new Float64Array(size);
  for (let node = 0; node < size; node++) {
    keys[node] = ranks ? ranks[frame[node]] : -total[node];
  }
  const x0 = new Float64Array(size);
  const x1 = new Float64Array(size);
  x1[0] = total[0];
  const nodes = new Uint32Array(size);
  const rows = [0];
  let [from, end] = [0, 1];
  while (from < end) {
    rows.push(end);
    let next = end;
    for (let at = from; at < end; at++) {
      const node = nodes[at];
      let x = x0[node];
      if (begin[node + 1] - begin[node] > 1) {
        sortByKey(children, begin[node], begin[node + 1], keys);
      }
      for (let place = begin[node]; place < begin[node + 1]; place++) {
        const child = children[place];
        x0[child] = x;
        x += total[child];
        x1[child] = x;
        nodes[next++] = child;
      }
    }
    [from, end] = [end, next];
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
