// A run as the messages that bring it to a page: batches of columns, made quickly.

import type { TaskBatch } from "../../../js_src/model/tasks";
import { TABLES, type TasksColumns } from "../../../js_src/schema";
import { bulkBatches } from "../../js/bulk_rows";

/** What a message of rows carries, and what it says of it. */
export interface RowsMessage {
  readonly buffer: Uint8Array;
  readonly first: number;
  readonly tasks: number;
  readonly rows: number;
}

/** A run of `bulkBatches` has 1.2 rows a task. */
const ROWS_A_TASK = 1.2;
const MARGIN = 1.01;

/** Until there are so many tasks, and the rest of the last batch. */
export function* bulkMessages(
  tasks: number,
  lanes: number,
): Generator<RowsMessage> {
  const rows = Math.ceil(tasks * ROWS_A_TASK * MARGIN);
  for (const batch of bulkBatches(rows, lanes)) {
    const [first, stop] = [batch.task[0], batch.task[batch.rows - 1] + 1];
    const buffer = packed(batch);
    yield { buffer, first, tasks: stop - first, rows: batch.rows };
    if (stop >= tasks) return;
  }
}

function packed(batch: TaskBatch): Uint8Array {
  const names = Object.keys(TABLES.tasks.columns) as (keyof TasksColumns)[];
  const columns = names.map((name) => batch[name]);
  const padded = (bytes: number) => Math.ceil(bytes / 8) * 8;
  const size = columns.reduce(
    (sum, { byteLength }) => sum + padded(byteLength),
    0,
  );
  const all = new Uint8Array(size);
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of columns) {
    all.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += padded(byteLength);
  }
  return all;
}
