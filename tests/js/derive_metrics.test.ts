// Increments of metrics in a time: adjacent times add up, and a filter reads no row again.

import { describe, expect, it } from "vitest";
import {
  keysIn,
  type MetricColumns,
  MetricKeys,
  MetricRows,
  sumsBy,
} from "../../js_src/derive/metrics";
import { random } from "./harness/run";

interface Row {
  readonly time: number;
  readonly duration: number;
  readonly value: number;
  readonly context?: number;
  readonly prefix?: number;
  readonly activity?: number;
  readonly span?: number;
  readonly unit?: number;
}

const columnsOf = (rows: readonly Row[]): MetricColumns => {
  const cells = (name: keyof Row): number[] =>
    rows.map((row) => row[name] ?? 0);
  return {
    time: Float64Array.from(cells("time")),
    duration: Float32Array.from(cells("duration")),
    context: Uint8Array.from(cells("context")),
    prefix: Uint16Array.from(cells("prefix")),
    activity: Uint16Array.from(cells("activity")),
    span: Uint16Array.from(cells("span")),
    unit: Uint8Array.from(cells("unit")),
    value: Float64Array.from(cells("value")),
  };
};
const ring = (rows: readonly Row[], step = 0) => ({
  step,
  columns: columnsOf(rows) as MetricColumns & Record<string, never>,
});
const made = (...rings: ReturnType<typeof ring>[]) =>
  new MetricRows(rings, new MetricKeys());
const total = (sums: Float64Array): number =>
  sums.reduce((all, one) => all + one, 0);
const ALL = { unit: 0, context: 0 };

describe("increments of metrics", () => {
  it("count with the part of their stretch that lies in a time", () => {
    const rows = made(
      ring([
        { time: 10, duration: 4, value: 8 },
        { time: 12, duration: 2, value: 1, prefix: 1 },
      ]),
    );
    expect([...rows.between(10, 14)]).toEqual([8, 1]);
    expect([...rows.between(11, 13)]).toEqual([4, 0.5]);
    expect([...rows.between(0, 10)]).toEqual([0, 0]);
    expect([...rows.between(14, 20)]).toEqual([0, 0]);
  });

  it("add up over adjacent times, and over the columns of a grid", () => {
    const next = random(3);
    const rows = made(
      ring(
        Array.from({ length: 500 }, () => ({
          ...{ time: next() * 100, duration: next() * 7, value: next() },
          ...{ prefix: Math.floor(next() * 5), span: Math.floor(next() * 3) },
        })),
      ),
    );
    const edges = [-1, 3.3, 17, 17.2, 64, 120];
    const parts = edges
      .slice(1)
      .map((stop, at) => rows.between(edges[at]!, stop));
    const whole = rows.between(-1, 120);
    whole.forEach((value, key) => {
      const sum = parts.reduce((all, part) => all + part[key]!, 0);
      expect(sum).toBeCloseTo(value, 9);
    });
    const groups = Int32Array.from(whole, (_, key) => key % 2);
    const spread = rows.spread(
      { start: -1, width: 11, columns: 11 },
      groups,
      2,
    );
    expect(total(spread)).toBeCloseTo(total(whole), 9);
    const odd = whole.filter((_, key) => key % 2 === 1);
    expect(total(spread.subarray(11))).toBeCloseTo(total(odd), 9);
  });

  it("of a moment count once, at its beginning", () => {
    const rows = made(ring([{ time: 5, duration: 0, value: 3 }]));
    expect([...rows.between(5, 6)]).toEqual([3]);
    expect([...rows.between(4, 5)]).toEqual([0]);
    const grid = { start: 0, width: 2, columns: 4 };
    expect([...rows.spread(grid, [0], 1)]).toEqual([0, 0, 3, 0]);
  });

  it("come from before the connection in no range", () => {
    const rows = made(
      ring([
        { time: -Infinity, duration: 0, value: 1_000 },
        { time: 5, duration: 1, value: 2 },
      ]),
    );
    expect([...rows.between(0, 100)]).toEqual([2]);
  });

  it("are in the finest ring that has their time, once", () => {
    const raw = {
      ...ring([{ time: 20, duration: 1, value: 1 }]),
      begin: 20,
    };
    const wide = ring(
      [
        { time: 10, duration: 10, value: 7 },
        { time: 20, duration: 10, value: 1 },
      ],
      10,
    );
    expect([...made(raw, wide).between(0, 100)]).toEqual([8]);
    expect([...made(raw, wide).between(15, 20)]).toEqual([3.5]);
  });
});

describe("what groups of tasks took", () => {
  const group = (computation: number, start: number, seconds: number) => ({
    ...{ computation, span: 2, prefix: 1, tasks: 1, erred: 0, nbytes: 0 },
    ...{ start, stop: start + 100, seconds },
  });
  const OTHER = 7;
  const row = { duration: 100, prefix: 1, span: 2 };
  const rows = new MetricRows(
    [
      ring([
        { ...row, time: 0, activity: 1, value: 80 },
        { ...row, time: 0, activity: OTHER, value: 20 },
        { ...row, time: 0, unit: 1, value: 800 },
        { ...row, time: 0, span: 3, value: 1_000 },
        { ...row, time: 0, context: 1, value: 1_000 },
      ]),
    ],
    new MetricKeys(),
    new Set([OTHER]),
  );

  it("is their share of what ran at the same time, in each part of it", () => {
    // Ten cells at once, each with the same function.
    const all = Array.from({ length: 10 }, (_, at) => group(at + 2, 0, 8));
    const [first] = all;
    expect([...rows.ofGroups([first!], 0, 100)]).toEqual([8, 2, 80, 0, 0]);
    expect([...rows.ofGroups([first!], 25, 50)]).toEqual([2, 0.5, 20, 0, 0]);
    rows
      .ofGroups(all, 0, 100)
      .forEach((sum, key) =>
        expect(sum).toBeCloseTo([80, 20, 800, 0, 0][key]!, 9),
      );
    const two = rows.ofGroups([all[0]!, all[9]!], -10, 1_000);
    expect(two[0]).toBeCloseTo(16, 9);
  });

  it("lies in the columns in which they ran", () => {
    const grid = { start: -50, width: 50, columns: 4 };
    const only = [group(2, 0, 8)];
    const spread = rows.spread(grid, [0, 0, -1, 0, 0], 1, only);
    expect([...spread].map((one) => Math.round(one * 1e9) / 1e9)).toEqual([
      ...[0, 5, 5, 0],
    ]);
    expect(total(rows.spread(grid, [0, 0, -1, 0, 0], 1, []))).toBe(0);
  });
});

describe("keys of metrics", () => {
  it("say which indexes they have, also after more came", () => {
    const keys = new MetricKeys();
    const rowsOf = (prefixes: readonly number[]): Row[] =>
      prefixes.map((prefix, at) => ({
        time: at,
        duration: 1,
        value: 1,
        prefix,
      }));
    new MetricRows([ring(rowsOf([9, 2, 9]))], keys);
    const before = keys.used("prefix");
    expect(before.indexes).toEqual([2, 9]);
    expect(keys.used("prefix")).toBe(before);
    new MetricRows([ring(rowsOf([9, 2, 9, 5]))], keys);
    expect(keys.used("prefix").indexes).toEqual([2, 5, 9]);
    expect(keys.used("unit").indexes).toEqual([0]);
  });

  it("are looked up once for each row, also where the oldest rows are dropped", () => {
    const next = random(9);
    const all: Row[] = Array.from({ length: 9_000 }, (_, at) => ({
      ...{ time: at / 10, duration: next(), value: next() },
      ...{ prefix: at % 7, activity: at % 11, span: at % 3 },
    }));
    const keys = new MetricKeys();
    const group = (prefix: number, span: number) => ({
      ...{ computation: 2, span, prefix, tasks: 1, erred: 0, nbytes: 0 },
      ...{ start: 0, stop: 2_000, seconds: 1e9 },
    });
    const groups = [group(2, 1), group(5, 0)];
    let seen = 0;
    const { find } = keys as unknown as { find: (...of: unknown[]) => number };
    Object.assign(keys, {
      find: (...of: unknown[]) => ((seen += 1), find.apply(keys, of)),
    });
    for (const [from, to] of [
      ...[
        [0, 4_000],
        [0, 6_000],
        [500, 7_000],
        [3_000, 7_001],
      ],
      ...[
        [3_000, 9_000],
        [8_999, 9_000],
      ],
    ] as const) {
      const rows = all.slice(from, to);
      const one = new MetricRows([ring(rows)], keys);
      const fresh = new MetricRows([ring(rows)], new MetricKeys());
      for (const [start, stop] of [
        [0, 2_000],
        [420, 470.5],
      ] as const) {
        expect(total(one.between(start, stop))).toBeCloseTo(
          ...([total(fresh.between(start, stop)), 9] as const),
        );
        expect(total(one.ofGroups(groups, start, stop))).toBeCloseTo(
          ...([total(fresh.ofGroups(groups, start, stop)), 9] as const),
        );
      }
    }
    // The table of places is filled again where it grows.
    expect(seen).toBeLessThan(9_500);
  });

  it("keep their numbers when rows come, and tell all five parts apart", () => {
    const keys = new MetricKeys();
    const parts = ["context", "prefix", "activity", "span", "unit"] as const;
    const rows: Row[] = [
      { time: 0, duration: 1, value: 1 },
      ...parts.map((part) => ({ time: 0, duration: 1, value: 1, [part]: 1 })),
    ];
    const first = new MetricRows([ring(rows)], keys);
    expect(keys.size).toBe(6);
    const more = Array.from({ length: 3_000 }, (_, at) => ({
      ...{ time: 1, duration: 1, value: 1, prefix: at % 1_000 },
      activity: at % 3,
    }));
    const all = new MetricRows([ring([...rows, ...more])], keys);
    expect([...first.between(0, 1)]).toEqual([1, 1, 1, 1, 1, 1]);
    expect([...all.between(0, 1).subarray(0, 6)]).toEqual([1, 1, 1, 1, 1, 1]);
    expect(keys.size).toBe(6 + 3_000 - 3);
    expect(total(all.between(0, 2))).toBe(3_006);
  });

  it("are narrowed by function, span, activity, context and unit", () => {
    const rows = made(
      ring([
        { time: 0, duration: 1, value: 1, prefix: 1, activity: 4, span: 2 },
        { time: 0, duration: 1, value: 2, prefix: 1, activity: 5 },
        { time: 0, duration: 1, value: 4, prefix: 2, activity: 4 },
        { time: 0, duration: 1, value: 8, prefix: 2, unit: 1 },
        { time: 0, duration: 1, value: 16, context: 1, activity: 4 },
      ]),
    );
    const { keys } = rows;
    const mask = (index: number): Uint8Array =>
      new Uint8Array(8).map((_, at) => Number(at === index));
    const sumOf = (filter: object): number => {
      const counts = keysIn(keys, { ...ALL, ...filter });
      return total(rows.between(0, 1).filter((_, key) => counts[key] === 1));
    };
    expect(sumOf({})).toBe(7);
    expect(sumOf({ prefixes: mask(1) })).toBe(3);
    expect(sumOf({ spans: mask(2) })).toBe(1);
    expect(sumOf({ unit: 1 })).toBe(8);
    expect(sumOf({ context: 1 })).toBe(16);
    expect(sumOf({ activities: mask(5) })).toBe(2);
    const [one] = sumsBy(
      ...([keys, "prefix", keysIn(keys, ALL)] as const),
      rows.between(0, 1),
    );
    expect(one).toMatchObject({ index: 1, total: 3 });
    expect(one!.parts()).toEqual([
      [4, 1],
      [5, 2],
    ]);
  });

  it("of 2,000 functions and 12 activities are filtered without reading rows", () => {
    const rows = made(
      ring(
        Array.from({ length: 72_000 }, (_, at) => ({
          ...{ time: at / 1_000, duration: 1, value: 1 },
          ...{ prefix: at % 2_000, activity: Math.floor(at / 2_000) % 12 },
        })),
      ),
    );
    expect(rows.keys.size).toBe(24_000);
    rows.between(0, 100);
    const { visited } = rows;
    expect(visited).toBe(72_000);
    for (let at = 0; at < 50; at++) {
      const counts = keysIn(rows.keys, {
        ...ALL,
        activities: Uint8Array.from({ length: 12 }, (_, activity) =>
          Number(activity === at % 12),
        ),
      });
      const sums = rows.between(0, 100);
      expect(sumsBy(rows.keys, "prefix", counts, sums).length).toBe(2_000);
    }
    expect(rows.visited).toBe(visited);
    // Of a short time only the rows near to it are read.
    rows.between(30, 31);
    expect(rows.visited - visited).toBeLessThan(4_000);
  });
});
