// How often each stack was sampled in a time, on some workers, in some prefixes. A row's
// count is spread evenly over its time range, so that adjacent times add up.

import type { TableColumns } from "../schema";
import { type RingRows, shownOf } from "./series";
import {
  addTo,
  type EachRow,
  type StackSums,
  countSlices,
  type SlicedCounts,
} from "./profile_slices";
import {
  blocksOf,
  droppedRows,
  eachOverlapping,
  type ShownIntervals,
} from "./intervals";

export type CountColumns = TableColumns["profile_counts"];

export interface CountRing {
  readonly step: number;
  readonly begin?: number;
  readonly columns: CountColumns;
}

/** Which rows count. Results are cached by value. */
export interface CountWindow {
  readonly start: number;
  /** Infinity while the end of the run is shown: then only new rows are read. */
  readonly stop: number;
  /** Index into SCOPES. */
  readonly scope: number;
  /** Indexes of prefixes; null is all. */
  readonly prefixes?: readonly number[] | null;
  /** Addresses; null is all. */
  readonly workers?: readonly string[] | null;
}

interface Part extends ShownIntervals {
  readonly columns: CountColumns;
  /** Number of the worker, by row. */
  readonly workers: Uint32Array;
}

interface Sums {
  readonly id: string;
  counts: Float64Array;
  read: readonly { readonly part: Part; readonly rows: number }[];
}

const WINDOWS_KEPT = 8;

export class ProfileCounts {
  /** Rows visited so far. */
  visited = 0;
  private parts: readonly Part[] = [];
  private readonly workers = new Map<string, number>();
  private readonly kept: Sums[] = [];

  /** Takes over a changed table; known rows are not read again. */
  update(rings: readonly CountRing[]): void {
    const before = this.parts;
    const shown = shownOf(rings as readonly (CountRing & RingRows)[]);
    this.parts = shown.map(({ ring: { columns }, begin, end }, at) => {
      const old = before[at] as Part | undefined;
      const same = old?.columns === columns;
      const blocks = same ? old.blocks : blocksOf(columns);
      const workers = same ? old.workers : this.numbered(columns, old);
      const changed = !same || old.begin !== begin || old.end !== end;
      return changed ? { columns, begin, end, blocks, workers } : old;
    });
  }

  /** Counts by stack; the same array until new rows arrive. */
  in(window: CountWindow): Float64Array {
    const id = idOf(window);
    const at = this.kept.findIndex((sums) => sums.id === id);
    const sums: Sums =
      at < 0
        ? { id, counts: new Float64Array(0), read: [] }
        : this.kept.splice(at, 1)[0];
    this.kept.unshift(sums);
    this.kept.length = Math.min(this.kept.length, WINDOWS_KEPT);
    this.bringUpToDate(sums, window);
    return sums.counts;
  }

  private bringUpToDate(sums: Sums, window: CountWindow): void {
    const { parts } = this;
    const { read } = sums;
    let rows = parts.map((part, at) => alreadyRead(read[at], part));
    if (read.length > 0 && rows.every((done, at) => isAll(parts[at], done))) {
      return;
    }
    const recounts = rows.some((done) => done < 0) || read.length === 0;
    if (recounts) {
      sums.counts = new Float64Array(0);
      rows = parts.map(() => 0);
    }
    const stacks = parts.reduce(
      (most, { columns }, at) => mostOf(columns.stack, rows[at], most),
      sums.counts.length,
    );
    const counts = new Float64Array(stacks);
    counts.set(sums.counts);
    this.each(
      window,
      ({ columns: { stack } }, row, count) => (counts[stack[row]] += count),
      rows,
    );
    sums.counts = counts;
    sums.read = parts.map((part) => ({
      part,
      rows: part.columns.time.length,
    }));
  }

  /** Samples of some times, cut into equal slices no shorter than a cycle. */
  slices(...windows: readonly CountWindow[]): SlicedCounts {
    const each: EachRow = (see) => {
      for (const window of windows) {
        this.each(window, ({ columns, workers }, row, count, from, to) =>
          see(columns.stack[row], count, from, to, workers[row]),
        );
      }
    };
    return countSlices(each, [...this.workers.keys()]);
  }

  /** Counts by stack, for each prefix number or worker number (see `workerOf`). */
  by(of: "prefix" | "worker", window: CountWindow): Map<number, StackSums> {
    const groups = new Map<number, StackSums>();
    this.each(window, ({ columns, workers }, row, count) => {
      const key = of === "prefix" ? columns.prefix[row] : workers[row];
      const sums = groups.get(key) ?? new Map<number, number>();
      groups.set(key, sums);
      addTo(sums, columns.stack[row], count);
    });
    return groups;
  }

  /** The address of a worker by its number, which never changes. */
  workerOf(number: number): string {
    return [...this.workers.keys()][number] ?? "";
  }

  /**
   * Samples of each group per column of the window's time, at `group * columns + column`. A
   * stack with a negative `groupOf` is left out.
   */
  spread(
    window: CountWindow,
    columns: number,
    groupOf: (stack: number) => number,
    groups: number,
  ): Float64Array {
    const out = new Float64Array(groups * columns);
    const { start, stop } = window;
    const width = (stop - start) / columns;
    this.each(window, (part, row, count, from, to) => {
      const group = groupOf(part.columns.stack[row]);
      if (group < 0) return;
      const base = group * columns;
      const left = (from - start) / width;
      const right = (to - start) / width;
      const first = Math.min(columns - 1, Math.floor(left));
      if (right <= first + 1) {
        out[base + first] += count;
        return;
      }
      const each = count / (right - left);
      for (let column = first; column < right && column < columns; column++) {
        const some = Math.min(right, column + 1) - Math.max(left, column);
        out[base + column] += each * some;
      }
    });
    return out;
  }

  private each(
    { start, stop, scope, prefixes = null, workers = null }: CountWindow,
    see: (
      part: Part,
      row: number,
      count: number,
      from: number,
      to: number,
    ) => void,
    first: readonly number[] = [],
  ): void {
    const ofPrefix = prefixes && new Uint8Array(0x10000);
    for (const one of prefixes ?? []) ofPrefix![one] = 1;
    const ofWorker = workers && new Uint8Array(this.workers.size);
    for (const one of workers ?? []) {
      const number = this.workers.get(one);
      if (number !== undefined) ofWorker![number] = 1;
    }
    this.parts.forEach((part, at) => {
      const { scope: scopes, prefix, count } = part.columns;
      this.visited += eachOverlapping(
        part,
        start,
        stop,
        (row, from, to, seconds) => {
          if (scopes[row] !== scope) return;
          if (ofPrefix && ofPrefix[prefix[row]] === 0) return;
          if (ofWorker && ofWorker[part.workers[row]] === 0) return;
          const share = seconds > 0 ? (to - from) / seconds : 1;
          see(part, row, count[row] * share, from, to);
        },
        first[at],
      );
    });
  }

  private numbered(columns: CountColumns, old: Part | undefined): Uint32Array {
    const numbers = new Uint32Array(columns.time.length);
    const same = old ? repeated(old.columns, columns) : 0;
    if (old) numbers.set(old.workers.subarray(0, same));
    let [last, number] = ["", -1];
    for (let row = same; row < numbers.length; row++) {
      const worker = columns.worker[row];
      if (worker !== last || number < 0) {
        last = worker;
        number = this.workers.get(worker) ?? this.workers.size;
        this.workers.set(worker, number);
      }
      numbers[row] = number;
    }
    return numbers;
  }
}

function idOf(window: CountWindow): string {
  const { start, stop, scope, prefixes = null, workers = null } = window;
  return JSON.stringify([`${start}`, `${stop}`, scope, prefixes, workers]);
}

/** How many rows of a part were read before; negative if it must be read again. */
function alreadyRead(
  read: Sums["read"][number] | undefined,
  now: Part,
): number {
  if (!read) return 0;
  const { part, rows } = read;
  if (part === now) return rows;
  if (rows === 0) return 0;
  const { begin, end } = now;
  if (part.begin !== begin || part.end !== end) return -1;
  return repeated(part.columns, now.columns) || -1;
}

const isAll = ({ columns }: Part, rows: number): boolean =>
  columns.time.length === rows;

/** How many of the first rows are the same as before. */
const repeated = (before: CountColumns, now: CountColumns): number =>
  droppedRows(marksOf(before), marksOf(now)) === 0 ? before.time.length : 0;

const marksOf = ({ time, stack, count }: CountColumns) => [time, stack, count];

function mostOf(stacks: Uint32Array, first: number, least: number): number {
  let most = least;
  for (let row = first; row < stacks.length; row++) {
    if (stacks[row] >= most) most = stacks[row] + 1;
  }
  return most;
}
