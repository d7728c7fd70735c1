// Per pixel column of one row: how busy it was, and its dominant paint. The loops here
// visit up to a million nodes per frame, so they allocate nothing.

import type { RowFilter } from "../model/filter";
import {
  PAINT_ERRED,
  PAINT_NONE,
  type FilteredNodes,
  type Segment,
} from "../model/segment";

/** Rows at least this wide are drawn as rectangles with sharp edges. */
export const SHARP_PX = 3;

/** Colours of one track, RGBA in a little-endian Uint32, opaque. */
export interface TrackColours {
  /** By paint: a prefix on the compute track, an action on the overlay. */
  paints: Uint32Array;
  /** For paints that are not in `paints`. */
  other: number;
  erred: number;
  /** For rows that the filter excludes; its alpha is kept. */
  rest: number;
}

const RIVALS = 8;
/** Minimum width, so that a row without duration is visible. */
const LEAST_PX = 1 / 64;
/** Minimum alpha (of 255), so that a line of one pixel is visible. */
const LEAST_ALPHA = 128;
/** Share of the error colour in a column that an erred task does not fill. */
const ERRED_SHARE = 0.6;

export class Columns {
  private width = 0;
  /** Per column: busy share, dominant paint, and the weight of that paint. */
  private busy = new Float32Array(0);
  private paint = new Uint16Array(0);
  private weight = new Float32Array(0);
  private erred = new Uint8Array(0);
  private rest = new Float32Array(0);
  private hasRest = false;

  private readonly rivalPaint = new Int32Array(RIVALS);
  private readonly rivalWeight = new Float64Array(RIVALS);
  private gathered = -1;
  private rivals = 0;

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
  }

  /**
   * Add blocks `from..to` of a pyramid level, up to the first one wider than `widest` pixels;
   * returns its index.
   */
  addBlocks(
    segment: Segment,
    level: number,
    from: number,
    to: number,
    t0: number,
    scale: number,
    widest: number,
    matching: FilteredNodes | null,
    dimmed: boolean,
  ): number {
    const { start, reach, busy, paint, erred } = segment;
    const shift = 3 * level;
    const offset = segment.offset[level];
    const { width } = this;
    const columnErred = this.erred;
    let k = from;
    for (; k < to; k++) {
      const at = offset + k;
      const size = reach[at] * scale;
      if (size > widest) break;
      let left = (start[k << shift] - t0) * scale;
      let right = left + size;
      if (right < 0 || left >= width) continue;
      let work = busy[at] * scale;
      let colour = paint[at];
      let rest = dimmed;
      if (matching !== null) {
        colour = matching.paint[at];
        if (colour === PAINT_NONE) rest = true;
        else work = matching.busy[at] * scale;
      }
      if (work < LEAST_PX) work = LEAST_PX;
      const perPixel = size > 0 ? work / size : 1;
      const middle = Math.floor((left + right) / 2);
      let inside = left >= 0 && right <= width;
      if (left < 0) left = 0;
      if (right > width) right = width;
      const x = left | 0;
      inside = inside && right <= x + 1;
      if (rest) {
        this.addRest(x, left, right, inside ? work : 0, perPixel);
        continue;
      }
      // The block does not know which of its columns erred: mark one of them.
      if (erred[at] !== 0) columnErred[middle] = 1;
      this.spread(x, left, right, inside ? work : 0, perPixel, colour);
    }
    this.settleLast();
    return k;
  }

  /**
   * Add rows `from..to`, up to the first one wide enough for sharp edges; returns its index.
   */
  addRows(
    segment: Segment,
    from: number,
    to: number,
    t0: number,
    scale: number,
    filter: RowFilter | null,
    dimmed: boolean,
  ): number {
    const { start, duration } = segment;
    const { width } = this;
    const columnErred = this.erred;
    let row = from;
    for (; row < to; row++) {
      const seconds = duration[row];
      let work = seconds > 0 ? seconds * scale : 0;
      if (work >= SHARP_PX) break;
      let left = (start[row] - t0) * scale;
      let right = left + work;
      if (right < 0 || left >= width) continue;
      if (work < LEAST_PX) work = LEAST_PX;
      let inside = left >= 0 && right <= width;
      if (left < 0) left = 0;
      if (right > width) right = width;
      const x = left | 0;
      inside = inside && right <= x + 1;
      if (dimmed || (filter !== null && !filter.matches(segment, row))) {
        this.addRest(x, left, right, inside ? work : 0, 1);
        continue;
      }
      const colour = segment.paintOf(row);
      if (colour === PAINT_ERRED) columnErred[x] = 1;
      this.spread(x, left, right, inside ? work : 0, 1, colour);
    }
    this.settleLast();
    return row;
  }

  addPart(
    x: number,
    part: number,
    paint: number,
    erred: number,
    rest: boolean,
  ): void {
    const weight = part > LEAST_PX ? part : LEAST_PX;
    if (rest) {
      this.rest[x] += weight;
      return;
    }
    this.busy[x] += weight;
    if (erred !== 0) this.erred[x] = 1;
    this.rivalPaint[0] = paint;
    this.rivalWeight[0] = weight;
    this.settle(x, 1);
  }

  fill(from: number, to: number, paint: number, rest: boolean): void {
    if (to <= from) return;
    if (rest) {
      this.rest.fill(1, from, to);
      return;
    }
    this.busy.fill(1, from, to);
    this.weight.fill(1, from, to);
    this.paint.fill(paint, from, to);
  }

  /** Write the colours of the columns to `out`, from `at` on. */
  write(colours: TrackColours, out: Uint32Array, at: number): void {
    const { paints, other, erred: black } = colours;
    const { busy, paint, erred, rest, hasRest, width } = this;
    const known = paints.length;
    const restAlpha = colours.rest >>> 24;
    const restColour = colours.rest & 0xffffff;
    for (let x = 0; x < width; x++) {
      const part = busy[x];
      if (part > 0) {
        const index = paint[x];
        let colour = index < known ? paints[index] : other;
        if (index === PAINT_ERRED) colour = black;
        else if (erred[x] !== 0) colour = mix(colour, black, ERRED_SHARE);
        const alpha =
          part >= 1 ? 255 : (LEAST_ALPHA + (255 - LEAST_ALPHA) * part) | 0;
        out[at + x] = (colour & 0xffffff) | (alpha << 24);
      } else if (hasRest && rest[x] > 0) {
        const share = rest[x] >= 1 ? 1 : 0.25 + 0.75 * rest[x];
        out[at + x] = restColour | ((restAlpha * share) << 24);
      } else {
        out[at + x] = 0;
      }
    }
  }

  /**
   * Add the time of a paint to the columns from `x` on. `whole` is its time if it lies within
   * one column, else 0.
   */
  private spread(
    x: number,
    left: number,
    right: number,
    whole: number,
    perPixel: number,
    colour: number,
  ): void {
    const { rivalPaint, rivalWeight, busy } = this;
    for (;;) {
      const edge = right < x + 1 ? right : x + 1;
      const weight = whole > 0 ? whole : (edge - left) * perPixel;
      busy[x] += weight;
      if (x === this.gathered) {
        const { rivals } = this;
        let rival = 0;
        while (rival < rivals && rivalPaint[rival] !== colour) rival++;
        if (rival < rivals) {
          rivalWeight[rival] += weight;
        } else if (rivals < RIVALS) {
          rivalPaint[rivals] = colour;
          rivalWeight[rivals] = weight;
          this.rivals = rivals + 1;
        }
      } else {
        if (this.rivals > 0) this.settle(this.gathered, this.rivals);
        this.gathered = x;
        this.rivals = 1;
        rivalPaint[0] = colour;
        rivalWeight[0] = weight;
      }
      if (edge >= right) return;
      left = edge;
      x++;
    }
  }

  private settleLast(): void {
    if (this.rivals > 0) this.settle(this.gathered, this.rivals);
    this.rivals = 0;
    this.gathered = -1;
  }

  /** The same as `spread`, for dimmed rows. */
  private addRest(
    x: number,
    left: number,
    right: number,
    whole: number,
    perPixel: number,
  ): void {
    if (whole > 0) {
      this.rest[x] += whole;
      return;
    }
    for (; x < right; x++) {
      const from = x > left ? x : left;
      const to = x + 1 < right ? x + 1 : right;
      this.rest[x] += (to - from) * perPixel;
    }
  }

  /** Choose the paint of a column: the heaviest rival, if heavier than the previous choice. */
  private settle(x: number, rivals: number): void {
    const { rivalPaint, rivalWeight } = this;
    let best = 0;
    for (let i = 1; i < rivals; i++) {
      if (rivalWeight[i] > rivalWeight[best]) best = i;
    }
    if (rivalWeight[best] > this.weight[x]) {
      this.weight[x] = rivalWeight[best];
      this.paint[x] = rivalPaint[best];
    }
  }
}

/** Mix `share` of `b` into `a`, per channel, without alpha. */
export function mix(a: number, b: number, share: number): number {
  const r = mixByte(a & 255, b & 255, share);
  const g = mixByte((a >>> 8) & 255, (b >>> 8) & 255, share);
  const blue = mixByte((a >>> 16) & 255, (b >>> 16) & 255, share);
  return r | (g << 8) | (blue << 16);
}

function mixByte(a: number, b: number, share: number): number {
  return Math.round(a + (b - a) * share);
}
