// Brings rows into the model a slice at a time, so that a flood of them leaves the
// page its frames: a batch of 16,384 rows takes 30 ms where the code is still cold.

import type { TaskBatch, TaskModel } from "../model/tasks";
import { LIMITS } from "../schema";
import type { Numbers } from "../link/columns";

/** Rows between two looks at the clock. */
const SLICE_ROWS = 4096;
/** Of a frame; what is drawn in it needs the rest. */
const BUDGET_MS = 8;
/** What is above this waits for no frame: then the page is what is slow. */
const MAX_WAITING_ROWS = 500_000;
/** So much above its bound the model may be, so that it is not trimmed all the time. */
const SLACK = 1.05;
/** How long a hidden page gathers rows. */
const HIDDEN_MS = 100;

interface Waiting {
  readonly batch: TaskBatch;
  /** The tasks of which these are all rows. */
  readonly first: number;
  readonly tasks: number;
}

export class RowIntake {
  waitingRows = 0;
  private readonly waiting: Waiting[] = [];
  /** Rows of the first waiting batch that are in already. */
  private taken = 0;
  private pending = false;

  constructor(
    private readonly model: TaskModel,
    /** Called after rows came, at most once a frame. */
    private readonly onRows: () => void,
    private readonly maxRows: number = LIMITS.page_rows,
  ) {}

  /** Add all rows of some tasks; they are in the model a frame later, or soon after. */
  add(batch: TaskBatch, first: number, tasks: number): void {
    this.waiting.push({ batch, first, tasks });
    this.waitingRows += batch.rows;
    if (this.waitingRows > MAX_WAITING_ROWS) this.run(0, MAX_WAITING_ROWS);
    this.tellSoon();
  }

  /** Tell of a change in the next frame, once. */
  tellSoon(): void {
    if (this.pending) return;
    this.pending = true;
    nextFrame(() => {
      this.pending = false;
      this.run(hasFrames() ? BUDGET_MS : Infinity);
      this.onRows();
      if (this.waiting.length > 0) this.tellSoon();
    });
  }

  /** Bring in everything now. */
  flush(): void {
    this.run(Infinity);
  }

  clear(): void {
    this.waiting.length = 0;
    this.waitingRows = 0;
    this.taken = 0;
  }

  /** Work for some time, and longer while more than `maxRows` wait. */
  private run(budget_ms: number, maxRows = Infinity): void {
    const { model } = this;
    const until = performance.now() + budget_ms;
    while (this.waiting.length > 0) {
      if (this.waitingRows <= maxRows && performance.now() >= until) break;
      const { batch, first, tasks } = this.waiting[0];
      const end = Math.min(batch.rows, this.taken + SLICE_ROWS);
      // Another channel may have brought these tasks meanwhile.
      const known = this.taken === 0 && model.covers(first, tasks);
      if (!known) model.insert(rowsOf(batch, this.taken, end));
      this.taken = end;
      if (end < batch.rows && !known) continue;
      if (!known) model.markCovered(first, tasks);
      this.waiting.shift();
      this.waitingRows -= batch.rows;
      this.taken = 0;
    }
    if (model.rows > SLACK * this.maxRows) model.fade(this.maxRows);
  }
}

/** Whether the page is drawn, so that there are frames to leave time for. */
function hasFrames(): boolean {
  return typeof requestAnimationFrame === "function" && !document.hidden;
}

export function nextFrame(run: () => void): void {
  if (hasFrames()) requestAnimationFrame(run);
  else setTimeout(run, HIDDEN_MS);
}

function rowsOf(batch: TaskBatch, from: number, to: number): TaskBatch {
  if (from === 0 && to === batch.rows) return batch;
  const all: Record<string, number | Numbers> = { ...batch };
  const some = Object.entries(all).map(([name, column]) => [
    name,
    typeof column === "number" ? to - from : column.subarray(from, to),
  ]);
  return Object.fromEntries(some) as TaskBatch;
}
