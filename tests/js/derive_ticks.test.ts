import { describe, expect, it } from "vitest";
import { niceStep, timeTicks } from "../../js_src/derive/ticks";
import { T0 } from "./model_rows";

const labels = (from: number, to: number, width = 800): string[] =>
  timeTicks(T0 + from, T0 + to, width, T0, 11).ticks.map((tick) => tick.label);

describe("ticks of time", () => {
  it("count from the origin, in seconds", () => {
    expect(labels(0, 10)).toEqual(
      Array.from({ length: 11 }, (_, i) => `${i} s`),
    );
  });

  it("have as many decimals as their step, all of them", () => {
    expect(labels(14.3, 16.3)).toEqual([
      ...["14.4 s", "14.6 s", "14.8 s", "15.0 s", "15.2 s"],
      ...["15.4 s", "15.6 s", "15.8 s", "16.0 s", "16.2 s"],
    ]);
  });

  it("take milliseconds and microseconds for what is short", () => {
    expect(labels(0, 0.1).slice(0, 3)).toEqual(["0 ms", "10 ms", "20 ms"]);
    expect(labels(0, 0.0008).slice(0, 3)).toEqual([
      ...["0 µs", "100 µs", "200 µs"],
    ]);
  });

  it("take the steps of a clock for minutes and hours", () => {
    expect(labels(0, 600)).toEqual([
      "0 s",
      "60 s",
      ...Array.from({ length: 9 }, (_, i) => `${i + 2}:00`),
    ]);
    expect(labels(0, 7200, 600).slice(0, 3)).toEqual(["0 s", "20:00", "40:00"]);
    expect(labels(0, 36_000).slice(0, 3)).toEqual([
      ...["0 s", "1:00:00", "2:00:00"],
    ]);
    expect(labels(0, 360_000, 900)[1]).toBe("12:00:00");
  });

  it("write what lies before the origin with a minus sign", () => {
    expect(labels(-2, 2, 320)).toEqual(["−2 s", "−1 s", "0 s", "1 s", "2 s"]);
  });

  it("read as the crosshair over them does: minutes from two on", () => {
    expect(labels(110, 140, 320)).toEqual(["110 s", "2:00", "2:10", "2:20"]);
    expect(labels(4_000, 4_001, 700)[0]).toBe("1:06:40.0");
  });

  it("keep their distance, however long the labels are", () => {
    for (let exponent = -5; exponent < 6; exponent += 0.25) {
      for (const from of [0, 18.455, 86_400]) {
        const seconds = 10 ** exponent;
        const { ticks } = timeTicks(
          T0 + from,
          T0 + from + seconds,
          1600,
          T0,
          11,
        );
        if (ticks.length < 2) continue;
        const gap = (1600 * (ticks[1].time - ticks[0].time)) / seconds;
        const longest = Math.max(...ticks.map((tick) => tick.label.length));
        expect(gap).toBeGreaterThan(longest * 6.5);
        expect(ticks.length).toBeGreaterThan(2);
      }
    }
  });

  it("never have two with one label", () => {
    for (let exponent = -5; exponent < 6; exponent += 0.25) {
      const texts = labels(18.455123, 18.455123 + 10 ** exponent, 1600);
      expect(new Set(texts).size).toBe(texts.length);
    }
  });

  it("are none where there is no time or no room", () => {
    expect(labels(1, 1)).toEqual([]);
    expect(labels(2, 1)).toEqual([]);
    expect(labels(0, 1, 0)).toEqual([]);
    expect(labels(NaN, 1)).toEqual([]);
  });

  it("are none where numbers are too large to count in steps", () => {
    expect(timeTicks(0, 1, 800, 1e20, 11).ticks).toEqual([]);
    expect(timeTicks(0, 1, 800, -1e20, 11).ticks).toEqual([]);
    expect(timeTicks(1e15, 1e15 + 0.25, 800, 0, 11).ticks).toEqual([]);
    expect(timeTicks(-1e308, 1e308, 800, 0, 11).ticks.length).toBeLessThan(2);
  });

  it("step by 1, 2 and 5", () => {
    expect([0.11, 0.2, 0.21, 0.6, 3].map(niceStep)).toEqual([
      ...[0.2, 0.2, 0.5, 1, 5],
    ]);
    expect([7, 15, 45, 100, 4000, 50_000].map(niceStep)).toEqual([
      ...[10, 20, 60, 120, 7200, 72_000],
    ]);
  });
});
