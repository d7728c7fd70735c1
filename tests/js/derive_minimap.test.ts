import { describe, expect, it } from "vitest";
import { fullHeight, Minimap } from "../../js_src/derive/minimap";
import { TaskModel } from "../../js_src/model/tasks";
import { batchOf, chunksOf, randomRun, shuffled, T0 } from "./model_rows";

describe("the minimap", () => {
  it("counts the threads busy with each prefix in each column", () => {
    const model = new TaskModel();
    model.insert(
      batchOf([
        { start: T0, duration: 4, lane: 0, prefix: 0 },
        { start: T0 + 2, duration: 2, lane: 1, prefix: 1, task: 1 },
        { start: T0 + 2, duration: 2, lane: 2, prefix: 1, task: 2 },
        { start: T0 + 2, duration: 2, lane: 3, prefix: 1, task: 3, action: 1 },
      ]),
    );
    const minimap = new Minimap();
    const window = { start: T0, secondsPerPixel: 2, width_px: 3 };
    expect(minimap.update(model, window)).toBe(true);
    expect(minimap.prefixes).toEqual([0, 1]);
    expect([...minimap.threads.subarray(0, 6)]).toEqual([1, 1, 0, 0, 2, 0]);
    expect(minimap.most).toBe(3);
    expect(minimap.update(model, window)).toBe(false);
  });

  it("stacks prefixes from the bottom", () => {
    const model = new TaskModel();
    model.insert(
      batchOf([
        { start: T0, duration: 1, lane: 0, prefix: 0 },
        { start: T0, duration: 1, lane: 1, prefix: 1, task: 1 },
      ]),
    );
    const minimap = new Minimap();
    minimap.update(model, { start: T0, secondsPerPixel: 1, width_px: 1 });
    const pixels = new Uint32Array(4);
    minimap.paint(pixels, 4, 4, Uint32Array.of(7, 8), 9);
    expect([...pixels]).toEqual([0, 0, 8, 7]);
  });

  it("is exact, in whatever order rows come", () => {
    const rows = randomRun(30_000, 4);
    const columns = 40;
    const model = new TaskModel();
    for (const batch of chunksOf(shuffled(rows), 999)) {
      model.insert(batchOf(batch));
    }
    const { start, stop } = model.extent()!;
    const secondsPerPixel = (stop - start) / columns;
    const minimap = new Minimap();
    minimap.update(model, { start, secondsPerPixel, width_px: columns });
    const wanted = new Float64Array(5 * columns);
    for (const row of rows) {
      if (row.action !== 0) continue;
      const left = (row.start - start) / secondsPerPixel;
      const right = left + row.duration! / secondsPerPixel;
      for (let x = Math.floor(left); x < Math.min(right, columns); x++) {
        wanted[row.prefix! * columns + x] +=
          Math.min(right, x + 1) - Math.max(left, x);
      }
    }
    for (let i = 0; i < wanted.length; i++) {
      expect(Math.abs(minimap.threads[i] - wanted[i])).toBeLessThan(0.02);
    }
  });

  it("counts coarse blocks until their rows have come", () => {
    const model = new TaskModel();
    const minimap = new Minimap();
    const window = { start: T0, secondsPerPixel: 10, width_px: 2 };
    const busy = (): number[] => {
      minimap.update(model, window);
      return [...minimap.threads.subarray(0, 2)];
    };
    model.setCoarse({
      start: Float64Array.of(T0, T0 + 10),
      duration: Float32Array.of(10, 10),
      lane: Uint16Array.of(0, 0),
      prefix: Uint16Array.of(0, 0),
      busy: Float32Array.of(10, 5),
      rows: Uint32Array.of(1, 2),
      erred: Uint8Array.of(0, 0),
      first: 0,
      tasks: 3,
    });
    expect(busy()).toEqual([1, 0.5]);
    model.insert(
      batchOf([
        { start: T0 + 11, duration: 1, task: 1 },
        { start: T0 + 15, duration: 4, task: 2 },
      ]),
    );
    model.markCovered(1, 2);
    expect(busy()).toEqual([1, 0.5]);
    model.insert(batchOf([{ start: T0, duration: 10, task: 0 }]));
    model.markCovered(0, 1);
    expect(busy()).toEqual([1, 0.5]);
  });

  it("counts of isolated workers both rows and blocks that stand for rows", () => {
    const model = new TaskModel();
    const coarse = {
      start: Float64Array.of(T0, T0 + 10, T0),
      duration: Float32Array.of(10, 10, 20),
      lane: Uint16Array.of(0, 0, 1),
      prefix: Uint16Array.of(0, 0, 0),
      busy: Float32Array.of(10, 5, 20),
      rows: Uint32Array.of(1, 2, 7),
      erred: Uint8Array.of(0, 0, 0),
      first: 0,
      tasks: 10,
    };
    model.setCoarse(coarse);
    model.setFilter({ lanes: [0] });
    const minimap = new Minimap();
    const window = { start: T0, secondsPerPixel: 10, width_px: 2 };
    const expectBusy = (...threads: number[]): void => {
      while (model.work(1));
      minimap.update(model, window);
      for (const [column, busy] of threads.entries()) {
        expect(minimap.threads[column]).toBeCloseTo(busy, 5);
      }
    };
    expectBusy(1, 0.5);
    model.insert(
      batchOf([
        { start: T0 + 10, duration: 5, task: 1 },
        { start: T0 + 15, duration: 4, task: 2 },
        { start: T0 + 10, duration: 9, task: 3, lane: 1 },
      ]),
    );
    model.markCovered(1, 3);
    expectBusy(1, 0.9);
    model.setFilter({ lanes: [0] });
    expectBusy(1, 0.9);
    model.evictRows(0);
    expectBusy(1, 0.9);
    model.setFilter({ lanes: [0] });
    expectBusy(1, 0.9);
  });

  it("keeps its resolution when a clock is hours off", () => {
    const rows = randomRun(5000, 4);
    const model = new TaskModel();
    model.insert(batchOf(rows));
    const fine = model.busy.binWidth_s;
    const off = rows
      .slice(0, 50)
      .map((row) => ({ ...row, start: row.start + 18_000 }));
    model.insert(batchOf(off));
    expect(model.busy.binWidth_s).toBe(fine);
  });

  it("sums the prefixes beyond those that it tells apart", () => {
    const model = new TaskModel();
    model.insert(
      batchOf(
        Array.from({ length: 200 }, (_, prefix) => ({
          start: T0,
          duration: 1,
          prefix,
          lane: prefix,
        })),
      ),
    );
    const minimap = new Minimap();
    minimap.update(model, { start: T0, secondsPerPixel: 1, width_px: 1 });
    expect(minimap.most).toBeCloseTo(200);
    expect(minimap.prefixes.length).toBe(64);
  });
});

describe("the height of the minimap", () => {
  const calm = { most: 3, threads: 4, filtered: false };

  it("is the number of threads", () => {
    expect(fullHeight(calm)).toBe(4);
  });

  it("is what was busy when that was more: workers left, tasks seceded", () => {
    expect(fullHeight({ ...calm, most: 5.5 })).toBe(5.5);
  });

  it("is the most of what is isolated", () => {
    expect(fullHeight({ ...calm, most: 0.2, filtered: true })).toBe(0.2);
  });
});

describe("a column of the minimap", () => {
  const window = { start: T0, secondsPerPixel: 1, width_px: 10 };
  const most = (model: TaskModel): number => {
    const minimap = new Minimap();
    minimap.update(model, window);
    let heights = 0;
    for (let column = 0; column < 10; column++) {
      let height = 0;
      for (const prefix of minimap.prefixes) {
        height += minimap.threads[prefix * 10 + column];
      }
      heights = Math.max(heights, height);
    }
    expect(minimap.most).toBeCloseTo(heights, 5);
    return heights;
  };
  const overlapping = (lanes: number) =>
    Array.from({ length: 12 * lanes }, (_, i) => ({
      start: T0 + 0.8 * Math.floor(i / lanes),
      duration: 1, // each next one begins before the last has stopped
      lane: i % lanes,
      prefix: i % 3,
      task: i,
    }));

  it("has no more busy threads than there are, where a clock was corrected", () => {
    const model = new TaskModel();
    model.insert(batchOf(overlapping(4)));
    expect(most(model)).toBeCloseTo(4, 2);
  });

  it("counts a thread only while it is there", () => {
    const model = new TaskModel();
    model.insert(
      batchOf([
        ...overlapping(2).slice(0, 8),
        { start: T0 + 5, duration: 4, lane: 2, task: 100 },
        { start: T0 + 5.5, duration: 3, lane: 2, task: 101 },
      ]),
    );
    const minimap = new Minimap();
    minimap.update(model, window);
    const at = (column: number) =>
      minimap.prefixes.reduce(
        (sum, prefix) => sum + minimap.threads[prefix * 10 + column],
        0,
      );
    expect(at(1)).toBeCloseTo(2, 2);
    expect(at(4)).toBeCloseTo(0, 2);
    expect(at(6)).toBeCloseTo(1, 2);
  });

  it("does not count a row and the block that stood for it as two threads", () => {
    const model = new TaskModel();
    model.setCoarse({
      start: Float64Array.of(T0),
      duration: Float32Array.of(9),
      lane: Uint16Array.of(0),
      prefix: Uint16Array.of(0),
      busy: Float32Array.of(9),
      rows: Uint32Array.of(100),
      erred: Uint8Array.of(0),
      first: 0,
      tasks: 100,
    });
    model.insert(batchOf([{ start: T0, duration: 4, task: 0, prefix: 1 }]));
    expect(most(model)).toBeCloseTo(1, 2);
  });

  it("keeps all threads of workers that left and of those that came", () => {
    const model = new TaskModel();
    model.insert(
      batchOf(
        Array.from({ length: 6 }, (_, lane) => ({
          start: T0 + (lane < 3 ? 0 : 5),
          duration: 5,
          lane,
          task: lane,
        })),
      ),
    );
    expect(most(model)).toBeCloseTo(3, 2);
  });
});
