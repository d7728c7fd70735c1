// A run as the messages that bring it to a page: batches in Arrow, made quickly.

import {
  columnFromArray,
  float32,
  float64,
  tableFromColumns,
  tableToIPC,
  uint8,
  uint16,
  uint32,
} from "@uwdata/flechette";
import type { TaskBatch } from "../../../js_src/model/tasks";
import { TASKS_COLUMNS } from "../../../js_src/schema";
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
    const buffer = arrowOf(batch);
    yield { buffer, first, tasks: stop - first, rows: batch.rows };
    if (stop >= tasks) return;
  }
}

function arrowOf(batch: TaskBatch): Uint8Array {
  const names = Object.keys(TASKS_COLUMNS) as (keyof typeof TASKS_COLUMNS)[];
  const columns = names.map((name) => [
    name,
    columnFromArray(batch[name], typeOf(batch[name]) as never),
  ]);
  const table = tableFromColumns(Object.fromEntries(columns) as never);
  return tableToIPC(table, { format: "stream" })!;
}

function typeOf(values: ArrayBufferView): object {
  if (values instanceof Float64Array) return float64();
  if (values instanceof Float32Array) return float32();
  if (values instanceof Uint32Array) return uint32();
  return values instanceof Uint16Array ? uint16() : uint8();
}
