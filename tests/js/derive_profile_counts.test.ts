// Counts of stacks in a time: adjacent times add up, what is new is read alone, and halves of
// one run do not differ.

import { describe, expect, it } from "vitest";
import {
  compared,
  renumbered,
  unitedFrames,
  unitedStacks,
} from "../../js_src/derive/profile_compare";
import {
  type CountColumns,
  ProfileCounts,
} from "../../js_src/derive/profile_counts";
import { collapsed, treeOf } from "../../js_src/derive/profile_tree";
import { random } from "./harness/run";
import { countColumns, madeRun, madeStacks } from "./harness/profile";
import { CONTRACT } from "./harness/profile_contract";

interface Row {
  readonly time: number;
  readonly duration?: number;
  readonly scope?: number;
  readonly worker?: string;
  readonly prefix?: number;
  readonly stack: number;
  readonly count: number;
}

const columnsOf = (rows: readonly Row[]): CountColumns =>
  countColumns({
    time: rows.map(({ time }) => time),
    duration: rows.map(({ duration = 1 }) => duration),
    scope: rows.map(({ scope = 0 }) => scope),
    worker: rows.map(({ worker = "w" }) => worker),
    prefix: rows.map(({ prefix = 1 }) => prefix),
    stack: rows.map(({ stack }) => stack),
    count: rows.map(({ count }) => count),
  });

const made = (...rings: { step: number; begin?: number; rows: Row[] }[]) => {
  const counts = new ProfileCounts();
  counts.update(
    rings.map(({ rows, ...ring }) => ({ ...ring, columns: columnsOf(rows) })),
  );
  return counts;
};
const ALL = { start: -Infinity, stop: Infinity, scope: 0 };
const sum = (counts: Iterable<number>): number =>
  [...counts].reduce((all, one) => all + one, 0);

describe("counts of stacks", () => {
  const rows: Row[] = [
    { time: 10, duration: 4, stack: 1, count: 8 },
    { time: 12, duration: 2, stack: 2, count: 6, worker: "v", prefix: 2 },
    { time: 12, duration: 2, stack: 2, count: 5, scope: 1 },
  ];

  it("count with the part of their cycle that lies in a time", () => {
    const counts = made({ step: 0, rows });
    expect([...counts.in(ALL)]).toEqual([0, 8, 6]);
    expect([...counts.in({ ...ALL, start: 11, stop: 13 })]).toEqual([0, 4, 3]);
    expect(sum(counts.in({ ...ALL, start: 14 }))).toBe(0);
    expect(sum(counts.in({ ...ALL, scope: 1 }))).toBe(5);
  });

  it("are of some workers and prefixes", () => {
    const counts = made({ step: 0, rows });
    expect(sum(counts.in({ ...ALL, workers: ["v"] }))).toBe(6);
    expect(sum(counts.in({ ...ALL, workers: ["none"] }))).toBe(0);
    expect(sum(counts.in({ ...ALL, prefixes: [1] }))).toBe(8);
    expect(sum(counts.in({ ...ALL, prefixes: [1, 2], workers: ["w"] }))).toBe(
      8,
    );
    const by = (of: "worker" | "prefix") =>
      [...counts.by(of, ALL)].map(([key, sums]) => [
        of === "worker" ? counts.workerOf(key) : key,
        sum(sums.values()),
      ]);
    expect(by("worker")).toEqual([
      ["w", 8],
      ["v", 6],
    ]);
    expect(by("prefix")).toEqual([
      [1, 8],
      [2, 6],
    ]);
  });

  it("are in the finest ring that has their time, once", () => {
    const counts = made(
      { step: 0, begin: 20, rows: [{ time: 20, stack: 1, count: 1 }] },
      {
        step: 10,
        rows: [
          { time: 10, duration: 10, stack: 1, count: 7 },
          { time: 20, duration: 1, stack: 1, count: 1 },
        ],
      },
    );
    expect(sum(counts.in(ALL))).toBe(8);
  });

  it("take room by stack and not by row, whatever is asked of them", () => {
    const many = Array.from({ length: 5_000 }, (_, row) => ({
      ...{ time: Math.floor(row / 50), stack: 1 + (row % 3), count: 1 },
    }));
    const counts = made({ step: 0, rows: many });
    const { parts, samples } = counts.slices(ALL);
    expect(samples).toBe(5_000);
    expect(parts.length).toBe(16);
    for (const { stack, count } of parts) {
      expect([...stack].sort()).toEqual([1, 2, 3]);
      expect(sum(count)).toBeCloseTo(5_000 / 16, 6);
    }
    expect(counts.by("prefix", ALL).get(1)?.size).toBe(3);
  });

  it("are spread over equal columns of a time", () => {
    const counts = made({ step: 0, rows });
    const window = { ...ALL, start: 10, stop: 14 };
    const spread = counts.spread(window, 4, (stack) => stack - 1, 2);
    expect([...spread]).toEqual([2, 2, 2, 2, 0, 0, 3, 3]);
  });

  it("read what is new alone, while a run goes on", () => {
    const stacks = madeStacks(300, { frames: 60 });
    const { columns, samples } = madeRun(stacks, { seconds: 20 });
    const counts = new ProfileCounts();
    const whole = columns.time.length;
    const upTo = (rows: number): CountColumns =>
      Object.fromEntries(
        Object.entries(columns).map(([name, cells]) => [
          name,
          cells.slice(0, rows),
        ]),
      ) as unknown as CountColumns;
    let before: Float64Array | null = null;
    for (const share of [0.5, 0.6, 0.9, 1]) {
      const rows = Math.floor(share * whole);
      counts.update([{ step: 0, columns: upTo(rows) }]);
      const now = counts.in(ALL);
      expect(now).not.toBe(before);
      expect(counts.in({ ...ALL })).toBe(now);
      before = now;
    }
    expect(counts.visited).toBe(whole);
    expect(sum(before!)).toBeCloseTo(samples, 3);
    // The first rows are dropped.
    const later = columns.time[100]! + 5;
    const rest = columns.time.findIndex((time) => time >= later);
    const kept = Object.fromEntries(
      Object.entries(columns).map(([name, cells]) => [name, cells.slice(rest)]),
    ) as unknown as CountColumns;
    counts.update([{ step: 0, begin: later, columns: kept }]);
    expect(sum(counts.in(ALL))).toBeCloseTo(sum(kept.count), 3);
  });
});

describe("a comparison", () => {
  const stacks = madeStacks(400, { frames: 60 });
  const counted = (columns: CountColumns): ProfileCounts => {
    const counts = new ProfileCounts();
    counts.update([{ step: 0, columns }]);
    return counts;
  };
  const added = (one: Float64Array, other: Float64Array): Float64Array => {
    const sums = new Float64Array(Math.max(one.length, other.length));
    one.forEach((count, stack) => (sums[stack]! += count));
    other.forEach((count, stack) => (sums[stack]! += count));
    return sums;
  };

  it("of halves of one run colours at most 5 % of its nodes", () => {
    // `make bench ARGS=profile_trees` has more seeds.
    for (const seed of [1, 2]) {
      for (const task_s of [0.3, 5]) {
        const { columns } = madeRun(stacks, { seed, task_s, seconds: 100 });
        const counts = counted(columns);
        const [start] = columns.time;
        const halves = [0, 50].map((from) => ({
          ...{ scope: 0, start: start! + from, stop: start! + from + 50 },
        }));
        const tree = treeOf(stacks, counts.in(ALL));
        const [before, after] = halves.map((half) => counts.slices(half));
        for (const by of ["share", "samples"] as const) {
          const { sign } = compared(tree, before!, after!, { by });
          const coloured = sign.filter((one) => one !== 0).length;
          expect(coloured / sign.length).toBeLessThanOrEqual(0.05);
        }
      }
    }
  });

  it("names what grew, and leaves alone what did not", () => {
    // Below a root 40 functions; in the second run one of them takes half as long again.
    const flat = {
      parent: Array.from({ length: 42 }, (_, at) => (at < 2 ? 0 : 1)),
      frame: Array.from({ length: 42 }, (_, at) => at),
    };
    const run = (seed: number, grown: number): ProfileCounts => {
      const next = random(seed);
      const rows: Row[] = [];
      for (let time = 0; time < 60; time++) {
        for (let stack = 2; stack < 42; stack++) {
          const usual = stack === 9 ? 10 * grown : 10;
          rows.push({ time, stack, count: usual * (0.5 + next()) });
        }
      }
      return made({ step: 0, rows });
    };
    const [one, other] = [run(1, 1), run(2, 1.5)];
    const tree = treeOf(flat, added(one.in(ALL), other.in(ALL)));
    const [before, after] = [one.slices(ALL), other.slices(ALL)];
    const found = compared(tree, before, after, { by: "samples" });
    const signs = [...found.sign.keys()].filter((node) => found.sign[node]);
    expect(signs).toEqual([9]);
    expect(found.sign[9]).toBe(1);
    expect(found.after[9]! - found.before[9]!).toBeGreaterThan(200);
    const shares = compared(tree, before, after, { by: "share" });
    expect(shares.sign[9]).toBe(1);
    expect(shares.sign.filter((sign) => sign !== 0).length).toBe(1);
    expect(shares.tree.total[0]).toBeCloseTo(1, 9);
    expect(sum(shares.tree.self)).toBeCloseTo(1, 9);
    const back = compared(tree, after, before, { by: "share" });
    expect(back.sign[9]).toBe(-1);
  });

  it.each(CONTRACT.comparisons.map((one) => [one.name, one] as const))(
    "has the figures of Python: %s",
    (_, { before, after, ...figures }) => {
      const sides = [before, after].map((rows) => {
        const columns = countColumns({
          ...{ ...rows, scope: rows.time.map(() => 0) },
          prefix: rows.time.map(() => 1),
        });
        return counted(columns);
      });
      const counts = sides.map((side) => side.in(ALL));
      const tree = treeOf(CONTRACT, added(counts[0]!, counts[1]!));
      const [one, other] = sides.map((side) => side.slices(ALL));
      const found = compared(tree, one!, other!, { by: "samples" });
      const close = (cells: Iterable<number>) =>
        [...cells].map((cell) => Number(cell.toFixed(4)));
      const places = [...tree.stack!];
      for (const name of ["before", "after", "bound", "sign"] as const) {
        const expected = places.map((stack) => figures.nodes[name][stack]!);
        expect(close(found[name])).toEqual(close(expected));
        const seen = close(found.functions[name]).slice(1);
        expect(seen).toEqual(close(figures.functions[name]).slice(1));
      }
    },
  );

  it("is of folded trees, too", () => {
    const { columns } = madeRun(stacks, { seconds: 30 });
    const counts = counted(columns);
    const tree = treeOf(stacks, counts.in(ALL));
    const folded = collapsed(tree, { recursion: true });
    const parts = counts.slices(ALL);
    const found = compared(folded, parts, parts, { by: "samples" });
    found.before.forEach((samples, node) => {
      expect(samples).toBeCloseTo(folded.total[node]!, 3);
    });
  });

  it("is none of 1 sample with 0, nor of what is one cycle long", () => {
    const some = (count: number) =>
      made({
        step: 0,
        rows: Array.from({ length: 20 }, (_, time) => ({
          ...{ time, stack: 1, count: 10 },
        })).concat([{ time: 3, stack: 2, count }]),
      });
    const flat = { parent: [0, 0, 0], frame: [0, 1, 2] };
    const sides = [some(0), some(1)];
    const tree = treeOf(flat, added(sides[0]!.in(ALL), sides[1]!.in(ALL)));
    const [before, after] = sides.map((side) => side.slices(ALL));
    const { sign } = compared(tree, before!, after!, { by: "samples" });
    expect([...sign]).toEqual([0, 0, 0]);
    const short = [5, 500].map((count) =>
      made({ step: 0, rows: [{ time: 0, stack: 1, count }] }).slices(ALL),
    );
    const of = treeOf(flat, [0, 505, 0]);
    const nothing = compared(of, short[0]!, short[1]!, { by: "samples" });
    expect([...nothing.sign]).toEqual([0, 0]);
  });

  it("is of two recordings, whose numbers differ", () => {
    const frames = (...name: string[]) => ({
      name,
      file: name.map(() => "f.py"),
      source: name.map(() => ""),
      first_line: new Uint32Array(name.length),
      line: new Uint32Array(name.length),
    });
    const both = unitedFrames(frames("", "a", "b"), frames("", "b", "c"));
    expect(both.frames.name).toEqual(["", "a", "b", "c"]);
    expect([...both.numbers]).toEqual([0, 2, 3]);
    const { stacks, ofOne, ofOther } = unitedStacks(
      { parent: [0, 0, 1], frame: [0, 1, 2] },
      { parent: [0, 0, 1], frame: [0, 1, 2] },
      both.numbers,
    );
    expect([...(stacks.parent as Uint32Array)]).toEqual([0, 0, 1, 0, 3]);
    expect([...ofOne]).toEqual([0, 1, 2]);
    expect([...ofOther]).toEqual([0, 3, 4]);
    const counts = made({
      step: 0,
      rows: [{ time: 0, stack: 2, count: 3 }],
    }).slices(ALL);
    const moved = renumbered(counts, ofOther);
    expect([...moved.parts[0]!.stack]).toEqual([4]);
  });
});
