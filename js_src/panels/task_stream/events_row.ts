// The row of events of a plot: errors, gaps in the recording, workers that came, left, spilled or
// were restarted. What overlaps on the screen becomes one mark that says how many.

import { inFocus } from "../../panel/narrowing";
import { rowsOf } from "../../session_tables";
import { type AxisPicture, xOf } from "../../timeline/axis";
import type { PlotRows } from "./geometry";
import type { ViewState } from "./view_state";
import type { Change, Gap, TaskError } from "../../model/types";
import { plural } from "../../base/format";
import { splitException } from "../../panel/traceback";
import { toCss } from "../../base/colour";
import { actionRgb, tint } from "../../panel/pixel_colours";

export interface StagePicture extends AxisPicture {
  readonly rows: PlotRows;
}

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

interface Merged {
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
function briefText(merged: Merged): string {
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

function markAt(marks: readonly Shown[], x: number): Shown | null {
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

const CROSS_PX = 7;
const TEXT_GAP_PX = 6;
const APART_PX = 10;
/** Around a sign: less than to its own words, enough to others'. */
const SIGN_ROOM_PX = 5;
/** A narrower bar is a moment: what it means stands beside it. */
const NARROW_PX = 12;

/** Stretches of the row that are taken by marks and words, in pixels. */
export class TakenRow {
  private readonly edges: number[] = [];
  private count = 0;

  clear(): void {
    this.count = 0;
  }

  take(left: number, right: number): void {
    this.edges[2 * this.count] = left;
    this.edges[2 * this.count + 1] = right;
    this.count += 1;
  }

  /** The first place from `left` on where `width` is free; null past `right`. */
  place(left: number, right: number, width: number): number | null {
    let at = left;
    for (let moved = true; moved;) {
      if (at + width > right) return null;
      moved = false;
      for (let i = 0; i < this.count; i++) {
        const from = this.edges[2 * i];
        const to = this.edges[2 * i + 1];
        if (from < at + width && to > at) {
          at = to;
          moved = true;
        }
      }
    }
    return at;
  }
}

const taken = new TakenRow();
const ORDER: readonly Merged["kind"][] = ["error", "gap", "worker"];

export function paintEvents(
  picture: StagePicture,
  merged: readonly Shown[],
  gridColumns: Iterable<number>,
  short: boolean,
): void {
  const { context, theme, width, pixelRatio, measure, rows } = picture;
  const top = rows.eventsTop * pixelRatio;
  const height = rows.events * pixelRatio;
  context.fillStyle = toCss(theme.panel);
  context.fillRect(0, top, width, height + 6 * pixelRatio);
  context.fillStyle = toCss(theme.grid);
  const line = Math.max(1, Math.round(pixelRatio));
  for (const x of gridColumns) {
    context.fillRect(x, top, line, height + 6 * pixelRatio);
  }
  if (merged.length === 0) return;
  const font = `${rows.font * pixelRatio}px ${theme.font}`;
  measure.setFont(font);
  context.font = font;
  context.textBaseline = "middle";
  context.textAlign = "left";
  const middle = top + height / 2;
  taken.clear();
  for (const mark of merged) {
    mark.left_px = Infinity;
    mark.right_px = -Infinity;
  }
  for (const mark of merged) paintBar(picture, mark, middle);
  for (const mark of merged) paintSign(picture, mark, middle);
  for (const kind of ORDER) {
    for (const mark of merged) {
      if (mark.kind === kind) paintWords(picture, mark, middle, short);
    }
  }
}

/** Stretches without a recording, over the lanes: empty is not idle there. */
function paintGaps(
  picture: StagePicture,
  merged: readonly Merged[],
  top: number,
  bottom: number,
): void {
  const { context, theme, width, pixelRatio } = picture;
  const line = Math.max(1, Math.round(pixelRatio));
  for (const mark of merged) {
    if (mark.kind !== "gap") continue;
    const left = Math.max(-line, Math.round(xOf(picture, mark.start)));
    const right = Math.min(width, Math.round(xOf(picture, mark.stop)));
    if (right < 0 || left > width) continue;
    context.fillStyle = toCss(theme.text);
    context.globalAlpha = 0.05;
    context.fillRect(left, top, Math.max(line, right - left), bottom - top);
    context.globalAlpha = 0.4;
    const dash = 4 * pixelRatio;
    for (let y = top; y < bottom; y += 2 * dash) {
      context.fillRect(left, y, line, dash);
      context.fillRect(right - line, y, line, dash);
    }
    context.globalAlpha = 1;
  }
}

const isBar = (picture: StagePicture, mark: Merged): boolean =>
  (mark.stop - mark.start) / picture.secondsPerPixel >= 3 * picture.pixelRatio;

const isSeen = (picture: StagePicture, mark: Merged): boolean =>
  xOf(picture, mark.stop) >= 0 && xOf(picture, mark.start) <= picture.width;

const REACH_PX = 4;

function reach(picture: StagePicture, mark: Shown, from: number, to: number) {
  const near = REACH_PX * picture.pixelRatio;
  mark.left_px = Math.min(mark.left_px, from - near);
  mark.right_px = Math.max(mark.right_px, to + near);
}

function paintBar(picture: StagePicture, mark: Shown, middle: number): void {
  const { context, theme, width, pixelRatio } = picture;
  if (!isBar(picture, mark) || !isSeen(picture, mark)) return;
  const from = Math.max(0, Math.round(xOf(picture, mark.start)));
  const to = Math.min(width, Math.round(xOf(picture, mark.stop)));
  const half = (picture.rows.font * pixelRatio) / 2;
  const colour =
    mark.level === "error" ? theme.error : actionRgb("disk", theme);
  context.fillStyle = tint(colour, theme, theme.dark ? 0.26 : 0.2);
  context.fillRect(from, Math.round(middle - half), to - from, half * 2);
  reach(picture, mark, from, to);
}

/** A cross for errors, a tick for other moments. */
function paintSign(picture: StagePicture, mark: Shown, middle: number): void {
  const { context, theme, pixelRatio } = picture;
  const x = xOf(picture, mark.start);
  const half = (CROSS_PX * pixelRatio) / 2;
  if (x < -half || x > picture.width + half) return;
  if (mark.kind === "error") {
    context.strokeStyle = toCss(theme.error);
    context.lineWidth = 2 * pixelRatio;
    context.beginPath();
    context.moveTo(x - half, middle - half);
    context.lineTo(x + half, middle + half);
    context.moveTo(x + half, middle - half);
    context.lineTo(x - half, middle + half);
    context.stroke();
    const room = SIGN_ROOM_PX * pixelRatio;
    taken.take(x - half - room, x + half + room);
    reach(picture, mark, x - half, x + half);
  } else if (!isBar(picture, mark)) {
    context.fillStyle = toCss(theme.warn);
    const tall = picture.rows.font * pixelRatio;
    const left = Math.round(x - pixelRatio);
    const top = Math.round(middle - tall / 2);
    context.fillRect(left, top, Math.round(2 * pixelRatio), tall);
    const room = SIGN_ROOM_PX * pixelRatio;
    taken.take(x - room, x + room);
    reach(picture, mark, x, x);
  }
}

function paintWords(
  picture: StagePicture,
  mark: Shown,
  middle: number,
  short: boolean,
): void {
  if (!isSeen(picture, mark)) return;
  const { context, theme, measure } = picture;
  if (mark.kind === "error") context.fillStyle = toCss(theme.error);
  else
    context.fillStyle = toCss(isBar(picture, mark) ? theme.text : theme.warn);
  const first = short ? mark.short : mark.text;
  for (let at = 0; at < 3; at++) {
    const words = at === 0 ? first : at === 1 ? mark.short : mark.brief;
    if (words === "") continue;
    const width = measure.width(words);
    const left = placeOf(picture, mark, width, words === mark.brief);
    if (left === null) continue;
    context.fillText(words, left, middle);
    const gap = APART_PX * picture.pixelRatio;
    taken.take(left - gap, left + width + gap);
    reach(picture, mark, left, left + width);
    return;
  }
}

/**
 * Inside its bar; beside a moment, at the right if there is room. A bare count
 * means something only `beside` its own sign.
 */
function placeOf(
  picture: StagePicture,
  mark: Merged,
  words: number,
  beside: boolean,
): number | null {
  const { pixelRatio, width } = picture;
  const gap = TEXT_GAP_PX * pixelRatio;
  const sign = mark.kind === "error" ? (CROSS_PX * pixelRatio) / 2 : 0;
  const from = xOf(picture, mark.start);
  const to = xOf(picture, mark.stop);
  if (to - from >= NARROW_PX * pixelRatio) {
    const inside = Math.max(0, from + sign) + gap;
    // How many errors a bar stands for may reach beyond its end, unlike words.
    const counts = beside && mark.kind === "error";
    const end = counts ? width : Math.min(width, to) - gap / 2;
    const found = taken.place(inside, end, words);
    return counts && found !== inside ? null : found;
  }
  const right = to + sign + gap;
  if (taken.place(right, width, words) === right) return right;
  const left = from - sign - gap - words;
  return left >= 0 && taken.place(left, width, words) === left ? left : null;
}

const MARK_PX = 10;
const SHORT_PX = 560;

export class EventsRow {
  private readonly merging = new MergedMarks();
  private marks: readonly EventMark[] = [];
  private merged: readonly Shown[] = [];

  /** Reads the session's signals: call it in an effect. */
  read(view: ViewState): void {
    const session = view.session.value;
    const groups = view.placed.value;
    if (!session) {
      this.marks = [];
      return;
    }
    void view.namesVersion.value;
    // The time in focus cuts nothing off: beside it lanes are drawn, too.
    const focused = inFocus({ ...view.focus.value, time: null });
    const { prefixes } = session;
    const errors = rowsOf(view.table("errors"), "time").filter(
      ({ time, worker, prefix }) =>
        focused({ start: time, stop: time, worker, prefix: prefixes[prefix] }),
    );
    const gaps = rowsOf(view.table("gaps"), "start");
    const changes = rowsOf(view.table("workers"), "time").filter(
      ({ time, worker, what }) =>
        // A restart is of all workers.
        what === "restarted" ||
        focused({ start: time, stop: time, worker, prefix: null }),
    );
    const names = new Map(groups.map(({ address, name }) => [address, name]));
    const nameOf = (worker: string): string => names.get(worker) ?? worker;
    this.marks = eventMarks(errors, gaps, changes, nameOf);
  }

  paint(picture: StagePicture, gridColumns: Iterable<number>): void {
    const { pixelRatio, secondsPerPixel, width } = picture;
    const near_s = MARK_PX * pixelRatio * secondsPerPixel;
    this.merged = this.merging.update(this.marks, near_s);
    const short = width / pixelRatio < SHORT_PX;
    paintEvents(picture, this.merged, gridColumns, short);
  }

  paintGaps(picture: StagePicture, top: number, bottom: number): void {
    paintGaps(picture, this.merged, top, bottom);
  }

  at(
    x_px: number,
    y_px: number,
    rows: PlotRows,
    pixelRatio: number,
  ): Shown | null {
    if (y_px < rows.eventsTop || y_px > rows.lanesTop) return null;
    return markAt(this.merged, x_px * pixelRatio);
  }
}
