// What is under each column of pixels of one row: how busy, and which paint most.

import { PAINT_ERRED } from "../model/segment";

/** Colours of one track, RGBA in a little-endian Uint32, opaque. */
export interface TrackColours {
  /** By paint: prefixes on the compute track, actions on the overlay. */
  paints: Uint32Array;
  /** For paints beyond the list. */
  other: number;
  erred: number;
  /** What the filter does not let through; its alpha is kept. */
  rest: number;
}

/** Paints told apart within one column. */
const RIVALS = 8;
/** So that a row without length leaves a mark: a part of a pixel. */
const LEAST_PX = 1 / 64;
/** The faintest that something is drawn, of 255. */
const LEAST_ALPHA = 64;
/** How much of a column's colour an erred task takes that does not fill it. */
const ERRED_SHARE = 0.6;

export class Columns {
  private width = 0;
  /** Busy part of each column, its best paint, and how much of the column that has. */
  private busy = new Float32Array(0);
  private paint = new Uint16Array(0);
  private weight = new Float32Array(0);
  private erred = new Uint8Array(0);
  private rest = new Float32Array(0);
  private hasRest = false;

  /** The column being gathered, and what competes for it. */
  private current = -1;
  private rivals = 0;
  private readonly rivalPaint = new Uint16Array(RIVALS);
  private readonly rivalWeight = new Float64Array(RIVALS);

  begin(width: number, withRest: boolean): void {
    if (this.busy.length < width) {
      this.busy = new Float32Array(width);
      this.paint = new Uint16Array(width);
      this.weight = new Float32Array(width);
      this.erred = new Uint8Array(width);
      this.rest = new Float32Array(width);
    } else {
      this.busy.fill(0, 0, width);
      this.weight.fill(0, 0, width);
      this.erred.fill(0, 0, width);
      if (withRest) this.rest.fill(0, 0, width);
    }
    this.hasRest = withRest;
    this.width = width;
    this.current = -1;
    this.rivals = 0;
  }

  /** Something at most one pixel wide, `work` pixels of it busy. */
  add(
    left: number,
    size: number,
    work: number,
    paint: number,
    erred: number,
  ): void {
    const x = Math.floor(left);
    const over = left + size - (x + 1);
    if (over <= 0) {
      this.put(x, work, paint, erred);
      return;
    }
    const second = (work * over) / size;
    this.put(x, work - second, paint, erred);
    this.put(x + 1, second, paint, erred);
  }

  addRest(left: number, size: number, work: number): void {
    const x = Math.floor(left);
    const over = left + size - (x + 1);
    const second = over > 0 ? (work * over) / size : 0;
    this.putRest(x, work - second);
    if (second > 0) this.putRest(x + 1, second);
  }

  /** A row of any width, its edges in parts of pixels. */
  addRow(
    left: number,
    right: number,
    paint: number,
    erred: number,
    rest: boolean,
  ): void {
    const first = Math.floor(left);
    const last = Math.floor(right);
    if (first === last) {
      if (rest) this.putRest(first, right - left);
      else this.put(first, right - left, paint, erred);
      return;
    }
    for (let x = Math.max(0, first); x <= last && x < this.width; x++) {
      const part = Math.min(right, x + 1) - Math.max(left, x);
      if (part <= 0) continue;
      if (rest) this.putRest(x, part);
      else this.put(x, part, paint, erred);
    }
  }

  /** Whole columns. */
  fill(from: number, to: number, paint: number, rest: boolean): void {
    if (to <= from) return;
    if (rest) {
      this.rest.fill(1, from, to);
      return;
    }
    this.settle();
    this.busy.fill(1, from, to);
    this.weight.fill(1, from, to);
    this.paint.fill(paint, from, to);
  }

  write(colours: TrackColours, out: Uint32Array): void {
    this.settle();
    const { paints, other, erred: black } = colours;
    const { busy, paint, erred, rest, hasRest, width } = this;
    const restAlpha = colours.rest >>> 24;
    const restColour = colours.rest & 0xffffff;
    for (let x = 0; x < width; x++) {
      const part = busy[x];
      if (part > 0) {
        const index = paint[x];
        let colour = index < paints.length ? paints[index] : other;
        if (index === PAINT_ERRED) colour = black;
        else if (erred[x] === 1) colour = mix(colour, black, ERRED_SHARE);
        const alpha =
          part >= 1
            ? 255
            : LEAST_ALPHA + Math.round((255 - LEAST_ALPHA) * part);
        out[x] = (colour & 0xffffff) | (alpha << 24);
      } else if (hasRest && rest[x] > 0) {
        const share = rest[x] >= 1 ? 1 : 0.25 + 0.75 * rest[x];
        out[x] = restColour | (Math.round(restAlpha * share) << 24);
      } else {
        out[x] = 0;
      }
    }
  }

  private put(x: number, work: number, paint: number, erred: number): void {
    if (x < 0 || x >= this.width) return;
    const weight = work > LEAST_PX ? work : LEAST_PX;
    this.busy[x] += weight;
    this.erred[x] |= erred;
    if (x !== this.current) {
      this.settle();
      this.current = x;
    }
    const { rivalPaint, rivalWeight, rivals } = this;
    for (let i = 0; i < rivals; i++) {
      if (rivalPaint[i] === paint) {
        rivalWeight[i] += weight;
        return;
      }
    }
    if (rivals < RIVALS) {
      rivalPaint[rivals] = paint;
      rivalWeight[rivals] = weight;
      this.rivals = rivals + 1;
    }
  }

  private putRest(x: number, work: number): void {
    if (x >= 0 && x < this.width) {
      this.rest[x] += work > LEAST_PX ? work : LEAST_PX;
    }
  }

  /** Decide the column that was being gathered. */
  private settle(): void {
    const x = this.current;
    const { rivalPaint, rivalWeight, rivals } = this;
    if (x < 0 || rivals === 0) return;
    let best = 0;
    for (let i = 1; i < rivals; i++) {
      if (rivalWeight[i] > rivalWeight[best]) best = i;
    }
    if (rivalWeight[best] > this.weight[x]) {
      this.weight[x] = rivalWeight[best];
      this.paint[x] = rivalPaint[best];
    }
    this.rivals = 0;
    this.current = -1;
  }
}

/** `share` of `b` in `a`, channel by channel; alpha is left out. */
export function mix(a: number, b: number, share: number): number {
  const r = mixByte(a & 255, b & 255, share);
  const g = mixByte((a >>> 8) & 255, (b >>> 8) & 255, share);
  const blue = mixByte((a >>> 16) & 255, (b >>> 16) & 255, share);
  return r | (g << 8) | (blue << 16);
}

function mixByte(a: number, b: number, share: number): number {
  return Math.round(a + (b - a) * share);
}
