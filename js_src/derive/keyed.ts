// Series with rows by key, such as workers. A row is written when something changed, so
// that a value holds until the next row of its key; one that is NaN ends it.

import { findAfter } from "../model/search";
import {
  type Cell,
  floorTo,
  partsOf,
  type RingRows,
  rowAt,
  type Series,
} from "./series";

interface Cells {
  readonly values: Float32Array;
  readonly least: Float32Array;
  readonly most: Float32Array;
}

/** The rows of all keys in order of time; each moment is in the finest ring that has it. */
export interface KeyedRows {
  readonly time: Float64Array;
  /** When the step of a row ends; as measured, when it begins. */
  readonly until: Float64Array;
  /** Of each row, the place of its key. */
  readonly keyOf: Uint32Array;
  readonly keys: readonly Cell[];
  /** How many different times there are. */
  readonly moments: number;
  cells(column: string): Cells;
}

export function keyedRows(
  rings: readonly RingRows[],
  keyColumn: string,
): KeyedRows {
  const parts = partsOf(rings);
  const count = parts.reduce((sum, { rows }) => sum + rows.length, 0);
  const time = new Float64Array(count);
  const until = new Float64Array(count);
  const keyOf = new Uint32Array(count);
  const places = new Map<Cell, number>();
  let row = 0;
  for (const { ring, rows } of parts) {
    const times = ring.columns["time"] as ArrayLike<number>;
    const names = ring.columns[keyColumn];
    for (const at of rows) {
      time[row] = floorTo(times[at], ring.step);
      until[row] = time[row] + ring.step;
      const place = places.get(names[at]) ?? places.size;
      if (place === places.size) places.set(names[at], place);
      keyOf[row++] = place;
    }
  }
  const known = new Map<string, Cells>();
  const gather = (column: string, base: string): Float32Array => {
    const out = new Float32Array(count);
    let to = 0;
    for (const { ring, rows } of parts) {
      const cells = (ring.columns[column] ?? ring.columns[base]) as number[];
      for (const at of rows) out[to++] = cells[at];
    }
    return out;
  };
  return {
    ...{ time, until, keyOf, keys: [...places.keys()] },
    moments: time.reduce((n, at, row) => n + Number(at !== time[row - 1]), 0),
    cells(column) {
      const cells = known.get(column) ?? {
        values: gather(column, column),
        least: gather(`${column}_least`, column),
        most: gather(`${column}_most`, column),
      };
      known.set(column, cells);
      return cells;
    },
  };
}

/** A line for each key. What still holds goes on to the last row of all. */
export function linesByKey(rows: KeyedRows, column: string): Series[] {
  const { time, until, keyOf, keys } = rows;
  const cells = rows.cells(column);
  const counts = new Uint32Array(keys.length);
  for (const place of keyOf) counts[place] += 1;
  const lines = Array.from(counts, (count) => emptyLine(count + 1));
  const ends = new Int32Array(keys.length);
  const put = (place: number, from: number, to: number, row: number): void => {
    const line = lines[place];
    const at = ends[place];
    // What came late for a step that had ended is a row of its own.
    const same = at > 0 && to > from && line.time[at - 1] === from;
    const into = same ? at - 1 : at;
    line.time[into] = from;
    line.until[into] = to;
    line.values[into] = cells.values[row];
    line.least[into] = lesser(same ? line.least[into] : NaN, cells.least[row]);
    line.most[into] = greater(same ? line.most[into] : NaN, cells.most[row]);
    ends[place] = into + 1;
  };
  const last = new Int32Array(keys.length);
  for (let row = 0; row < time.length; row++) {
    put(keyOf[row], time[row], until[row], row);
    last[keyOf[row]] = row;
  }
  const end = lastMoment(rows);
  lines.forEach((line, place) => {
    const at = ends[place];
    if (at === 0 || !(line.until[at - 1] < end)) return;
    line.time[at] = line.until[at] = end;
    const value = line.values[at - 1];
    line.values[at] = line.least[at] = line.most[at] = value;
    ends[place] = at + 1;
  });
  return lines.map((line, place) => cutTo(line, ends[place]));
}

const lastMoment = ({ until }: KeyedRows): number =>
  until.reduce((end, moment) => Math.max(end, moment), -Infinity);

type Line = Omit<Series, "usual_s" | "longest_s">;

function emptyLine(size: number): Line {
  const [time, until, values, least, most] = Array.from(
    { length: 5 },
    () => new Float64Array(size),
  );
  return { time, until, values, least, most };
}

const cutTo = (line: Line, count: number): Series => ({
  time: line.time.subarray(0, count),
  until: line.until.subarray(0, count),
  values: line.values.subarray(0, count),
  least: line.least.subarray(0, count),
  most: line.most.subarray(0, count),
  ...{ usual_s: 0, longest_s: Infinity },
});

const lesser = (one: number, other: number): number =>
  one < other || Number.isNaN(other) ? one : other;
const greater = (one: number, other: number): number =>
  one > other || Number.isNaN(other) ? one : other;

/**
 * Calls `visit` for each row that counts, then `end` once for all rows of a moment. `before`
 * is what held of that key until then, NaN for nothing.
 */
function sweep(
  { time, until, keyOf, keys }: KeyedRows,
  { values }: Cells,
  counts: (place: number) => boolean,
  visit: (row: number, place: number, before: number) => void,
  end: (from: number, to: number) => void,
): void {
  const held = new Float64Array(keys.length).fill(NaN);
  const wanted = Uint8Array.from(keys, (_, place) => Number(counts(place)));
  for (let row = 0; row < time.length;) {
    const moment = time[row];
    let last = moment;
    let any = false;
    for (; row < time.length && time[row] === moment; row++) {
      const place = keyOf[row];
      if (wanted[place] === 0) continue;
      any = true;
      last = Math.max(last, until[row]);
      visit(row, place, held[place]);
      held[place] = values[row];
    }
    if (any) end(moment, last);
  }
}

/**
 * Sums of the keys of each layer, on top of the layers before it: of the last one, of all
 * keys. `layerOf` a key below zero leaves it out.
 */
export function stackOf(
  rows: KeyedRows,
  column: string,
  layerOf: (key: Cell) => number,
  layers: number,
): Series[] {
  const cells = rows.cells(column);
  const layer = Int32Array.from(rows.keys, layerOf);
  const sums = new Float64Array(layers);
  /** How much more than its last value a layer had in the step that is visited. */
  const over = new Float64Array(layers);
  const size = rows.moments + 1;
  const [time, until] = [new Float64Array(size), new Float64Array(size)];
  const lines = Array.from({ length: layers }, (): Line => {
    const values = new Float64Array(size);
    const most = new Float64Array(size);
    return { time, until, values, least: values, most };
  });
  let count = 0;
  const end = (from: number, to: number): void => {
    time[count] = from;
    until[count] = to;
    let [sum, most] = [0, 0];
    lines.forEach((line, at) => {
      line.values[count] = sum += sums[at];
      line.most[count] = most += sums[at] + over[at];
    });
    count += 1;
    over.fill(0);
  };
  sweep(
    ...([rows, cells, (place: number) => layer[place] >= 0] as const),
    (row, place, before) => {
      const value = cells.values[row];
      sums[layer[place]] += (value || 0) - (before || 0);
      over[layer[place]] += cells.most[row] - value || 0;
    },
    end,
  );
  const last = lastMoment(rows);
  if (count > 0 && until[count - 1] < last) end(last, last);
  return lines.map((line) => cutTo(line, count));
}

/** The median of all keys that count, between the least and the most of any of them. */
export function bandOf(
  rows: KeyedRows,
  column: string,
  counts: (key: Cell) => boolean,
): Series {
  const cells = rows.cells(column);
  const line = emptyLine(rows.moments + 1);
  const sorted = new Float64Array(rows.keys.length);
  let known = 0;
  let count = 0;
  let [least, most] = [Infinity, -Infinity];
  const placeOf = (value: number): number => findAfter(sorted, 0, known, value);
  const end = (from: number, to: number): void => {
    line.time[count] = from;
    line.until[count] = to;
    line.values[count] = known > 0 ? sorted[known >> 1] : NaN;
    line.least[count] = known > 0 ? Math.min(least, sorted[0]) : NaN;
    line.most[count] = known > 0 ? Math.max(most, sorted[known - 1]) : NaN;
    count += 1;
    [least, most] = [Infinity, -Infinity];
  };
  sweep(
    ...([rows, cells, (place: number) => counts(rows.keys[place])] as const),
    (row, _, before) => {
      const value = cells.values[row];
      if (!Number.isNaN(before)) {
        sorted.copyWithin(placeOf(before) - 1, placeOf(before), known--);
      }
      if (Number.isNaN(value)) return;
      const at = placeOf(value);
      sorted.copyWithin(at + 1, at, known++);
      sorted[at] = value;
      least = Math.min(least, cells.least[row]);
      most = Math.max(most, cells.most[row]);
    },
    end,
  );
  const last = lastMoment(rows);
  if (count > 0 && line.until[count - 1] < last) end(last, last);
  return cutTo(line, count);
}

export interface Peak {
  readonly time: number;
  readonly value: number;
}

/** The greatest from `start` to `stop`, with what held when that began; null for none. */
export function peakOf(
  series: Series,
  start: number,
  stop: number,
): Peak | null {
  const { time, until, values, most, longest_s } = series;
  let peak: Peak | null = null;
  for (let at = Math.max(0, rowAt(series, start)); time[at] <= stop; at++) {
    const past = until[at] < start;
    if (past && !(start - until[at] <= longest_s)) continue;
    const value = past ? values[at] : most[at];
    if (!(value > (peak?.value ?? -Infinity))) continue;
    peak = { time: Math.max(time[at], start), value };
  }
  return peak;
}
