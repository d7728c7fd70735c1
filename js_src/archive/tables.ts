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

type NumberArray =
  Float64Array | Float32Array | Uint32Array | Uint16Array | Uint8Array;
type ArrayType = { new (length: number): NumberArray } & {
  readonly BYTES_PER_ELEMENT: number;
};
type ColumnType = ArrayType | "utf8" | "texts";
/** The columns of a table, and what each is of. */
export type Shape = Readonly<Record<string, ColumnType>>;
export type Column = NumberArray | string[] | string[][];
type Values<T extends ColumnType> = T extends ArrayType
  ? InstanceType<T>
  : T extends "texts"
    ? string[][]
    : string[];
export type Columns<S extends Shape> = { [K in keyof S]: Values<S[K]> };

export interface Stored<S extends Shape> {
  readonly columns: Columns<S>;
  readonly rows: number;
  readonly facts: Facts;
}

const ARRAYS: Readonly<Record<string, ColumnType>> = {
  float64: Float64Array,
  float32: Float32Array,
  int64: Float64Array,
  uint32: Uint32Array,
  uint16: Uint16Array,
  uint8: Uint8Array,
  utf8: "utf8",
  texts: "texts",
};

/** The shape of columns that schema.ts declares. */
export function shapeOf(
  columns: Readonly<Record<string, { readonly type: string }>>,
): Shape {
  const types = Object.entries(columns).map(([name, { type }]) => [
    name,
    ARRAYS[type],
  ]);
  return Object.fromEntries(types) as Shape;
}

const ENCODING = "daskscope.encoding";
const BASE = "daskscope.base";
/** Microseconds a second. */
const US = 1e6;

/** The columns of a table, as wide as they are declared; at most so many rows. */
export function decode<S extends Shape>(
  shape: S,
  bytes: Uint8Array<ArrayBuffer>,
  maxRows: number,
  /** Of the texts of a column: longer ones are cut. */
  maxCharacters: (column: string) => number = () => Infinity,
): Stored<S> {
  const { columns, rows, facts } = readAtMost(maxRows, bytes);
  const decoded = Object.entries(shape).map(([name, type]) => {
    const stored = columns.get(name);
    if (!stored) throw new BadFileError(`has no column ${name}`);
    if (typeof type === "string") {
      if (stored.kind !== "text") {
        throw new BadFileError(`has no text in its column ${name}`);
      }
      const texts = textsOf(stored, maxCharacters(name));
      return [name, type === "utf8" ? texts : listsOf(texts, name)] as const;
    }
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
  type: ArrayType,
): NumberArray {
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

function copied(from: ArrayLike<number>, type: ArrayType): NumberArray {
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
  { BYTES_PER_ELEMENT: bytes }: ArrayType,
): void {
  const limit = 2 ** (8 * bytes);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (!(value >= 0 && value < limit)) {
      throw new BadFileError(`has numbers out of range in its column ${name}`);
    }
  }
}

/** A table without rows, as where a file has none. */
export function noRows<S extends Shape>(shape: S): Columns<S> {
  const columns = Object.entries(shape).map(([name, type]) => [
    name,
    typeof type === "string" ? [] : new type(0),
  ]);
  return Object.fromEntries(columns) as Columns<S>;
}

/** Lists of texts, which are stored as JSON. */
function listsOf(texts: readonly string[], column: string): string[][] {
  return texts.map((text) => {
    let found: unknown;
    try {
      found = JSON.parse(text);
    } catch {
      found = null;
    }
    const good =
      Array.isArray(found) && found.every((part) => typeof part === "string");
    if (!good) {
      throw new BadFileError(`has no lists of texts in its column ${column}`);
    }
    return found as string[];
  });
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
