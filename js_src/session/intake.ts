// Inserts rows into the model in slices, so that a burst of rows does not block frames: a
// batch of 16,384 rows takes 30 ms until the browser has optimised the code.

import type { TaskBatch, TaskModel } from "../model/tasks";
import { LIMITS } from "../schema";
import type { Numbers } from "../link/columns";

/** Rows between two checks of the clock. */
const SLICE_ROWS = 4096;
/** Time for rows in each frame; drawing needs the rest. */
const BUDGET_MS = 8;
/** If more rows wait, some are inserted at once, because the page cannot keep up. */
const MAX_WAITING_ROWS = 500_000;
/** The model may exceed its bound by this factor, so that it is not trimmed all the time. */
const SLACK = 1.05;
/** How long a hidden page collects rows. */
const HIDDEN_MS = 100;

interface Waiting {
  readonly batch: TaskBatch;
  /** The batch has all rows of these tasks. */
  readonly first: number;
  readonly tasks: number;
}

export class RowIntake {
  waitingRows = 0;
  private readonly waiting: Waiting[] = [];
  /** Rows of the first waiting batch that are already inserted. */
  private taken = 0;
  private pending = false;

  constructor(
    private readonly model: TaskModel,
    /** Called after the model changed, at most once per frame. */
    private readonly onRows: () => void,
    private readonly maxRows: number = LIMITS.page_rows,
  ) {}

  /** Add all rows of some tasks; they reach the model in the next frame or soon after. */
  add(batch: TaskBatch, first: number, tasks: number): void {
    this.waiting.push({ batch, first, tasks });
    this.waitingRows += batch.rows;
    if (this.waitingRows > MAX_WAITING_ROWS) this.run(0, MAX_WAITING_ROWS);
    this.notifySoon();
  }

  /** Call `onRows` once, in the next frame. */
  notifySoon(): void {
    if (this.pending) return;
    this.pending = true;
    nextFrame(() => {
      this.pending = false;
      this.run(hasFrames() ? BUDGET_MS : Infinity);
      this.onRows();
      if (this.waiting.length > 0) this.notifySoon();
    });
  }

  /** Insert all waiting rows now. */
  flush(): void {
    this.run(Infinity);
  }

  clear(): void {
    this.waiting.length = 0;
    this.waitingRows = 0;
    this.taken = 0;
  }

  /** Insert rows for some time, and longer while more than `maxRows` wait. */
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
    if (model.rows > SLACK * this.maxRows) model.evictRows(this.maxRows);
  }
}

/** Whether the page is visible; a hidden page gets no animation frames. */
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
