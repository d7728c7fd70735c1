// Series for drawing: merges the received rings so that each moment appears once, makes
// lines of their columns, and gives the figures of a time.
//
// `recording/series_store.py` has the same rules; tests/contract/series.json checks that
// both give the same figures.

import { findAfter, sortByKey } from "../model/search";

export type Cell = number | string;
type Key = Readonly<Record<string, Cell>>;

/** How a series is declared, as in `TABLES` of the schema. */
export interface SeriesShape {
  readonly columns: Readonly<
    Record<string, { readonly type?: string; readonly combine?: string }>
  >;
}

/** The received rows of one ring, in order of arrival. */
export interface RingRows {
  /** In seconds; 0 for rows as measured. */
  readonly step: number;
  /**
   * From this time on no row is missing. Required if the kernel or the page dropped rows; by
   * default it is the time of the earliest row.
   */
  readonly begin?: number;
  /** Rows as measured need no `_least` and `_most` columns. */
  readonly columns: Readonly<Record<string, ArrayLike<Cell>>>;
}

/** Rows sorted by time; each moment appears once, from the finest ring that has it. */
export interface SeriesRows {
  /** Start of a row: of its step or, for a sum, of the measured time. */
  readonly time: Float64Array;
  /** End of a row; rows as measured are mostly moments. */
  readonly until: Float64Array;
  /** Step of the row's ring, in seconds. */
  readonly step: Float64Array;
  /** The other columns; numeric ones are a Float64Array. */
  readonly columns: Readonly<Record<string, Float64Array | readonly Cell[]>>;
}

/** The shown rows of one ring, sorted by time. */
interface Part {
  readonly ring: RingRows;
  readonly rows: Uint32Array;
  /** Number of the merged row that each row belongs to, in order of appearance. */
  readonly places: Uint32Array;
  readonly count: number;
}

/**
 * Merges rings, given finest first, for one key or all keys.
 *
 * Wider rings supply the times before the finer ones begin, and the finer ones what is newer
 * than the last wide step. Rows of the same step and key are combined.
 */
export function rowsOf(
  { columns: shape }: SeriesShape,
  rings: readonly RingRows[],
  key: Key = {},
): SeriesRows {
  const names = Object.keys(shape).filter((name) => !EXTENT.includes(name));
  const keys = names.filter((name) => shape[name].combine === "key");
  const parts = partsOf(rings, key).map(({ ring, rows }) => ({
    ...{ ring, rows },
    ...placesOf(ring, rows, keys),
  }));
  const first: Combine = (now) => now;
  return {
    time: merged(parts, sinceOf, first),
    until: merged(parts, untilOf, Math.max),
    step: merged(parts, stepOf, first),
    columns: Object.fromEntries(
      names.map((name) => [name, column(parts, name, roleOf(shape, name))]),
    ),
  };
}

/** The rows shown from each ring, widest ring first, sorted by time; each moment once. */
export function partsOf(
  rings: readonly RingRows[],
  key: Key = {},
): { ring: RingRows; rows: Uint32Array }[] {
  return shownOf(rings)
    .map(({ ring, begin, end }) => ({
      ring,
      rows: rowsBetween(ring, begin, end, key),
    }))
    .reverse();
}

/** The time in which each ring is shown: each moment uses the finest ring that has it. */
export function shownOf<R extends RingRows>(
  rings: readonly R[],
): { readonly ring: R; readonly begin: number; readonly end: number }[] {
  let next = Infinity;
  return rings.map((ring, at) => {
    const begin = ring.begin ?? earliest(ring, (rings[at + 1] ?? ring).step);
    const end = floorTo(next, ring.step);
    if (ring.columns["time"].length > 0) next = Math.min(next, begin);
    return { ring, begin, end };
  });
}

const EXTENT = ["time", "duration"];

const stepOf = (ring: RingRows) => () => ring.step;

function sinceOf({ step, columns }: RingRows): (row: number) => number {
  const time = columns["time"] as ArrayLike<number>;
  const exact = "duration" in columns;
  return (row) => (exact ? time[row] : floorTo(time[row], step));
}

function untilOf(ring: RingRows): (row: number) => number {
  const since = sinceOf(ring);
  const lengths = ring.columns["duration"] as ArrayLike<number> | undefined;
  return (row) => since(row) + (lengths ? lengths[row] : ring.step);
}

function column(
  parts: readonly Part[],
  name: string,
  combine: Combine,
): Float64Array | readonly Cell[] {
  const cellsOf = ({ columns }: RingRows) =>
    columns[name] ?? columns[name.replace(/_(least|most)$/, "")];
  const { ring, rows } = parts.find(({ count }) => count > 0) ?? {};
  if (ring && rows && typeof cellsOf(ring)[rows[0]] === "string") {
    return parts.flatMap((part) => {
      const texts: Cell[] = [];
      part.places.forEach((place, at) => {
        texts[place] = cellsOf(part.ring)[part.rows[at]];
      });
      return texts;
    });
  }
  return merged(
    parts,
    (ring) => {
      const cells = cellsOf(ring) as ArrayLike<number>;
      return (row) => cells[row];
    },
    combine,
  );
}

/** Merges a numeric column: cells of the same merged row are combined. */
function merged(
  parts: readonly Part[],
  cellOf: (ring: RingRows) => (row: number) => number,
  combine: Combine,
): Float64Array {
  const out = new Float64Array(
    parts.reduce((sum, { count }) => sum + count, 0),
  );
  let base = 0;
  for (const { ring, rows, places, count } of parts) {
    const cell = cellOf(ring);
    let next = 0;
    for (let at = 0; at < rows.length; at++) {
      const place = base + places[at];
      if (places[at] === next) {
        out[place] = cell(rows[at]);
        next += 1;
      } else out[place] = combine(out[place], cell(rows[at]));
    }
    base += count;
  }
  return out;
}

type Combine = (now: number, more: number) => number;

function roleOf(shape: SeriesShape["columns"], name: string): Combine {
  const { combine } = shape[name];
  if (combine === "key") return (now) => now;
  if (combine === "sum") return (now, more) => now + more;
  const known =
    (which: Combine): Combine =>
    (now, more) =>
      isNaN(more) ? now : isNaN(now) ? more : which(now, more);
  const [, of, end] = /^(.+)_(least|most)$/.exec(name) ?? [];
  if (combine === "extremes" && of in shape) {
    return known(end === "least" ? Math.min : Math.max);
  }
  return known((_, more) => more);
}

function placesOf(
  { step, columns }: RingRows,
  rows: Uint32Array,
  keys: readonly string[],
): Pick<Part, "places" | "count"> {
  if (step === 0)
    return { places: rows.map((_, at) => at), count: rows.length };
  const time = columns["time"] as ArrayLike<number>;
  const places = new Uint32Array(rows.length);
  const seen = new Map<string, number>();
  let count = 0;
  let now = NaN;
  rows.forEach((row, at) => {
    const begin = floorTo(time[row], step);
    if (begin !== now) seen.clear();
    now = begin;
    const id = keys.map((name) => columns[name][row]).join("\0");
    const place = seen.get(id) ?? count++;
    seen.set(id, place);
    places[at] = place;
  });
  return { places, count };
}

function rowsBetween(
  { columns }: RingRows,
  start: number,
  stop: number,
  key: Key,
): Uint32Array {
  const time = new Float64Array(columns["time"] as ArrayLike<number>);
  const keys = Object.entries(key);
  const found = new Uint32Array(time.length);
  let count = 0;
  for (let row = 0; row < time.length; row++) {
    if (!(time[row] >= start && time[row] < stop)) continue;
    let same = true;
    for (const [name, cell] of keys) same &&= columns[name][row] === cell;
    if (same) found[count++] = row;
  }
  const order = found.slice(0, count);
  sortByKey(order, 0, order.length, time);
  return order;
}

function earliest({ columns }: RingRows, span: number): number {
  let first = Infinity;
  const time = columns["time"] as ArrayLike<number>;
  for (let row = 0; row < time.length; row++) {
    first = Math.min(first, time[row]);
  }
  return floorTo(first, span);
}

export function floorTo(time: number, step: number): number {
  return step > 0 && isFinite(time) ? Math.floor(time / step) * step : time;
}

export interface Series {
  readonly time: Float64Array;
  /** End of each row; equal to `time` for rows as measured. */
  readonly until: Float64Array;
  readonly values: Float64Array;
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** The usual distance between rows, in seconds. */
  readonly usual_s: number;
  /** Longer times between rows are gaps, in which no line is drawn. */
  readonly longest_s: number;
}

/**
 * How to treat rows after `end`: worker values still describe the end of the run
 * (`of the end`); values of the scheduler's load do not (`left out`).
 */
export type Late = "of the end" | "left out";

/** A column of a series as a line, without rows in which it was not measured. */
export function lineOf(
  { time, until, columns }: SeriesRows,
  column: string,
  end = Infinity,
  late: Late = "of the end",
): Series {
  const values = columns[column] as Float64Array;
  const least = (columns[`${column}_least`] ?? values) as Float64Array;
  const most = (columns[`${column}_most`] ?? values) as Float64Array;
  const last = late === "left out" ? end : Infinity;
  const rows = new Uint32Array(time.length);
  let count = 0;
  for (let row = 0; row < time.length; row++) {
    const measured = Number.isFinite(time[row]) && !isNaN(values[row]);
    if (measured && time[row] <= last) rows[count++] = row;
  }
  const order = rows.subarray(0, count);
  sortByKey(order, 0, order.length, time);
  const picked = (cells: ArrayLike<number>, bound = Infinity) => {
    const found = new Float64Array(order.length);
    for (let at = 0; at < order.length; at++) {
      const cell = cells[order[at]];
      found[at] = bound < cell ? bound : cell;
    }
    return found;
  };
  const line = {
    time: picked(time, end),
    until: picked(until, end),
    values: picked(values),
    least: picked(least),
    most: picked(most),
  };
  const usual_s = usualStep(line);
  return { ...line, usual_s, longest_s: Math.max(usual_s * GAP_STEPS, 1) };
}

/** The earliest and latest of unsorted times; null if there are none. */
export function extentOf(
  ...times: readonly ArrayLike<number>[]
): [start: number, stop: number] | null {
  let start = Infinity;
  let stop = -Infinity;
  for (const time of times) {
    for (let row = 0; row < time.length; row++) {
      if (!Number.isFinite(time[row])) continue;
      start = Math.min(start, time[row]);
      stop = Math.max(stop, time[row]);
    }
  }
  return start <= stop ? [start, stop] : null;
}

/** The last row at or before a time; -1 before the first. */
export const rowAt = ({ time }: Series, moment: number): number =>
  findAfter(time, 0, time.length, moment) - 1;

/** The value of the last row at or before a time; NaN before the first. */
export const valueAt = (series: Series, moment: number): number =>
  series.values[rowAt(series, moment)] ?? NaN;

/** The value of the row nearest to a time. */
export function nearestValue(series: Series, moment: number): number {
  const { time, values } = series;
  const at = rowAt(series, moment);
  const later = time[at + 1] - moment < moment - time[at];
  return values[later ? at + 1 : at] ?? NaN;
}

export interface Extremes {
  readonly least: number;
  readonly mean: number;
  readonly most: number;
}

/**
 * Minimum, mean and maximum of all rows that overlap `start..stop`; if none does, of the
 * value that holds there. NaN without data.
 */
export function extremesOf(
  series: Series,
  start: number,
  stop: number,
): Extremes {
  const { time, until, values, usual_s } = series;
  if (series.longest_s === Infinity) return heldExtremes(series, start, stop);
  let least = Infinity;
  let most = -Infinity;
  let sum = 0;
  let inside = 0;
  let weight = 0;
  for (let at = 0; at < time.length && time[at] <= stop; at++) {
    const length = until[at] - time[at];
    if (length > 0 ? until[at] <= start : time[at] < start) continue;
    inside += 1;
    if (!Number.isFinite(values[at])) continue;
    least = Math.min(least, series.least[at]);
    most = Math.max(most, series.most[at]);
    sum += values[at] * (length || usual_s || 1);
    weight += length || usual_s || 1;
  }
  if (weight === 0) {
    const value = inside === 0 ? heldAt(series, start) : NaN;
    return { least: value, mean: value, most: value };
  }
  return { least, mean: sum / weight, most };
}

/** For series whose values hold until the next: includes the value that holds at `start`. */
function heldExtremes(series: Series, start: number, stop: number): Extremes {
  const { time, until, values } = series;
  let [least, most, sum, weight] = [Infinity, -Infinity, 0, 0];
  for (let at = Math.max(0, rowAt(series, start)); time[at] <= stop; at++) {
    const past = until[at] < start;
    const high = past ? values[at] : series.most[at];
    if (Number.isNaN(high)) continue;
    least = Math.min(least, past ? values[at] : series.least[at]);
    most = Math.max(most, high);
    if (Number.isNaN(values[at])) continue;
    const to = Math.min(time[at + 1] ?? until[at], stop);
    const length = Math.max(to - Math.max(time[at], start), 1e-9);
    sum += values[at] * length;
    weight += length;
  }
  if (most === -Infinity) return { least: NaN, mean: NaN, most: NaN };
  return { least, mean: sum / weight, most };
}

/** The value of a line between two rows; NaN in a gap and after the last row. */
function heldAt(series: Series, moment: number): number {
  const { time, until, values, longest_s } = series;
  const row = rowAt(series, moment);
  // Past the last row `time` is undefined, so the comparison is false.
  const known = time[row + 1] - until[row] <= longest_s;
  return known ? values[row] : NaN;
}

/** More than this many usual steps without a row is a gap. */
const GAP_STEPS = 10;

/** The median distance between rows as measured or, if there are none, between steps. */
export function usualStep({
  time,
  until,
}: Pick<Series, "time" | "until">): number {
  const all = time.subarray(1).map((next, at) => next - time[at]);
  const measured = all.filter((_, at) => time[at] === until[at]);
  const steps = (measured.length > 0 ? measured : all).sort();
  return steps[steps.length >> 1] ?? 0;
}
