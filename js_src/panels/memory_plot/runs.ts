// The samples of a MemorySampler as runs: one for each label, with its lines and figures.

import {
  extremesOf,
  lineOf,
  nearestValue,
  rowsOf,
  type Series,
  type SeriesRows,
} from "../../derive/series";
import { TABLES } from "../../schema";
import type { TableView } from "../../session_tables";

export interface Run {
  readonly label: string;
  /** Slot of the palette. */
  readonly slot: number;
  readonly samples: number;
  /** Seconds since the epoch at time 0 of its lines. */
  readonly zero: number;
  readonly start: number;
  readonly stop: number;
  /** All workers together. */
  readonly cluster: Series;
  readonly median: Series;
  /** The median worker, with the least and the most of any. */
  readonly workers: Series;
  readonly limit: Series;
}

/** Those of look.md for runs, then the rest of the palette. */
const SLOTS = [
  ...[7, 3, 10, 9, 0, 1, 2, 4, 5, 6, 8, 11],
  ...[12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23],
];

/**
 * In the order in which they began. Times are seconds since the start of each run if
 * `aligned`, else since the start of the first.
 */
export function runsOf(
  rings: TableView<"samples">["rings"],
  measure: string,
  aligned: boolean,
): Run[] {
  const rows = rowsOf(TABLES.samples, rings, { measure });
  const places = new Map<string, number[]>();
  (rows.columns["label"] as readonly string[]).forEach((label, row) => {
    const own = places.get(label) ?? [];
    if (own.push(row) === 1) places.set(label, own);
  });
  return [...places].map(([label, own], at) => {
    const zero = rows.time[aligned ? own[0] : 0];
    const some = rowsAt(rows, own, zero);
    const line = (column: string): Series => lineOf(some, column);
    const [median, { least }, { most }] = ["median", "least", "most"].map(line);
    return {
      ...{ label, zero, slot: SLOTS[at % SLOTS.length], samples: own.length },
      ...{ start: some.time[0], stop: some.until[own.length - 1] },
      ...{ cluster: line("cluster"), limit: line("limit") },
      ...{ median, workers: { ...median, least, most } },
    };
  });
}

function rowsAt(all: SeriesRows, rows: number[], zero: number): SeriesRows {
  const pick = (cells: ArrayLike<number | string>, shift = 0) =>
    Float64Array.from(rows, (row) => Number(cells[row]) - shift);
  const columns = Object.entries(all.columns).map(
    ([name, cells]) => [name, pick(cells)] as const,
  );
  return {
    time: pick(all.time, zero),
    until: pick(all.until, zero),
    step: pick(all.step),
    columns: Object.fromEntries(columns),
  };
}

export interface Figures {
  readonly least: number;
  readonly mean: number;
  readonly peak: number;
  /** When the peak was measured; NaN where nothing was. */
  readonly peakTime: number;
}

export function figuresOf(series: Series): Figures {
  const { least, mean, most } = extremesOf(series, -Infinity, Infinity);
  const peakTime = series.time[series.most.indexOf(most)] ?? NaN;
  return { least, mean, peak: most, peakTime };
}

/** What was measured next to a time; NaN before the first sample and after the last. */
export function valueNear(series: Series, moment: number): number {
  const { time, until, usual_s } = series;
  const last = until[until.length - 1] + usual_s;
  const inside = moment >= time[0] - usual_s && moment <= last;
  return inside ? nearestValue(series, moment) : NaN;
}
