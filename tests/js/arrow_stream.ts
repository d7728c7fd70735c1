// Arrow streams as Python writes them, for files that Python would not write: one record
// batch of columns of 64-bit numbers and of text.

type Part = Scalar | Parts | string | Longs | readonly Parts[] | null;
interface Scalar {
  readonly bytes: 1 | 2 | 4 | 8;
  readonly value: number;
}
/** A table of a flatbuffer: its fields by their numbers. */
interface Parts {
  readonly fields: readonly Part[];
}
/** A vector of structs that are made of 8-byte integers. */
interface Longs {
  readonly longs: readonly number[];
  readonly each: number;
}

const scalar = (bytes: Scalar["bytes"], value: number) => ({ bytes, value });
const table = (...fields: Part[]): Parts => ({ fields });

/** A flatbuffer, which may have parents before their children. */
class Flatbuffer {
  readonly bytes: number[] = [0, 0, 0, 0];

  constructor(root: Parts) {
    this.refer(0, root);
    this.fill(8, 0);
  }

  private put(at: number, { bytes, value }: Scalar): void {
    const long = new Uint8Array(BigInt64Array.of(BigInt(value)).buffer);
    for (let i = 0; i < bytes; i++) this.bytes[at + i] = long[i]!;
  }

  private push(...values: Scalar[]): void {
    for (const one of values) this.put(this.bytes.length, one);
  }

  /** Fill up so that what comes some bytes later is aligned. */
  private fill(alignment: number, before: number): void {
    while ((this.bytes.length + before) % alignment > 0) this.bytes.push(0);
  }

  private refer(place: number, part: NonNullable<Part>): void {
    let at: number;
    if (typeof part === "string") {
      this.fill(4, 0);
      at = this.bytes.length;
      const text = new TextEncoder().encode(part);
      this.push(scalar(4, text.length));
      this.bytes.push(...text, 0);
    } else if ("longs" in part) {
      this.fill(8, 4);
      at = this.bytes.length;
      this.push(scalar(4, part.longs.length / part.each));
      this.push(...part.longs.map((value) => scalar(8, value)));
    } else if ("fields" in part) {
      at = this.table(part);
    } else {
      const items = part as readonly Parts[];
      this.fill(4, 0);
      at = this.bytes.length;
      this.push(scalar(4, items.length), ...items.map(() => scalar(4, 0)));
      items.forEach((item, i) => this.refer(at + 4 + 4 * i, item));
    }
    this.put(place, scalar(4, at - place));
  }

  private table({ fields }: Parts): number {
    let size = 4;
    const places = fields.map((field) => {
      if (field === null) return 0;
      const width = isScalar(field) ? field.bytes : 4;
      size = Math.ceil(size / width) * width;
      size += width;
      return size - width;
    });
    const listed = 4 + 2 * places.length;
    this.fill(8, listed);
    this.push(...[listed, size, ...places].map((value) => scalar(2, value)));
    const at = this.bytes.length;
    this.push(scalar(4, listed));
    for (let i = 4; i < size; i++) this.bytes.push(0);
    fields.forEach((field, i) => {
      if (field === null) return;
      if (isScalar(field)) this.put(at + places[i]!, field);
      else this.refer(at + places[i]!, field);
    });
    return at;
  }
}

const isScalar = (part: NonNullable<Part>): part is Scalar =>
  typeof part === "object" && "value" in part;

function message(kind: number, header: Parts, body: number): Uint8Array {
  const envelope = table(
    scalar(2, 4),
    scalar(1, kind),
    header,
    scalar(8, body),
  );
  const { bytes } = new Flatbuffer(envelope);
  const head = new DataView(new ArrayBuffer(8 + bytes.length));
  head.setUint32(0, 0xffffffff);
  head.setInt32(4, bytes.length, true);
  const all = new Uint8Array(head.buffer);
  all.set(bytes, 8);
  return all;
}

const INT = [2, table(scalar(4, 64), scalar(1, 1))] as const;
const FLOAT = [3, table(scalar(2, 2))] as const;
const TEXT = [5, table()] as const;

/** Columns of numbers, of whole ones, or of text. */
export function arrowStream(
  columns: Readonly<
    Record<string, Float64Array | BigInt64Array | readonly string[]>
  >,
): Uint8Array {
  const encoder = new TextEncoder();
  const rows = Object.values(columns)[0]!.length;
  const buffers: Uint8Array[] = [];
  const fields = Object.entries(columns).map(([name, values]) => {
    buffers.push(new Uint8Array(0)); // which are null
    if (ArrayBuffer.isView(values)) {
      buffers.push(new Uint8Array(values.buffer));
    } else {
      const texts = values.map((text) => encoder.encode(text));
      const offsets = new Int32Array(rows + 1);
      texts.forEach((text, i) => (offsets[i + 1] = offsets[i]! + text.length));
      const joined = new Uint8Array(offsets[rows]!);
      texts.forEach((text, i) => joined.set(text, offsets[i]));
      buffers.push(new Uint8Array(offsets.buffer), joined);
    }
    const [kind, about] =
      values instanceof Float64Array
        ? FLOAT
        : values instanceof BigInt64Array
          ? INT
          : TEXT;
    return table(name, scalar(1, 0), scalar(1, kind), about, null, []);
  });
  const places: number[] = [];
  let size = 0;
  for (const { length } of buffers) {
    places.push(size, length);
    size += Math.ceil(length / 8) * 8;
  }
  const body = new Uint8Array(size);
  buffers.forEach((buffer, i) => body.set(buffer, places[2 * i]));
  const nodes = fields.flatMap(() => [rows, 0]);
  const batch = table(
    scalar(8, rows),
    { longs: nodes, each: 2 },
    { longs: places, each: 2 },
  );
  const end = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);
  const parts = [
    message(1, table(scalar(2, 0), fields), 0),
    message(3, batch, size),
    body,
    end,
  ];
  const all = new Uint8Array(
    parts.reduce((sum, { length }) => sum + length, 0),
  );
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
