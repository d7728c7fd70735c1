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
import type { TableView } from "../../session/tables";

export interface Run {
  readonly label: string;
  /** Palette slot. */
  readonly slot: number;
  readonly measure: string;
  readonly samples: number;
  /** Seconds since the epoch. */
  readonly began: number;
  /** Seconds since the epoch at time 0 of its lines. */
  readonly zero: number;
  readonly start: number;
  readonly stop: number;
  /** All workers together. */
  readonly cluster: Series;
  readonly median: Series;
  /** The median worker, with the minimum and maximum of any worker. */
  readonly workers: Series;
  readonly limit: Series;
}

/** Palette slots in order of use; the first ones are those of lines in other panels. */
const SLOTS = [
  ...[7, 3, 10, 9, 0, 1, 2, 4, 5, 6, 8, 11],
  ...[12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23],
];

/**
 * Runs sorted by start. Times are seconds since the start of each run if `aligned`, else
 * since the start of the first one. Runs of `before` without new samples are reused.
 */
export function runsOf(
  rings: TableView<"samples">["rings"],
  measure: string,
  aligned: boolean,
  before: readonly Run[] = [],
): Run[] {
  const rows = rowsOf(TABLES.samples, rings, { measure });
  const places = new Map<string, number[]>();
  (rows.columns["label"] as readonly string[]).forEach((label, row) => {
    const own = places.get(label) ?? [];
    if (own.push(row) === 1) places.set(label, own);
  });
  return [...places].map(([label, own], at) => {
    const began = rows.time[own[0]];
    const zero = aligned ? began : rows.time[0];
    const about = { label, measure, began, zero, samples: own.length };
    const names = Object.keys(about) as (keyof typeof about)[];
    const known = before.find((run) =>
      names.every((name) => run[name] === about[name]),
    );
    return (
      known ?? {
        ...about,
        slot: SLOTS[at % SLOTS.length],
        ...linesOf(rowsAt(rows, own, zero)),
      }
    );
  });
}

function linesOf(rows: SeriesRows) {
  const { time, until, columns } = rows;
  const [median_least, median_most] = [columns.least_least, columns.most_most];
  const spread = { ...columns, median_least, median_most };
  return {
    ...{ start: time[0], stop: until[until.length - 1] },
    ...{ cluster: lineOf(rows, "cluster"), limit: lineOf(rows, "limit") },
    median: lineOf(rows, "median"),
    workers: lineOf({ ...rows, columns: spread }, "median"),
  };
}

function rowsAt(all: SeriesRows, rows: number[], zero: number): SeriesRows {
  const pick = (cells: ArrayLike<number | string>, shift = 0) => {
    const picked = new Float64Array(rows.length);
    rows.forEach((row, at) => (picked[at] = Number(cells[row]) - shift));
    return picked;
  };
  const columns = Object.entries(all.columns)
    .filter(([, cells]) => cells instanceof Float64Array)
    .map(([name, cells]) => [name, pick(cells)] as const);
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
  /** When the peak was measured; NaN without samples. */
  readonly peakTime: number;
}

export function figuresOf(series: Series): Figures {
  const { least, mean, most } = extremesOf(series, -Infinity, Infinity);
  const peakTime = series.time[series.most.indexOf(most)] ?? NaN;
  return { least, mean, peak: most, peakTime };
}

/** The value of the nearest sample; NaN before the first and after the last one. */
export function valueNear(series: Series, moment: number): number {
  const { time, until, usual_s } = series;
  const last = until[until.length - 1] + usual_s;
  const inside = moment >= time[0] - usual_s && moment <= last;
  return inside ? nearestValue(series, moment) : NaN;
}
