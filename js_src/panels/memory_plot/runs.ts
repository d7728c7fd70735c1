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

/** What a line shows: the sum of all workers, or the median worker. */
export type By = "cluster" | "worker";

export interface Run {
  readonly label: string;
  /** Slot of the palette. */
  readonly slot: number;
  readonly samples: number;
  /** Seconds since the epoch at time 0 of its lines. */
  readonly zero: number;
  readonly start: number;
  readonly stop: number;
  readonly cluster: Series;
  readonly median: Series;
  /** The median worker, with the least and the most of all workers. */
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
  const labels = rows.columns["label"] as readonly string[];
  labels.forEach((label, row) => {
    const own = places.get(label);
    if (own) own.push(row);
    else places.set(label, [row]);
  });
  const first = rows.time[0];
  return [...places].map(([label, own], at) => {
    const zero = aligned ? rows.time[own[0]] : first;
    const slot = SLOTS[at % SLOTS.length];
    return { label, slot, zero, ...linesOf(rowsAt(rows, own, zero)) };
  });
}

function rowsAt(all: SeriesRows, rows: number[], zero: number): SeriesRows {
  const pick = (cells: ArrayLike<number | string>, shift = 0) =>
    Float64Array.from(rows, (row) => Number(cells[row]) - shift);
  const { label: _, measure: __, ...numbers } = all.columns;
  const columns = Object.entries(numbers).map(
    ([name, cells]) => [name, pick(cells)] as const,
  );
  return {
    time: pick(all.time, zero),
    until: pick(all.until, zero),
    step: pick(all.step),
    columns: Object.fromEntries(columns),
  };
}

function linesOf(rows: SeriesRows) {
  const median = lineOf(rows, "median");
  const { least } = lineOf(rows, "least");
  const { most } = lineOf(rows, "most");
  return {
    samples: rows.time.length,
    start: rows.time[0],
    stop: rows.until[rows.until.length - 1],
    cluster: lineOf(rows, "cluster"),
    median,
    workers: { ...median, least, most },
    limit: lineOf(rows, "limit"),
  };
}

/** The series that the figures of a run are of. */
export const measured = (run: Run, by: By): Series =>
  by === "cluster" ? run.cluster : run.workers;

export interface Figures {
  readonly least: number;
  readonly mean: number;
  readonly peak: number;
  /** When the peak was measured; NaN where nothing was. */
  readonly peakTime: number;
}

export function figuresOf(series: Series): Figures {
  const { time, most } = series;
  const found = extremesOf(series, -Infinity, Infinity);
  const at = most.indexOf(found.most);
  return {
    least: found.least,
    mean: found.mean,
    peak: found.most,
    peakTime: time[at] ?? NaN,
  };
}

/** What was measured next to a time; NaN before the first sample and after the last. */
export function valueNear(series: Series, moment: number): number {
  const { time, until, usual_s } = series;
  const last = until[until.length - 1] + usual_s;
  const outside = !(moment >= time[0] - usual_s && moment <= last);
  return outside ? NaN : nearestValue(series, moment);
}
