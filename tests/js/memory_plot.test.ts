// The samples of a MemorySampler as lines: by label, aligned, with their peaks at every zoom.

import { describe, expect, it } from "vitest";
import { PANELS, panelKind, widgetKind } from "../../js_src/panels";
import {
  figuresOf,
  type Run,
  runsOf,
  valueNear,
} from "../../js_src/panels/memory_plot/runs";
import { MEASURES } from "../../js_src/schema";
import { paintBand } from "../../js_src/timeline/bands";
import { columnsOf, paintLine } from "../../js_src/timeline/lines";
import type { PlotArea } from "../../js_src/timeline/time_plot";
import type { RingView } from "../../js_src/session/tables";
import type { TableColumns } from "../../js_src/schema";
import { sampleOf } from "./harness/sampled";

type Rings = readonly RingView<TableColumns["samples"]>[];
type Sample = ReturnType<typeof sampleOf>;

const MIB = 2 ** 20;
const EPOCH = 1_795_010_551;

const ring = (step: number, rows: readonly Sample[]) => {
  const names = Object.keys(sampleOf(0, "", "", [1], 1));
  const columns = Object.fromEntries(
    names.map((name) => [name, rows.map((row) => row[name as keyof Sample])]),
  );
  return { step, rows: rows.length, columns } as unknown as Rings[number];
};

/** Each second a sample of two workers, of which one has twice as much. */
const samples = (
  label: string,
  start: number,
  mib: readonly number[],
  measure = "process",
): Sample[] =>
  mib.map((value, at) =>
    sampleOf(
      ...([start + at, label, measure] as const),
      ...([[value * MIB, 2 * value * MIB], 100 * MIB] as const),
    ),
  );

const two = [
  ...samples("first", EPOCH, [1, 5, 3]),
  ...samples("second", EPOCH + 60, [2, 2, 8, 4]),
];
const inMib = (values: ArrayLike<number>): number[] =>
  Array.from(values, (value) => value / MIB);

describe("samples by label", () => {
  it("are a run each, from the start of the first, in the order in which they began", () => {
    const [first, second, ...more] = runsOf([ring(0, two)], "process", false);
    expect(more).toEqual([]);
    expect([first!.label, second!.label]).toEqual(["first", "second"]);
    expect([...first!.cluster.time]).toEqual([0, 1, 2]);
    expect([...second!.cluster.time]).toEqual([60, 61, 62, 63]);
    expect([first!.zero, second!.zero]).toEqual([EPOCH, EPOCH]);
    expect(inMib(first!.cluster.values)).toEqual([3, 15, 9]);
    expect(inMib(first!.workers.least)).toEqual([1, 5, 3]);
    expect(inMib(first!.workers.most)).toEqual([2, 10, 6]);
    expect(inMib(first!.limit.values)).toEqual([100, 100, 100]);
  });

  it("begin at zero each where they are aligned", () => {
    const runs = runsOf([ring(0, two)], "process", true);
    expect(runs.map(({ start, stop }) => [start, stop])).toEqual([
      [0, 2],
      [0, 3],
    ]);
    expect(runs.map(({ zero }) => zero)).toEqual([EPOCH, EPOCH + 60]);
  });

  it("are of one measure, and keep their colours while others come", () => {
    const rows = [...two, ...samples("first", EPOCH, [1, 1, 1], "spilled")];
    const [only, ...more] = runsOf([ring(0, rows)], "spilled", false);
    expect(more).toEqual([]);
    expect(inMib(only!.cluster.values)).toEqual([3, 3, 3]);
    const many = Array.from({ length: 30 }, (_, at) =>
      samples(`run ${at}`, EPOCH + 10 * at, [1]),
    );
    const slotsOf = (count: number) =>
      runsOf([ring(0, many.slice(0, count).flat())], "process", true).map(
        ({ slot }) => slot,
      );
    expect(slotsOf(4)).toEqual([7, 3, 10, 9]);
    expect(new Set(slotsOf(24)).size).toBe(24);
    expect(slotsOf(30).slice(0, 24)).toEqual(slotsOf(24));
  });

  it("have their peak, when it was, and their mean", () => {
    const [, second] = runsOf([ring(0, two)], "process", true);
    const { least, mean, peak, peakTime } = figuresOf(second!.cluster);
    expect(inMib([least, mean, peak])).toEqual([6, 12, 24]);
    expect(peakTime).toBe(2);
    expect(figuresOf(second!.workers).peak).toBe(16 * MIB);
  });

  it("have a value next to a time, and none before, after or without workers", () => {
    const [first, second] = runsOf([ring(0, two)], "process", false);
    expect(valueNear(first!.cluster, 1.4)).toBe(15 * MIB);
    expect(valueNear(first!.cluster, 40)).toBeNaN();
    expect(valueNear(second!.cluster, 40)).toBeNaN();
    const none = sampleOf(EPOCH, "nobody", "process", [], NaN);
    const [nobody] = runsOf([ring(0, [none])], "process", false);
    expect(valueNear(nobody!.median, 0)).toBeNaN();
    expect(figuresOf(nobody!.limit).peak).toBeNaN();
  });

  it("are the same objects while nothing comes to them", () => {
    const before = runsOf([ring(0, two)], "process", true);
    const more = [...two, ...samples("second", EPOCH + 64, [9])];
    const after = runsOf([ring(0, more)], "process", true, before);
    expect(after[0]).toBe(before[0]);
    expect(after[1]!.samples).toBe(5);
    const clock = runsOf([ring(0, more)], "process", false, after);
    expect(clock[1]!.start).toBe(60);
    const again = [
      ...two.slice(0, 3),
      ...samples("second", EPOCH + 90, [7, 7, 7, 7]),
    ];
    const once = runsOf([ring(0, two)], "process", false);
    const [, replaced] = runsOf([ring(0, again)], "process", false, once);
    expect(inMib(replaced!.cluster.values)).toEqual([21, 21, 21, 21]);
    const others = [...more, ...samples("first", EPOCH, [1, 2, 3], "managed")];
    const [managed] = runsOf([ring(0, others)], "managed", true, after);
    expect(inMib(managed!.cluster.values)).toEqual([3, 6, 9]);
  });

  it("go on from wide steps into what was measured", () => {
    const coarse = {
      ...sampleOf(EPOCH - (EPOCH % 10) - 20, "first", "process", [MIB], 1),
      ...{ cluster_least: MIB, cluster_most: 70 * MIB },
    };
    const rings = [ring(0, two), ring(10, [coarse])];
    const [first] = runsOf(rings, "process", false);
    expect(first!.samples).toBe(4);
    expect(figuresOf(first!.cluster)).toMatchObject({ peak: 70 * MIB });
  });
});

/** What was drawn, in pixels: of a line the points, of a band its outline. */
function drawn(paint: (area: PlotArea) => void, range: [number, number]) {
  const points: [number, number][] = [];
  const point = (x: number, y: number) => void points.push([x, y]);
  const ignore = () => {};
  const context = new Proxy({} as CanvasRenderingContext2D, {
    get: (_, name) => (name === "lineTo" || name === "moveTo" ? point : ignore),
    set: () => true,
  });
  const [start, stop] = range;
  paint({
    ...{ context, pixelRatio: 1, left: 0, top: 0, width: 300, height: 100 },
    ...{ range, theme: {} as PlotArea["theme"] },
    x: (time) => ((time - start) / (stop - start)) * 300,
    y: (value) => 100 - value / MIB,
  });
  return points;
}

describe("a spike of one sample", () => {
  const calm = Array.from({ length: 20_000 }, () => 10);
  calm[12_345] = 40;
  const [run] = runsOf(
    [ring(0, samples("calm", EPOCH, calm))],
    "process",
    true,
  );
  const highest = (points: [number, number][]) =>
    points.reduce((one, other) => (other[1] < one[1] ? other : one));

  for (const width_s of [20_000, 3_000, 250, 11, 0.5]) {
    it(`is drawn in its column of pixels where ${width_s} s are shown`, () => {
      const start = width_s === 20_000 ? 0 : 12_345 - width_s * 0.3;
      const range: [number, number] = [start, start + width_s];
      const { cluster, workers } = run as Run;
      const column = Math.floor(((12_345 - start) / width_s) * 300);
      const line = highest(
        drawn((area) => paintLine(area, cluster, { colour: "" }), range),
      );
      expect(line[1]).toBe(100 - 120);
      expect(Math.floor(line[0])).toBe(column);
      const band = highest(
        drawn((area) => paintBand(area, workers, "", 1), range),
      );
      expect(band[1]).toBe(100 - 80);
      expect(Math.floor(band[0])).toBe(column);
    });
  }

  it("makes its band a pixel wide, as a needle is not seen", () => {
    const range: [number, number] = [0, 20_000];
    const points = drawn((area) => paintBand(area, run!.workers, "", 1), range);
    const high = points.filter(([, y]) => y === 100 - 80);
    expect(high.map(([x]) => x)).toEqual([185, 186]);
    const columns = columnsOf(run!.workers, (time) => time / (20_000 / 300));
    expect(columns).toHaveLength(300);
  });
});

describe("the panel of samples", () => {
  it("is made by its widget alone: no list offers it", () => {
    expect(widgetKind("memory-plot")?.tables).toEqual(["samples"]);
    expect(panelKind("memory-plot")).toBeUndefined();
    expect(PANELS.map(({ id }) => id)).not.toContain("memory-plot");
    expect(widgetKind("system")?.id).toBe("system");
    expect(MEASURES[0]).toBe("process");
  });
});
