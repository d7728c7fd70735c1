// What happened beside the tasks, on one row: errors, gaps in the recording,
// workers that came, left, spilled or were restarted. What overlaps on the
// screen becomes one mark that says how many. Pure.

import type { Change, Gap, TaskError } from "../../model/types";
import { plural } from "../../base/format";
import { splitException } from "../../panel/traceback";

export interface EventMark {
  readonly start: number;
  /** Equal to `start` for a moment; infinite while it goes on. */
  readonly stop: number;
  readonly kind: "error" | "gap" | "worker";
  readonly level: "error" | "warn" | "info";
  readonly text: string;
  /** Name of the worker that it happened on; empty for none in particular. */
  readonly worker: string;
  readonly error: TaskError | null;
  /** What it is called when several are merged, such as "worker spilling". */
  readonly one: string;
  readonly many: string;
}

export interface Merged {
  start: number;
  stop: number;
  level: EventMark["level"];
  kind: EventMark["kind"];
  marks: EventMark[];
}

/** What a worker does for a while, as changes tell it. */
const RUNS: Record<string, [one: string, many: string]> = {
  spilling: ["worker spilling", "workers spilling"],
  paused: ["worker paused", "workers paused"],
};
const RUN_NAMES = Object.keys(RUNS);

/** Which runs a change ends: a worker may be paused and spill at once. */
function endedBy(what: string): string[] {
  if (what === "restarted") return [];
  if (what === "not-spilling") return ["spilling"];
  return what === "removed" ? RUN_NAMES : ["paused"];
}

function errorMark(
  error: TaskError,
  nameOf: (worker: string) => string,
): EventMark {
  const [type] = splitException(error.exception);
  return {
    start: error.time,
    stop: error.time,
    kind: "error",
    level: "error",
    text: type,
    worker: nameOf(error.worker),
    error,
    one: "error",
    many: "errors",
  };
}

function gapMark(gap: Gap): EventMark {
  return {
    start: gap.start,
    stop: gap.stop,
    kind: "gap",
    level: "warn",
    text: gap.text || `nothing recorded: ${gap.reason}`,
    worker: "",
    error: null,
    one: "gap in the recording",
    many: "gaps in the recording",
  };
}

/** Runs of a worker's states, and its comings and goings as moments. */
function changeMarks(
  changes: readonly Change[],
  nameOf: (worker: string) => string,
): EventMark[] {
  const marks: EventMark[] = [];
  const push = (
    start: number,
    stop: number,
    worker: string,
    text: string,
    one: string,
    many: string,
  ): void => {
    const name = worker && nameOf(worker);
    const about = { kind: "worker", level: "warn", error: null } as const;
    marks.push({ ...about, start, stop, worker: name, text, one, many });
  };
  const open = new Map<string, { worker: string; what: string; at: number }>();
  const close = (worker: string, what: string, stop: number): void => {
    const run = open.get(`${what} ${worker}`);
    if (!run) return;
    open.delete(`${what} ${worker}`);
    const [one, many] = RUNS[what] ?? [what, what];
    const text = `${nameOf(worker)} ${what}`;
    push(run.at, stop, worker, text, one, many);
  };
  for (const change of [...changes].sort((a, b) => a.time - b.time)) {
    const { worker, what, time } = change;
    if (what in RUNS) {
      const id = `${what} ${worker}`;
      if (!open.has(id)) open.set(id, { worker, what, at: time });
      continue;
    }
    for (const ended of endedBy(what)) close(worker, ended, time);
    if (what === "restarted") {
      const text = "restarted, all tasks forgotten";
      push(time, time, "", text, "restart", "restarts");
    } else if (what === "removed") {
      const text = `${nameOf(worker)} left`;
      push(time, time, worker, text, "worker left", "workers left");
    }
  }
  for (const { worker, what } of [...open.values()]) {
    close(worker, what, Infinity);
  }
  return marks;
}

export function eventMarks(
  errors: readonly TaskError[],
  gaps: readonly Gap[],
  changes: readonly Change[],
  nameOf: (worker: string) => string,
): EventMark[] {
  return [
    ...gaps.map(gapMark),
    ...changeMarks(changes, nameOf),
    ...errors.map((error) => errorMark(error, nameOf)),
  ].sort((one, other) => one.start - other.start);
}

/**
 * Merges marks of one kind that would touch: `near_s` is how much time a mark
 * and its gap take on the screen.
 */
export function mergeMarks(
  marks: readonly EventMark[],
  near_s: number,
): Merged[] {
  const merged: Merged[] = [];
  const last = new Map<string, Merged>();
  for (const mark of marks) {
    const group = `${mark.kind} ${mark.many}`;
    const before = last.get(group);
    if (before && mark.start <= before.stop + near_s) {
      before.stop = Math.max(before.stop, mark.stop);
      before.marks.push(mark);
      continue;
    }
    const next: Merged = {
      start: mark.start,
      stop: mark.stop,
      level: mark.level,
      kind: mark.kind,
      marks: [mark],
    };
    last.set(group, next);
    merged.push(next);
  }
  return merged;
}

/** What is left to say where there is hardly any room: no count of nobody knows what. */
export function briefText(merged: Merged): string {
  const { marks, kind } = merged;
  if (kind === "worker") return "";
  const count = String(marks.length);
  // Errors have a cross before it.
  if (kind === "error") return marks.length === 1 ? "" : count;
  return marks.length === 1 ? "gap" : `${count} gaps`;
}

/** `ValueError`, `3 errors`, `2 workers spilling`; `short` for a narrow plot. */
export function mergedText(merged: Merged, short: boolean): string {
  const { marks } = merged;
  const first = marks[0];
  if (!first) return "";
  const texts = new Set(marks.map((mark) => mark.text));
  if (texts.size === 1) {
    return marks.length === 1 ? first.text : `${marks.length} × ${first.text}`;
  }
  const count = first.kind === "worker" ? texts.size : marks.length;
  if (short && first.kind === "worker") {
    return `${count} ${first.many.replace("workers ", "")}`;
  }
  return plural(count, first.one, first.many);
}

/** What is drawn of a merged mark, in words, for each amount of room. */
export interface Shown extends Merged {
  readonly text: string;
  readonly short: string;
  readonly brief: string;
  /** Where its sign and words were drawn last, in pixels; empty off the screen. */
  left_px: number;
  right_px: number;
}

/** The mark at `x` in pixels, errors before others; null for none. */
export function markAt(marks: readonly Shown[], x: number): Shown | null {
  let found: Shown | null = null;
  for (const mark of marks) {
    if (x < mark.left_px || x > mark.right_px) continue;
    if (!found || (mark.kind === "error" && found.kind !== "error")) {
      found = mark;
    }
  }
  return found;
}

/** The error of a mark that a click pins: the one after what is pinned now. */
export function nextError(
  mark: Merged,
  pinned: number | null,
): TaskError | null {
  const errors = mark.marks
    .flatMap(({ error }) => error ?? [])
    .filter(({ task }) => task >= 0);
  const at = errors.findIndex(({ task }) => task === pinned);
  return errors[(at + 1) % errors.length] ?? null;
}

/** How often marks are merged anew while somebody zooms. */
const STEPS_A_DOUBLING = 4;

/** Merges anew when the marks or the scale change, and not for each frame of a zoom. */
export class MergedMarks {
  private marks: readonly EventMark[] | null = null;
  private near_s = 0;
  private shown: readonly Shown[] = [];

  update(marks: readonly EventMark[], wanted_s: number): readonly Shown[] {
    const step = Math.round(Math.log2(wanted_s) * STEPS_A_DOUBLING);
    const near_s = 2 ** (step / STEPS_A_DOUBLING);
    if (marks !== this.marks || near_s !== this.near_s) {
      this.marks = marks;
      this.near_s = near_s;
      this.shown = mergeMarks(marks, near_s).map((merged) => ({
        ...merged,
        text: mergedText(merged, false),
        short: mergedText(merged, true),
        brief: briefText(merged),
        left_px: 0,
        right_px: 0,
      }));
    }
    return this.shown;
  }
}
