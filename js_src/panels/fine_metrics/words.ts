// Names of contexts and causes, and formats by unit.

import {
  formatBytes,
  formatCount,
  formatMean,
  formatSecondsAmong,
} from "../../base/format";
import type { Cause } from "../../derive/accounting";
import type { ValueKind } from "../../timeline/value_axis";

export const unitName = (unit: string): string =>
  unit === "" ? "No unit" : unit.charAt(0).toUpperCase() + unit.slice(1);

const CONTEXTS: ReadonlyMap<string, string> = new Map([
  ["gather-dep", "Receive data"],
  ["get-data", "Send data"],
  ["memory-monitor", "Memory monitor"],
]);

export const contextName = (context: string): string =>
  CONTEXTS.get(context) ?? context;

/** Why the time of a context is not part of the threads' time. */
export const contextNote = (context: string): string =>
  context.startsWith("p2p-foreground")
    ? "the same seconds are also in execution"
    : "on the event loop, not on task threads";

export const CAUSE_NAMES: Readonly<Record<Cause, string>> = {
  reading: "graph being read",
  paused: "paused",
  queued: "queued",
  data: "waiting for data",
  tail: "tail",
  none: "no task to run",
  handing: "handing over",
  unknown: "unknown cause",
};

export const CAUSE_WHY: Readonly<Record<Cause, string>> = {
  reading: "for the scheduler to read",
  paused: "workers near their memory limit",
  queued: "not yet sent to a worker",
  data: "inputs from other workers",
  tail: "fewer tasks than threads",
  none: "all wait for other tasks",
  handing: "gaps between short tasks",
  unknown: "states of tasks not sampled",
};

/** Formats a value in the unit of its column; `most`: the column's maximum. */
export function formatUnit(unit: string, value: number, most: number): string {
  if (unit === "seconds") return formatSecondsAmong(value, most);
  if (unit === "bytes") return formatBytes(value);
  return most >= 100 || Number.isInteger(most)
    ? formatCount(value)
    : formatMean(value);
}

export const axisKind = (unit: string): ValueKind =>
  unit === "bytes" ? "bytes" : "count";
