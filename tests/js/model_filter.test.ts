// Which rows are in the light when several things are isolated at once.

import { expect, it } from "vitest";
import { RowFilter, type FilterSpec } from "../../js_src/model/filter";
import { whatOf } from "../../js_src/model/segment";
import { TaskModel } from "../../js_src/model/tasks";
import { batchOf } from "./model_rows";

const COMPUTE = 0;
const TRANSFER = 1;
const DISK = 2;
const BATCH = batchOf([
  { start: 0, prefix: 0, action: COMPUTE, span: 2 },
  { start: 1, prefix: 0, action: COMPUTE, status: 1 },
  { start: 2, prefix: 0, action: TRANSFER },
  { start: 3, prefix: 1, action: TRANSFER, span: 2 },
  { start: 4, prefix: 1, action: DISK, span: 1 },
]);

const ROWS = { ...BATCH, what: whatOf(BATCH.action, BATCH.status) };

function matching(spec: FilterSpec): number[] {
  const filter = new RowFilter(spec, 1);
  return [...ROWS.start.keys()].filter((row) => filter.matches(ROWS, row));
}

it("means any of several actions, erred among them", () => {
  expect(matching({ erred: true })).toEqual([1]);
  expect(matching({ actions: [TRANSFER, DISK] })).toEqual([2, 3, 4]);
  expect(matching({ actions: [TRANSFER], erred: true })).toEqual([1, 2, 3]);
});

it("means any of several prefixes", () => {
  expect(matching({ prefixes: [0, 1] })).toEqual([0, 1, 2, 3, 4]);
});

it("means any of several spans, and narrows them by what is isolated with them", () => {
  expect(matching({ spans: [2] })).toEqual([0, 3]);
  expect(matching({ spans: [1, 2] })).toEqual([0, 3, 4]);
  expect(matching({ spans: [2], prefixes: [1] })).toEqual([3]);
  // The focus names a span that this page does not know.
  expect(matching({ spans: [] })).toEqual([]);
});

it("narrows a prefix by the action that is isolated with it", () => {
  expect(matching({ prefixes: [0], actions: [TRANSFER] })).toEqual([2]);
  expect(matching({ prefixes: [1], erred: true })).toEqual([]);
  const all = { prefixes: [0], actions: [TRANSFER], erred: true };
  expect(matching(all)).toEqual([1, 2]);
});

it("counts what passes, of rows of which few do, once it is through", () => {
  const model = new TaskModel();
  const rows = Array.from({ length: 5_000 }, (_, at) => ({
    ...{ start: at, duration: 1, lane: at % 3, task: at },
    ...{ prefix: at % 50, action: COMPUTE },
  }));
  model.insert(batchOf(rows));
  model.setFilter({ prefixes: [7] });
  const { version } = model;
  let steps = 1;
  while (model.work(0)) steps += 1;
  expect(steps).toBeGreaterThan(2);
  expect(model.version).toBeGreaterThan(version);
  expect(model.busy.binWidth_s).toBe(model.wholeBusy.binWidth_s);
  const out = new Float32Array(64);
  model.busy.sum(0, 5_000, 1, out);
  expect(out.reduce((all, one) => all + one, 0)).toBeCloseTo(100, 3);
  expect(out[7]).toBeCloseTo(100, 3);
});
