import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TaskModel } from "../../js_src/model/tasks";
import { RowIntake } from "../../js_src/session/intake";
import { bulkBatches } from "./bulk_rows";

/** Frames that come when the test says so; each may take as long as it likes. */
const frames: (() => void)[] = [];
let now_ms = 0;

beforeEach(() => {
  frames.length = 0;
  now_ms = 0;
  vi.stubGlobal("requestAnimationFrame", (run: () => void) => frames.push(run));
  vi.stubGlobal("document", { hidden: false });
  vi.spyOn(performance, "now").mockImplementation(() => now_ms);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A model whose rows take 5 ms for each insert. */
function slowModel(): TaskModel {
  const model = new TaskModel();
  const insert = model.insert.bind(model);
  model.insert = (batch) => {
    now_ms += 5;
    insert(batch);
  };
  return model;
}

function frame(): void {
  for (const run of frames.splice(0)) run();
}

function addAll(intake: RowIntake, rows: number): number {
  let tasks = 0;
  for (const batch of bulkBatches(rows, 8)) {
    const first = batch.task[0]!;
    const count = batch.task[batch.rows - 1]! + 1 - first;
    intake.add(batch, first, count);
    tasks += count;
  }
  return tasks;
}

describe("rows that come faster than frames", () => {
  it("are taken in slices, so that no frame waits for a whole batch", () => {
    const model = slowModel();
    const told: number[] = [];
    const intake = new RowIntake(model, () => told.push(model.rows));
    const tasks = addAll(intake, 65_536);
    let longest_ms = 0;
    for (let i = 0; frames.length > 0; i++) {
      const before = now_ms;
      frame();
      longest_ms = Math.max(longest_ms, now_ms - before);
      expect(i).toBeLessThan(50);
    }
    expect(longest_ms).toBeLessThanOrEqual(10);
    expect(model.rows).toBe(65_536);
    expect(model.have()).toEqual([[0, tasks]]);
    expect(told.length, "once a frame").toBeGreaterThan(5);
  });

  it("wait for no frame when too many wait", () => {
    const model = slowModel();
    const intake = new RowIntake(model, () => {});
    addAll(intake, 600_000);
    expect(600_000 - model.rows).toBeLessThanOrEqual(500_000);
    expect(intake.waitingRows, "and no more than needed").toBeGreaterThan(
      480_000,
    );
  });

  it("are all there when somebody asks what the page has", () => {
    const model = slowModel();
    const intake = new RowIntake(model, () => {});
    addAll(intake, 40_000);
    intake.flush();
    expect(model.rows).toBe(40_000);
  });

  it("are taken once when two channels bring them", () => {
    const model = slowModel();
    const intake = new RowIntake(model, () => {});
    addAll(intake, 30_000);
    addAll(intake, 30_000);
    intake.flush();
    expect(model.rows).toBe(30_000);
  });

  it("push the oldest out of a page that is full", () => {
    const model = slowModel();
    const intake = new RowIntake(model, () => {}, 50_000);
    addAll(intake, 200_000);
    intake.flush();
    expect(model.rows).toBeLessThanOrEqual(50_000 * 1.05);
    expect(model.rows + model.evictedRows).toBe(200_000);
  });
});
