// Increments of Fine Performance Metrics: how much of each key lies in a time, and in each
// of equal columns of it. What a row measured is spread evenly over its stretch, so that
// adjacent times add up.

import type { TableColumns } from "../schema";
import { type RingRows, shownOf } from "./series";
import {
  blocksOf,
  eachTouching,
  repeatedRows,
  type ShownStretches,
} from "./stretches";

export type MetricColumns = TableColumns["metrics"];
type Ring = RingRows & { readonly columns: MetricColumns };

/** Equal columns of time, each `width` seconds. */
export interface Grid {
  readonly start: number;
  readonly width: number;
  readonly columns: number;
}

interface Known {
  readonly columns: MetricColumns;
  readonly keys: Uint32Array;
}

/**
 * The keys that rows have, numbered as they are met. One table serves all rows of a session:
 * what is known of rows that came before is not looked up again.
 */
export class MetricKeys {
  size = 0;
  context = new Uint8Array(64);
  prefix = new Uint16Array(64);
  activity = new Uint16Array(64);
  span = new Uint16Array(64);
  unit = new Uint8Array(64);
  /** By hash, one more than the number of a key; a power of two of places. */
  private places = new Uint32Array(256);
  private readonly known: (Known | undefined)[] = [];

  /** Of each row of a ring the number of its key. */
  of(ring: number, columns: MetricColumns): Uint32Array {
    const before = this.known[ring];
    if (before?.columns === columns) return before.keys;
    const rows = columns.time.length;
    const keys = new Uint32Array(rows);
    const same = before
      ? repeatedRows(marksOf(before.columns), marksOf(columns))
      : 0;
    if (before) keys.set(before.keys.subarray(0, same));
    for (let row = same; row < rows; row++) keys[row] = this.find(columns, row);
    this.known[ring] = { columns, keys };
    return keys;
  }

  private find(columns: MetricColumns, row: number): number {
    const context = columns.context[row];
    const prefix = columns.prefix[row];
    const activity = columns.activity[row];
    const span = columns.span[row];
    const unit = columns.unit[row];
    const mask = this.places.length - 1;
    let hash = Math.imul((prefix << 16) | span, 0x9e3779b1);
    hash ^= Math.imul((activity << 16) | (context << 8) | unit, 0x85ebca6b);
    let place = (hash ^ (hash >>> 15)) & mask;
    for (;;) {
      const key = this.places[place] - 1;
      if (key < 0) break;
      const same =
        this.prefix[key] === prefix &&
        this.activity[key] === activity &&
        this.span[key] === span &&
        this.context[key] === context &&
        this.unit[key] === unit;
      if (same) return key;
      place = (place + 1) & mask;
    }
    if (this.size === this.prefix.length) this.grow();
    const key = this.size++;
    this.context[key] = context;
    this.prefix[key] = prefix;
    this.activity[key] = activity;
    this.span[key] = span;
    this.unit[key] = unit;
    this.places[place] = key + 1;
    if (this.size * 2 > mask) this.rehash(columns);
    return key;
  }

  private grow(): void {
    const larger = <T extends Uint8Array | Uint16Array>(cells: T): T => {
      const size = 2 * cells.length;
      const more = new (cells.constructor as new (size: number) => T)(size);
      more.set(cells);
      return more;
    };
    this.context = larger(this.context);
    this.prefix = larger(this.prefix);
    this.activity = larger(this.activity);
    this.span = larger(this.span);
    this.unit = larger(this.unit);
  }

  private rehash(columns: MetricColumns): void {
    const { size, context, prefix, activity, span, unit } = this;
    this.places = new Uint32Array(this.places.length * 4);
    this.size = 0;
    const own = { ...columns, context, prefix, activity, span, unit };
    for (let key = 0; key < size; key++) this.find(own, key);
  }
}

const marksOf = ({ time, value, activity }: MetricColumns) => [
  time,
  value,
  activity,
];

export class MetricRows {
  /** Rows that were looked at since this was made. */
  visited = 0;
  private readonly parts: readonly (ShownStretches & {
    readonly columns: MetricColumns;
    readonly keyOf: Uint32Array;
  })[];
  private readonly sums = new Map<string, Float64Array>();
  private readonly size: number;

  constructor(
    rings: readonly Ring[],
    readonly keys: MetricKeys,
  ) {
    this.parts = shownOf(rings).map(({ ring, begin, end }, at) => ({
      ...{ columns: ring.columns, begin, end },
      blocks: blocksOf(ring.columns),
      keyOf: keys.of(at, ring.columns),
    }));
    this.size = keys.size;
  }

  /** By key, how much lies between two times; the same array for the same times. */
  between(start: number, stop: number): Float64Array {
    const id = `${start} ${stop}`;
    const known = this.sums.get(id);
    if (known) return known;
    const sums = new Float64Array(this.size);
    this.visit(start, stop, (key, value, from, to, seconds) => {
      sums[key] += seconds > 0 ? value * ((to - from) / seconds) : value;
    });
    if (this.sums.size >= 8) this.sums.clear();
    this.sums.set(id, sums);
    return sums;
  }

  /**
   * At `group * columns + column`, how much of a group lies in each column. `groupOf` a key
   * below zero leaves it out.
   */
  spread(
    { start, width, columns }: Grid,
    groupOf: ArrayLike<number>,
    groups: number,
  ): Float64Array {
    const out = new Float64Array(groups * columns);
    const stop = start + width * columns;
    this.visit(start, stop, (key, value, from, to, seconds) => {
      const group = groupOf[key] ?? -1;
      if (group < 0) return;
      const base = group * columns;
      const left = (from - start) / width;
      const first = Math.min(columns - 1, Math.floor(left));
      const right = (to - start) / width;
      if (right <= first + 1) {
        out[base + first] +=
          seconds > 0 ? value * ((to - from) / seconds) : value;
        return;
      }
      const each = (value * width) / seconds;
      for (let column = first; column < right && column < columns; column++) {
        const part = Math.min(right, column + 1) - Math.max(left, column);
        out[base + column] += each * part;
      }
    });
    return out;
  }

  /** Each row that touches a time, with the part of it that lies there. */
  private visit(
    start: number,
    stop: number,
    see: (
      key: number,
      value: number,
      from: number,
      to: number,
      seconds: number,
    ) => void,
  ): void {
    for (const part of this.parts) {
      const { keyOf } = part;
      const { value } = part.columns;
      this.visited += eachTouching(
        part,
        start,
        stop,
        (row, from, to, seconds) =>
          see(keyOf[row], value[row], from, to, seconds),
      );
    }
  }
}

/** What counts; null is all. Of indexes into dictionaries a mask, 1 for each that counts. */
export interface MetricFilter {
  readonly unit: number;
  readonly contexts: (context: number) => boolean;
  readonly prefixes: Uint8Array | null;
  readonly spans: Uint8Array | null;
  readonly activities: (activity: number) => boolean;
}

/** Of each key whether it counts. */
export function keysIn(keys: MetricKeys, filter: MetricFilter): Uint8Array {
  const { size, context, prefix, activity, span, unit } = keys;
  const { prefixes, spans } = filter;
  const counts = new Uint8Array(size);
  for (let key = 0; key < size; key++) {
    const isIn =
      unit[key] === filter.unit &&
      (prefixes === null || prefixes[prefix[key]] === 1) &&
      (spans === null || spans[span[key]] === 1) &&
      filter.contexts(context[key]) &&
      filter.activities(activity[key]);
    if (isIn) counts[key] = 1;
  }
  return counts;
}

/** Sums by an index of their keys, with the parts that each has of another index. */
export function sumsBy(
  indexOf: ArrayLike<number>,
  partOf: ArrayLike<number>,
  counts: Uint8Array,
  sums: Float64Array,
): Map<number, { total: number; readonly parts: Map<number, number> }> {
  const all: ReturnType<typeof sumsBy> = new Map();
  for (let key = 0; key < sums.length; key++) {
    if (counts[key] === 0 || sums[key] === 0) continue;
    const index = indexOf[key];
    let one = all.get(index);
    if (!one) all.set(index, (one = { total: 0, parts: new Map() }));
    one.total += sums[key];
    const part = partOf[key];
    one.parts.set(part, (one.parts.get(part) ?? 0) + sums[key]);
  }
  return all;
}
