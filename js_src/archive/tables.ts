// The tables of a file as columns, decoded as docs/recording-format.md describes. Every
// number is checked before it is used.

import { list, str } from "../base/check";
import { cut } from "../base/bounds";
import {
  type Columns,
  type Numbers,
  numbersType,
  type NumbersType,
  type TableShape,
} from "../link/columns";
import {
  type Facts,
  type NumberColumn,
  type Numbers as StoredNumbers,
  readTable,
  type TextColumn,
} from "./arrow";
import { BadFileError } from "./problems";

export interface Stored<C = Columns> {
  readonly columns: C;
  readonly rows: number;
  readonly facts: Facts;
}

const ENCODING = "daskscope.encoding";
const BASE = "daskscope.base";
const DISTINCT = "daskscope.texts";
/** Microseconds a second. */
const US = 1e6;

const texts = list(str);
/** The names of a span and of those around it. */
const MAX_PARTS = 49;

/** Columns as they are declared, of at most so many rows; longer texts are cut. */
export function decodeTable(
  columns: TableShape["columns"],
  bytes: Uint8Array<ArrayBuffer>,
  maxRows: number,
  maxCharacters: (column: string) => number,
): Stored {
  const { columns: stored, rows, facts } = readTable(bytes);
  if (rows > maxRows) {
    throw new BadFileError("has a table with too many rows");
  }
  const decoded = Object.entries(columns).map(([name, { type }]) => {
    const column = stored.get(name);
    if (!column) throw new BadFileError(`has no column ${name}`);
    const array = numbersType(type);
    if (array) {
      if (column.kind === "text") {
        throw new BadFileError(`has no numbers in its column ${name}`);
      }
      return [name, restored(name, column, array, type)] as const;
    }
    if (column.kind === "number" && type === "utf8") {
      return [name, ofNumbers(name, column, maxCharacters(name))] as const;
    }
    if (column.kind !== "text") {
      throw new BadFileError(`has no texts in its column ${name}`);
    }
    const most = maxCharacters(name);
    return type === "utf8"
      ? ([name, textsOf(column, most)] as const)
      : ([name, listsOf(name, column, most)] as const);
  });
  return { columns: Object.fromEntries(decoded) as Columns, rows, facts };
}

function restored(
  name: string,
  { values: numbers, facts }: NumberColumn,
  array: NumbersType,
  type: string,
): Numbers {
  const encoding = facts.get(ENCODING) ?? "plain";
  const [, unit, steps, planes] =
    /^(plain|us)(\+steps)?(\+planes)?$/.exec(encoding) ?? [];
  if (!unit) {
    throw new BadFileError(`stores its column ${name} as '${encoding}'`);
  }
  const scale = unit === "us" ? US : 1;
  const stored = planes ? outOfPlanes(numbers) : numbers;
  const whole = steps ? summed(name, stored, facts) : stored;
  const { length } = whole;
  if (scale === 1) {
    if (!type.startsWith("float")) checkFits(name, whole, array, type);
    return whole instanceof array ? whole : copied(whole, array);
  }
  const column = new array(length);
  for (let row = 0; row < length; row++) column[row] = whole[row] / scale;
  return column;
}

function copied(from: ArrayLike<number>, array: NumbersType): Numbers {
  const column = new array(from.length);
  column.set(from);
  return column;
}

/** What was stored as the first bytes of all values, then their second bytes, and so on. */
function outOfPlanes<N extends StoredNumbers>(planes: N): N {
  const bytes = new Uint8Array(
    planes.buffer,
    planes.byteOffset,
    planes.byteLength,
  );
  const values = planes.slice() as N;
  const out = new Uint8Array(values.buffer);
  const { length, BYTES_PER_ELEMENT: size } = planes;
  for (let plane = 0; plane < size; plane++) {
    const from = plane * length;
    for (let row = 0; row < length; row++)
      out[row * size + plane] = bytes[from + row];
  }
  return values;
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

/** Whether all are whole numbers of a type, which would wrap around what is not. */
function checkFits(
  name: string,
  values: ArrayLike<number>,
  { BYTES_PER_ELEMENT: bytes }: NumbersType,
  type: string,
): void {
  const [least, limit] =
    type === "int64" ? [-(2 ** 53), 2 ** 53] : [0, 2 ** (8 * bytes)];
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (!(value >= least && value < limit)) {
      throw new BadFileError(`has numbers out of range in its column ${name}`);
    }
  }
}

/** Texts that are stored as numbers of those that are distinct. */
function ofNumbers(
  name: string,
  { values, facts }: NumberColumn,
  most: number,
): string[] {
  let distinct: string[] = [];
  try {
    distinct = texts(JSON.parse(facts.get(DISTINCT) ?? ""), name);
  } catch {
    // then it has none
  }
  const known = distinct.map((text) => cut(text, most));
  if (facts.get(ENCODING) !== "texts") {
    throw new BadFileError(`has no texts in its column ${name}`);
  }
  return Array.from(values, (number) => {
    if (!(number in known)) {
      throw new BadFileError(`has numbers out of range in its column ${name}`);
    }
    return known[number];
  });
}

function listsOf(name: string, column: TextColumn, most: number): string[][] {
  return textsOf(column, Infinity).map((text) => {
    try {
      const parts = texts(JSON.parse(text), name);
      return parts.slice(0, MAX_PARTS).map((part) => cut(part, most));
    } catch {
      throw new BadFileError(`has no lists in its column ${name}`);
    }
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
