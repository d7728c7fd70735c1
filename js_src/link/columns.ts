// Turns message buffers into typed columns, without a copy if possible. A buffer holds
// the numeric columns one after another, little endian, each padded to 8 bytes.

import { CheckError, list, str } from "../base/check";
import { badMessage, badRows } from "../errors";
import {
  COARSE_COLUMNS,
  type CoarseColumns,
  LIMITS,
  STEPS,
  TABLES,
  type TasksColumns,
} from "../schema";
import type { BinaryBuffer, Message } from "./wire";

/** A batch may exceed the kernel's limit, but a batch beyond this is rejected. */
const MAX_ROWS = 64 * LIMITS.batch_rows;
const ALIGNMENT = 8;

const ARRAYS = {
  float64: Float64Array,
  float32: Float32Array,
  int64: Float64Array, // exact up to 2^53
  uint32: Uint32Array,
  uint16: Uint16Array,
  uint8: Uint8Array,
} as const;

export type Numbers =
  Float64Array | Float32Array | Uint32Array | Uint16Array | Uint8Array;
export type NumbersType = (typeof ARRAYS)[keyof typeof ARRAYS];
export type Values =
  Numbers | readonly string[] | readonly (readonly string[])[];
export type Columns = Readonly<Record<string, Values>>;

/** The declaration of any table in `TABLES`. */
export interface TableShape {
  readonly kind: "tasks" | "dictionary" | "log" | "series";
  readonly columns: Readonly<
    Record<
      string,
      { readonly type: string; readonly into?: string; readonly of?: string }
    >
  >;
  /** Maximum number of entries of a dictionary. */
  readonly limit?: number;
  /** Entries that a dictionary always begins with. */
  readonly first?: readonly (readonly unknown[])[];
  /** Bounds on a page: rows of a log, and bytes of all rings of a series together. */
  readonly rows?: number;
  readonly bytes?: number;
  /** The column by which a log keeps the newest `group_rows` rows of each value. */
  readonly group?: string;
  readonly group_rows?: number;
}

export function tableShape(name: string): TableShape | undefined {
  return Object.hasOwn(TABLES, name)
    ? (TABLES as Readonly<Record<string, TableShape>>)[name]
    : undefined;
}

/**
 * The columns that rows of a ring are sent and stored with. Rows as measured (ring 0)
 * need no columns for least and most, because both equal the value.
 */
export function columnsOfRing(
  { kind, columns }: TableShape,
  ring: number,
): TableShape["columns"] {
  if (kind !== "series" || ring > 0) return columns;
  const measured = Object.entries(columns).filter(([, { of }]) => !of);
  return Object.fromEntries(measured);
}

/** All columns of a table; columns that ring 0 lacks are taken from the measured value. */
export function allColumns({ columns }: TableShape, found: Columns): Columns {
  return mapped(columns, ({ of = "" }, name) => found[name] ?? found[of]);
}

/** The array of a column of numbers; undefined for text. */
export function numbersType(type: string): NumbersType | undefined {
  return (ARRAYS as Readonly<Record<string, NumbersType>>)[type];
}

/** Some consecutive rows of one ring of a table. */
export interface TableRows {
  readonly table: string;
  readonly ring: number;
  /** The sender holds no other rows with numbers from `first` to before `first + count`. */
  readonly first: number;
  readonly count: number;
  /** The number of each row, ascending. */
  readonly numbers: Float64Array;
  readonly columns: Columns;
  /** Number of the oldest row that a page should keep. */
  readonly oldest: number;
  /** How many rows the sender has dropped. */
  readonly dropped: number;
  /** Time from which a series is complete; undefined if no row was dropped. */
  readonly begin?: number;
  /** Whether the page has all rows once it has these. */
  readonly complete: boolean;
}

export function mapped<T>(
  source: Readonly<Record<string, T>>,
  change: (value: T, name: string) => Values,
): Columns {
  const changed = Object.entries(source).map(
    ([name, value]) => [name, change(value, name)] as const,
  );
  return Object.fromEntries(changed);
}

/** The columns of a table without rows. */
export function noRows({ columns }: TableShape): Columns {
  return mapped(columns, ({ type }) => new (numbersType(type) ?? Array)(0));
}

/** Whether all indexes in these columns point at known entries. */
export function pointsAtKnown(
  shape: TableShape["columns"],
  columns: Columns,
  known: (dictionary: string) => number,
  /** A dictionary's entries may point at its earlier entries, and the first at itself. */
  own: { readonly table: string; readonly first: number } | null = null,
): boolean {
  return Object.entries(shape).every(([name, { type, into }]) => {
    if (!into || into === "tasks") return true;
    const column = columns[name] as Numbers;
    const least = type === "int64" ? -1 : 0; // -1 is none
    const length = known(into);
    for (let row = 0; row < column.length; row++) {
      const index = column[row];
      const end = into === own?.table ? own.first + row || 1 : length;
      if (!(index >= least && index < end && index % 1 === 0)) return false;
    }
    return true;
  });
}

export function entriesOf(columns: Columns, rows: number): object[] {
  const named = Object.entries(columns);
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(named.map(([name, values]) => [name, values[row]])),
  );
}

/** Entries of a dictionary: texts if it has one column, else objects. */
export function namesOf(columns: Columns, rows: number): unknown[] {
  const own = Object.entries(columns).filter(([name]) => name !== "colour");
  return own.length === 1
    ? Array.from(own[0][1] as readonly string[])
    : entriesOf(Object.fromEntries(own), rows);
}

/** The bytes of a buffer, aligned so that any typed array can view them. */
export function alignedBytes(buffer: BinaryBuffer): Uint8Array {
  const bytes =
    buffer instanceof ArrayBuffer
      ? new Uint8Array(buffer)
      : new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  // Jupyter passes separate buffers; other hosts may pass slices of a larger one.
  return bytes.byteOffset % ALIGNMENT === 0 ? bytes : bytes.slice();
}

/** Read the numeric columns from a buffer that contains nothing else. */
function unpack(
  data: BinaryBuffer,
  columns: TableShape["columns"],
  rows: number,
): Record<string, Numbers> {
  const types = Object.entries(columns).flatMap(([name, { type }]) => {
    const array = numbersType(type);
    return array ? [[name, array] as const] : [];
  });
  const { buffer, byteOffset, byteLength } = alignedBytes(data);
  const padded = ({ BYTES_PER_ELEMENT }: NumbersType) =>
    Math.ceil((rows * BYTES_PER_ELEMENT) / ALIGNMENT) * ALIGNMENT;
  const wanted = types.reduce((sum, [, type]) => sum + padded(type), 0);
  if (rows > MAX_ROWS || byteLength !== wanted) {
    throw new CheckError("the buffer", `as long as ${rows} rows`);
  }
  const found: Record<string, Numbers> = {};
  let at = byteOffset;
  for (const [name, type] of types) {
    found[name] = new type(buffer as ArrayBuffer, at, rows);
    at += padded(type);
  }
  return found;
}

function explained<T>(refuse: (detail: string) => Error, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof CheckError) throw refuse(error.message);
    throw error;
  }
}

/** Decode rows of tasks; every row must belong to one of the tasks that the batch names. */
export function decodeTasks(
  buffer: BinaryBuffer,
  { first, tasks, rows }: { first: number; tasks: number; rows: number },
): TasksColumns & { rows: number } {
  return explained(badMessage, () => {
    const columns = unpack(buffer, TABLES.tasks.columns, rows);
    const task = columns["task"];
    for (let row = 0; row < rows; row++) {
      if (task[row] < first || task[row] >= first + tasks) {
        throw new CheckError(`task ${task[row]}`, "one of its batch");
      }
    }
    return { ...(columns as unknown as TasksColumns), rows };
  });
}

/** Decode the preview of tasks. */
export function decodeCoarse(
  buffer: BinaryBuffer,
  rows: number,
): CoarseColumns {
  return explained(badMessage, () => {
    const columns = unpack(buffer, COARSE_COLUMNS, rows);
    return columns as unknown as CoarseColumns;
  });
}

const NUMBERS = "the numbers of the rows";

/**
 * Decode the rows of a message.
 *
 * @throws DaskscopeError with the code `bad-rows` and a text that says what is wrong.
 */
export function decodeRows(message: Message<"rows">): TableRows {
  const { table, ring, first, count, rows } = message;
  return explained(
    (detail) => badRows(table, detail),
    () => {
      const shape = tableShape(table);
      if (!shape || shape.kind === "tasks") {
        throw new CheckError("the table", "one that is sent in rows");
      }
      if (ring >= (shape.kind === "series" ? STEPS.length : 1)) {
        throw new CheckError(`ring ${ring}`, "one of the table");
      }
      const sent = columnsOfRing(shape, ring);
      const { [NUMBERS]: given, ...numeric } = unpack(
        message.buffers[0] ?? new ArrayBuffer(0),
        message.numbered ? { [NUMBERS]: { type: "float64" }, ...sent } : sent,
        rows,
      );
      const numbers =
        (given as Float64Array | undefined) ??
        Float64Array.from({ length: rows }, (_, row) => first + row);
      checkNumbers(numbers, first, count);
      const texts = textsOf(shape, sent, message.texts, rows);
      const columns = allColumns(shape, { ...numeric, ...texts });
      return {
        ...message,
        begin: message.begin ?? undefined,
        numbers,
        columns,
      };
    },
  );
}

function checkNumbers(numbers: Float64Array, first: number, count: number) {
  let before = first - 1;
  for (const number of numbers) {
    if (!(Number.isInteger(number) && number > before)) {
      throw new CheckError(NUMBERS, "ascending");
    }
    before = number;
  }
  if (before >= first + count) throw new CheckError(NUMBERS, "in their range");
}

/** Series repeat the same few keys: equal texts share one string, which compares faster. */
function shared<T>(cells: readonly T[]): T[] {
  const known = new Map(cells.map((cell) => [cell, cell]));
  return cells.map((cell) => known.get(cell) ?? cell);
}

function textsOf(
  shape: TableShape,
  columns: TableShape["columns"],
  found: Readonly<Record<string, unknown>>,
  rows: number,
): Record<string, readonly string[] | readonly string[][]> {
  const wanted = Object.entries(columns).filter(
    ([, { type }]) => !numbersType(type),
  );
  if (Object.keys(found).length !== wanted.length) {
    throw new CheckError("its texts", "of the columns of the table");
  }
  const texts = wanted.map(([name, { type }]) => {
    const cells = list<string | string[]>(type === "texts" ? list(str) : str);
    const values = cells(Object.hasOwn(found, name) ? found[name] : null, name);
    if (values.length !== rows) {
      throw new CheckError(name, `a list of ${rows}`);
    }
    return [name, shape.kind === "series" ? shared(values) : values] as const;
  });
  return Object.fromEntries(texts) as Record<string, string[] | string[][]>;
}
