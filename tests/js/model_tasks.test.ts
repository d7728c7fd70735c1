import { describe, expect, it } from "vitest";
import { blankInterval } from "../../js_src/model/query";
import { hasErred, PAINT_ERRED } from "../../js_src/model/segment";
import { TaskModel } from "../../js_src/model/tasks";
import { bulkBatches } from "./bulk_rows";
import {
  batchOf,
  chunksOf,
  randomRun,
  shuffled,
  T0,
  type Row,
} from "./model_rows";

/** Everything a model holds of one track, as rows in its order. */
function held(model: TaskModel, lane: number, overlay: boolean): Row[] {
  const rows: Row[] = [];
  model.forEachVisible(
    lane,
    -Infinity,
    Infinity,
    0,
    (row) => void rows.push({ ...row }),
    overlay,
  );
  return rows;
}

function expected(rows: Row[], lane: number, overlay: boolean): Row[] {
  return rows
    .filter((row) => row.lane === lane && row.action! > 0 === overlay)
    .sort((a, b) => a.start - b.start);
}

/** Gives every row the same order of fields. */
const BLANK = blankInterval();

const byTime = (a: Row, b: Row): number =>
  a.start - b.start || a.task! - b.task!;

function expectHolds(model: TaskModel, rows: Row[], lanes: number): void {
  expect(model.rows).toBe(rows.length);
  for (let lane = 0; lane < lanes; lane++) {
    for (const overlay of [false, true]) {
      const have = held(model, lane, overlay);
      const inOrder = have.every(
        (row, i) => i === 0 || have[i - 1].start <= row.start,
      );
      expect(inOrder).toBe(true);
      // As text: comparing thousands of objects one by one takes seconds.
      const text = (list: Row[]): string =>
        list
          .sort(byTime)
          .map((row) => Object.values({ ...BLANK, ...row }).join(" "))
          .join("\n");
      expect(text(have)).toBe(text(expected(rows, lane, overlay)));
    }
  }
  expectPyramids(model, lanes);
}

/** Every node says what its rows say. */
function expectPyramids(model: TaskModel, lanes: number): void {
  const wrong: number[][] = [];
  for (let lane = 0; lane < lanes; lane++) {
    for (const overlay of [false, true]) {
      for (const segment of model.track(lane, overlay)?.segments ?? []) {
        expect(segment.staleFrom).toBe(segment.rows);
        for (let level = 1; level <= 4; level++) {
          const size = 8 ** level;
          for (let node = 0; node * size < segment.rows; node++) {
            let busy = 0;
            let stop = -Infinity;
            let erred = 0;
            const last = Math.min(segment.rows, (node + 1) * size);
            for (let row = node * size; row < last; row++) {
              const seconds = Math.max(0, segment.duration[row]);
              busy += seconds;
              stop = Math.max(stop, segment.start[row] + seconds);
              if (hasErred(segment.what[row]!) && !overlay) erred = 1;
            }
            const at = segment.offset[level] + node;
            const reach = stop - segment.start[node * size];
            const right =
              Math.abs(segment.busy[at] - busy) < 1e-4 &&
              Math.abs(segment.reach[at] - reach) < 1e-4 &&
              segment.erred[at] === erred;
            if (!right) wrong.push([lane, level, node]);
          }
        }
      }
    }
  }
  expect(wrong).toEqual([]);
}

describe("TaskModel", () => {
  it("is empty at first", () => {
    const model = new TaskModel();
    expect(model.rows).toBe(0);
    expect(model.laneCount).toBe(0);
    expect(model.extent()).toBeNull();
    expect(model.hit(3, T0, 1, false)).toBeNull();
    expect(model.ofTask(3, 0)).toEqual([]);
    model.insert(batchOf([]));
    expect(model.version).toBe(0);
  });

  it("keeps every column of a row", () => {
    const model = new TaskModel();
    const row = {
      start: T0 + 0.123456,
      duration: 2.5,
      lane: 3,
      prefix: 500,
      action: 2,
      status: 1,
      nbytes: 1024,
      span: 7,
      task: 4_000_000_000,
      computation: 59_999,
    };
    model.insert(batchOf([row]));
    expect(model.hit(3, T0 + 1, 0, true)).toEqual(row);
    expect(model.hit(3, T0 + 1, 0, false)).toBeNull();
    expect(model.laneCount).toBe(4);
  });

  const rows = randomRun(25_000, 2);
  it.each([
    ["in order of arrival, in large batches", chunksOf(rows, 16_384)],
    ["in order of arrival, in small batches", chunksOf(rows, 37)],
    ["newest batch first", chunksOf(rows, 1000).reverse()],
    ["in any order", chunksOf(shuffled(rows), 1500)],
    ["with later and earlier batches mixed", shuffled(chunksOf(rows, 300))],
  ])("holds all rows that come %s", (_, batches) => {
    const model = new TaskModel();
    for (const batch of batches) model.insert(batchOf(batch));
    expectHolds(model, rows, 2);
  });

  it("holds rows that all start at the same time", () => {
    const same = Array.from({ length: 20_000 }, (_, task) => ({
      ...{ start: T0, duration: 1, lane: 0, prefix: task % 7, action: 0 },
      ...{ status: 0, nbytes: 0, span: 0, task, computation: 0 },
    }));
    const model = new TaskModel();
    const early = { ...same[0], start: T0 - 1, task: 20_000 };
    for (const batch of chunksOf([...same, early], 3000)) {
      model.insert(batchOf(batch));
    }
    expectHolds(model, [...same, early], 1);
  });

  it("says erred on the compute track, whatever the prefix", () => {
    const model = new TaskModel();
    model.insert(batchOf([{ start: T0, status: 1, prefix: 4 }]));
    expect(model.track(0, false)!.segments[0].paintOf(0)).toBe(PAINT_ERRED);
  });

  it("draws actions that it does not know with the computing ones", () => {
    const model = new TaskModel();
    model.insert(batchOf([{ start: T0, action: 9 }]));
    expect(model.hit(0, T0 + 0.5, 0, false)?.action).toBe(9);
  });

  it("skips rows of tasks that it holds already", () => {
    const model = new TaskModel();
    const batch = batchOf([
      { start: T0, task: 5 },
      { start: T0 + 1, task: 6 },
    ]);
    model.insert(batch);
    model.markCovered(5, 2);
    model.insert(batch);
    model.insert(
      batchOf([
        { start: T0 + 1, task: 6 },
        { start: T0 + 2, task: 7 },
      ]),
    );
    expect(model.rows).toBe(3);
  });

  it("joins ranges of covered tasks", () => {
    const model = new TaskModel();
    model.markCovered(10, 10);
    model.markCovered(40, 5);
    expect(model.have()).toEqual([
      [10, 20],
      [40, 45],
    ]);
    expect(model.covers(12, 8)).toBe(true);
    expect(model.covers(12, 9)).toBe(false);
    model.markCovered(20, 20);
    expect(model.have()).toEqual([[10, 45]]);
    model.markCovered(0, 0);
    expect(model.have()).toEqual([[10, 45]]);
  });

  it("takes rows that no clock should have made", () => {
    const model = new TaskModel();
    model.insert(
      batchOf([
        { start: T0, duration: -5 },
        { start: NaN },
        { start: Infinity },
        { start: T0 + 1, duration: NaN },
        { start: T0 + 2, duration: Infinity },
        { start: T0 + 3, duration: 1 },
      ]),
    );
    expect(model.rows).toBe(4);
    expect(model.odd).toEqual({ negativeDurations: 1, unplaceable: 2 });
    expect(model.extent()).toEqual({ start: T0, stop: T0 + 4 });
    expect(model.hit(0, T0, 0.1, false)?.duration).toBe(-5);
    expectPyramids(model, 1);
  });

  it("costs at most 30 bytes a row", () => {
    const model = new TaskModel();
    for (const batch of bulkBatches(1_000_000, 16)) model.insert(batch);
    expect(model.byteLength / model.rows).toBeLessThan(30);
  });
});

describe("finding rows", () => {
  const model = new TaskModel();
  model.insert(
    batchOf([
      { start: T0, duration: 10, task: 0 },
      { start: T0 + 2, duration: 1, task: 1 },
      { start: T0 + 20, duration: 1, task: 2 },
      { start: T0 + 1, duration: 2, task: 2, action: 1 },
    ]),
  );

  it("takes the row that began last of those under the pointer", () => {
    expect(model.hit(0, T0 + 2.5, 0, false)?.task).toBe(1);
    expect(model.hit(0, T0 + 5, 0, false)?.task).toBe(0);
  });

  it("takes the nearest within the tolerance", () => {
    expect(model.hit(0, T0 + 19.6, 0.5, false)?.task).toBe(2);
    expect(model.hit(0, T0 + 15, 0.5, false)).toBeNull();
  });

  it("finds every start/stop of a task", () => {
    expect(model.ofTask(0, 2).map((row) => row.action)).toEqual([1, 0]);
  });

  it("visits long rows that began far before the window", () => {
    const run = randomRun(20_000, 1);
    const long = { ...run[0], start: T0 - 1, duration: 1000, task: 99_999 };
    const big = new TaskModel();
    big.insert(batchOf([...run, { ...long, action: 0 }]));
    const found: number[] = [];
    big.forEachVisible(0, T0 + 100, T0 + 101, 500, (row) => {
      found.push(row.task);
    });
    expect(found).toEqual([99_999]);
  });

  it("visits exactly the rows in the window that are long enough", () => {
    const run = randomRun(20_000, 1);
    const big = new TaskModel();
    big.insert(batchOf(run));
    const [t0, t1] = [T0 + 50, T0 + 80];
    const wanted = run.filter(
      (row) =>
        row.action === 0 &&
        row.start < t1 &&
        row.start + row.duration! >= t0 &&
        row.duration! >= 0.02,
    );
    const found: number[] = [];
    big.forEachVisible(0, t0, t1, 0.02, (row) => void found.push(row.task));
    expect(found).toEqual(wanted.map((row) => row.task));
  });
});
