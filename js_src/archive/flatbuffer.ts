// Flatbuffers, in which Arrow says what is in its bytes: read with each place checked.

/** Of names and of facts about columns. */
const MAX_TEXT_BYTES = 1_000;

/** As a `DataView` says it of places that are not there. */
function outside(): never {
  throw new RangeError("It is not within the bytes.");
}

/** One table of a flatbuffer: fields by their number, missing ones with a default. */
export class Flat {
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
