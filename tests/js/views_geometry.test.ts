// The plot's rows follow the host's text size, within reason.

import { describe, expect, it } from "vitest";
import { timeTicks } from "../../js_src/derive/ticks";
import { geometryOf, plotRows } from "../../js_src/views/task_stream/geometry";

describe("the rows of the plot", () => {
  it("have the sizes of the look where the host's small text has 11 px", () => {
    expect(plotRows(11)).toMatchObject({
      ...{ font: 11, axis: 23, events: 20, lanesTop: 49, lane: 26 },
    });
    expect(geometryOf("wide", 600, plotRows(11)).gutter).toBe(132);
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
      expect(geometryOf("wide", 600, rows).gutter).toBeGreaterThan(132);
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
