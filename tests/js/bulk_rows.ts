// A run of any size as columns, made quickly: for figures about size and speed.

import type { TaskBatch } from "../../js_src/model/tasks";
import { emptyBatch, randomOf, T0 } from "./model_rows";

/** Seconds that a task takes on average in these runs, pauses included. */
export const MEAN_TASK_S = 0.011;

/**
 * Batches of `batchRows` rows: a task in turn on each lane, one row in five a transfer,
 * one in a thousand erred, twelve prefixes in phases.
 */
export function* bulkBatches(
  rows: number,
  lanes: number,
  batchRows = 16_384,
): Generator<TaskBatch> {
  const random = randomOf(11);
  const free = new Float64Array(lanes).fill(T0);
  let task = 0;
  for (let done = 0; done < rows; done += batchRows) {
    const batch = emptyBatch(Math.min(batchRows, rows - done));
    const phase = Math.floor((12 * done) / rows);
    for (let row = 0; row < batch.rows; row++) {
      const lane = task % lanes;
      const transfer = row + 1 < batch.rows && random() < 0.2;
      if (transfer) {
        batch.start[row] = free[lane] - 0.003 * random();
        batch.duration[row] = 0.004 * random();
        batch.action[row] = 1 + Math.floor(4 * random());
        write(batch, row, lane, task, phase);
        row++;
      }
      const seconds = 0.02 * random();
      batch.start[row] = free[lane] + 0.001;
      batch.duration[row] = seconds;
      batch.status[row] = random() < 0.001 ? 1 : 0;
      write(batch, row, lane, task, random() < 0.7 ? phase : (phase + 3) % 12);
      free[lane] += seconds + 0.002 * random();
      task++;
    }
    yield batch;
  }
}

function write(
  batch: TaskBatch,
  row: number,
  lane: number,
  task: number,
  prefix: number,
): void {
  batch.lane[row] = lane;
  batch.prefix[row] = prefix;
  batch.nbytes[row] = 8000;
  batch.span[row] = 1;
  batch.task[row] = task;
}
