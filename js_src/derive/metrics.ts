// Increments of Fine Performance Metrics: how much of each key lies in a time, and in each
// of equal columns of it. What a row measured is spread evenly over its stretch, so that
// adjacent times add up.

import { spread } from "../model/busy";
import type { Group } from "../model/groups";
import { sortByKey } from "../model/search";
import type { TableColumns } from "../schema";
import { type RingRows, shownOf } from "./series";

export type MetricColumns = TableColumns["metrics"];
type Ring = RingRows & { readonly columns: MetricColumns };

/** Equal columns of time, each `width` seconds. */
export interface Grid {
  readonly start: number;
  readonly width: number;
  readonly columns: number;
}

/** The first entries of their dictionaries. */
const EXECUTE = 0;
const SECONDS = 0;

/** Rows come about in order of time: those of a chunk are near each other. */
const CHUNK_ROWS = 1024;

/** Rows that follow one another, looked at once: they stay what they are while others come. */
class Chunk {
  /** When the first of them begins, and the last ends. */
  readonly least: number;
  readonly most: number;
  private order: Uint32Array | null = null;

  constructor(
    { time, duration }: MetricColumns,
    first: number,
    /** Of each row the number of its key. */
    readonly keys: Uint32Array,
  ) {
    let [least, most] = [Infinity, -Infinity];
    for (let row = first; row < first + keys.length; row++) {
      if (time[row] < least) least = time[row];
      const until = time[row] + duration[row];
      if (until > most) most = until;
    }
    [this.least, this.most] = [least, most];
  }

  /** Those that were executed, of a prefix and a span. */
  of(pair: number, keys: MetricKeys): Uint32Array {
    const pairs = (at: number): number => keys.pairOf(this.keys[at]);
    if (!this.order) {
      this.order = Uint32Array.from(this.keys, (_, at) => at);
      const by = Float64Array.from(this.keys, (_, at) => pairs(at));
      sortByKey(this.order, 0, by.length, by);
    }
    const { order } = this;
    const firstFrom = (least: number): number => {
      let [from, to] = [0, order.length];
      while (from < to) {
        const middle = (from + to) >>> 1;
        if (pairs(order[middle]) < least) from = middle + 1;
        else to = middle;
      }
      return from;
    };
    return order.subarray(firstFrom(pair), firstFrom(pair + 1));
  }
}

/** Where a chunk is in a ring; before its beginning where rows were dropped. */
interface Placed {
  readonly first: number;
  readonly chunk: Chunk;
}

interface Known {
  readonly columns: MetricColumns;
  readonly chunks: readonly Placed[];
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
  private readonly usedBefore: Record<
    string,
    { readonly size: number; readonly indexes: readonly number[] } | undefined
  > = {};

  /** The rows of a ring. Those that it had before are not looked up again. */
  of(ring: number, columns: MetricColumns): readonly Placed[] {
    const before = this.known[ring];
    if (before?.columns === columns) return before.chunks;
    const rows = columns.time.length;
    const chunks: Placed[] = [];
    const dropped = before ? droppedOf(before.columns, columns) : null;
    if (before && dropped !== null) {
      for (const { first, chunk } of before.chunks) {
        const isFull = chunk.keys.length === CHUNK_ROWS;
        if (!isFull || first - dropped <= -CHUNK_ROWS) continue;
        chunks.push({ first: first - dropped, chunk });
      }
    }
    const last = chunks.at(-1);
    let first = last ? last.first + CHUNK_ROWS : 0;
    for (; first < rows; first += CHUNK_ROWS) {
      const count = Math.min(CHUNK_ROWS, rows - first);
      const keys = new Uint32Array(count);
      for (let at = 0; at < count; at++) {
        keys[at] = this.find(columns, first + at);
      }
      chunks.push({ first, chunk: new Chunk(columns, first, keys) });
    }
    this.known[ring] = { columns, chunks };
    return chunks;
  }

  /** The indexes that keys have, in order; the same list while no key came. */
  used(of: "prefix" | "activity" | "span" | "unit"): readonly number[] {
    const before = this.usedBefore[of];
    if (before?.size === this.size) return before.indexes;
    const has = new Uint8Array(0x10000);
    for (let key = 0; key < this.size; key++) has[this[of][key]] = 1;
    const indexes: number[] = [];
    for (let at = has.indexOf(1); at >= 0; at = has.indexOf(1, at + 1)) {
      indexes.push(at);
    }
    this.usedBefore[of] = { size: this.size, indexes };
    return indexes;
  }

  /** One number for the prefix and the span of a key; of what was not executed less than 0. */
  pairOf(key: number): number {
    const executed = this.context[key] === EXECUTE;
    return executed ? pairOf(this.prefix[key], this.span[key]) : -1;
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

const pairOf = (prefix: number, span: number): number =>
  span * 0x10000 + prefix;

/** How many of the rows that were there have gone, if the others are still the first. */
function droppedOf(before: MetricColumns, now: MetricColumns): number | null {
  const rows = before.time.length;
  const isSame = (row: number, dropped: number): boolean =>
    before.time[row] === now.time[row - dropped] &&
    before.value[row] === now.value[row - dropped] &&
    before.activity[row] === now.activity[row - dropped];
  for (let first = 0; first < rows; first++) {
    if (!isSame(first, first)) continue;
    const left = rows - first;
    if (now.time.length < left) return null;
    const middle = first + (left >> 1);
    if (isSame(middle, first) && isSame(rows - 1, first)) return first;
  }
  return null;
}

export class MetricRows {
  /** Rows that were looked at since this was made. */
  visited = 0;
  private readonly parts: readonly {
    readonly columns: MetricColumns;
    readonly chunks: readonly Placed[];
    readonly begin: number;
    readonly end: number;
  }[];
  private readonly sums = new Map<string, Float64Array>();
  private of: {
    readonly groups: readonly Group[];
    readonly start: number;
    readonly stop: number;
    readonly sums: Float64Array;
  } | null = null;
  private readonly size: number;

  constructor(
    rings: readonly Ring[],
    readonly keys: MetricKeys,
    /** Activities in which no task ran. */
    private readonly beside: ReadonlySet<number> = new Set(),
  ) {
    this.parts = shownOf(rings).map(({ ring, begin, end }, at) => ({
      ...{ columns: ring.columns, begin, end },
      chunks: keys.of(at, ring.columns),
    }));
    this.size = keys.size;
  }

  /** By key, how much lies between two times; the same array for the same times. */
  between(start: number, stop: number): Float64Array {
    const id = `${start} ${stop}`;
    const known = this.sums.get(id);
    if (known) return known;
    const sums = new Float64Array(this.size);
    this.visit(start, stop, (key, value) => (sums[key] += value));
    if (this.sums.size >= 8) this.sums.clear();
    this.sums.set(id, sums);
    return sums;
  }

  /**
   * By key, how much tasks of some groups took of what was executed between two times; the
   * same array for the same list and times.
   */
  ofGroups(
    groups: readonly Group[],
    start: number,
    stop: number,
  ): Float64Array {
    const { of } = this;
    if (of?.groups === groups && of.start === start && of.stop === stop) {
      return of.sums;
    }
    const sums = new Float64Array(this.size);
    this.visitGroups(groups, start, stop, (key, value) => (sums[key] += value));
    this.of = { groups, start, stop, sums };
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
    /** Only what their tasks took. */
    of: Iterable<Group> | null = null,
  ): Float64Array {
    const out = new Float64Array(groups * columns);
    const stop = start + width * columns;
    const see: See = (key, value, from, to) => {
      const group = groupOf[key] ?? -1;
      if (group < 0) return;
      const left = Math.min((from - start) / width, columns - 1);
      const right = (to - start) / width;
      spread(out, group * columns, columns, left, right, value);
    };
    if (of) this.visitGroups(of, start, stop, see);
    else this.visit(start, stop, see);
    return out;
  }

  /**
   * What tasks of some groups took between two times: of what was measured of their function
   * and span while they ran, the share that their seconds are of those of all tasks.
   */
  visitGroups(
    groups: Iterable<Group>,
    start: number,
    stop: number,
    see: See,
  ): void {
    for (const group of groups) {
      const pair = pairOf(group.prefix, group.span);
      let measured = 0;
      const count: See = (key, value) => {
        if (this.isOfTasks(key)) measured += value;
      };
      this.visit(group.start, group.stop, count, pair);
      if (!(measured > 0)) continue;
      const share = Math.min(1, group.seconds / measured);
      this.visit(
        Math.max(start, group.start),
        Math.min(stop, group.stop),
        (key, value, from, to) => see(key, value * share, from, to),
        pair,
      );
    }
  }

  /** Whether a key is in the intervals of tasks. */
  private isOfTasks(key: number): boolean {
    const { context, unit, activity } = this.keys;
    return (
      context[key] === EXECUTE &&
      unit[key] === SECONDS &&
      !this.beside.has(activity[key])
    );
  }

  /** Of each row that touches a time the part that lies there; of one prefix and span, or all. */
  private visit(
    start: number,
    stop: number,
    see: See,
    pair: number | null = null,
  ): void {
    for (const { columns, chunks, begin, end } of this.parts) {
      const { time, duration, value } = columns;
      for (const { first, chunk } of chunks) {
        if (chunk.least >= stop || chunk.most < start) continue;
        const rows = pair === null ? null : chunk.of(pair, this.keys);
        const count = rows ? rows.length : chunk.keys.length;
        for (let at = 0; at < count; at++) {
          const place = rows ? rows[at] : at;
          const row = first + place;
          if (row < 0) continue;
          this.visited += 1;
          const since = time[row];
          if (!(since >= begin && since < end && since < stop)) continue;
          const seconds = duration[row];
          const until = since + seconds;
          if (seconds > 0 ? until <= start : since < start) continue;
          const from = since > start ? since : start;
          const to = until < stop ? until : stop;
          const part = seconds > 0 ? (to - from) / seconds : 1;
          see(chunk.keys[place], value[row] * part, from, to);
        }
      }
    }
  }
}

/** `value` is what lies between the two times. */
type See = (key: number, value: number, from: number, to: number) => void;

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
