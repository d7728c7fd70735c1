import { describe, expect, it } from "vitest";
import { TaskModel } from "../../js_src/model/tasks";
import { coarseRows, rowsOfLanes } from "../../js_src/derive/lane_rows";
import {
  type Others,
  savedWords,
} from "../../js_src/panels/task_stream/export";
import { batchOf, type Row, shuffled, T0 } from "./model_rows";

const WHOLE = [-Infinity, Infinity] as const;
const LANES = [0, 1, 2, 3];

/** `each` rows on four lanes, one after the other: lane 0, lane 1, … at one second each. */
function modelOf(each: number): TaskModel {
  const rows: Row[] = Array.from({ length: 4 * each }, (_, i) => ({
    start: T0 + i,
    lane: i % 4,
    action: i % 8 < 4 ? 0 : 1, // every second row of a lane is a transfer
    prefix: i % 2,
    task: i,
  }));
  const model = new TaskModel();
  model.insert(batchOf(shuffled(rows)));
  return model;
}

function tasksOf(
  model: TaskModel,
  most: number,
  onlyFiltered = false,
  time: readonly [number, number] = WHOLE,
) {
  const filter = onlyFiltered ? model.filter : null;
  const rows = rowsOfLanes(model, LANES, time, filter, most);
  return rows.map(({ task }) => task);
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

describe("the rows of a saved file", () => {
  it("are all of them, in order of time, where they fit", () => {
    expect(tasksOf(modelOf(10), 40)).toEqual(upTo(40));
  });

  it("are none where there are more than fit, and it says how many", () => {
    expect(() => tasksOf(modelOf(100), 30)).toThrow(/^400 rows.* 30/);
  });

  it("are those of the window that pass the filter", () => {
    const model = modelOf(100);
    model.setFilter({ prefixes: [1], lanes: [1] });
    const time = [T0 + 8.5, T0 + 30.5] as const;
    const tasks = [9, 13, 17, 21, 25, 29];
    expect(tasksOf(model, 6, true, time)).toEqual(tasks);
    expect(tasksOf(model, 23, false, time)).toHaveLength(23);
  });
});

describe("rows that are only a preview", () => {
  it("are counted where their stretches touch the time and the lanes", () => {
    const model = new TaskModel();
    model.setCoarse({
      rows: Uint32Array.from([10, 20, 40, 80]),
      first: 0,
      tasks: 150,
      start: Float64Array.from([T0, T0 + 10, T0 + 20, T0 + 10]),
      duration: new Float32Array(4).fill(5),
      lane: Uint16Array.from([0, 0, 0, 1]),
      prefix: new Uint16Array(4),
      busy: new Float32Array(4).fill(1),
      erred: new Uint8Array(4),
    });
    expect(coarseRows(model, LANES, WHOLE)).toBe(150);
    expect(coarseRows(model, [0, -1], [T0 + 8, T0 + 21])).toBe(60);
    model.setFilter({ lanes: [1] });
    expect(coarseRows(model, LANES, WHOLE)).toBe(80);
  });
});

describe("what is said of a saved file", () => {
  const saved = (rows: number, others: Others, live = true) =>
    savedWords(rows, others, live);

  it("names how many of how many rows were saved", () => {
    expect(saved(2, {})).toBe("Saved 2 rows");
    expect(saved(1, {})).toBe("Saved 1 row");
    expect(saved(2, { keyless: null })).toBe(
      "Saved 2 rows, without keys: there are too many",
    );
  });

  it("says what only the kernel has", () => {
    expect(saved(2, { notHere: 5_000 })).toMatch(
      /^Saved 2 rows\. .*kernel.* 5,000 .*session\.recording\.tasks/,
    );
  });

  it("says what is only a preview, and which keys did not come", () => {
    expect(saved(2, { coarse: 1_394, keyless: 2 })).toMatch(
      /^Saved 2 rows, without .* 2 tasks.* 1,394 .*session\.recording\.tasks/,
    );
  });

  it("speaks of the file, where there is no kernel", () => {
    const others = { notHere: 5_000, coarse: 40, keyless: 1 };
    const words = saved(2, others, false);
    expect(words).toMatch(/ 1 task, .* 5,000 .*daskscope\.load.* 40 /);
    expect(words).not.toMatch(/kernel|session/);
  });
});
