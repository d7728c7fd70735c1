// Trees of functions: what is hidden, folded, inverted and searched keeps its samples.

import { describe, expect, it } from "vitest";
import {
  callersAndCallees,
  inverted,
} from "../../js_src/derive/profile_callers";
import { layoutOf, ranksOf, visible } from "../../js_src/derive/profile_layout";
import { MODULES, modulesOf } from "../../js_src/derive/profile_modules";
import { search } from "../../js_src/derive/profile_search";
import {
  collapsed,
  FIRST_GROUP,
  functionsOf,
  rootedAt,
  splitTree,
  type Tree,
  treeOf,
  without,
} from "../../js_src/derive/profile_tree";
import { IN_ONE_OF } from "../../js_src/schema";
import { madeStacks } from "./harness/profile";
import { CONTRACT } from "./harness/profile_contract";

/** Of texts `a b c 3`: a stack from the root on, and its samples. */
function made(...lines: readonly string[]): {
  tree: Tree;
  frame: (name: string) => number;
} {
  const names = [""];
  const [parent, frame, counts] = [[0], [0], [0]];
  for (const line of lines) {
    const words = line.split(" ");
    let at = 0;
    for (const word of words.slice(0, -1)) {
      if (!names.includes(word)) names.push(word);
      const number = names.indexOf(word);
      let found = parent.findIndex(
        (one, stack) => stack > 0 && one === at && frame[stack] === number,
      );
      if (found < 0) {
        found = parent.push(at) - 1;
        frame.push(number);
        counts.push(0);
      }
      at = found;
    }
    counts[at]! += Number(words.at(-1));
  }
  NAMES = names;
  return {
    tree: treeOf({ parent, frame }, Float64Array.from(counts)),
    frame: (name) => names.indexOf(name),
  };
}
let NAMES: string[] = [];

/** The same texts of a tree, those with samples, in order. */
function lines({ parent, frame, self }: Tree): string[] {
  const found: string[] = [];
  for (let node = 0; node < self.length; node++) {
    if (self[node] === 0) continue;
    const words = [String(self[node])];
    for (let at = node; at > 0; at = parent[at]!) {
      words.push(NAMES[frame[at]!]!);
    }
    found.push(words.reverse().join(" "));
  }
  return found.sort();
}

function checked<T extends Tree>(tree: T): T {
  const { parent, self, total, depth } = tree;
  const sums = Float64Array.from(self);
  for (let node = parent.length - 1; node > 0; node--) {
    const above = parent[node]!;
    if (above >= node || depth[node] !== depth[above]! + 1) {
      expect.fail(`node ${node} is below ${above}`);
    }
    sums[above]! += sums[node]!;
  }
  const wrong = sums.filter((sum, node) => Math.abs(sum - total[node]!) > 1e-6);
  expect(wrong.length).toBe(0);
  return tree;
}

const mask = (...frames: number[]): Uint8Array => {
  const matches = new Uint8Array(4_000);
  for (const frame of frames) matches[frame] = 1;
  return matches;
};

describe("a tree", () => {
  it("has the stacks with samples, and what called them", () => {
    const { tree } = made("a b 3", "a c 2", "a 1", "d e 0");
    expect(lines(checked(tree))).toEqual(["a 1", "a b 3", "a c 2"]);
    expect(tree.total[0]).toBe(6);
    expect([...tree.stack!]).toEqual([0, 1, 2, 3]);
  });

  it("is read though a stack says that it is its own parent", () => {
    const stacks = { parent: [0, 1, 9], frame: [0, 1, 2] };
    expect(checked(treeOf(stacks, [0, 2, 3])).total[0]).toBe(5);
    expect(treeOf({ parent: [0], frame: [0] }, []).total[0]).toBe(0);
  });

  it("hides frames: their samples are those of what called them", () => {
    const { tree, frame } = made("a x b 3", "a b 2", "a x 4", "x b 1");
    const shown = checked(without(tree, frame("x")));
    expect(lines(shown)).toEqual(["a 4", "a b 5", "b 1"]);
    expect(shown.total[0]).toBe(10);
  });

  it("begins at a function, wherever that was called", () => {
    const { tree, frame } = made("a f b 3", "c f b 2", "c f 1", "a f b f 4");
    const shown = checked(rootedAt(tree, frame("f")));
    expect(shown.frame[0]).toBe(frame("f"));
    expect(lines(shown)).toEqual(["1", "b 5", "b f 4"]);
  });

  it("is split into groups below its root", () => {
    const { tree } = made("a b 3", "a 1", "c 2");
    const groups = new Map([
      [
        4,
        new Map([
          [2, 1],
          [1, 1],
        ]),
      ],
      [
        0,
        new Map([
          [2, 2],
          [3, 2],
        ]),
      ],
    ]);
    const shown = checked(splitTree(tree, groups));
    NAMES = [...NAMES];
    NAMES[FIRST_GROUP + 4] = "four";
    NAMES[FIRST_GROUP] = "none";
    expect(lines(shown)).toEqual([
      "four a 1",
      "four a b 1",
      "none a b 2",
      "none c 2",
    ]);
    expect(shown.total[0]).toBe(6);
    const { frame } = functionsOf(collapsed(shown, { recursion: true }));
    expect(frame.at(-1)).toBe(FIRST_GROUP + 4);
    expect(splitTree(tree, new Map()).total[0]).toBe(0);
  });

  it("folds recursion, also through other functions", () => {
    const { tree } = made("a a a b 3", "a b a c 2", "a c 1");
    const shown = checked(collapsed(tree, { recursion: true }));
    expect(lines(shown)).toEqual(["a b 3", "a b c 2", "a c 1"]);
  });

  it("folds what libraries call in libraries", () => {
    const { tree, frame } = made(
      "L1 L2 own L1 3",
      "L1 L3 own 2",
      "own L2 L3 1",
    );
    const library = (one: number): boolean => NAMES[one]!.startsWith("L");
    const shown = checked(collapsed(tree, { library }));
    expect(lines(shown)).toEqual(["L1 own 2", "L1 own L1 3", "own L2 1"]);
    const found = search(shown, mask(frame("L3")));
    expect(found.samples).toBe(3);
    const hit = [...found.hits.keys()].filter((node) => found.hits[node] === 1);
    expect(hit.map((node) => NAMES[shown.frame[node]!])).toEqual(["L1", "L2"]);
  });

  it("is inverted: what was seen, and below it what called it", () => {
    const { tree } = made("a b c 3", "d c 2", "a b 1", "c 4");
    const shown = checked(inverted(tree));
    expect(lines(shown)).toEqual(["b a 1", "c 4", "c b a 3", "c d 2"]);
    expect([...shown.more].every((more) => more === 0)).toBe(true);
  });

  it("leaves callers of few samples for later, and says so", () => {
    const { tree, frame } = made("a b c 30", "d e c 2");
    const shown = checked(inverted(tree, { least: 5 }));
    expect(shown.total[0]).toBe(32);
    const cut = [...shown.more.keys()].filter((node) => shown.more[node] === 1);
    expect(cut.map((node) => NAMES[shown.frame[node]!])).toEqual(["e"]);
    const along = [frame("c"), frame("e")];
    const zoomed = inverted(tree, { least: 5, along });
    expect([...zoomed.more].filter((more) => more === 1).length).toBe(1);
    const names = [...zoomed.frame].map((one) => NAMES[one]);
    expect(names).toContain("d");
    expect(names).not.toContain("a");
    expect(checked(inverted(tree, { rows: 1 })).total.length).toBe(2);
  });

  it("has callers and callees of a function, recursion once", () => {
    const { tree, frame } = made("a f b 3", "c f g f b 2", "f 1", "a 5");
    const { callers, callees, total } = callersAndCallees(tree, frame("f"));
    expect(total).toBe(6);
    expect(lines(checked(callers))).toEqual(["1", "a 3", "c 2"]);
    expect(lines(checked(callees))).toEqual(["1", "b 3", "g f b 2"]);
    expect(search(callers, mask(frame("c"))).share).toBeCloseTo(2 / 6, 9);
    expect(search(callers, mask(frame("f"))).share).toBe(1);
    expect(callersAndCallees(tree, 77).total).toBe(0);
  });

  it("finds a share of samples: several matches on a stack count once", () => {
    const { tree, frame } = made("a b a 3", "c a 2", "d 5");
    const found = search(tree, mask(frame("a"), frame("b")));
    expect(found.samples).toBe(5);
    expect(found.share).toBe(0.5);
    expect(found.hits.reduce((sum, hit) => sum + hit, 0)).toBe(4);
    expect(search(inverted(tree), mask(frame("c"))).share).toBe(0.2);
    const rooted = rootedAt(tree, frame("b"));
    expect(search(rooted, mask(frame("a"))).share).toBe(1);
  });

  it("sums up functions, recursion once", () => {
    const { tree, frame } = made("a b a 3", "c a 2", "a 1");
    const { frame: frames, self, total } = functionsOf(tree);
    const row = [...frames].indexOf(frame("a"));
    expect([self[row], total[row]]).toEqual([6, 6]);
    expect([...frames].length).toBe(3);
    const rooted = functionsOf(rootedAt(tree, frame("b")));
    expect([...rooted.frame]).toEqual([frame("a"), frame("b")]);
    expect([...rooted.total]).toEqual([3, 3]);
  });
});

describe("any tree", () => {
  const stacks = madeStacks(2_000, { seed: 7, frames: 200 });
  const tree = treeOf(stacks, stacks.counts);
  const all = tree.total[0]!;

  it("keeps all samples, whatever is hidden, folded or inverted", () => {
    const library = (frame: number): boolean => frame % 3 === 0;
    for (const other of [
      without(tree, 12, 13, 14),
      collapsed(tree, { recursion: true }),
      collapsed(tree, { recursion: true, library }),
      inverted(tree),
      inverted(tree, { least: all / 100, rows: 9 }),
      collapsed(inverted(without(tree, 9)), { recursion: true, library }),
    ]) {
      expect(checked(other).total[0]).toBeCloseTo(all, 6);
    }
  });

  it("has each function's own samples below the root when inverted", () => {
    const { frame, self } = functionsOf(tree);
    const shown = inverted(tree);
    for (let node = 1; node < shown.frame.length; node++) {
      if (shown.parent[node] !== 0) continue;
      const row = frame.indexOf(shown.frame[node]!);
      expect(shown.total[node]).toBeCloseTo(self[row]!, 6);
    }
    // A function's callers and what they called have the same samples.
    const rows = [...frame.keys()].filter((row) => row % 17 === 0);
    const totals = functionsOf(tree).total;
    for (const row of rows) {
      const sandwich = callersAndCallees(tree, frame[row]!);
      expect(sandwich.total).toBeCloseTo(totals[row]!, 6);
      expect(checked(sandwich.callers).total[0]).toBeCloseTo(totals[row]!, 6);
    }
  });

  it("has the same share of matches, whatever is folded", () => {
    const matches = mask(15, 44, 71);
    const { share } = search(tree, matches);
    expect(share).toBeGreaterThan(0.01);
    const library = (frame: number): boolean => frame % 2 === 1;
    const folded = collapsed(tree, { recursion: true, library });
    expect(search(folded, matches).share).toBeCloseTo(share, 9);
    expect(search(inverted(tree), matches).share).toBeCloseTo(share, 9);
    expect(search(without(tree, 15), matches).share).toBeCloseTo(share, 9);
  });

  it("is laid out without gaps between the nodes of a function", () => {
    const ranks = Float64Array.from(
      { length: 200 },
      (_, at) => (at * 77) % 200,
    );
    for (const by of [ranks, null]) {
      const { x0, x1, nodes, rows } = layoutOf(tree, by);
      expect(new Set(nodes).size).toBe(tree.self.length);
      expect(rows.at(-1)).toBe(tree.self.length);
      for (let row = 0; row + 1 < rows.length; row++) {
        for (let at = rows[row]!; at < rows[row + 1]!; at++) {
          const [node, before] = [nodes[at]!, nodes[at - 1]!];
          expect(tree.depth[node]).toBe(row);
          expect(x1[node]! - x0[node]!).toBeCloseTo(tree.total[node]!, 6);
          if (at === rows[row]) continue;
          expect(x0[node]! - x1[before]!).toBeGreaterThan(-1e-6);
          if (tree.parent[node] !== tree.parent[before]) continue;
          const key = by
            ? by[tree.frame[node]!]! - by[tree.frame[before]!]!
            : tree.total[before]! - tree.total[node]!;
          expect(key).toBeGreaterThanOrEqual(0);
        }
      }
    }
  });

  it("has its many callees in order", () => {
    const { tree: wide, frame } = made(
      ...Array.from(
        { length: 200 },
        (_, at) => `a f${(at * 77) % 200} ${at + 1}`,
      ),
    );
    const { nodes, rows } = layoutOf(wide, null);
    const callees = [...nodes.subarray(rows[2], rows[3])];
    expect(callees.map((node) => wide.total[node])).toEqual(
      Array.from({ length: 200 }, (_, at) => 200 - at),
    );
    const ranks = Float64Array.from({ length: wide.frames }, (_, at) => -at);
    const named = layoutOf(wide, ranks).nodes.subarray(rows[2], rows[3]);
    const frames = [...named].map((node) => wide.frame[node]!);
    expect(frames).toEqual([...frames].sort((one, other) => other - one));
    expect(frames.length).toBe(200);
    expect(frame("a")).toBe(1);
  });

  it("shows each node of a row, narrow ones together", () => {
    const layout = layoutOf(tree, null);
    const { x0, x1, nodes, rows } = layout;
    const window = { from: all * 0.2, to: all * 0.7 };
    for (const least of [0, all / 1600, all / 40]) {
      for (let row = 0; row + 1 < rows.length; row++) {
        const seen: number[] = [];
        visible(layout, row, { ...window, least }, (first, end) => {
          expect(end).toBeGreaterThan(first);
          if (end - first > 1) {
            const wide = x1[nodes[end - 1]!]! - x0[nodes[first]!]!;
            expect(wide).toBeLessThanOrEqual(least * 1.0001);
          }
          for (let at = first; at < end; at++) seen.push(at);
        });
        const inside = [...nodes.keys()].filter((at) => {
          const node = nodes[at]!;
          const inRow = at >= rows[row]! && at < rows[row + 1]!;
          return inRow && x1[node]! > window.from && x0[node]! < window.to;
        });
        expect(seen.slice(0, inside.length)).toEqual(inside);
      }
    }
  });
});

describe("a stack 100,000 deep", () => {
  const size = 100_000;
  const parent = Uint32Array.from({ length: size }, (_, at) =>
    Math.max(0, at - 1),
  );
  const frame = Uint32Array.from({ length: size }, (_, at) =>
    at === 0 ? 0 : 1 + (at % 1_000),
  );
  const counts = new Float64Array(size);
  counts[size - 1] = 5;

  it("is laid out, folded, inverted and searched", () => {
    const tree = treeOf({ parent, frame }, counts);
    expect(layoutOf(tree, null).rows.length).toBe(size + 1);
    const folded = collapsed(tree, { recursion: true });
    expect(folded.total.length).toBe(1_001);
    expect(without(tree, 3).total[0]).toBe(5);
    expect(rootedAt(tree, 7).total[0]).toBe(5);
    expect(search(tree, mask(9)).share).toBe(1);
    expect(functionsOf(tree).frame.length).toBe(1_000);
    const shown = inverted(tree);
    expect(shown.total[0]).toBe(5);
    expect(shown.more.at(-1)).toBe(1);
    const { callers } = callersAndCallees(tree, 999);
    expect(callers.total[0]).toBe(5);
  });

  it("is inverted soon though each of its functions has samples", () => {
    const tree = treeOf({ parent, frame }, counts.fill(1));
    const shown = inverted(tree, { least: size / 1_600, rows: 40 });
    expect(shown.total[0]).toBe(size);
  });
});

describe("frames", () => {
  it("are of a module by their file, as in Python", () => {
    const file = Object.keys(CONTRACT.modules);
    const zeros = new Uint32Array(file.length);
    const columns = {
      ...{ file, name: file.map(() => "f"), source: file },
      ...{ first_line: zeros, line: zeros },
    };
    const modules = modulesOf(columns);
    const found = [...modules].map((module, at) => [file[at], MODULES[module]]);
    expect(Object.fromEntries(found)).toEqual(CONTRACT.modules);
    const name = file.map(() => `${IN_ONE_OF}a, b`);
    const several = modulesOf({ ...columns, name });
    expect(new Set([...several].map((module) => MODULES[module]))).toEqual(
      new Set([CONTRACT.one_of]),
    );
  });

  it("are in order of their names, files and lines", () => {
    const some = {
      name: ["", "b", "a", "a", "a"],
      file: ["", "x", "y", "x", "x"],
      source: ["", "", "", "", ""],
      first_line: Uint32Array.of(0, 1, 1, 9, 2),
      line: new Uint32Array(5),
    };
    expect([...ranksOf(some)]).toEqual([0, 4, 3, 2, 1]);
  });
});
