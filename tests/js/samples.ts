// Small, well-formed pieces of a stream, for tests that need some.

import { deflateSync } from "node:zlib";
import { type Late, lineOf, type Series } from "../../js_src/derive/series";
import { TABLES } from "../../js_src/schema";
import {
  columnsOfRing,
  numbersType,
  type TableShape,
  tableShape,
} from "../../js_src/link/columns";

/** Columns of numbers as a kernel packs them. */
export function packed(
  shape: TableShape["columns"],
  columns: Readonly<Record<string, ArrayLike<unknown>>>,
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  for (const [name, { type }] of Object.entries(shape)) {
    const array = numbersType(type);
    if (!array) continue;
    const values = array.from(columns[name] as ArrayLike<number>);
    const bytes = new Uint8Array(Math.ceil(values.byteLength / 8) * 8);
    bytes.set(new Uint8Array(values.buffer));
    parts.push(bytes);
  }
  return new Uint8Array(Buffer.concat(parts));
}

/** One row a task, a tenth of a second each, on two lanes. */
export function tasksBuffer(
  first: number,
  tasks: number,
): Uint8Array<ArrayBuffer> {
  const numbers = Array.from({ length: tasks }, (_, i) => i);
  const nothing = numbers.map(() => 0);
  return packed(TABLES.tasks.columns, {
    start: numbers.map((i) => 1000 + i / 10),
    duration: numbers.map(() => 0.1),
    lane: numbers.map((i) => i % 2),
    ...{ prefix: nothing, action: nothing, status: nothing, span: nothing },
    nbytes: numbers.map(() => 8),
    task: numbers.map((i) => first + i),
    computation: nothing,
  });
}

/** A packed block of keys, as an agent makes it. */
export function keysBuffer(keys: string[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(deflateSync(keys.join("\0")));
}

export type Cells = Readonly<Record<string, unknown>>;

/** The fields and buffers of a message with rows of a table; what a row lacks is empty. */
export function rowsMessage(
  table: string,
  first: number,
  rows: readonly Cells[],
  about: object = {},
): [fields: object, buffers: Uint8Array[]] {
  const { ring = 0 } = about as { ring?: number };
  const columns = columnsOfRing(tableShape(table)!, ring);
  const cells = Object.entries(columns).map(([name, { type }]) => {
    const empty = type === "utf8" ? "" : type === "texts" ? [] : 0;
    return [name, rows.map((row) => row[name] ?? empty)] as const;
  });
  const texts = cells.filter(([name]) => !numbersType(columns[name]!.type));
  const range = { first, count: rows.length, rows: rows.length };
  const fields = { table, ...range, oldest: 0, complete: true };
  const buffer = packed(columns, Object.fromEntries(cells));
  return [
    { ...fields, texts: Object.fromEntries(texts), ...about },
    buffer.length > 0 ? [buffer] : [],
  ];
}

/** A line of samples as measured. */
export function seriesOf(
  times: ArrayLike<number>,
  values: ArrayLike<number>,
  end?: number,
  late?: Late,
): Series {
  const time = Float64Array.from(times);
  const columns = { value: Float64Array.from(values) };
  const rows = { time, until: time, step: time, columns };
  return lineOf(rows, "value", end, late);
}
