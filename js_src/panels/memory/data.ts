// Data of the Memory panel, computed once when new rows arrive and shared by charts, bars
// and the status line.

import { clusterLine, CLUSTER, mostAt } from "../../derive/memory";
import { KeyedRows, peakOf, type Peak, stackOf } from "../../derive/keyed";
import type { Series } from "../../derive/series";
import type { Range } from "../../timeline/window";
import { formatMoment } from "../../base/format";
import type { PanelView } from "../../panel/panel_view";
import { systemLines } from "../../panel/memory_chart";

const known = new WeakMap<object, KeyedRows>();

/** Reads signals. Returns the same object until new rows arrive. */
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

/** A line of the cluster or, if workers are isolated, of their sum. */
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

/** Whether the age of unmanaged memory is known, which needs an agent. */
export const isAgeKnown = (view: PanelView): boolean =>
  workerRows(view).line(CLUSTER, "optimistic").values.some(Number.isFinite);

/** The time that figures cover: that in focus, else what the charts show. */
export const timeShown = (view: PanelView): Range =>
  view.focus.value.time ?? view.range.value;

/** The time that bars cover, and in words; "now" while the charts follow a live run. */
export function barsShown(view: PanelView): { time: Range; words: string } {
  const { time } = view.focus.value;
  if (time) return { time, words: "peak in the selected time" };
  const { end } = workerRows(view);
  const free = view.timeline.anchor.value === "free";
  if (view.growing.value && !free) return { time: [end, end], words: "now" };
  const words = free ? "peak in the time shown" : "peak";
  return { time: view.range.value, words };
}

/** The same, or the moment at the crosshair if there is one. */
export function barsPointed(view: PanelView): ReturnType<typeof barsShown> {
  const moment = view.crosshair.value;
  if (moment === null) return barsShown(view);
  const words = `at ${formatMoment(moment - view.origin.value, 2)}`;
  return { time: [moment, moment], words };
}

export interface MemoryPeak extends Peak {
  /** NaN if there is no limit. */
  readonly limit: number;
  /** The worker with the most memory at that time; empty if unknown. */
  readonly worker: string;
  /** Whether no other worker had any. */
  readonly alone: boolean;
  /** The prefix that held at least half, or "unmanaged"; else empty. */
  readonly mostly: string;
  readonly spilled: number;
}

/** The peak of process memory in the shown time; null without data. */
export function memoryPeak(view: PanelView): MemoryPeak | null {
  const [start, stop] = timeShown(view);
  const peak = peakOf(totalLine(view, "process"), start, stop);
  if (!peak) return null;
  const { workers } = view.focus.value;
  const at = (column: string): number =>
    peakOf(totalLine(view, column), peak.time, peak.time)?.value ?? NaN;
  const most = mostAt(workerRows(view), "process", peak.time, workers);
  return {
    ...peak,
    limit: at("limit"),
    worker: String(most?.key ?? ""),
    alone: workers.length === 1 || (most?.value ?? 0) >= peak.value,
    mostly:
      at("managed") < peak.value / 2 ? "unmanaged" : mainPrefix(view, peak),
    spilled: peakOf(totalLine(view, "spilled"), start, stop)?.value ?? 0,
  };
}

/** Empty if workers are isolated, since the bytes of a prefix are not known by worker. */
function mainPrefix(view: PanelView, { time, value }: Peak): string {
  const largest = mostAt(heldRows(view), "bytes", time);
  if (!largest || largest.value < value / 2) return "";
  if (view.focus.value.workers.length > 0) return "";
  return view.session.value?.prefixes[Number(largest.key)] ?? "";
}

const ofSystem = new WeakMap<object, Record<SystemName, Series>>();
const SYSTEM = ["replicas", "scattered"] as const;
type SystemName = (typeof SYSTEM)[number];

/** A line of the whole cluster. */
export function systemLine(view: PanelView, name: SystemName): Series {
  const table = view.table("system");
  const lines =
    ofSystem.get(table) ??
    systemLines(table, SYSTEM, view.end.value, "of the end");
  ofSystem.set(table, lines);
  return lines[name];
}
