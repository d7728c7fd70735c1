// Small, well-formed pieces of a stream, for tests that need some.

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
import { deflateSync } from "node:zlib";

/** An Arrow IPC stream of one row a task, a tenth of a second each, on two lanes. */
export function tasksBuffer(first: number, tasks: number): Uint8Array {
  const numbers = Array.from({ length: tasks }, (_, i) => i);
  const column = (values: number[], type: object) =>
    columnFromArray(values, type as never);
  const table = tableFromColumns({
    start: column(
      numbers.map((i) => 1000 + i / 10),
      float64(),
    ),
    duration: column(
      numbers.map(() => 0.1),
      float32(),
    ),
    lane: column(
      numbers.map((i) => i % 2),
      uint16(),
    ),
    prefix: column(
      numbers.map(() => 0),
      uint16(),
    ),
    action: column(
      numbers.map(() => 0),
      uint8(),
    ),
    status: column(
      numbers.map(() => 0),
      uint8(),
    ),
    nbytes: column(
      numbers.map(() => 8),
      float32(),
    ),
    span: column(
      numbers.map(() => 0),
      uint16(),
    ),
    task: column(
      numbers.map((i) => first + i),
      uint32(),
    ),
  });
  return tableToIPC(table, { format: "stream" })!;
}

/** A packed block of keys, as an agent makes it. */
export function keysBuffer(keys: string[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(deflateSync(keys.join("\0")));
}
