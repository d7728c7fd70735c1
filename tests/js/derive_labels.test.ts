import { describe, expect, it } from "vitest";
import { LabelList, placeLabels } from "../../js_src/derive/labels";
import { TaskModel } from "../../js_src/model/tasks";
import { batchOf, T0, type Row } from "./model_rows";

/** Labels of names that are 50 px wide, one second a pixel. */
function labelsOf(rows: Row[], width: number, from: number, least: number) {
  const model = new TaskModel();
  model.insert(batchOf(rows));
  const labels = new LabelList();
  const window = { start: from, secondsPerPixel: 1, width_px: 400 };
  const names = { whole: () => width, least: () => least };
  placeLabels(model, 0, window, names, 1, labels);
  return labels;
}

/** Positions and prefixes of those that fit whole. */
function place(rows: Row[], width = 50, from = T0): [number, number][] {
  const labels = labelsOf(rows, width, from, width);
  return Array.from({ length: labels.count }, (_, i) => [
    labels.x[i]!,
    labels.prefix[i]!,
  ]);
}

/** Positions and widths of those of which 20 px are worth reading. */
function placeShortened(rows: Row[], from = T0): [number, number][] {
  const labels = labelsOf(rows, 50, from, 20);
  return Array.from({ length: labels.count }, (_, i) => [
    labels.x[i]!,
    labels.room[i]!,
  ]);
}

describe("labels", () => {
  it("stand where the whole name fits", () => {
    expect(
      place([
        { start: T0, duration: 61, prefix: 1 },
        { start: T0 + 100, duration: 62, prefix: 2 },
      ]),
    ).toEqual([[106, 2]]);
  });

  it("stay in sight while their rectangle leaves the window", () => {
    const row = { start: T0, duration: 300, prefix: 1 };
    expect(place([row], 50, T0 + 100)).toEqual([[6, 1]]);
    expect(place([row], 50, T0 + 239)).toEqual([]);
    expect(place([{ ...row, start: T0 + 339, duration: 300 }])).toEqual([]);
  });

  it("are shortened where enough of the name fits", () => {
    const row = { start: T0, prefix: 1 };
    expect(placeShortened([{ ...row, duration: 100 }])).toEqual([[6, 50]]);
    expect(placeShortened([{ ...row, duration: 61 }])).toEqual([[6, 49]]);
    expect(placeShortened([{ ...row, duration: 32 }])).toEqual([[6, 20]]);
    expect(placeShortened([{ ...row, duration: 31 }])).toEqual([]);
  });

  it("are shortened where their rectangle leaves the window", () => {
    const row = { start: T0 + 360, duration: 300, prefix: 1 };
    expect(placeShortened([row])).toEqual([[366, 28]]);
  });

  it("give way to strips, also when shortened", () => {
    const row = { start: T0, duration: 40, prefix: 1 };
    const strip = { start: T0 + 20, duration: 1, action: 1, task: 1 };
    expect(placeShortened([row, strip])).toEqual([]);
  });

  it("give way to strips", () => {
    const row = { start: T0, duration: 300, prefix: 1 };
    const strip = { start: T0 + 30, duration: 1, action: 1, task: 1 };
    expect(place([row, strip])).toEqual([]);
    expect(place([row, { ...strip, start: T0 + 60 }])).toEqual([[6, 1]]);
  });

  it("keep their names when a strip takes the one before", () => {
    expect(
      place([
        { start: T0, duration: 100, prefix: 1 },
        { start: T0 + 30, duration: 1, prefix: 3, action: 1, task: 1 },
        { start: T0 + 200, duration: 100, prefix: 2, task: 2 },
      ]),
    ).toEqual([[206, 2]]);
  });

  it("are not written over each other", () => {
    expect(
      place([
        { start: T0, duration: 300, prefix: 1 },
        { start: T0 + 30, duration: 100, prefix: 2, task: 1 },
        { start: T0 + 250, duration: 140, prefix: 3, task: 2 },
      ]),
    ).toEqual([]);
  });

  it("leave out names that have no width", () => {
    expect(place([{ start: T0, duration: 300 }], Infinity)).toEqual([]);
  });
});
