// Arrow streams from untrusted files: one batch of plain columns and
// texts, as daskscope writes them. Each offset and length is checked before it is used:
// a library that believes them can be made to run, or to allocate, without end.
// The layouts are Schema.fbs and Message.fbs of Arrow's format.

import { BadFileError } from "./problems";

export type Numbers =
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Float32Array
  | Float64Array;

export interface NumberColumn {
  readonly kind: "number";
  readonly values: Numbers;
  readonly facts: Facts;
}

export interface TextColumn {
  readonly kind: "text";
  /** One more than there are rows, if any; they do not fall, and the last is within `bytes`. */
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
}

export type Facts = ReadonlyMap<string, string>;

export interface ArrowTable {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, NumberColumn | TextColumn>;
  readonly facts: Facts;
}

const CONTINUATION = 0xffffffff;
const [SCHEMA, RECORD_BATCH] = [1, 3]; // MessageHeader
const [INT, FLOATING_POINT, UTF8] = [2, 3, 5]; // Type
const MAX_FIELDS = 64;
const MAX_FACTS = 64;

const INTEGERS = {
  signed: { 8: Int8Array, 16: Int16Array, 32: Int32Array },
  unsigned: { 8: Uint8Array, 16: Uint16Array, 32: Uint32Array },
} as const;
const FLOATS = { 1: Float32Array, 2: Float64Array } as const; // by Precision

type ArrayType =
  | (typeof INTEGERS)["signed" | "unsigned"][8 | 16 | 32]
  | (typeof FLOATS)[1 | 2];

interface Field {
  readonly name: string;
  /** Of the values; null for text. */
  readonly type: ArrayType | null;
  readonly facts: Facts;
}

interface Schema {
  readonly fields: readonly Field[];
  readonly facts: Facts;
}

interface ArrowMessage {
  readonly kind: number;
  readonly header: Flat;
  readonly bodyAt: number;
  readonly bodyBytes: number;
}

function refuse(): never {
  throw new BadFileError("is not an Arrow table");
}

/** Read the only batch of a stream. */
export function readTable(bytes: Uint8Array<ArrayBuffer>): ArrowTable {
  try {
    const first = messageAt(bytes, 0) ?? refuse();
    const schema = schemaOf(first);
    const batch = messageAt(bytes, first.bodyAt + first.bodyBytes);
    if (!batch) return batchOf(schema, null, bytes);
    if (messageAt(bytes, batch.bodyAt + batch.bodyBytes)) refuse();
    return batchOf(schema, batch, bytes);
  } catch (error) {
    if (error instanceof RangeError) refuse(); // it reads outside of the bytes
    throw error;
  }
}

/** The message that begins somewhere; null where the stream ends. */
function messageAt(
  bytes: Uint8Array<ArrayBuffer>,
  at: number,
): ArrowMessage | null {
  if (at === bytes.byteLength) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(at, true) !== CONTINUATION) refuse();
  const headBytes = view.getUint32(at + 4, true);
  if (headBytes === 0) return null;
  const head = new DataView(
    bytes.buffer,
    bytes.byteOffset + at + 8,
    headBytes <= bytes.byteLength - at - 8 ? headBytes : refuse(),
  );
  const message = Flat.root(head);
  return {
    kind: message.uint8(1),
    header: message.table(2) ?? refuse(),
    bodyAt: at + 8 + headBytes,
    bodyBytes: message.long(3),
  };
}

function schemaOf({ kind, header }: ArrowMessage): Schema {
  if (kind !== SCHEMA || header.int16(0) !== 0) refuse(); // big-endian
  const fields = header.tables(1, MAX_FIELDS).map(fieldOf);
  return { fields, facts: factsOf(header, 2) };
}

function fieldOf(field: Flat): Field {
  const type = field.table(3) ?? refuse();
  if (field.table(4) || field.tables(5, 1).length > 0) refuse(); // dictionary, children
  const name = field.text(0);
  return { name, type: typeOf(field.uint8(2), type), facts: factsOf(field, 6) };
}

function typeOf(kind: number, type: Flat): ArrayType | null {
  if (kind === UTF8) return null;
  if (kind === INT) {
    const bits = type.int32(0);
    const types = type.uint8(1) ? INTEGERS.signed : INTEGERS.unsigned;
    return (types as Record<number, ArrayType>)[bits] ?? refuse();
  }
  if (kind !== FLOATING_POINT) refuse();
  return (FLOATS as Record<number, ArrayType>)[type.int16(0)] ?? refuse();
}

function factsOf(table: Flat, slot: number): Facts {
  const pairs = table.tables(slot, MAX_FACTS);
  return new Map(pairs.map((pair) => [pair.text(0), pair.text(1)]));
}

function batchOf(
  { fields, facts }: Schema,
  batch: ArrowMessage | null,
  bytes: Uint8Array<ArrayBuffer>,
): ArrowTable {
  if (batch && batch.kind !== RECORD_BATCH) refuse();
  if (batch?.header.table(3)) {
    const what = "has an unsupported compression";
    throw new BadFileError(what);
  }
  const rows = batch?.header.long(0) ?? 0;
  const nodes = batch?.header.pairs(1, MAX_FIELDS) ?? [];
  const buffers = batch && new Buffers(batch, bytes);
  const columns = new Map<string, NumberColumn | TextColumn>();
  fields.forEach(({ name, type, facts: about }, i) => {
    const [length, nulls] = batch ? (nodes[i] ?? refuse()) : [0, 0];
    if (length !== rows || nulls !== 0) refuse();
    buffers?.bytes(); // which values are null: none
    if (type) {
      const values = buffers?.values(type, rows) ?? new type(0);
      columns.set(name, { kind: "number", values, facts: about });
    } else {
      columns.set(name, textColumn(buffers, rows));
    }
  });
  return { rows, columns, facts };
}

function textColumn(buffers: Buffers | null, rows: number): TextColumn {
  // Without rows there may be no first offset.
  const count = rows === 0 ? 0 : rows + 1;
  const offsets = (buffers?.values(Int32Array, count) ?? []) as Int32Array;
  const bytes = buffers?.bytes() ?? new Uint8Array(0);
  let before = 0;
  for (const offset of offsets) {
    if (offset < before) refuse();
    before = offset;
  }
  if (before > bytes.byteLength) refuse();
  return { kind: "text", offsets, bytes };
}

/** The buffers of a batch, one after the other: they may not overlap. */
class Buffers {
  private readonly places: readonly [number, number][];
  private used = 0;
  private end = 0;

  constructor(
    private readonly batch: ArrowMessage,
    private readonly file: Uint8Array<ArrayBuffer>,
  ) {
    if (batch.bodyBytes > file.byteLength - batch.bodyAt) refuse();
    this.places = batch.header.pairs(2, 3 * MAX_FIELDS);
  }

  /** The next one, as it is. */
  bytes(): Uint8Array<ArrayBuffer> {
    const [at, length] = this.next(0);
    return new Uint8Array(this.file.buffer, at, length);
  }

  /** The first `count` values of the next one. */
  values(type: ArrayType, count: number): InstanceType<ArrayType> {
    const size = count * type.BYTES_PER_ELEMENT;
    const [at] = this.next(size);
    const { buffer } = this.file;
    return at % type.BYTES_PER_ELEMENT === 0
      ? new type(buffer, at, count)
      : new type(buffer.slice(at, at + size));
  }

  /** Where the next one is in the file's buffer, and its length. */
  private next(atLeast: number): [number, number] {
    const [offset, length] = this.places[this.used++] ?? refuse();
    const stop = offset + length;
    const { bodyAt, bodyBytes } = this.batch;
    if (offset < this.end || stop > bodyBytes || length < atLeast) refuse();
    this.end = stop;
    return [this.file.byteOffset + bodyAt + offset, length];
  }
}

/** Of names and of facts about columns. */
const MAX_TEXT_BYTES = 1_000;

/** As a `DataView` says it of places that are not there. */
function outside(): never {
  throw new RangeError("It is not within the bytes.");
}

/**
 * One table of a flatbuffer, in which Arrow says what is in its bytes: fields by their number, missing ones with a default.
 * Each place is checked.
 */
class Flat {
  private readonly listed: number;
  private readonly listedBytes: number;

  private constructor(
    private readonly view: DataView,
    private readonly at: number,
  ) {
    this.listed = at - view.getInt32(at, true);
    this.listedBytes = view.getUint16(this.listed, true);
  }

  /** The outermost table of some bytes. */
  static root(view: DataView): Flat {
    return new Flat(view, view.getUint32(0, true));
  }

  uint8(number: number): number {
    const place = this.place(number);
    return place === null ? 0 : this.view.getUint8(place);
  }

  int16(number: number): number {
    const place = this.place(number);
    return place === null ? 0 : this.view.getInt16(place, true);
  }

  int32(number: number): number {
    const place = this.place(number);
    return place === null ? 0 : this.view.getInt32(place, true);
  }

  /** A length: below four gigabytes, or it is none. */
  long(number: number): number {
    const place = this.place(number);
    return place === null ? 0 : this.longAt(place);
  }

  text(number: number): string {
    const place = this.place(number);
    if (place === null) return "";
    const { view } = this;
    const at = place + view.getUint32(place, true);
    const length = view.getUint32(at, true);
    if (length > MAX_TEXT_BYTES || at + 4 + length > view.byteLength) outside();
    const from = view.byteOffset + at + 4;
    const bytes = new Uint8Array(view.buffer as ArrayBuffer, from, length);
    return new TextDecoder().decode(bytes);
  }

  table(number: number): Flat | null {
    const place = this.place(number);
    return place === null ? null : this.tableAt(place);
  }

  tables(number: number, most: number): Flat[] {
    const { at, count } = this.vector(number, most);
    return Array.from({ length: count }, (_, i) => this.tableAt(at + 4 * i));
  }

  /** A vector of structs of two longs. */
  pairs(number: number, most: number): [number, number][] {
    const { at, count } = this.vector(number, most);
    return Array.from({ length: count }, (_, i) => {
      const place = at + 16 * i;
      return [this.longAt(place), this.longAt(place + 8)];
    });
  }

  private vector(number: number, most: number): { at: number; count: number } {
    const place = this.place(number);
    if (place === null) return { at: 0, count: 0 };
    const at = place + this.view.getUint32(place, true);
    const count = this.view.getUint32(at, true);
    return { at: at + 4, count: count <= most ? count : outside() };
  }

  private tableAt(place: number): Flat {
    return new Flat(this.view, place + this.view.getUint32(place, true));
  }

  private longAt(place: number): number {
    if (this.view.getUint32(place + 4, true) !== 0) outside();
    return this.view.getUint32(place, true);
  }

  private place(number: number): number | null {
    const slot = 4 + 2 * number;
    if (slot + 2 > this.listedBytes) return null;
    const offset = this.view.getUint16(this.listed + slot, true);
    return offset === 0 ? null : this.at + offset;
  }
}
