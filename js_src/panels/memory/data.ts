// What the tables say of memory, read once for each arrival: charts, bars and the status
// line ask for the same.

import { clusterLine, CLUSTER, mostAt } from "../../derive/memory";
import { KeyedRows, peakOf, type Peak, stackOf } from "../../derive/keyed";
import type { Series } from "../../derive/series";
import type { Range } from "../../timeline/window";
import { formatMoment } from "../../base/format";
import type { PanelView } from "../../panel/panel_view";
import { systemLines } from "../../panel/memory_chart";

const known = new WeakMap<object, KeyedRows>();

/** Reads signals. The same as before while nothing came. */
export function workerRows(view: PanelView): KeyedRows {
  const table = view.table("memory");
  const rows = known.get(table) ?? new KeyedRows(table.rings, "worker");
  known.set(table, rows);
  return rows;
}

export function heldRows(view: PanelView): KeyedRows {
  const table = view.table("held");
  const { end } = workerRows(view);
  let rows = known.get(table);
  if (!rows || rows.end < end) rows = new KeyedRows(table.rings, "prefix", end);
  known.set(table, rows);
  return rows;
}

const sums = new WeakMap<KeyedRows, Map<string, Series>>();

/** Of the cluster, or of the workers that are isolated, together. */
export function totalLine(view: PanelView, column: string): Series {
  const rows = workerRows(view);
  const { workers } = view.focus.value;
  const id = [column, ...workers].join(" ");
  const lines = sums.get(rows) ?? new Map<string, Series>();
  sums.set(rows, lines);
  const isIn = (key: string | number): number =>
    workers.includes(String(key)) ? 0 : -1;
  const line =
    lines.get(id) ??
    (workers.length === 0
      ? clusterLine(rows, column)
      : stackOf(rows, column, isIn, 1)[0]);
  lines.set(id, line);
  return line;
}

/** Whether a row of the agent came: else only sums of the heartbeats are known. */
export const isSampled = (view: PanelView): boolean =>
  workerRows(view).keys.includes(CLUSTER);

/** What figures are of: the time in focus, else what the charts show. */
export const timeShown = (view: PanelView): Range =>
  view.focus.value.time ?? view.range.value;

/** What bars are of, and in words. While the run goes on and all is shown: now. */
export function barsShown(view: PanelView): { time: Range; words: string } {
  const { time } = view.focus.value;
  if (time) return { time, words: "at most, in the time selected" };
  const { end } = workerRows(view);
  const free = view.timeline.anchor.value === "free";
  if (view.growing.value && !free) return { time: [end, end], words: "now" };
  const words = free ? "at most, in the time shown" : "at most";
  return { time: view.range.value, words };
}

/** The same, but where the pointer is on a chart, that moment. */
export function barsPointed(view: PanelView): ReturnType<typeof barsShown> {
  const moment = view.crosshair.value;
  if (moment === null) return barsShown(view);
  const words = `at ${formatMoment(moment - view.origin.value, 2)}`;
  return { time: [moment, moment], words };
}

export interface MemoryPeak extends Peak {
  /** NaN without one. */
  readonly limit: number;
  /** Who had most then; empty where that is not known. */
  readonly worker: string;
  readonly prefix: string;
  readonly spilled: number;
}

/** The most that processes had in the time that is shown; null where nothing is known. */
export function memoryPeak(view: PanelView): MemoryPeak | null {
  const [start, stop] = timeShown(view);
  const sampled = isSampled(view);
  const line = (column: "process" | "spilled") =>
    sampled ? totalLine(view, column) : systemLine(view, column);
  const limit = sampled
    ? totalLine(view, "limit")
    : systemLine(view, "memory_limit");
  const peak = peakOf(line("process"), start, stop);
  if (!peak) return null;
  const { workers } = view.focus.value;
  const at = (series: Series): number =>
    peakOf(series, peak.time, peak.time)?.value ?? NaN;
  const most = sampled
    ? mostAt(workerRows(view), "process", peak.time, workers)
    : null;
  const held = mostAt(heldRows(view), "bytes", peak.time);
  const names = view.session.value?.prefixes ?? [];
  return {
    ...peak,
    limit: at(limit),
    worker: String(most?.key ?? ""),
    prefix: held ? (names[Number(held.key)] ?? "") : "",
    spilled: peakOf(line("spilled"), start, stop)?.value ?? 0,
  };
}

const ofSystem = new WeakMap<object, Record<SystemName, Series>>();
const SYSTEM = [
  "process",
  "memory_limit",
  "spilled",
  "replicas",
  "scattered",
] as const;
type SystemName = (typeof SYSTEM)[number];

/** What heartbeats say of the whole cluster. */
export function systemLine(view: PanelView, name: SystemName): Series {
  const table = view.table("system");
  const lines =
    ofSystem.get(table) ??
    systemLines(table, SYSTEM, view.end.value, "of the end");
  ofSystem.set(table, lines);
  return lines[name];
}
