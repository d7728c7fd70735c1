// The plot's rows follow the host's text size, within reason.

import { describe, expect, it } from "vitest";
import { timeTicks } from "../../js_src/derive/ticks";
import { labelsBetween } from "../../js_src/timeline/axis";
import { geometryOf, plotRows } from "../../js_src/panels/task_stream/geometry";

describe("the rows of the plot", () => {
  it("have the sizes of the look where the host's small text has 11 px", () => {
    expect(plotRows(11)).toMatchObject({
      ...{ font: 11, axis: 23, events: 20, lanesTop: 49, lane: 26 },
    });
    expect(geometryOf("wide", 600, plotRows(11), 8).gutter).toBe(132);
  });

  it("grow with the text, so that it fits", () => {
    for (const small_px of [12, 14, 16]) {
      const rows = plotRows(small_px);
      expect(rows.font).toBe(small_px);
      for (const height of [rows.axis, rows.events, rows.line]) {
        expect(height).toBeGreaterThanOrEqual(rows.font + 4);
      }
      expect(rows.labelled).toBeGreaterThan(rows.font);
      expect(rows.lane).toBeGreaterThan(rows.labelled);
      expect(geometryOf("wide", 600, rows, 8).gutter).toBeGreaterThan(132);
    }
  });

  it("follow neither tiny nor huge text, nor none", () => {
    expect(plotRows(4).font).toBe(10);
    expect(plotRows(40).font).toBe(16);
    expect(plotRows(NaN).font).toBe(11);
  });

  it("have fewer ticks where their labels are wider", () => {
    const ticks = (font_px: number) =>
      timeTicks(0, 100, 1100, 0, font_px).ticks.length;
    expect(ticks(16)).toBeLessThan(ticks(11));
  });
});

describe("the overview above the plot", () => {
  const rows = plotRows(11);
  const overviewOf = (height_px: number, lanes: number) =>
    geometryOf("wide", height_px, rows, lanes).overview;

  it("has its whole height where the lanes have theirs", () => {
    expect(overviewOf(600, 16)).toBe(48);
    expect(overviewOf(260, 2)).toBe(48);
  });

  it("gives way before lanes do where height is short", () => {
    expect(overviewOf(215, 8)).toBe(0);
    expect(overviewOf(270, 8)).toBe(45);
    expect(overviewOf(300, 32)).toBe(31);
    expect(geometryOf("wide", 300, rows, 32).bars).toBe(23);
  });

  it("stays above a thousand lanes in a high panel", () => {
    expect(overviewOf(600, 1000)).toBe(48);
  });
});

it("covers labels of the axis whole where the time at the pointer touches them", () => {
  const labels = [10, 40, 110, 140, 210, 240];
  expect(labelsBetween(labels, 130, 180)).toEqual([110, 140]);
  expect(labelsBetween(labels, 30, 120)).toEqual([10, 140]);
  expect(labelsBetween(labels, 40, 110)).toBeNull();
  expect(labelsBetween([], 0, 100)).toBeNull();
});
