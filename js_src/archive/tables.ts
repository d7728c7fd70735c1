// The tables of a file as typed columns and as lists: what docs/recording-format.md
// says of how they are stored, undone. Every number is checked before it is believed.

import { cut } from "../base/cut";
import {
  type ArrowTable,
  type Facts,
  type NumberColumn,
  readTable,
  type TextColumn,
} from "./arrow";
import { BadFileError } from "./problems";

type Column =
  Float64Array | Float32Array | Uint32Array | Uint16Array | Uint8Array;
type ColumnType = { new (length: number): Column } & {
  readonly BYTES_PER_ELEMENT: number;
};
type Columns<S extends Record<string, ColumnType>> = {
  [K in keyof S]: InstanceType<S[K]>;
};

export interface Stored<S extends Record<string, ColumnType>> {
  readonly columns: Columns<S>;
  readonly rows: number;
  readonly facts: Facts;
}

const ENCODING = "daskscope.encoding";
const BASE = "daskscope.base";
/** Microseconds a second. */
const US = 1e6;

/** Columns of numbers, as wide as the model has them; at most so many rows. */
export function decodeColumns<S extends Record<string, ColumnType>>(
  shape: S,
  bytes: Uint8Array<ArrayBuffer>,
  maxRows: number,
): Stored<S> {
  const { columns, rows, facts } = readAtMost(maxRows, bytes);
  const decoded = Object.entries(shape).map(([name, type]) => {
    const stored = columns.get(name);
    if (!stored) throw new BadFileError(`has no column ${name}`);
    if (stored.kind !== "number" || isLong(stored.values)) {
      throw new BadFileError(`has no numbers in its column ${name}`);
    }
    return [name, restored(name, stored, type)] as const;
  });
  return { columns: Object.fromEntries(decoded) as Columns<S>, rows, facts };
}

function readAtMost(rows: number, bytes: Uint8Array<ArrayBuffer>): ArrowTable {
  const table = readTable(bytes);
  if (table.rows > rows) {
    throw new BadFileError("has more rows in a table than any recording has");
  }
  return table;
}

function isLong(values: NumberColumn["values"]) {
  return values instanceof BigInt64Array || values instanceof BigUint64Array;
}

function restored(
  name: string,
  { values, facts }: NumberColumn,
  type: ColumnType,
): Column {
  const numbers = values as Exclude<
    typeof values,
    BigInt64Array | BigUint64Array
  >;
  const encoding = facts.get(ENCODING) ?? "plain";
  const [unit, steps] = encoding.split("+");
  if (
    !["plain", "us"].includes(unit) ||
    ![undefined, "steps"].includes(steps)
  ) {
    throw new BadFileError(`has its column ${name} stored as '${encoding}'`);
  }
  const scale = unit === "us" ? US : 1;
  const whole = steps ? summed(name, numbers, facts) : numbers;
  const { length } = whole;
  if (scale === 1) {
    if (type !== Float64Array && type !== Float32Array) {
      checkFits(name, whole, type);
    }
    return whole instanceof type ? whole : copied(whole, type);
  }
  const column = new type(length);
  for (let row = 0; row < length; row++) column[row] = whole[row] / scale;
  return column;
}

function copied(from: ArrayLike<number>, type: ColumnType): Column {
  const column = new type(from.length);
  column.set(from);
  return column;
}

/** What was stored as steps from one value to the next. */
function summed(
  name: string,
  steps: ArrayLike<number>,
  facts: Facts,
): Float64Array {
  const base = facts.get(BASE) ?? "";
  if (!/^-?\d{1,20}$/.test(base)) {
    throw new BadFileError(`has no base for its column ${name}`);
  }
  const values = new Float64Array(steps.length);
  let value = Number(base);
  for (let row = 0; row < steps.length; row++) {
    value += steps[row];
    values[row] = value;
  }
  return values;
}

/** Whether all are numbers of an unsigned type, which would wrap around what is not. */
function checkFits(
  name: string,
  values: ArrayLike<number>,
  { BYTES_PER_ELEMENT: bytes }: ColumnType,
): void {
  const limit = 2 ** (8 * bytes);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (!(value >= 0 && value < limit)) {
      throw new BadFileError(`has numbers out of range in its column ${name}`);
    }
  }
}

export type RecordShape = Readonly<
  Record<string, "utf8" | "float64" | "int64">
>;
export type Records<S extends RecordShape> = {
  [K in keyof S]: S[K] extends "utf8" ? string[] : Float64Array;
};

/** Columns of numbers and texts, at most so many rows; longer texts are cut. */
export function decodeRecords<S extends RecordShape>(
  shape: S,
  bytes: Uint8Array<ArrayBuffer>,
  maxRows: number,
  /** Of the texts of a column. */
  maxCharacters: (column: string) => number,
): Records<S> {
  const { columns } = readAtMost(maxRows, bytes);
  const decoded = Object.entries(shape).map(([name, wanted]) => {
    const stored = columns.get(name);
    if (!stored) throw new BadFileError(`has no column ${name}`);
    const kind = wanted === "utf8" ? "text" : "number";
    if (stored.kind !== kind) {
      throw new BadFileError(`has no ${wanted} in its column ${name}`);
    }
    return [
      name,
      stored.kind === "text"
        ? textsOf(stored, maxCharacters(name))
        : numbersOf(stored),
    ] as const;
  });
  return Object.fromEntries(decoded) as Records<S>;
}

/** A table without rows, as where a file has none. */
export function noRecords<S extends RecordShape>(shape: S): Records<S> {
  const columns = Object.entries(shape).map(([name, kind]) => [
    name,
    kind === "utf8" ? [] : new Float64Array(0),
  ]);
  return Object.fromEntries(columns) as Records<S>;
}

function numbersOf({ values }: NumberColumn): Float64Array {
  return Float64Array.from(values as ArrayLike<number | bigint>, Number);
}

function textsOf({ offsets, bytes }: TextColumn, most: number): string[] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  // A character has at most four bytes: of what is much longer the rest is not decoded.
  const mostBytes = 4 * (most + 2);
  const texts: string[] = [];
  for (let row = 0; row + 1 < offsets.length; row++) {
    const [from, to] = [offsets[row], offsets[row + 1]];
    const some = bytes.subarray(from, Math.min(to, from + mostBytes));
    texts.push(cut(decoder.decode(some), most));
  }
  return texts;
}
