import { describe, expect, it } from "vitest";
import { LaneRaster, type TimeWindow } from "../../js_src/derive/raster";
import { TaskModel } from "../../js_src/model/tasks";
import { batchOf, chunksOf, randomRun, shuffled, T0 } from "./model_rows";
import {
  RED,
  GREEN,
  BLUE,
  GREY,
  BLACK,
  COLOURS,
  modelOf,
  alpha,
  colour,
} from "./raster_samples";

/** Pixels of lane 0 as `#rrggbb/alpha`-like numbers. */
function draw(
  model: TaskModel,
  window: TimeWindow,
  overlay = false,
): Uint32Array {
  const out = new Uint32Array(window.width_px).fill(0x12345678);
  new LaneRaster().draw(model, 0, overlay, window, COLOURS, out);
  return out;
}

describe("a row of pixels", () => {
  it("is blank where nothing happened", () => {
    const window = { start: T0, secondsPerPixel: 1, width_px: 5 };
    const raster = new LaneRaster();
    const out = new Uint32Array(5).fill(7);
    const model = modelOf([{ start: T0 + 100 }]);
    expect(raster.draw(model, 0, false, window, COLOURS, out)).toBe(false);
    expect(raster.draw(model, 9, false, window, COLOURS, out)).toBe(false);
    expect([...out]).toEqual([0, 0, 0, 0, 0]);
  });

  it("shows wide tasks from edge to edge", () => {
    const model = modelOf([{ start: T0 + 2, duration: 4, prefix: 1 }]);
    const pixels = draw(model, { start: T0, secondsPerPixel: 1, width_px: 8 });
    expect([...pixels]).toEqual([0, 0, GREEN, GREEN, GREEN, GREEN, 0, 0]);
  });

  it("leaves a pixel between neighbours that are wide enough", () => {
    const model = modelOf([
      { start: T0, duration: 6, prefix: 0 },
      { start: T0 + 6, duration: 6, prefix: 1, task: 1 },
    ]);
    const pixels = draw(model, { start: T0, secondsPerPixel: 1, width_px: 12 });
    expect([...pixels]).toEqual([
      ...[RED, RED, RED, RED, RED, 0],
      ...[GREEN, GREEN, GREEN, GREEN, GREEN, GREEN],
    ]);
  });

  it("cuts off what lies outside the window", () => {
    const model = modelOf([{ start: T0 - 100, duration: 1000, prefix: 2 }]);
    const pixels = draw(model, { start: T0, secondsPerPixel: 1, width_px: 3 });
    expect([...pixels]).toEqual([BLUE, BLUE, BLUE]);
  });

  it("takes the prefix that was busiest in a column, and fades with idleness", () => {
    const model = modelOf([
      { start: T0 + 0.1, duration: 0.2, prefix: 0 },
      { start: T0 + 0.3, duration: 0.15, prefix: 1, task: 1 },
      { start: T0 + 0.5, duration: 0.15, prefix: 1, task: 2 },
      { start: T0 + 1, duration: 1, prefix: 2, task: 3 },
    ]);
    const pixels = draw(model, { start: T0, secondsPerPixel: 1, width_px: 3 });
    expect(colour(pixels[0])).toBe(GREEN);
    expect(alpha(pixels[0])).toBeCloseTo(128 + 127 * 0.5, -1);
    expect(pixels[1]).toBe(BLUE);
    expect(pixels[2]).toBe(0);
  });

  it("shows a single tick without length in a long run", () => {
    const model = modelOf([{ start: T0 + 500.5, duration: -3, prefix: 0 }]);
    const window = { start: T0, secondsPerPixel: 1, width_px: 1000 };
    const pixels = draw(model, window);
    expect(colour(pixels[500])).toBe(RED);
    expect(alpha(pixels[500])).toBeGreaterThanOrEqual(128);
    expect(pixels.filter((pixel) => pixel !== 0).length).toBe(1);
  });

  it("shows a single error among thousands of tasks", () => {
    const rows = randomRun(20_000, 1).map((row) => ({ ...row, status: 0 }));
    rows[10_000].status = 1;
    rows[10_000].action = 0;
    const model = modelOf(rows);
    const extent = model.extent()!;
    const seconds = extent.stop - extent.start;
    const window = {
      start: extent.start,
      secondsPerPixel: seconds / 50,
      width_px: 50,
    };
    const pixels = draw(model, window);
    const at = Math.floor(
      (rows[10_000].start - extent.start) / window.secondsPerPixel,
    );
    const plain = modelOf(rows.map((row) => ({ ...row, status: 0 })));
    const without = draw(plain, window);
    const changed = [...pixels.keys()].filter((x) => pixels[x] !== without[x]);
    expect(changed).toEqual([at]);
  });

  it("fills the lane with an erred task", () => {
    const model = modelOf([{ start: T0, duration: 4, prefix: 1, status: 1 }]);
    const pixels = draw(model, { start: T0, secondsPerPixel: 1, width_px: 4 });
    expect([...pixels]).toEqual([BLACK, BLACK, BLACK, BLACK]);
  });

  it("keeps strips apart from what is computed", () => {
    const model = modelOf([{ start: T0, duration: 4, action: 1 }]);
    const window = { start: T0, secondsPerPixel: 1, width_px: 4 };
    expect([...draw(model, window)]).toEqual([0, 0, 0, 0]);
    expect([...draw(model, window, true)]).toEqual(Array(4).fill(GREEN));
  });

  it("takes any prefix that has no colour for another", () => {
    const model = modelOf([{ start: T0, duration: 4, prefix: 50_000 }]);
    const window = { start: T0, secondsPerPixel: 1, width_px: 2 };
    expect([...draw(model, window)]).toEqual([GREY, GREY]);
  });

  it("is as busy as its rows at every zoom", () => {
    const rows = randomRun(30_000, 1);
    const model = modelOf(rows);
    const computing = rows.filter((row) => row.action === 0);
    for (const secondsPerPixel of [0.001, 0.02, 0.1, 0.37, 1.9, 20]) {
      const window = { start: T0 + 3, secondsPerPixel, width_px: 200 };
      const pixels = draw(model, window);
      const busy = new Float64Array(200);
      for (const row of computing) {
        const left = (row.start - window.start) / secondsPerPixel;
        const right = left + row.duration! / secondsPerPixel;
        const first = Math.max(0, Math.floor(left));
        for (let x = first; x < Math.min(200, right); x++) {
          busy[x] += Math.min(right, x + 1) - Math.max(left, x);
        }
      }
      let error = 0;
      let sum = 0;
      for (let x = 0; x < 200; x++) {
        const drawn = pixels[x] === 0 ? 0 : (alpha(pixels[x]) - 128) / 127;
        error += drawn - Math.min(1, busy[x]);
        sum += Math.min(1, busy[x]);
      }
      // Rectangles with sharp edges are rounded to whole pixels.
      expect(Math.abs(error) / Math.max(1, sum)).toBeLessThan(0.05);
    }
  });
});

describe("a filter", () => {
  const rows = randomRun(30_000, 1).map((row) => ({ ...row, status: 0 }));
  const wanted = rows.filter((row) => row.prefix === 2 && row.action === 0);

  it.each([1e-3, 0.05, 1, 30])(
    "lights exactly the columns that hold matching rows, at %f s a pixel",
    (secondsPerPixel) => {
      const model = modelOf(rows);
      model.setFilter({ prefixes: [2] });
      while (model.work(1));
      const window = { start: T0 + 10, secondsPerPixel, width_px: 300 };
      const pixels = draw(model, window);
      const most = new Uint8Array(300);
      for (const row of wanted) {
        const left = (row.start - window.start) / secondsPerPixel;
        const right = left + row.duration! / secondsPerPixel;
        for (let x = Math.floor(left) - 1; x <= right + 1; x++) {
          if (x >= 0 && x < 300) most[x] = 1;
        }
        const whole = Math.floor(left + (right - left) / 2);
        if (whole >= 0 && whole < 300 && right - left < 0.3) {
          const near = [
            ...pixels.subarray(whole - 1 < 0 ? 0 : whole - 1, whole + 2),
          ];
          expect(near.some((pixel) => colour(pixel) === BLUE)).toBe(true);
        }
      }
      for (let x = 0; x < 300; x++) {
        if (colour(pixels[x]) === BLUE) expect(most[x]).toBe(1);
      }
    },
  );

  it("lights a found task at any zoom and dims the rest", () => {
    const model = modelOf(rows);
    const row = rows.find((one) => one.task === 12_345 && one.action === 0)!;
    model.setFilter({ tasks: Uint32Array.of(12_345) });
    while (model.work(1));
    const extent = model.extent()!;
    const secondsPerPixel = (extent.stop - extent.start) / 100;
    const pixels = draw(model, {
      start: extent.start,
      secondsPerPixel,
      width_px: 100,
    });
    const at = Math.floor((row.start - extent.start) / secondsPerPixel);
    expect(alpha(pixels[at])).toBeGreaterThanOrEqual(128);
    const dimmed = [...pixels].filter((pixel) => colour(pixel) === 0xff404040);
    expect(dimmed.length).toBeGreaterThan(90);
    expect(alpha(dimmed[0])).toBeLessThanOrEqual(128);
  });

  it.each([
    ["later", chunksOf(rows, 5000)],
    ["earlier", chunksOf(rows, 5000).reverse()],
    ["any", chunksOf(shuffled(rows), 5000)],
  ])("reaches %s rows that come while it is on its way", (_, batches) => {
    const model = new TaskModel();
    for (const batch of batches.slice(0, 4)) model.insert(batchOf(batch));
    model.setFilter({ prefixes: [2] });
    expect(model.work(0), "not done yet").toBe(true);
    for (const batch of batches.slice(4)) {
      model.insert(batchOf(batch));
      model.work(0);
    }
    while (model.work(0));
    const later = new TaskModel();
    for (const batch of batches) later.insert(batchOf(batch));
    later.setFilter({ prefixes: [2] });
    while (later.work(0));
    const window = { start: T0, secondsPerPixel: 5, width_px: 200 };
    expect(draw(model, window)).toEqual(draw(later, window));
    const sums = [model, later].map((one) => {
      const out = new Float32Array(64);
      one.busy.sum(T0 - 10, 10_000, 1, out);
      return out[2];
    });
    const seconds = wanted.reduce((sum, row) => sum + row.duration!, 0);
    expect(sums[0]).toBeCloseTo(seconds, 2);
    expect(sums[1]).toBeCloseTo(seconds, 2);
  });

  it("of workers dims the other lanes whole", () => {
    const model = modelOf([{ start: T0, duration: 4 }]);
    model.setFilter({ lanes: [1] });
    while (model.work(1));
    const pixels = draw(model, { start: T0, secondsPerPixel: 1, width_px: 4 });
    expect([...pixels]).toEqual(Array(4).fill(COLOURS.rest));
  });

  it("of workers leaves their own lanes as they are, from the first frame", () => {
    const model = modelOf(rows);
    model.setCoarse({
      start: Float64Array.of(T0 - 50),
      duration: Float32Array.of(20),
      lane: Uint16Array.of(0),
      prefix: Uint16Array.of(0),
      busy: Float32Array.of(20),
      rows: Uint32Array.of(2),
      erred: Uint8Array.of(0),
    });
    const window = { start: T0 - 50, secondsPerPixel: 1, width_px: 250 };
    const before = draw(model, window);
    model.setFilter({ lanes: [0] });
    expect(draw(model, window)).toEqual(before);
  });

  it("is gone without a trace when it is taken off", () => {
    const model = modelOf(rows);
    const window = { start: T0, secondsPerPixel: 1, width_px: 200 };
    const before = draw(model, window);
    const bytes = model.byteLength;
    model.setFilter({ prefixes: [1] });
    while (model.work(1));
    expect(draw(model, window)).not.toEqual(before);
    model.setFilter(null);
    expect(draw(model, window)).toEqual(before);
    expect(model.byteLength).toBe(bytes);
  });
});

describe("the coarse picture", () => {
  const coarse = {
    start: Float64Array.of(T0, T0 + 10),
    duration: Float32Array.of(10, 10),
    lane: Uint16Array.of(0, 0),
    prefix: Uint16Array.of(0, 1),
    busy: Float32Array.of(10, 5),
    rows: Uint32Array.of(2, 2),
    erred: Uint8Array.of(0, 0),
    first: 0,
    tasks: 4,
  };
  const window = { start: T0, secondsPerPixel: 1, width_px: 20 };

  it("shows each block as busy as it was", () => {
    const model = new TaskModel();
    model.setCoarse(coarse);
    expect(model.laneCount).toBe(1);
    expect(model.extent()).toEqual({ start: T0, stop: T0 + 20 });
    const pixels = draw(model, window);
    expect([...pixels.subarray(0, 10)]).toEqual(Array(10).fill(RED));
    expect(colour(pixels[15])).toBe(GREEN);
    expect(alpha(pixels[15])).toBeCloseTo(128 + 127 / 2, -1);
  });

  it("gives way where detail has come, and is forgotten at the end", () => {
    const model = new TaskModel();
    model.setCoarse(coarse);
    const detail = [
      { start: T0 + 9, duration: 2, prefix: 2, task: 2 },
      { start: T0 + 18, duration: 2, prefix: 2, task: 3 },
    ];
    model.insert(batchOf(detail));
    model.markCovered(2, 2);
    const pixels = draw(model, window);
    expect(pixels[5]).toBe(RED);
    expect(pixels[15]).toBe(0);
    expect(pixels[19]).toBe(BLUE);
    model.insert(batchOf([{ start: T0, duration: 1, task: 0 }]));
    model.markCovered(0, 2);
    expect(model.coarseLane(0)).toBeUndefined();
    expect(draw(model, window)[5]).toBe(0);
  });
});
