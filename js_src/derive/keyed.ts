// Series with a key per row, such as a worker. Rows are written on change: a value holds
// until the next row of its key, and NaN ends it.

import {
  type Cell,
  floorTo,
  partsOf,
  type RingRows,
  rowAt,
  type Series,
} from "./series";

/** The rows of all keys, sorted by time; each moment comes from the finest ring that has it. */
export class KeyedRows {
  readonly time: Float64Array;
  /** When the step of a row ends; equal to `time` for rows as measured. */
  readonly until: Float64Array;
  readonly keys: readonly Cell[];
  /** Index into `keys`, by row. */
  readonly keyOf: Uint32Array;
  /** Number of distinct times. */
  readonly moments: number;
  /** When the last row of any key ends: values hold until then. */
  readonly end: number;
  private readonly places = new Map<Cell, number>();
  private readonly rowsOf: readonly Uint32Array[];
  private readonly parts: readonly (ReturnType<typeof partsOf>[number] & {
    readonly isContiguous: boolean;
  })[];
  private readonly columns = new Map<string, Float32Array>();
  private readonly lines = new Map<string, Series>();

  constructor(
    rings: readonly RingRows[],
    keyColumn: string,
    /** Values hold at least until this time. */
    present = -Infinity,
  ) {
    this.parts = partsOf(rings).map((part) => ({
      ...part,
      isContiguous: areNeighbours(part.rows),
    }));
    const count = this.parts.reduce((sum, { rows }) => sum + rows.length, 0);
    this.time = new Float64Array(count);
    this.until = new Float64Array(count);
    this.keyOf = new Uint32Array(count);
    const { places } = this;
    const counts: number[] = [];
    let row = 0;
    let moments = 0;
    let end = present;
    for (const { ring, rows } of this.parts) {
      const times = ring.columns["time"] as ArrayLike<number>;
      const names = ring.columns[keyColumn];
      let [latest, time] = [NaN, NaN];
      for (let i = 0; i < rows.length; i++) {
        const at = rows[i];
        if (times[at] !== latest) {
          latest = times[at];
          const before = row === 0 ? NaN : this.time[row - 1];
          time = floorTo(latest, ring.step);
          if (time !== before) moments += 1;
          end = Math.max(end, time + ring.step);
        }
        this.time[row] = time;
        this.until[row] = time + ring.step;
        const name = names[at];
        let place = places.get(name);
        if (place === undefined) {
          places.set(name, (place = places.size));
          counts.push(0);
        }
        counts[place] += 1;
        this.keyOf[row++] = place;
      }
    }
    this.keys = [...places.keys()];
    this.moments = moments;
    this.end = end;
    this.rowsOf = counts.map((rows) => new Uint32Array(rows));
    const ends = new Uint32Array(counts.length);
    for (let at = 0; at < row; at++) {
      const place = this.keyOf[at];
      this.rowsOf[place][ends[place]++] = at;
    }
  }

  /** Rows as measured have no `_least` and `_most`: there it returns the value. */
  column(name: string): Float32Array {
    let column = this.columns.get(name);
    if (!column) {
      column = new Float32Array(this.time.length);
      const base = name.replace(/_(least|most)$/, "");
      let to = 0;
      for (const { ring, rows, isContiguous } of this.parts) {
        const cells = (ring.columns[name] ??
          ring.columns[base]) as ArrayLike<number>;
        if (isContiguous && cells instanceof Float32Array) {
          column.set(cells.subarray(rows[0], rows[0] + rows.length), to);
        } else {
          for (let i = 0; i < rows.length; i++) column[to + i] = cells[rows[i]];
        }
        to += rows.length;
      }
      this.columns.set(name, column);
    }
    return column;
  }

  /** The line of one key; its last value holds until `end`. */
  line(key: Cell, column: string): Series {
    const id = `${column} ${key}`;
    const known = this.lines.get(id) ?? this.lineOf(key, column);
    this.lines.set(id, known);
    return known;
  }

  /**
   * Like `peakOf` on the line of a key, without building that line: bars need the peak of
   * every key. `at` is an index into the rows of all keys.
   */
  peak(key: Cell, column: string, start: number, stop: number): Peak | null {
    const own = this.rowsOfKey(key);
    const { time, until } = this;
    const [values, most] = [this.column(column), this.column(`${column}_most`)];
    let from = 0;
    for (let to = own.length; from < to;) {
      const middle = (from + to) >>> 1;
      if (time[own[middle]] <= start) from = middle + 1;
      else to = middle;
    }
    // A late value of an ended step is a separate row with the same time.
    while (from > 1 && time[own[from - 2]] === time[own[from - 1]]) from -= 1;
    let peak: Peak | null = null;
    for (let i = Math.max(0, from - 1); time[own[i]] <= stop; i++) {
      const at = own[i];
      if (time[own[i + 1]] === time[at] && until[at] < start) continue;
      const value = until[at] < start ? values[at] : most[at];
      if (!(value > (peak?.value ?? -Infinity))) continue;
      peak = { at, time: Math.max(time[at], start), value };
    }
    return peak;
  }

  private rowsOfKey(key: Cell): Uint32Array {
    return this.rowsOf[this.places.get(key) ?? -1] ?? new Uint32Array(0);
  }

  private lineOf(key: Cell, column: string): Series {
    const own = this.rowsOfKey(key);
    const [values, least, most] = ["", "_least", "_most"].map((end) =>
      this.column(column + end),
    );
    const line = emptyLine(own.length + 1);
    let at = -1;
    for (const row of own) {
      const same = at >= 0 && line.time[at] === this.time[row];
      // A late value of an ended step is a separate row with the same time.
      if (!same) {
        at += 1;
        line.least[at] = line.most[at] = NaN;
      }
      line.time[at] = this.time[row];
      line.until[at] = this.until[row];
      line.values[at] = values[row];
      line.least[at] = lesser(line.least[at], least[row]);
      line.most[at] = greater(line.most[at], most[row]);
    }
    if (at >= 0 && line.until[at] < this.end) {
      at += 1;
      line.time[at] = line.until[at] = this.end;
      const value = line.values[at - 1];
      line.values[at] = line.least[at] = line.most[at] = value;
    }
    return cutTo(line, at + 1);
  }
}

/** Whether rows are contiguous, so that they can be copied in one call. */
function areNeighbours(rows: Uint32Array): boolean {
  for (let at = 1; at < rows.length; at++) {
    if (rows[at] !== rows[at - 1] + 1) return false;
  }
  return true;
}

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
 * Calls `visit` for each row that counts, then `end` once per moment. `before`: the previous
 * value of the row's key, or NaN. `latest`: the current value of every key that counts.
 */
function sweep(
  rows: KeyedRows,
  values: Float32Array,
  counts: (key: Cell) => boolean,
  visit: (row: number, place: number, before: number) => void,
  end: (from: number, to: number, latest: Float64Array) => void,
): void {
  const { time, until, keyOf } = rows;
  const latest = new Float64Array(rows.keys.length).fill(NaN);
  const wanted = Uint8Array.from(rows.keys, (key) => Number(counts(key)));
  let ended = -Infinity;
  for (let row = 0; row < time.length;) {
    const moment = time[row];
    let last = -Infinity;
    for (; row < time.length && time[row] === moment; row++) {
      const place = keyOf[row];
      if (wanted[place] === 0) continue;
      last = Math.max(last, until[row]);
      visit(row, place, latest[place]);
      latest[place] = values[row];
    }
    if (last >= moment) end(moment, (ended = last), latest);
  }
  if (ended < rows.end && ended > -Infinity) end(rows.end, rows.end, latest);
}

/**
 * Sums by layer, stacked: each layer includes those before it. A key with a negative
 * `layerOf` is left out.
 */
export function stackOf(
  rows: KeyedRows,
  column: string,
  layerOf: (key: Cell) => number,
  layers: number,
): Series[] {
  const [values, highs] = [rows.column(column), rows.column(`${column}_most`)];
  const layer = Int32Array.from(rows.keys, layerOf);
  const sums = new Float64Array(layers);
  /** By how much the peak of a layer exceeds its last value in the current step. */
  const over = new Float64Array(layers);
  const size = rows.moments + 1;
  const [time, until] = [new Float64Array(size), new Float64Array(size)];
  const lines = Array.from({ length: layers }, (): Line => {
    const values = new Float64Array(size);
    const most = new Float64Array(size);
    return { time, until, values, least: values, most };
  });
  let count = 0;
  sweep(
    rows,
    values,
    (key) => layerOf(key) >= 0,
    (row, place, before) => {
      const value = values[row] || 0;
      sums[layer[place]] += value - (before || 0);
      over[layer[place]] += Math.max(0, highs[row] - value) || 0;
    },
    (from, to) => {
      time[count] = from;
      until[count] = to;
      let [sum, most] = [0, 0];
      lines.forEach((line, at) => {
        line.values[count] = sum += sums[at];
        line.most[count] = most += sums[at] + over[at];
      });
      count += 1;
      over.fill(0);
    },
  );
  return lines.map((line) => cutTo(line, count));
}

/** The median of all keys that count, with the minimum and maximum of any of them. */
export function bandOf(
  rows: KeyedRows,
  column: string,
  counts: (key: Cell) => boolean,
): Series {
  const [values, lows, highs] = ["", "_least", "_most"].map((end) =>
    rows.column(column + end),
  );
  const line = emptyLine(rows.moments + 1);
  const known = new Float64Array(rows.keys.length);
  let count = 0;
  let [least, most] = [Infinity, -Infinity];
  sweep(
    rows,
    values,
    counts,
    (row) => {
      least = lesser(least, lows[row]);
      most = greater(most, highs[row]);
    },
    (from, to, latest) => {
      let size = 0;
      for (let at = 0; at < latest.length; at++) {
        const value = latest[at];
        if (Number.isNaN(value)) continue;
        known[size++] = value;
        if (value < least) least = value;
        if (value > most) most = value;
      }
      line.time[count] = from;
      line.until[count] = to;
      line.values[count] = size > 0 ? medianOf(known, size) : NaN;
      line.least[count] = Number.isFinite(least) ? least : NaN;
      line.most[count] = Number.isFinite(most) ? most : NaN;
      count += 1;
      [least, most] = [Infinity, -Infinity];
    },
  );
  return cutTo(line, count);
}

/** Quickselect on the first `size` cells, in place: sorting takes ten times as long. */
function medianOf(cells: Float64Array, size: number): number {
  const middle = size >> 1;
  let [low, high] = [0, size - 1];
  while (low < high) {
    const pivot = cells[middle];
    let [left, right] = [low, high];
    while (left <= right) {
      while (cells[left] < pivot) left++;
      while (cells[right] > pivot) right--;
      if (left > right) break;
      const cell = cells[left];
      cells[left++] = cells[right];
      cells[right--] = cell;
    }
    if (right < middle) low = left;
    if (left > middle) high = right;
  }
  return cells[middle];
}

export interface Peak {
  /** Index into the series. */
  readonly at: number;
  readonly time: number;
  readonly value: number;
}

/** The maximum in `start..stop`, including the value that held at `start`; null if none. */
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
    peak = { at, time: Math.max(time[at], start), value };
  }
  return peak;
}
