// Checks the summary that Python computed, which may come from any file. Invalid parts are
// left out and listed.

import {
  bool,
  type Check,
  CheckError,
  count,
  list,
  nullable,
  num,
  oneOf,
  or,
  record,
  str,
  tuple,
} from "../../base/check";
import type { Counts, Notice } from "../../model/types";
import { cutText } from "../../base/bounds";

const LEVELS = ["info", "warn", "error"] as const;
const text: Check<string> = (value, path) => cutText(str(value, path));
const figure = nullable(num);

const STATES = [
  "idle",
  "running",
  "stuck",
  "interrupted",
  "finished",
  "failed",
  "cancelled",
] as const;

/** Tasks of one prefix, or of all; null if the scheduler does not report it. */
const progressRow = record({
  name: or(text, ""),
  done: count,
  running: figure,
  waiting: count,
  erred: count,
  total: figure,
  rate: figure,
  left: figure,
});
export type ProgressRow = ReturnType<typeof progressRow>;

const PARTS = {
  answer: or(
    record({
      state: oneOf(STATES),
      /** Time of these figures, by the scheduler's clock. */
      time: num,
      /** Start of the first task, and end of the last one. */
      since: figure,
      ended: figure,
      left: figure,
      cancelled: or(num, 0),
      exception: or(text, ""),
    }),
    null,
  ),
  progress: or(record({ rows: list(progressRow), all: progressRow }), null),
  title: text,
  start: num,
  stop: num,
  duration: num,
  user: text,
  host: text,
  cluster: text,
  scheduler: text,
  daskscope: text,
  tasks: record({ captured: count, kept: count, erred: count }),
  busy: nullable(
    record({
      threads: num,
      thread_seconds: num,
      busy_seconds: num,
      percent: num,
    }),
  ),
  memory: nullable(record({ peak: num, peak_time: figure, limit: figure })),
  spilled: nullable(record({ peak: num, workers: list(text) })),
  transfers: record({ rows: count, seconds: num }),
  errors: record({
    count: count,
    /** Number of the newest errors whose exceptions were kept; null if unknown. */
    kept: or(count, null),
    types: list(tuple(text, count)),
  }),
  cost: nullable(record({ amount: num, per_hour: num, unit: text })),
  prefixes: list(
    record({ name: text, tasks: count, seconds: num, erred: count }),
  ),
  actions: list(record({ name: text, rows: count, seconds: num })),
  by_prefix_action: list(record({ prefix: text, action: text, seconds: num })),
  versions: list(
    record({
      package: text,
      client: or(text, ""),
      scheduler: or(text, ""),
      workers: list(text),
      differs: bool,
    }),
  ),
  cluster_facts: record({
    workers: or(num, null),
    hosts: or(num, null),
    threads: or(num, null),
    memory_limit: or(num, null),
  }),
  needs_a_look: list(
    record({
      code: or(text, ""),
      level: oneOf(LEVELS),
      title: text,
      text,
      tab: or(text, ""),
      time: nullable(tuple(num, num)),
    }),
  ),
  code: str,
  source: text,
  exception: nullable(record({ type: text, text, traceback: text })),
  missing: list(
    record({ code: text, level: oneOf(LEVELS), text, next: or(text, "") }),
  ),
  redacted: list(text),
  /** Ids of the panels that the report shows; null means all. */
  panels: or(list(text), null),
} as const satisfies Record<string, Check<unknown>>;

type Parts = typeof PARTS;
type Part = keyof Parts;
type PartOf<P extends Part> = Parts[P] extends Check<infer T> ? T : never;

/** A part is null if it is unknown or invalid. */
export type ReportSummary = { readonly [P in Part]: PartOf<P> | null };

export interface CheckedSummary {
  readonly summary: ReportSummary;
  readonly leftOut: readonly string[];
  readonly nothing: boolean;
}

export function checkSummary(value: unknown): CheckedSummary {
  const isObject =
    typeof value === "object" && value !== null && !Array.isArray(value);
  const source = (isObject ? value : {}) as Record<string, unknown>;
  const leftOut: string[] = [];
  const summary: Record<string, unknown> = {};
  for (const [part, check] of Object.entries(PARTS)) {
    const found = Object.hasOwn(source, part) ? source[part] : undefined;
    try {
      summary[part] = (check as Check<unknown>)(found, part);
    } catch (error) {
      if (!(error instanceof CheckError)) throw error;
      summary[part] = null;
      leftOut.push(part.replaceAll("_", " "));
    }
  }
  const nothing = Object.values(summary).every((part) => part === null);
  return { summary: summary as unknown as ReportSummary, leftOut, nothing };
}

/** Whether its file is truncated, or it was made from one, so that the rest is unknown. */
export const isCutOff = ({ missing }: ReportSummary): boolean =>
  missing?.some(({ code }) => code === "file-cut") ?? false;

/**
 * A stored summary may be wrong, so raise its counts to those of its recording. `cut`: the
 * notice about a truncated file.
 */
export function raisedTo(
  { captured, kept, erred }: Counts,
  summary: ReportSummary,
  cut?: Notice,
): ReportSummary {
  const { tasks, errors } = summary;
  const missing = summary.missing ?? [];
  return {
    ...summary,
    missing: cut && !isCutOff(summary) ? [...missing, cut] : missing,
    tasks: tasks && {
      captured: Math.max(tasks.captured, captured),
      kept: Math.max(tasks.kept, kept),
      erred: Math.max(tasks.erred, erred),
    },
    errors: errors && { ...errors, count: Math.max(errors.count, erred) },
  };
}
