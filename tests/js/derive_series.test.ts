// Series: merged rings, lines, and what is said of a time. What both languages compute is
// in tests/contract/series.json, which Python writes.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  extentOf,
  extremesOf,
  lineOf,
  type RingRows,
  rowsOf,
  type SeriesRows,
  nearestValue,
  valueAt,
} from "../../js_src/derive/series";

import { TABLES } from "../../js_src/schema";
import { emptyTable } from "../../js_src/session/tables";
import { seriesOf } from "./samples";

type Cell = number | string | null;
type Stored = Record<string, Cell[]>;

interface Case {
  table: {
    name: string;
    readers: Record<string, { combine: string }>;
  };
  appended: { now: number; columns: Stored }[];
  rings: { step: number; first: number; begin: Cell; columns: Stored }[];
  rows: Stored;
  windows: { start: number; stop: number; result: Stored }[];
}

const cases = JSON.parse(
  readFileSync(new URL("../contract/series.json", import.meta.url), "utf8"),
) as Case[];
const [LOAD, READS, STATES] = cases as [Case, Case, Case];

/** Of a column of sums, with the share of each row that lies in a window before `stop`. */
function sumOf(
  { time, until, columns }: SeriesRows,
  column: string,
  start: number,
  stop: number,
): number {
  const cells = columns[column] as Float64Array;
  let sum = 0;
  for (let row = 0; row < time.length; row++) {
    const length = until[row] - time[row];
    const overlap = Math.min(until[row], stop) - Math.max(time[row], start);
    if (length > 0) sum += cells[row] * (Math.max(overlap, 0) / length);
    else if (time[row] >= start && time[row] < stop) sum += cells[row];
  }
  return sum;
}

/** Numbers as JSON has them; text stays text. */
const cells = (stored: Cell[]): (number | string)[] =>
  stored.map((cell) => cell ?? NaN);

const columnsOf = (stored: Stored): RingRows["columns"] =>
  Object.fromEntries(
    Object.entries(stored).map(([name, column]) => [name, cells(column)]),
  );

const ringsOf = ({ rings }: Case): RingRows[] =>
  rings.map(({ step, first, begin, columns }) => ({
    step,
    // A page gives it where rows were dropped.
    ...(first > 0 ? { begin: Number(begin) } : {}),
    columns: columnsOf(columns),
  }));

const shapeOf = ({ table }: Case) => ({ columns: table.readers });
const merged = (which: Case, key = {}): SeriesRows =>
  rowsOf(shapeOf(which), ringsOf(which), key);

const numbers = (rows: SeriesRows, name: string): Float64Array =>
  rows.columns[name] as Float64Array;

/** Rows as objects; those of one time in the order of their keys. */
function sortedRows(
  columns: RingRows["columns"],
  names = Object.keys(columns),
): Record<string, Cell>[] {
  const rows = Array.from(columns["time"]!, (_, row) =>
    Object.fromEntries(
      ["time", "step", ...names].map((name) => [name, columns[name]![row]!]),
    ),
  );
  const order = ["time", "worker", "kind", "prefix"];
  const compare = (one: Record<string, Cell>, other: Record<string, Cell>) => {
    const name = order.find((of) => one[of] !== other[of]);
    if (name === undefined) return 0;
    return one[name]! < other[name]! ? -1 : 1;
  };
  return rows.sort(compare);
}

const keysOf = ({ table }: Case): string[] =>
  Object.keys(table.readers).filter(
    (name) => table.readers[name]!.combine === "key",
  );

it("combines rows of one step as the schema declares", () => {
  const shape = TABLES.system.columns;
  const columns = Object.fromEntries(
    Object.keys(shape).map((name) => [name, [1, 3]]),
  );
  const rows = rowsOf(TABLES.system, [
    { step: 10, columns: { ...columns, time: [1_000, 1_001] } },
  ]);
  expect([...rows.time]).toEqual([1_000]);
  const { cpu, cpu_least, cpu_most } = rows.columns;
  expect([cpu![0], cpu_least![0], cpu_most![0]]).toEqual([3, 1, 3]);
});

describe("rings that are merged", () => {
  it.each(cases)("of $table.name are the rows of Python", (stored) => {
    const { time, step, columns } = merged(stored);
    const found = sortedRows({ time, step, ...columns });
    const wanted = sortedRows(columnsOf(stored.rows), Object.keys(columns));
    expect(found).toHaveLength(wanted.length);
    for (const [at, row] of found.entries()) {
      for (const [name, cell] of Object.entries(row)) {
        const expected = wanted[at]![name];
        if (stored === READS && name === "nbytes") {
          expect(cell).toBeCloseTo(expected as number, 6);
        } else expect(cell).toBe(expected);
      }
    }
  });

  it("have the sums of Python in each window", () => {
    for (const { start, stop, result } of READS.windows) {
      for (const [row, worker] of result["worker"]!.entries()) {
        const key = { worker: worker!, kind: result["kind"]![row]! };
        const found = sumOf(merged(READS, key), "nbytes", start, stop);
        expect(found).toBeCloseTo(result["nbytes"]![row] as number, 6);
      }
    }
  });

  it("have the least, the most and the last of Python in each window", () => {
    const rows = merged(LOAD);
    for (const { start, stop, result } of LOAD.windows) {
      for (const name of ["cpu", "memory"]) {
        const line = lineOf(rows, name);
        const { least, most } = extremesOf(line, start, stop);
        expect([least, most, valueAt(line, stop)]).toEqual([
          result[`${name}_least`]![0],
          result[`${name}_most`]![0],
          result[name]![0],
        ]);
      }
    }
  });

  it("carry the last of Python into each window", () => {
    for (const { stop, result } of STATES.windows) {
      for (const [row, prefix] of result["prefix"]!.entries()) {
        const line = lineOf(merged(STATES, { prefix: prefix! }), "waiting");
        expect(valueAt(line, stop)).toBe(result["waiting"]![row]);
      }
    }
  });

  it("have each key's rows, and those of all keys together", () => {
    const [first, second] = ["tcp://10.0.0.1:1", "tcp://10.0.0.2:2"];
    const of = (key: object) => sumOf(merged(READS, key), "nbytes", 0, 1e12);
    const all = of({});
    expect(of({ worker: first }) + of({ worker: second })).toBeCloseTo(all, 6);
    expect(keysOf(READS)).toEqual(["worker", "kind"]);
    expect(of({ worker: "tcp://nowhere" })).toBe(0);
  });

  it("add up over adjacent windows", () => {
    const rows = merged(READS);
    const [start, stop] = extentOf(rows.time)!;
    for (const part of [0.1, 0.333, 0.5, 0.9]) {
      const middle = start + part * (stop - start);
      const parts =
        sumOf(rows, "nbytes", start, middle) +
        sumOf(rows, "nbytes", middle, stop);
      expect(parts).toBeCloseTo(sumOf(rows, "nbytes", start, stop), 6);
    }
  });

  it("are the same on a page that was there all the time", () => {
    const appended: Record<string, (number | string)[]> = {};
    for (const { columns } of READS.appended) {
      for (const [name, column] of Object.entries(columns)) {
        (appended[name] ??= []).push(...cells(column));
      }
    }
    const [, ...wider] = ringsOf(READS);
    const always = rowsOf(shapeOf(READS), [
      { step: 0, columns: appended },
      ...wider,
    ]);
    expect(new Set(always.step)).toEqual(new Set([0]));
    const late = merged(READS);
    expect(sumOf(late, "nbytes", 0, 1e12)).toBeCloseTo(
      sumOf(always, "nbytes", 0, 1e12),
      6,
    );
  });

  it("of a page that lags go on with what the next ring has", () => {
    const rings = ringsOf(READS);
    const whole = sumOf(merged(READS), "nbytes", 0, 1e12);
    // No row as measured has come yet: the last steps of 10 s are shown.
    const nothing = columnsOf(
      Object.fromEntries(
        Object.keys(READS.rings[0]!.columns).map((n) => [n, []]),
      ),
    );
    const behind = rowsOf(shapeOf(READS), [
      { step: 0, columns: nothing },
      ...rings.slice(1),
    ]);
    expect(new Set(behind.step)).toEqual(new Set([10, 60, 600]));
    expect(sumOf(behind, "nbytes", 0, 1e12)).toBeLessThan(whole);
    // All of them and no wider step: what they reach back to.
    const [raw] = rings;
    const ahead = rowsOf(shapeOf(READS), [raw!]);
    expect(new Set(ahead.step)).toEqual(new Set([0]));
  });

  it("of a file, where no ring overlaps, are all shown", () => {
    const parts = LOAD.rings.map(({ step }): RingRows => {
      const rows = LOAD.rows["step"]!.map((of) => of === step);
      return {
        step,
        columns: columnsOf(
          Object.fromEntries(
            Object.entries(LOAD.rows).map(([name, column]) => [
              name,
              column.filter((_, row) => rows[row]),
            ]),
          ),
        ),
      };
    });
    const rows = rowsOf(shapeOf(LOAD), parts);
    expect([...rows.time]).toEqual(LOAD.rows["time"]);
    expect([...rows.step]).toEqual(LOAD.rows["step"]);
  });

  it("may lack least and most as measured, and have no rows at all", () => {
    const shape = shapeOf(LOAD);
    const raw = { time: [1, 2], cpu: [10, NaN], memory: [1, 2] };
    const rows = rowsOf(shape, [{ step: 0, columns: raw }]);
    expect([...numbers(rows, "cpu_most")]).toEqual([10, NaN]);
    const none = rowsOf(shape, [
      { step: 0, columns: { time: [], cpu: [], memory: [] } },
    ]);
    expect(none.time).toHaveLength(0);
    expect(lineOf(none, "cpu").values).toHaveLength(0);
  });

  it("may be of any series of the schema", () => {
    const raw = emptyTable("system").columns as unknown as RingRows["columns"];
    const rows = rowsOf(TABLES.system, [{ step: 0, columns: raw }]);
    expect(Object.keys(rows.columns)).toContain("loop_interval_most");
  });
});

describe("a line", () => {
  const shape = {
    columns: {
      time: {},
      cpu: { combine: "extremes" },
      cpu_least: { combine: "extremes" },
      cpu_most: { combine: "extremes" },
    },
  };
  /** Two steps of 10 s, with a gap of one between them and a minute of samples after. */
  const rings: RingRows[] = [
    {
      step: 0,
      begin: 130,
      columns: { time: [130, 131, 132, 133, 134], cpu: [1, 2, NaN, 4, 5] },
    },
    {
      step: 10,
      columns: {
        time: [109, 128],
        cpu: [20, 40],
        cpu_least: [10, 5],
        cpu_most: [90, 50],
      },
    },
  ];
  const line = lineOf(rowsOf(shape, rings), "cpu");

  it("has the steps of wider rings, and leaves out what was not measured", () => {
    expect([...line.time]).toEqual([100, 120, 130, 131, 133, 134]);
    expect([...line.until]).toEqual([110, 130, 130, 131, 133, 134]);
    expect([...line.values]).toEqual([20, 40, 1, 2, 4, 5]);
  });

  it("counts a step whole where a window touches it", () => {
    expect(extremesOf(line, 125, 130)).toEqual({
      least: 1,
      most: 50,
      mean: (40 * 10 + 1) / 11,
    });
    expect(extremesOf(line, 109.5, 119).most).toBe(90);
    expect(extremesOf(line, 110, 119).most).toBe(20); // holds until the next
  });

  it("is joined over neighbouring steps, by the samples as measured", () => {
    expect(line.usual_s).toBe(1);
    expect(line.longest_s).toBe(10);
    const wide = lineOf(rowsOf(shape, [rings[1]!]), "cpu");
    expect(wide.usual_s).toBe(20);
  });
});

describe("samples", () => {
  it("come in order of time, without those that have none", () => {
    const series = seriesOf([3, NaN, 1], [30, 20, 10]);
    expect([...series.time]).toEqual([1, 3]);
    expect([...series.values]).toEqual([10, 30]);
    expect([
      valueAt(series, 0),
      valueAt(series, 2),
      valueAt(series, 3),
    ]).toEqual([NaN, 10, 30]);
  });

  it("say what the nearest of them is worth", () => {
    const series = seriesOf([1, 3], [10, 30]);
    const nearest = (moment: number) => nearestValue(series, moment);
    expect([0, 1.9, 2.1, 3, 8].map(nearest)).toEqual([NaN, 10, 30, 30, 30]);
  });

  it("of the workers that come with the heartbeat after a run are of its end", () => {
    const series = seriesOf([1, 2, 3.5], [10, 20, 90], 3);
    expect([...series.time]).toEqual([1, 2, 3]);
    expect(extremesOf(series, 1, 3).most).toBe(90);
  });

  it("are summed up for the time that is asked for", () => {
    const series = seriesOf([1, 2, 3, 4], [10, NaN, 30, 90]);
    expect(extremesOf(series, 1, 3)).toEqual({ least: 10, mean: 20, most: 30 });
    expect(extremesOf(series, -1, 0).mean).toBeNaN();
  });

  it("hold until the next one, but not over a time in which there were none", () => {
    const time = [0, 1, 2, 3, 60];
    const series = seriesOf(time, [2, 4, 6, 8, 9]);
    const held = { least: 4, mean: 4, most: 4 };
    expect(extremesOf(series, 1.2, 1.8)).toEqual(held);
    for (const [start, stop] of [
      [40, 41],
      [4, 5],
      [61, 62],
    ] as const) {
      expect(extremesOf(series, start, stop).mean).toBeNaN();
    }
    const between = { least: 4, mean: 5, most: 6 };
    expect(extremesOf(series, 0.5, 2.5)).toEqual(between);
  });

  it("that are unknown do not have the value of the one before", () => {
    const series = seriesOf([0, 1, 2], [5, 6, 7]);
    series.values[1] = NaN;
    expect(extremesOf(series, 0.5, 1.5).most).toBeNaN();
  });

  it("of the scheduler end with the run", () => {
    const series = seriesOf([1, 2, 3.5], [10, 20, 90], 3, "left out");
    expect([...series.time]).toEqual([1, 2]);
    expect(extremesOf(series, 1, 3).most).toBe(20);
  });

  it("reach from the first to the last, whatever their order", () => {
    expect(extentOf([3, NaN, 1], [], [7, 2])).toEqual([1, 7]);
    expect(extentOf([NaN], [])).toBeNull();
  });
});
