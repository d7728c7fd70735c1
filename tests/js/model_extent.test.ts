import { describe, expect, it } from "vitest";
import { TaskModel } from "../../js_src/model/tasks";
import { batchOf, randomRun, T0 } from "./model_rows";

describe("the extent of a run", () => {
  it("goes from the first start to the last stop", () => {
    const model = new TaskModel();
    model.insert(
      batchOf([
        { start: T0 + 5, duration: 1 },
        { start: T0, duration: 2, task: 1 },
      ]),
    );
    expect(model.extent()).toEqual({ start: T0, stop: T0 + 6 });
    expect(model.rowsOutside()).toBe(0);
  });

  it("leaves out a worker whose clock is hours off", () => {
    const model = new TaskModel();
    const run = randomRun(8000, 8);
    model.insert(
      batchOf(
        run.map((row) =>
          row.lane === 3 ? { ...row, start: row.start - 5 * 3600 } : row,
        ),
      ),
    );
    const extent = model.extent()!;
    expect(extent.start).toBeGreaterThan(T0 - 1);
    expect(extent.stop).toBeLessThan(T0 + 3600);
    expect(model.rowsOutside()).toBe(
      run.filter((row) => row.lane === 3).length,
    );
  });

  it("includes what was run after a break of hours", () => {
    const model = new TaskModel();
    model.insert(batchOf(randomRun(5000, 8)));
    model.insert(batchOf([{ start: T0 + 7200, duration: 1, task: 5000 }]));
    expect(model.extent()!.stop).toBe(T0 + 7201);
    expect(model.rowsOutside()).toBe(0);
  });

  it("includes a task of hours", () => {
    const model = new TaskModel();
    model.insert(batchOf([{ start: T0, duration: 36_000, task: 0 }]));
    expect(model.extent()).toEqual({ start: T0, stop: T0 + 36_000 });
  });

  it("stays bounded when every row has another clock", () => {
    const model = new TaskModel();
    const rows = Array.from({ length: 20_000 }, (_, task) => ({
      start: T0 + ((task * 7919) % 20_000) * 3600,
      task,
    }));
    model.insert(batchOf(rows));
    expect(model.rows).toBe(20_000);
    expect(model.byteLength).toBeLessThan(4_000_000);
  });
});

describe("a coarse picture that makes no sense", () => {
  it("is taken for what is left of it", () => {
    const model = new TaskModel();
    model.setCoarse({
      start: Float64Array.of(NaN, Infinity, T0, T0 + 5),
      duration: Float32Array.of(1, 1, Infinity, -1),
      lane: Uint16Array.of(0, 1, 2, 2),
      prefix: Uint16Array.of(0, 0, 0, 0),
      busy: Float32Array.of(1, 1, 1, 1),
      rows: Uint32Array.of(1, 1, 1, 1),
      erred: Uint8Array.of(0, 0, 0, 0),
    });
    expect(model.extent()).toEqual({ start: T0, stop: T0 + 5 });
    expect(model.coarseLane(2)?.count).toBe(2);
  });
});

describe("what has changed", () => {
  it("is the time of the rows that came", () => {
    const model = new TaskModel();
    const { version } = model;
    model.insert(batchOf([{ start: T0, duration: 2 }]));
    model.insert(batchOf([{ start: T0 + 8, duration: 2, task: 1 }]));
    expect(model.changedSince(version)).toEqual({ start: T0, stop: T0 + 10 });
    expect(model.changedSince(version + 1)).toEqual({
      start: T0 + 8,
      stop: T0 + 10,
    });
    expect(model.changedSince(model.version)).toBeNull();
  });

  it("is everything for whoever is far behind", () => {
    const model = new TaskModel();
    for (let task = 0; task < 100; task++) {
      model.insert(batchOf([{ start: T0 + task, task }]));
    }
    expect(model.changedSince(0)?.start).toBe(-Infinity);
  });
});
