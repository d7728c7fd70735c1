// Charts over time: their axes, and what of many samples they draw.

import { describe, expect, it } from "vitest";
import { threadAxis, valueAxis } from "../../js_src/panel/value_axis";
import { columnsOf } from "../../js_src/panel/line_painter";
import {
  extentOf,
  extremesOf,
  seriesOf,
  valueAt,
} from "../../js_src/panel/samples";

const labels = (...args: Parameters<typeof valueAxis>) =>
  valueAxis(...args).ticks.map(({ label }) => label);

describe("the axis of values", () => {
  it("has one unit, steps of 1, 2 or 5, and room for the most", () => {
    const GIB = 2 ** 30;
    expect(labels("bytes", 11.1 * GIB)).toEqual([
      ...["0", "5 GiB", "10 GiB", "15 GiB"],
    ]);
    expect(labels("bytes", 300 * 2 ** 20)).toEqual([
      ...["0", "100 MiB", "200 MiB", "300 MiB"],
    ]);
    expect(labels("seconds", 0.25)).toEqual([
      ...["0", "100 ms", "200 ms", "300 ms"],
    ]);
    expect(labels("bytes", 900 * 2 ** 20).at(-1)).toBe("1,000 MiB");
    expect(labels("percent", 78)).toEqual(["0 %", "50 %", "100 %"]);
    expect(labels("count", 16, 0, 2)).toEqual(["0", "10", "20"]);
  });

  it("counts in whole numbers, and is an axis where nothing was", () => {
    expect(labels("count", 1)).toEqual(["0", "1"]);
    const { bottom, top } = valueAxis("seconds", 0);
    expect(top).toBeGreaterThan(bottom);
    expect(labels("bytes", NaN)).toEqual(["0", "1 B"]);
  });

  it("goes below zero for what lies there", () => {
    const { bottom, ticks } = valueAxis("bytes", 4 * 2 ** 30, -(2 ** 30));
    expect(bottom).toBeLessThanOrEqual(-(2 ** 30));
    expect(ticks[0]!.label).not.toContain("-");
  });
});

describe("the axis of threads", () => {
  const labelled = (full: number): string[] =>
    threadAxis(full).ticks.map(({ label }) => label);

  it("ends where all are busy, with the half of them where that is whole", () => {
    expect(labelled(16)).toEqual(["0", "8", "16"]);
    expect(labelled(7)).toEqual(["0", "7"]);
    expect(labelled(1.9996)).toEqual(["0", "1", "2"]);
    expect(labelled(0.2)).toEqual(["0", "0.20"]);
  });

  it("writes no label twice where little or nothing of what is isolated ran", () => {
    expect(labelled(0)).toEqual(["0"]);
    expect(labelled(0.003)).toEqual(["0", "< 0.01"]);
    expect(labelled(1e-6)).toEqual(["0", "< 0.01"]);
    expect(threadAxis(0).top).toBeGreaterThan(0);
  });
});

describe("samples", () => {
  it("come in order of time, without those that have none", () => {
    const series = seriesOf([3, NaN, 1], [30, 20, 10], 9, "of the end");
    expect([...series.time]).toEqual([1, 3]);
    expect([...series.values]).toEqual([10, 30]);
    expect([
      valueAt(series, 0),
      valueAt(series, 2),
      valueAt(series, 3),
    ]).toEqual([NaN, 10, 30]);
  });

  it("of the workers tell of the end of the run what came with the heartbeat after it", () => {
    const series = seriesOf([1, 2, 3.5], [10, 20, 90], 3, "of the end");
    expect([...series.time]).toEqual([1, 2, 3]);
    expect(extremesOf(series, 1, 3).most).toBe(90);
  });

  it("are summed up for the time that is asked for", () => {
    const series = seriesOf([1, 2, 3, 4], [10, NaN, 30, 90], 9, "of the end");
    expect(extremesOf(series, 1, 3)).toEqual({ least: 10, mean: 20, most: 30 });
    expect(extremesOf(series, -1, 0).mean).toBeNaN();
  });

  it("hold until the next one, but not over a time in which there were none", () => {
    const time = [0, 1, 2, 3, 60];
    const series = seriesOf(time, [2, 4, 6, 8, 9], 70, "of the end");
    expect(extremesOf(series, 1.2, 1.8)).toEqual({
      least: 4,
      mean: 4,
      most: 4,
    });
    for (const [start, stop] of [
      [40, 41],
      [4, 5],
      [61, 62],
    ] as const) {
      expect(extremesOf(series, start, stop).mean).toBeNaN();
    }
    expect(extremesOf(series, 0.5, 2.5)).toEqual({
      least: 4,
      mean: 5,
      most: 6,
    });
  });

  it("that tell nothing are not told by the one before", () => {
    const series = seriesOf([0, 1, 2], [5, NaN, 7], 9, "of the end");
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

  it("keep their least and most in each column of pixels", () => {
    const time = Float64Array.from({ length: 1000 }, (_, at) => at / 1000);
    const values = time.map((_, at) =>
      at === 500 ? 99 : at === 501 ? -99 : 1,
    );
    const series = seriesOf(time, values, Infinity, "of the end");
    const [run] = columnsOf(series, (moment) => moment * 10);
    expect(run).toHaveLength(10);
    const { least, most, first, last } = run![5]!;
    expect([least, most, first, last]).toEqual([-99, 99, 99, 1]);
  });

  it("are not joined over a time in which there were none", () => {
    const time = [1, 2, 3, 4, 5, 60, 61, 62];
    const series = seriesOf(time, time, Infinity, "of the end");
    const runs = columnsOf(series, (moment) => moment * 10);
    expect(runs.map((run) => run.length)).toEqual([5, 3]);
  });
});
