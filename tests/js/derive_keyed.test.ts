// Series with rows by key: a value holds until the next row of its key, and no peak is lost.

import { describe, expect, it } from "vitest";
import { bandOf, KeyedRows, peakOf, stackOf } from "../../js_src/derive/keyed";
import { clusterLine, mostAt, usesOf } from "../../js_src/derive/memory";
import {
  extremesOf,
  type RingRows,
  rowAt,
  type Series,
  valueAt,
} from "../../js_src/derive/series";
import { perColumn } from "../../js_src/timeline/areas";
import { columnsOf } from "../../js_src/timeline/lines";
import { random } from "./harness/run";

type Row = readonly [time: number, worker: string, value: number];

/** Of each measure the same. */
const ring = (rows: readonly Row[], step = 0): RingRows => {
  const cells = Float32Array.from(rows, ([, , value]) => value);
  return {
    step,
    columns: {
      time: Float64Array.from(rows, ([time]) => time),
      worker: rows.map(([, worker]) => worker),
      ...{ process: cells, managed: cells, optimistic: cells },
      ...{ spilled: cells, limit: cells, status: cells },
    },
  };
};
const keyed = (...rings: RingRows[]) => new KeyedRows(rings, "worker");
const points = ({ time, values }: Series) =>
  [...time].map((at, row) => [at, values[row]]);
const isWorker = (key: string | number): boolean => key !== "";

describe("rows of several keys", () => {
  it("become a line for each key, which holds to the last row of all", () => {
    const rows = keyed(
      ring([
        [1, "a", 10],
        [1, "b", 5],
        [2, "a", 20],
        [4, "b", 7],
      ]),
    );
    expect(points(rows.line("a", "process"))).toEqual([
      [1, 10],
      [2, 20],
      [4, 20],
    ]);
    expect(valueAt(rows.line("a", "process"), 3.9)).toBe(20);
    expect(points(rows.line("b", "process"))).toEqual([
      [1, 5],
      [4, 7],
    ]);
    expect(rows.line("c", "process").time).toHaveLength(0);
  });

  it("end where a key has left, and begin again", () => {
    const rows = keyed(
      ring([
        [1, "a", 10],
        [2, "a", NaN],
        [3, "b", 1],
        [5, "a", 4],
      ]),
    );
    const line = rows.line("a", "process");
    expect(peakOf(line, 2.5, 4)).toBeNull();
    expect(peakOf(line, 1.5, 1.9)?.value).toBe(10);
    const there = (time: number) =>
      usesOf(rows, [time, time]).map(({ worker }) => worker);
    expect([there(1.5), there(3), there(5)]).toEqual([
      ["a"],
      ["b"],
      ["a", "b"],
    ]);
  });

  it("are there once, in the finest ring that has their moment", () => {
    const wide: RingRows = {
      step: 10,
      columns: {
        ...{ time: [0, 10, 10, 20], worker: ["a", "a", "a", "a"] },
        process: [3, 4, 6, 99],
        process_least: [1, 4, 2, 99],
        process_most: [30, 5, 6, 99],
      },
    };
    const rows = keyed(
      {
        ...ring([
          [20, "a", 7],
          [25, "a", 8],
        ]),
        begin: 20,
      },
      wide,
    );
    const line = rows.line("a", "process");
    expect([...line.time]).toEqual([0, 10, 20, 25]);
    // Two contributions to one step.
    expect(line.least[1]).toBe(2);
    expect(line.most[1]).toBe(6);
    expect(peakOf(line, 3, 8)).toMatchObject({ value: 30, time: 3 });
    expect(extremesOf(line, 0, 25).most).toBe(30);
  });

  it("keep the peak of a key that left within a wide step, and end there", () => {
    const wide: RingRows = {
      step: 10,
      columns: {
        ...{ time: [0, 0, 10, 20], worker: ["a", "b", "b", "a"] },
        ...{ process: [NaN, 2, 2, 4], process_least: [1, 2, 2, 4] },
        process_most: [50, 3, 2, 5],
      },
    };
    const rows = keyed(ring([]), wide);
    const line = rows.line("a", "process");
    expect(peakOf(line, 0, 18)).toMatchObject({ time: 0, value: 50 });
    const left = { least: 1, mean: NaN, most: 50 };
    expect(extremesOf(line, 0, 18)).toEqual(left);
    expect(extremesOf(line, 12, 18).most).toBeNaN();

    const band = bandOf(rows, "process", isWorker);
    expect([band.least[0], band.values[0], band.most[0]]).toEqual([1, 2, 50]);
    expect(band.most[1]).toBe(2);
    const alone = bandOf(rows, "process", (key) => key === "a");
    expect([alone.least[0], alone.values[0], alone.most[0]]).toEqual([
      1,
      NaN,
      50,
    ]);

    const x = (time: number) => time;
    const place = { left: 0, width: 30, range: [0, 30] as const, x };
    const most = perColumn(line, "most", place);
    expect([most[3], most[12], most[25]]).toEqual([50, NaN, 5]);
    const columns = columnsOf(line, x);
    expect(columns).toMatchObject([
      { joined: false, x: 0, end: 10, least: 1, most: 50 },
      { joined: false, x: 20, end: 30, least: 4, most: 5 },
    ]);
  });

  it("keep the value that held when a time begins", () => {
    const line = keyed(
      ring([
        [0, "a", 8],
        [5, "a", 1],
        [9, "a", 2],
      ]),
    ).line("a", "process");
    expect(extremesOf(line, 4, 6)).toEqual({ least: 1, mean: 4.5, most: 8 });
    expect(peakOf(line, 4, 6)).toMatchObject({ time: 4, value: 8 });
    // What is still to come weighs nothing.
    expect(extremesOf(line, 0, 99).mean).toBeCloseTo((5 * 8 + 4) / 9, 5);
  });
});

/** Rows of some workers, each of which changes now and then. */
function noise(workers: number, moments: number, seed = 5): Row[] {
  const next = random(seed);
  const rows: Row[] = [];
  for (let at = 0; at < moments; at++) {
    for (let worker = 0; worker < workers; worker++) {
      if (at > 0 && next() < 0.6) continue;
      const gone = next() < 0.02;
      rows.push([at / 2, `w${worker}`, gone ? NaN : Math.round(next() * 1000)]);
    }
  }
  return rows;
}

const shifted = (columns: RingRows["columns"], by: number) => ({
  ...columns,
  time: Float64Array.from(columns["time"] as Float64Array, (one) => one + by),
});

describe("what several keys have together", () => {
  const rows = keyed(ring(noise(9, 200)));
  const heldAt = (moment: number): number[] =>
    rows.keys
      .map((key) => valueAt(rows.line(key, "process"), moment))
      .filter((value) => !Number.isNaN(value));
  const times = Array.from({ length: 199 }, (_, at) => at / 2 + 0.1);

  it("have the same peak with and without a line of each", () => {
    const wide = ring(noise(9, 40, 6), 10);
    const columns = { ...wide.columns, process_most: wide.columns["limit"]! };
    const late = { ...wide, begin: -40, columns: shifted(columns, -40) };
    const all = keyed({ ...ring(noise(9, 200)), begin: 0 }, late);
    for (const key of [...all.keys, "none"]) {
      const line = all.line(key, "process");
      for (const start of [-60, -35, -3.2, 0, 7.25, 88, 99.5, 200]) {
        for (const length of [0, 0.5, 12, 300]) {
          const peak = all.peak(key, "process", start, start + length);
          const expected = peakOf(line, start, start + length);
          expect([peak?.time, peak?.value]).toEqual([
            expected?.time,
            expected?.value,
          ]);
        }
      }
    }
  });

  it("is their sum at each moment, layer on layer", () => {
    const layers = stackOf(rows, "process", (key) => (key === "w3" ? 0 : 1), 2);
    for (const moment of times) {
      const all = heldAt(moment).reduce((sum, value) => sum + value, 0);
      expect(valueAt(layers[1]!, moment)).toBe(all);
      const own = valueAt(rows.line("w3", "process"), moment);
      expect(valueAt(layers[0]!, moment)).toBe(own || 0);
    }
  });

  it("lies between the least and the most of them, around the median", () => {
    const band = bandOf(rows, "process", isWorker);
    for (const moment of times) {
      const sorted = heldAt(moment).sort((one, other) => one - other);
      const at = rowAt(band, moment);
      expect(band.least[at]).toBe(sorted[0]);
      expect(band.most[at]).toBe(sorted.at(-1));
      expect(band.values[at]).toBe(sorted[sorted.length >> 1]);
    }
  });

  it("has its most in a wide step, too", () => {
    const wide: RingRows = {
      step: 10,
      columns: {
        ...{ time: [0, 0, 10], worker: ["a", "b", "a"] },
        ...{ process: [1, 2, 1], process_least: [0, 1, 1] },
        process_most: [50, 3, 2],
      },
    };
    const all = keyed(ring([]), wide);
    const [sum] = stackOf(all, "process", () => 0, 1);
    expect([...sum!.most].slice(0, 2)).toEqual([53, 4]);
    const band = bandOf(all, "process", isWorker);
    expect([band.least[0], band.most[0], band.most[1]]).toEqual([0, 50, 2]);
  });

  it("names who had most at a moment", () => {
    const all = keyed(
      ring([
        [1, "", 30],
        [1, "a", 10],
        [1, "b", 20],
        [2, "a", 25],
      ]),
    );
    expect(mostAt(all, "process", 1.5)).toEqual({ key: "b", value: 20 });
    expect(mostAt(all, "process", 2)).toEqual({ key: "a", value: 25 });
    expect(mostAt(all, "process", 2, ["b"])).toEqual({ key: "b", value: 20 });
    expect(mostAt(all, "process", 0.5)).toBeNull();
  });
});

describe("columns of pixels", () => {
  it("have the most that was measured in them, at every zoom and place", () => {
    const line = keyed(ring(noise(1, 4000, 9))).line("w0", "process");
    const width = 97;
    for (const width_s of [2000, 311.3, 40, 3, 0.4]) {
      for (const start of [0, 12.34, 1500.2]) {
        const stop = start + width_s;
        const x = (time: number) => ((time - start) / width_s) * width;
        const place = { left: 0, width, range: [start, stop] as const, x };
        const most = perColumn(line, "most", place);
        for (let at = 0; at < width; at++) {
          const from = start + (at / width) * width_s;
          const there = extremesOf(
            line,
            from,
            from + (width_s / width) * 0.999,
          );
          const end = line.time.at(-1)!;
          if (from > end) expect(most[at]).toBeNaN();
          else if (!Number.isNaN(most[at]!) && !Number.isNaN(there.most))
            expect(most[at]).toBeGreaterThanOrEqual(there.most);
        }
        const seen = peakOf(line, start, stop)?.value ?? NaN;
        const drawn = Math.max(...most.filter((one) => !Number.isNaN(one)));
        expect(drawn).toBe(Number.isNaN(seen) ? -Infinity : seen);
      }
    }
  });

  it("are empty in a gap of the cluster's samples", () => {
    const times = [0, 0.5, 1, 1.5, 2, 60, 60.5];
    const line = clusterLine(
      keyed(ring(times.map((time) => [time, "", 4]))),
      "process",
    );
    const range = [0, 61] as const;
    const place = { left: 0, width: 61, range, x: (time: number) => time };
    const most = perColumn(line, "most", place);
    expect([most[1], most[30], most[60]]).toEqual([4, NaN, 4]);
  });
});

describe("a day of 200 workers", () => {
  it("is read, summed and banded in 300 ms", () => {
    // As many rows as a page keeps: 355 of each worker in each ring.
    const next = random(3);
    const rings = [0, 10, 60, 600].map((step, at) => {
      const every = step || 0.5;
      const rows: Row[] = [];
      for (let moment = 0; moment < 355; moment++) {
        const time = 1e9 - (at * 355 + moment) * every;
        for (let worker = 0; worker < 200; worker++) {
          rows.push([time, `tcp://w${worker}`, next() * 4e9]);
        }
        rows.push([time, "", 4e11]);
      }
      return {
        ...ring(rows.reverse(), step),
        begin: 1e9 - (at + 1) * 355 * every,
      };
    });
    // Beside other tests the clock says little: the least of a few, and of its own work.
    let least_ms = Infinity;
    let rows = keyed();
    for (let tries = 0; tries < 6; tries++) {
      const cpu = process.cpuUsage();
      const began = performance.now();
      rows = keyed(...rings);
      for (const key of rows.keys) rows.line(key, "process");
      usesOf(rows, [0, 1e9]);
      bandOf(rows, "process", isWorker);
      clusterLine(rows, "process");
      const { user, system } = process.cpuUsage(cpu);
      const wall_ms = performance.now() - began;
      least_ms = Math.min(least_ms, wall_ms, (user + system) / 1000);
    }
    expect(rows.keys).toHaveLength(201);
    expect(rows.time.length).toBeGreaterThan(200_000);
    expect(least_ms).toBeLessThan(300);
  });
});
