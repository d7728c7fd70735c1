// Increments of Fine Performance Metrics: the amount of each key in a time, or in equal
// columns of it. A row's value is spread evenly over its time range, so that adjacent times
// add up.

import { spread } from "../model/busy";
import type { Group } from "../model/groups";
import type { TableColumns } from "../schema";
import { type RingRows, shownOf } from "./series";
import { blocksOf, droppedRows, rowsOverlapping } from "./intervals";

export type MetricColumns = TableColumns["metrics"];
type Ring = RingRows & { readonly columns: MetricColumns };

/** Equal columns of time, each `width` seconds. */
export interface Grid {
  readonly start: number;
  readonly width: number;
  readonly columns: number;
}

/** The first entries of the dictionaries of contexts and units. */
const EXECUTE = 0;
const SECONDS = 0;

type Part = "prefix" | "activity" | "span" | "unit";

/** Used indexes, sorted, and the place of each index among them (negative if not used). */
interface Used {
  readonly indexes: readonly number[];
  readonly places: Int32Array;
}

/** The rows of a ring, with the key number of each row and the times of blocks of rows. */
interface Numbered {
  readonly columns: MetricColumns;
  readonly rowKeys: Uint32Array;
  readonly blocks: Float64Array;
}

/**
 * Numbers the keys of rows in order of appearance. One instance serves a whole session, so
 * that known rows are not looked up again.
 */
export class MetricKeys {
  size = 0;
  context = new Uint8Array(64);
  prefix = new Uint16Array(64);
  activity = new Uint16Array(64);
  span = new Uint16Array(64);
  unit = new Uint8Array(64);
  /** By key: the number of its pair, see `pairOf`. */
  pair = new Uint32Array(64);
  readonly pairs = new Map<number, number>();
  /** Hash table: key number + 1, or 0; its size is a power of two. */
  private places = new Uint32Array(256);
  private readonly known: (Numbered | undefined)[] = [];
  private readonly listed: Partial<Record<Part, Used & { size: number }>> = {};

  /** Numbers the rows of a ring; only new rows are looked up. */
  of(ring: number, columns: MetricColumns): Numbered {
    const before = this.known[ring];
    if (before?.columns === columns) return before;
    const rows = columns.time.length;
    const rowKeys = new Uint32Array(rows);
    const dropped =
      before && droppedRows(marksOf(before.columns), marksOf(columns));
    let row = 0;
    if (before && dropped !== null && dropped !== undefined) {
      const kept = before.rowKeys.subarray(dropped);
      rowKeys.set(kept);
      row = kept.length;
    }
    for (; row < rows; row++) rowKeys[row] = this.find(columns, row);
    const found = { columns, rowKeys, blocks: blocksOf(columns) };
    this.known[ring] = found;
    return found;
  }

  /** The indexes used by keys; cached until a new key arrives. */
  used(of: Part): Used {
    const before = this.listed[of];
    if (before?.size === this.size) return before;
    const places = new Int32Array(0x10000).fill(-1);
    for (let key = 0; key < this.size; key++) places[this[of][key]] = 0;
    const indexes: number[] = [];
    for (let at = places.indexOf(0); at >= 0; at = places.indexOf(0, at + 1)) {
      places[at] = indexes.length;
      indexes.push(at);
    }
    const found = { size: this.size, indexes, places };
    this.listed[of] = found;
    return found;
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
    const pair = context === EXECUTE ? pairOf(prefix, span) : NO_PAIR;
    if (!this.pairs.has(pair)) this.pairs.set(pair, this.pairs.size);
    this.pair[key] = this.pairs.get(pair)!;
    this.places[place] = key + 1;
    if (this.size * 2 > mask) this.rehash(columns);
    return key;
  }

  private grow(): void {
    const larger = <T extends Uint8Array | Uint16Array | Uint32Array>(
      cells: T,
    ): T => {
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
    this.pair = larger(this.pair);
  }

  private rehash(columns: MetricColumns): void {
    const { size, context, prefix, activity, span, unit } = this;
    this.places = new Uint32Array(this.places.length * 4);
    this.size = 0;
    const own = { ...columns, context, prefix, activity, span, unit };
    for (let key = 0; key < size; key++) this.find(own, key);
  }
}

/** One number per prefix and span; `NO_PAIR` for contexts other than execute. */
const pairOf = (prefix: number, span: number): number =>
  span * 0x10000 + prefix;
const NO_PAIR = -1;

const marksOf = ({ time, value, activity }: MetricColumns) => [
  ...[time, value, activity],
];

/** Row numbers grouped by prefix and span; within a group, in their original order. */
class RowsByPair {
  private readonly ends: Uint32Array;
  private readonly rows: Uint32Array;

  constructor(
    rowKeys: Uint32Array,
    private readonly keys: MetricKeys,
  ) {
    const { pair, pairs } = keys;
    // Counting sort: counts, then starts, and after placing the rows, ends.
    this.ends = new Uint32Array(pairs.size + 1);
    for (const key of rowKeys) this.ends[pair[key] + 1] += 1;
    for (let place = 1; place < this.ends.length; place++) {
      this.ends[place] += this.ends[place - 1];
    }
    this.rows = new Uint32Array(rowKeys.length);
    for (let row = 0; row < rowKeys.length; row++) {
      this.rows[this.ends[pair[rowKeys[row]]]++] = row;
    }
  }

  of(pair: number): Uint32Array {
    const place = this.keys.pairs.get(pair) ?? Infinity;
    // The pair may be newer than these rows.
    if (place >= this.ends.length - 1) return this.rows.subarray(0, 0);
    return this.rows.subarray(this.ends[place - 1] ?? 0, this.ends[place]);
  }
}

/** Output array by key or group, in columns if there is a grid. */
interface Sums {
  readonly out: Float64Array;
  /** Group by key, negative to leave it out; null: group by key itself. */
  readonly groupOf: ArrayLike<number> | null;
  readonly grid: Grid | null;
}

/** Indexes that count, as masks, and task groups whose share counts; null is all. */
export interface Selected {
  readonly prefixes: Uint8Array | null;
  readonly spans: Uint8Array | null;
  readonly groups: readonly Group[] | null;
}
const ALL: Selected = { prefixes: null, spans: null, groups: null };

/** Cache size: enough for the times and grids of the focus and of the whole run. */
const KEPT = 8;

export class MetricRows {
  /** Rows visited so far. */
  visited = 0;
  /** Indexes of the activities, sorted. */
  readonly activities: readonly number[];
  private readonly parts: readonly (Numbered & {
    readonly begin: number;
    readonly end: number;
    byPair: RowsByPair | null;
  })[];
  private readonly known = new Map<string, Float64Array>();
  private of: {
    readonly groups: readonly Group[];
    readonly start: number;
    readonly stop: number;
    readonly sums: Float64Array;
  } | null = null;
  private readonly size: number;
  private readonly places: Int32Array;
  /** By key: 0 if its time is part of a task's interval, else negative. */
  private readonly ofTasks: Int8Array;

  constructor(
    rings: readonly Ring[],
    readonly keys: MetricKeys,
    /** Activities in which no task ran. */
    beside: ReadonlySet<number> = new Set(),
  ) {
    this.parts = shownOf(rings).map(({ ring, begin, end }, at) => ({
      ...keys.of(at, ring.columns),
      ...{ begin, end, byPair: null },
    }));
    this.size = keys.size;
    const { indexes, places } = keys.used("activity");
    [this.activities, this.places] = [indexes, places];
    this.ofTasks = new Int8Array(this.size).fill(-1);
    for (let key = 0; key < this.size; key++) {
      const executed = keys.context[key] === EXECUTE;
      if (!executed || keys.unit[key] !== SECONDS) continue;
      if (!beside.has(keys.activity[key])) this.ofTasks[key] = 0;
    }
  }

  /** The amount of each key between two times; cached. */
  between(start: number, stop: number): Float64Array {
    return this.kept(`${start} ${stop}`, () => {
      const out = new Float64Array(this.size);
      this.add({ out, groupOf: null, grid: null }, start, stop);
      return out;
    });
  }

  /**
   * By key: the share that tasks of some groups have in what was executed between two times;
   * cached for the last list and times.
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
    const into = { out: sums, groupOf: null, grid: null };
    this.addGroups(into, groups, start, stop);
    this.of = { groups, start, stop, sums };
    return sums;
  }

  /**
   * The amount of each group per column, at `group * columns + column`. A key with a negative
   * `groupOf` is left out.
   */
  spread(
    grid: Grid,
    groupOf: ArrayLike<number>,
    groups: number,
    /** Count only the share of their tasks. */
    of: Iterable<Group> | null = null,
  ): Float64Array {
    const { start, width, columns } = grid;
    const out = new Float64Array(groups * columns);
    const stop = start + width * columns;
    if (of) this.addGroups({ out, groupOf, grid }, of, start, stop);
    else this.add({ out, groupOf, grid }, start, stop);
    return out;
  }

  /**
   * Executing by activity per column, at `place * columns + column`; `place` is the index in
   * `activities`. Cached by grid if nothing is selected.
   */
  executed(grid: Grid, unit: number, only: Selected = ALL): Float64Array {
    const count = (): Float64Array => {
      const places = this.byActivity(unit, only);
      return this.spread(grid, places, this.activities.length, only.groups);
    };
    const { start, width, columns } = grid;
    const id = [start, width, columns, unit].join(" ");
    return only === ALL ? this.kept(id, count) : count();
  }

  /** By key: the place of its activity, or negative if it was not executed. */
  byActivity(unit: number, only: Selected = ALL): Int32Array {
    const { keys } = this;
    const counts = keysIn(keys, { ...only, unit, context: EXECUTE });
    const places = new Int32Array(counts.length);
    for (let key = 0; key < counts.length; key++) {
      places[key] = counts[key] === 1 ? this.places[keys.activity[key]] : -1;
    }
    return places;
  }

  private kept(id: string, count: () => Float64Array): Float64Array {
    const found = this.known.get(id) ?? count();
    // Reinsert, so that the least recently used entry is the first.
    this.known.delete(id);
    this.known.set(id, found);
    const [eldest] = this.known.keys();
    if (this.known.size > KEPT) this.known.delete(eldest);
    return found;
  }

  /**
   * Adds what tasks of some groups took between two times: the amounts of their function and
   * span, times the share of the groups' seconds in those of all tasks.
   */
  private addGroups(
    into: Sums,
    groups: Iterable<Group>,
    start: number,
    stop: number,
  ): void {
    const measured = new Float64Array(1);
    const ofTasks = { out: measured, groupOf: this.ofTasks, grid: null };
    for (const group of groups) {
      const pair = pairOf(group.prefix, group.span);
      measured[0] = 0;
      this.add(ofTasks, group.start, group.stop, pair);
      if (!(measured[0] > 0)) continue;
      const share = Math.min(1, group.seconds / measured[0]);
      const from = Math.max(start, group.start);
      this.add(into, from, Math.min(stop, group.stop), pair, share);
    }
  }

  /**
   * Adds the part of each row that lies in a time, for one prefix and span or for all. Inlined
   * on purpose: calls for each row would allocate half a million numbers.
   */
  private add(
    { out, groupOf, grid }: Sums,
    start: number,
    stop: number,
    pair: number | null = null,
    share = 1,
  ): void {
    const { start: begins, width, columns } = grid ?? NO_GRID;
    for (const part of this.parts) {
      const { rowKeys, begin, end, blocks } = part;
      const { time, duration, value } = part.columns;
      let rows: Uint32Array | null = null;
      let [first, last] = [0, 0];
      if (pair !== null) {
        part.byPair ??= new RowsByPair(rowKeys, this.keys);
        rows = part.byPair.of(pair);
      } else {
        [first, last] = rowsOverlapping(blocks, time.length, start, stop);
      }
      const count = rows ? rows.length : last - first;
      this.visited += count;
      for (let at = 0; at < count; at++) {
        const row = rows ? rows[at] : first + at;
        const key = rowKeys[row];
        const group = groupOf ? groupOf[key] : key;
        if (group < 0) continue;
        const since = time[row];
        if (!(since >= begin && since < end && since < stop)) continue;
        const seconds = duration[row];
        const until = since + seconds;
        if (seconds > 0 ? until <= start : since < start) continue;
        const from = since > start ? since : start;
        const to = until < stop ? until : stop;
        const part = seconds > 0 ? (to - from) / seconds : 1;
        const amount = value[row] * part * share;
        if (!grid) {
          out[group] += amount;
          continue;
        }
        const left = (from - begins) / width;
        const right = (to - begins) / width;
        const most = columns - 1;
        const base = group * columns;
        spread(out, base, columns, left < most ? left : most, right, amount);
      }
    }
  }
}

const NO_GRID: Grid = { start: 0, width: 1, columns: 1 };

/** Which keys count; null is all. Masks have a 1 for each index that counts. */
export interface MetricFilter {
  readonly unit: number;
  readonly context: number;
  readonly prefixes?: Uint8Array | null;
  readonly spans?: Uint8Array | null;
  readonly activities?: Uint8Array | null;
}

/** A mask of the keys that count. */
export function keysIn(keys: MetricKeys, filter: MetricFilter): Uint8Array {
  const { size, context, prefix, activity, span, unit } = keys;
  const { prefixes, spans, activities } = filter;
  const counts = new Uint8Array(size);
  for (let key = 0; key < size; key++) {
    const isIn =
      unit[key] === filter.unit &&
      context[key] === filter.context &&
      (!prefixes || prefixes[prefix[key]] === 1) &&
      (!spans || spans[span[key]] === 1) &&
      (!activities || activities[activity[key]] === 1);
    if (isIn) counts[key] = 1;
  }
  return counts;
}

export interface KeySum {
  /** Index of the prefix or of the activity. */
  readonly index: number;
  readonly total: number;
  /** Its parts by activity. */
  parts(): (readonly [activity: number, value: number])[];
}

/** Sums by prefix or activity, without empty ones. */
export function sumsBy(
  keys: MetricKeys,
  by: "prefix" | "activity",
  counts: Uint8Array,
  sums: Float64Array,
): KeySum[] {
  const { indexes: rows, places: rowOf } = keys.used(by);
  const { indexes: parts, places: partOf } = keys.used("activity");
  const cells = new Float64Array(rows.length * parts.length);
  const totals = new Float64Array(rows.length);
  const found = new Uint8Array(rows.length);
  const [of, activity] = [keys[by], keys.activity];
  for (let key = 0; key < sums.length; key++) {
    if (counts[key] === 0 || sums[key] === 0) continue;
    const row = rowOf[of[key]];
    found[row] = 1;
    totals[row] += sums[key];
    cells[row * parts.length + partOf[activity[key]]] += sums[key];
  }
  const partsAt = (row: number) =>
    parts.flatMap((activity, at) => {
      const value = cells[row * parts.length + at];
      return value === 0 ? [] : [[activity, value] as const];
    });
  return rows.flatMap((index, at) =>
    found[at] === 1
      ? [{ index, total: totals[at], parts: () => partsAt(at) }]
      : [],
  );
}
