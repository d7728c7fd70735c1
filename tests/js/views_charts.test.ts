// Charts over time: their axes, and what of many samples they draw.

import { describe, expect, it } from "vitest";
import { threadAxis, valueAxis } from "../../js_src/panel/value_axis";
import { columnsOf } from "../../js_src/panel/line_painter";
import { growingAxis } from "../../js_src/derive/growing_axis";
import { lineOf, rowsOf, seriesOf } from "../../js_src/derive/series";

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

describe("samples that are drawn", () => {
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

  it("show the least and most of a step, joined with the next one", () => {
    const extremes = { combine: "extremes" };
    const columns = { cpu: extremes, cpu_least: extremes, cpu_most: extremes };
    const step = {
      time: [5, 13, 60],
      cpu: [20, 30, 30],
      cpu_least: [10, 30, 30],
      cpu_most: [90, 40, 40],
    };
    const series = lineOf(
      rowsOf({ columns }, [
        { step: 0, columns: { time: [70, 71], cpu: [1, 1] } },
        { step: 10, columns: step },
      ]),
      "cpu",
    );
    const runs = columnsOf(series, (moment) => moment);
    expect(runs.map((run) => run.length)).toEqual([2, 3]);
    expect(runs[0]![0]).toMatchObject({ first: 20, least: 10, most: 90 });
  });

  it("are not joined over a time in which there were none", () => {
    const time = [1, 2, 3, 4, 5, 60, 61, 62];
    const series = seriesOf(time, time, Infinity, "of the end");
    const runs = columnsOf(series, (moment) => moment * 10);
    expect(runs.map((run) => run.length)).toEqual([5, 3]);
  });
});

describe("an axis while time goes on", () => {
  it("grows in steps, and always has room for more", () => {
    expect([0, 20.9, 30, 61].map(growingAxis)).toEqual([30, 30, 60, 90]);
    expect([239, 240, 500, 1000].map(growingAxis)).toEqual([
      ...[240, 300, 600, 1200],
    ]);
    for (let elapsed = 0; elapsed < 400_000; elapsed += 997) {
      const end = growingAxis(elapsed);
      expect(end).toBeGreaterThan(elapsed);
      expect(end).toBeLessThanOrEqual(Math.max(30, elapsed * 2));
    }
  });
});
