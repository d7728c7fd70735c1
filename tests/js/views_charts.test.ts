// Charts over time: their axes, and what of many samples they draw.

import { describe, expect, it } from "vitest";
import { threadAxis, valueAxis } from "../../js_src/timeline/value_axis";
import { columnsOf } from "../../js_src/timeline/lines";
import { growingAxis } from "../../js_src/timeline/window";
import { lineOf, rowsOf } from "../../js_src/derive/series";
import { seriesOf } from "./samples";

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
    expect(labels("bytes", 900 * 2 ** 20).at(-1)).toBe("1.0 GiB");
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

/** Lengths of the runs between gaps. */
function runsOf(columns: readonly { joined: boolean }[]): number[] {
  const starts = columns.flatMap(({ joined }, at) => (joined ? [] : [at]));
  return starts.map((at, i) => (starts[i + 1] ?? columns.length) - at);
}

describe("samples that are drawn", () => {
  it("keep their least and most in each column of pixels", () => {
    const time = Float64Array.from({ length: 1000 }, (_, at) => at / 1000);
    const values = time.map((_, at) =>
      at === 500 ? 99 : at === 501 ? -99 : 1,
    );
    const series = seriesOf(time, values);
    const columns = columnsOf(series, (moment) => moment * 10);
    expect(columns).toHaveLength(10);
    const { least, most, first, last } = columns[5]!;
    expect([least, most, first, last]).toEqual([-99, 99, 99, 1]);
  });

  it("show the least and most of a step, joined with the next one", () => {
    const extremes = { combine: "extremes" };
    const shape = { cpu: extremes, cpu_least: extremes, cpu_most: extremes };
    const step = {
      time: [5, 13, 60],
      cpu: [20, 30, 30],
      cpu_least: [10, 30, 30],
      cpu_most: [90, 40, 40],
    };
    const series = lineOf(
      rowsOf({ columns: shape }, [
        { step: 0, columns: { time: [70, 71], cpu: [1, 1] } },
        { step: 10, columns: step },
      ]),
      "cpu",
    );
    const columns = columnsOf(series, (moment) => moment);
    expect(runsOf(columns)).toEqual([2, 3]);
    const wide = { x: 0, end: 10, first: 20, least: 10, most: 90 };
    expect(columns[0]).toMatchObject(wide);
  });

  it("are not joined over a time in which there were none", () => {
    const time = [1, 2, 3, 4, 5, 60, 61, 62];
    const series = seriesOf(time, time);
    expect(runsOf(columnsOf(series, (moment) => moment * 10))).toEqual([5, 3]);
  });

  it("keep the least and most of each column at every zoom and place", () => {
    const time = Float64Array.from({ length: 5000 }, (_, at) => at / 50);
    const values = time.map((_, at) => Math.sin(at * at) * (1 + (at % 97)));
    const series = seriesOf(time, values);
    for (const width_s of [100, 31.7, 3, 0.2]) {
      for (const start of [0, 12.34, 68.2]) {
        const x = (moment: number) => ((moment - start) / width_s) * 100;
        const shown = columnsOf(series, x, [start, start + width_s]);
        for (let pixel = 0; pixel < 100; pixel++) {
          const there = values.filter((_, at) => {
            const moment = time[at]!;
            return moment <= 100 && Math.floor(x(moment)) === pixel;
          });
          const column = shown.find(({ x }) => Math.floor(x) === pixel);
          expect(column?.most).toBe(
            there.length ? Math.max(...there) : undefined,
          );
          expect(column?.least).toBe(
            there.length ? Math.min(...there) : undefined,
          );
        }
      }
    }
  });

  it("reach beyond both edges of what is shown, and no further", () => {
    const time = Float64Array.from({ length: 100 }, (_, at) => at);
    const series = seriesOf(time, time);
    const shown = columnsOf(series, (moment) => moment * 10, [20.5, 23.5]);
    expect(shown.map(({ first }) => first)).toEqual([20, 21, 22, 23, 24]);
    expect(columnsOf(series, (moment) => moment, [300, 400])).toHaveLength(1);
    expect(columnsOf(series, (moment) => moment, [-9, -1])).toHaveLength(1);
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
