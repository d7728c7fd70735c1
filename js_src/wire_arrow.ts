// Arrow IPC buffers of a batch as typed columns, without copying.
// The columns of a table and their types come from schema.ts.

import { tableFromIPC } from "@uwdata/flechette";
import { CheckError } from "./base/check";
import { badMessage } from "./errors";
import {
  COARSE_COLUMNS,
  type CoarseColumns,
  LIMITS,
  TASKS_COLUMNS,
  type TasksColumns,
} from "./schema";
import type { BinaryBuffer } from "./wire";

/** A batch may be a little larger than the kernel's own limit, not absurdly so. */
const MAX_ROWS = 64 * LIMITS.batch_rows;

type Column =
  Float64Array | Float32Array | Uint32Array | Uint16Array | Uint8Array;
type ColumnType = new (length: number) => Column;

/** Bytes of a buffer, at an address where every typed array may start. */
export function alignedBytes(buffer: BinaryBuffer): Uint8Array {
  const bytes =
    buffer instanceof ArrayBuffer
      ? new Uint8Array(buffer)
      : new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  // Jupyter hands out buffers of their own; other hosts may hand out slices.
  return bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
}

function columnsOf(
  buffer: BinaryBuffer,
  wanted: Record<string, ColumnType>,
  rows: number,
): Record<string, Column> {
  const table = tableFromIPC(alignedBytes(buffer));
  if (table.numRows !== rows || rows > MAX_ROWS) {
    throw new CheckError("batch.rows", `the ${table.numRows} rows it carries`);
  }
  const out: Record<string, Column> = {};
  for (const [name, type] of Object.entries(wanted)) {
    const parts = table.getChild(name)?.data ?? [];
    if (rows === 0) {
      out[name] = new type(0);
      continue;
    }
    const part = parts[0];
    const values: unknown = part?.values;
    if (
      parts.length !== 1 ||
      !(values instanceof type) ||
      values.length < rows ||
      part.nullCount > 0
    ) {
      throw new CheckError(`batch.${name}`, `a plain ${type.name}`);
    }
    out[name] = values.subarray(0, rows);
  }
  return out;
}

function decode<T>(
  buffer: BinaryBuffer,
  wanted: Record<string, ColumnType>,
  rows: number,
): T {
  try {
    return columnsOf(buffer, wanted, rows) as T;
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw badMessage(detail);
  }
}

/** Rows of tasks; every row belongs to one of the tasks that the batch names. */
export function decodeTasks(
  buffer: BinaryBuffer,
  batch: { first: number; tasks: number; rows: number },
): TasksColumns & { rows: number } {
  const columns = decode<TasksColumns>(buffer, TASKS_COLUMNS, batch.rows);
  const end = batch.first + batch.tasks;
  for (let row = 0; row < batch.rows; row++) {
    const task = columns.task[row];
    if (task < batch.first || task >= end) {
      throw badMessage(`task ${task} in a batch of ${batch.first} to ${end}`);
    }
  }
  return { ...columns, rows: batch.rows };
}

/** Stretches of the first, coarse picture. */
export function decodeCoarse(
  buffer: BinaryBuffer,
  rows: number,
): CoarseColumns {
  return decode<CoarseColumns>(buffer, COARSE_COLUMNS, rows);
}
