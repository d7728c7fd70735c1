import { describe, expect, it } from "vitest";
import { TaskModel } from "../../js_src/model/tasks";
import type { CoarseLane } from "../../js_src/model/coarse";
import { bulkBatches } from "./bulk_rows";
import { batchOf, T0 } from "./model_rows";

const LANES = 4;
const TWO_EARLIER = {
  start: Float64Array.of(T0 - 100, T0 - 50),
  duration: Float32Array.of(10, 10),
  lane: Uint16Array.of(0, 0),
  prefix: Uint16Array.of(0, 0),
  busy: Float32Array.of(5, 5),
  erred: Uint8Array.of(0, 0),
  rows: Uint32Array.of(100, 100),
};

function filled(rows: number): TaskModel {
  const model = new TaskModel();
  for (const batch of bulkBatches(rows, LANES)) {
    const first = batch.task[0]!;
    model.insert(batch);
    model.markCovered(first, batch.task[batch.rows - 1]! + 1 - first);
  }
  return model;
}

function sumOf(lane: CoarseLane | undefined, column: "busy" | "rows"): number {
  let sum = 0;
  for (let i = 0; lane && i < lane.count; i++) sum += lane[column][i]!;
  return sum;
}

function busyOf(model: TaskModel, lane: number): number {
  let sum = 0;
  for (const segment of model.track(lane, false)?.segments ?? []) {
    for (let i = 0; i < segment.rows; i++) sum += segment.duration[i]!;
  }
  return sum;
}

describe("a model that lets its oldest rows go", () => {
  it("holds about as many rows as it may, the newest", () => {
    const model = filled(200_000);
    const extent = model.extent()!;
    model.evictRows(100_000);
    expect(model.rows).toBeLessThanOrEqual(100_000);
    expect(model.rows).toBeGreaterThan(80_000);
    expect(model.rows + model.evictedRows).toBe(200_000);
    let last = 0;
    let oldest = Infinity;
    for (let lane = 0; lane < LANES; lane++) {
      const { segments } = model.track(lane, false)!;
      oldest = Math.min(oldest, segments[0]!.firstStart);
      last = Math.max(last, segments[segments.length - 1]!.maxStop);
    }
    expect(last).toBe(extent.stop);
    expect(oldest).toBeGreaterThan((extent.start + extent.stop) / 2 - 60);
    expect(model.extent(), "the run began when it began").toEqual(extent);
  });

  it("keeps in blocks how busy each lane was", () => {
    const model = filled(60_000);
    const before = Array.from({ length: LANES }, (_, i) => busyOf(model, i));
    model.evictRows(20_000);
    for (let lane = 0; lane < LANES; lane++) {
      const blocks = model.coarseLane(lane)!;
      const now = busyOf(model, lane) + sumOf(blocks, "busy");
      expect(now / before[lane]!).toBeCloseTo(1, 3);
      for (let i = 1; i < blocks.count; i++) {
        expect(blocks.start[i]!).toBeGreaterThanOrEqual(blocks.start[i - 1]!);
      }
    }
  });

  it("takes far fewer bytes for them", () => {
    const model = filled(400_000);
    const before = model.byteLength;
    model.evictRows(40_000);
    expect(model.byteLength).toBeLessThan(before / 5);
  });

  it("asks for none of them again", () => {
    const model = filled(60_000);
    const have = model.have();
    model.evictRows(10_000);
    expect(model.have()).toEqual(have);
    const again = bulkBatches(60_000, LANES).next().value!;
    const rows = model.rows;
    model.insert(again);
    expect(model.rows).toBe(rows);
  });

  it("shows the blocks of the kernel beside its own", () => {
    const model = filled(60_000);
    model.evictRows(10_000);
    const own = model.coarseLane(0)!.count;
    model.setCoarse(TWO_EARLIER);
    expect(model.coarseLane(0)!.count).toBe(own + 2);
    expect(model.coarseLane(0)!.start[0]).toBe(T0 - 100);
  });

  it("does not paint over the pauses between rows", () => {
    const model = new TaskModel();
    // Eight quick tasks, an hour of nothing, eight more.
    const rows = Array.from({ length: 16 }, (_, i) => ({
      start: T0 + i + (i < 8 ? 0 : 3600),
      duration: 0.9,
      task: i,
    }));
    model.insert(batchOf(rows));
    model.markCovered(0, 16);
    model.evictRows(0);
    const lane = model.coarseLane(0)!;
    expect(lane.count).toBe(2);
    expect(lane.duration[0]).toBeCloseTo(7.9);
  });
});
