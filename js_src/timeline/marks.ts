// Events as a row of marks in a plot over time: moments, and ranges behind them. Marks that
// would overlap are merged into one with a count, in words if there is room.

import { mix, type Rgb, toCss } from "../base/colour";
import { plural } from "../base/format";
import { TextMeasure } from "../render/text";
import type { PlotArea } from "./time_plot";

export interface Item {
  readonly start: number;
  /** Equal to `start` for a moment; Infinity while it lasts. */
  readonly stop: number;
  readonly level: "error" | "warn" | "info";
  readonly text: string;
  /** Name in a merged mark, such as "worker spilling". */
  readonly one: string;
  readonly many: string;
  /** Shorter name in a merged mark, such as "spilling". Equal texts count once. */
  readonly few?: string;
  /** Shortest text, used where there is hardly any room; default: none. */
  readonly brief?: readonly [one: string, many: string];
}

export interface Merged<I extends Item> {
  start: number;
  stop: number;
  level: Item["level"];
  items: I[];
}

/** `near_s`: time that the width of a mark and its gap represents. */
export function mergeMarks<I extends Item>(
  items: readonly I[],
  near_s: number,
): Merged<I>[] {
  const merged: Merged<I>[] = [];
  const last = new Map<string, Merged<I>>();
  for (const item of items) {
    const { start, stop, level, many } = item;
    const before = last.get(many);
    if (before && start <= before.stop + near_s) {
      before.stop = Math.max(before.stop, stop);
      before.items.push(item);
      continue;
    }
    const next = { start, stop, level, items: [item] };
    last.set(many, next);
    merged.push(next);
  }
  return merged;
}

/** `ValueError`, `3 errors`, `2 workers spilling`; `short` for a narrow plot. */
export function mergedText(
  { items }: Pick<Merged<Item>, "items">,
  short: boolean,
): string {
  const [{ text, one, many, few }] = items;
  const texts = new Set(items.map((item) => item.text));
  if (texts.size === 1) {
    return items.length === 1 ? text : `${items.length} × ${text}`;
  }
  if (few === undefined) return plural(items.length, one, many);
  return short ? `${texts.size} ${few}` : plural(texts.size, one, many);
}

/** Errors need only a count: their cross shows what they are. */
function briefText({ items }: Merged<Item>): string {
  const [{ brief = ["", ""], level }] = items;
  const { length } = items;
  if (level === "error") return length === 1 ? "" : String(length);
  return length === 1 || brief[1] === "" ? brief[0] : `${length} ${brief[1]}`;
}

/** A merged mark with its texts, from long to short. */
export interface Mark<I extends Item> extends Merged<I> {
  readonly text: string;
  readonly short: string;
  readonly brief: string;
  /** Where its sign and words were last drawn, in pixels; an empty range off the screen. */
  left_px: number;
  right_px: number;
}

const STEPS_A_DOUBLING = 4;
const MARK_PX = 10;
/** Narrower plots use the shorter texts. */
const SHORT_PX = 560;
const CROSS_PX = 7;
const TEXT_GAP_PX = 6;
const APART_PX = 10;
/** Gap around a sign: smaller than to its own text, wide enough to other texts. */
const SIGN_ROOM_PX = 5;
/** A narrower bar is treated as a moment: its text goes beside it. */
const NARROW_PX = 12;
const REACH_PX = 4;

export class MarkRow<I extends Item> {
  /** Sorted by start. */
  items: readonly I[] = [];
  marks: readonly Mark<I>[] = [];
  private merged: readonly I[] | null = null;
  private near_s = 0;
  private readonly taken = new TakenRow();
  private measure: TextMeasure | null = null;

  /** Merges again only if items or scale change; small steps of a zoom do not count. */
  update(wanted_s: number): readonly Mark<I>[] {
    const step = Math.round(Math.log2(wanted_s) * STEPS_A_DOUBLING);
    const near_s = 2 ** (step / STEPS_A_DOUBLING);
    if (this.items !== this.merged || near_s !== this.near_s) {
      this.merged = this.items;
      this.near_s = near_s;
      this.marks = mergeMarks(this.items, near_s).map((merged) => ({
        ...merged,
        text: mergedText(merged, false),
        short: mergedText(merged, true),
        brief: briefText(merged),
        left_px: 0,
        right_px: 0,
      }));
    }
    return this.marks;
  }

  /** The mark at a pixel; errors take precedence. */
  at(x: number): Mark<I> | null {
    const found = this.marks.filter(
      ({ left_px, right_px }) => x >= left_px && x <= right_px,
    );
    return found.find(({ level }) => level === "error") ?? found[0] ?? null;
  }

  /** `middle`: y of the row's middle; `bar`: colour of ranges. */
  paint(area: PlotArea, middle: number, bar: Rgb): void {
    const { context, theme, pixelRatio, width, range } = area;
    const second_px = width / (range[1] - range[0]);
    const marks = this.update((MARK_PX * pixelRatio) / second_px);
    if (marks.length === 0) return;
    const measure = (this.measure ??= new TextMeasure(context));
    context.font = `${theme.small_px * pixelRatio}px ${theme.font}`;
    measure.setFont(context.font);
    context.textBaseline = "middle";
    context.textAlign = "left";
    this.taken.clear();
    for (const mark of marks) {
      mark.left_px = Infinity;
      mark.right_px = -Infinity;
    }
    const row = { area, middle, measure, taken: this.taken };
    for (const mark of marks) paintBar(row, mark, bar);
    for (const mark of marks) paintSign(row, mark);
    const others = marks.filter(({ level }) => level !== "error");
    for (const mark of marks) {
      if (mark.level === "error") paintWords(row, mark);
    }
    for (const mark of others) if (mark.brief) paintWords(row, mark);
    for (const mark of others) if (!mark.brief) paintWords(row, mark);
  }
}

/** Ranges of a row occupied by marks and words, in pixels. */
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

  /** The first free place of `width` between `left` and `right`; null if none. */
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

interface Row {
  readonly area: PlotArea;
  readonly middle: number;
  readonly measure: TextMeasure;
  readonly taken: TakenRow;
}

const isBar = ({ x, pixelRatio }: PlotArea, mark: Merged<Item>): boolean =>
  x(mark.stop) - x(mark.start) >= 3 * pixelRatio;

const isSeen = (
  { x, left, width }: PlotArea,
  { start, stop }: Merged<Item>,
): boolean => x(stop) >= left && x(start) <= left + width;

function reach({ area }: Row, mark: Mark<Item>, from: number, to: number) {
  const near = REACH_PX * area.pixelRatio;
  mark.left_px = Math.min(mark.left_px, from - near);
  mark.right_px = Math.max(mark.right_px, to + near);
}

function paintBar(row: Row, mark: Mark<Item>, bar: Rgb): void {
  const { area, middle } = row;
  const { context, theme, left, width, pixelRatio, x } = area;
  if (!isBar(area, mark) || !isSeen(area, mark)) return;
  const from = Math.max(left, Math.round(x(mark.start)));
  const to = Math.min(left + width, Math.round(x(mark.stop)));
  const half = (theme.small_px * pixelRatio) / 2;
  const colour = mark.level === "error" ? theme.error : bar;
  const share = theme.dark ? 0.26 : 0.2;
  context.fillStyle = toCss(mix(colour, theme.panel, share));
  context.fillRect(from, Math.round(middle - half), to - from, half * 2);
  reach(row, mark, from, to);
}

/** A cross for errors, a tick for other moments. */
function paintSign(row: Row, mark: Mark<Item>): void {
  const { area, middle, taken } = row;
  const { context, theme, left, width, pixelRatio } = area;
  const x = area.x(mark.start);
  const half = (CROSS_PX * pixelRatio) / 2;
  if (x < left - half || x > left + width + half) return;
  const room = SIGN_ROOM_PX * pixelRatio;
  if (mark.level === "error") {
    context.strokeStyle = toCss(theme.error);
    context.lineWidth = 2 * pixelRatio;
    paintCross(context, x, middle, half);
    taken.take(x - half - room, x + half + room);
    reach(row, mark, x - half, x + half);
  } else if (!isBar(area, mark)) {
    context.fillStyle = toCss(mark.level === "warn" ? theme.warn : theme.text2);
    const tall = theme.small_px * pixelRatio;
    const from = Math.round(x - pixelRatio);
    const top = Math.round(middle - tall / 2);
    context.fillRect(from, top, Math.round(2 * pixelRatio), tall);
    taken.take(x - room, x + room);
    reach(row, mark, x, x);
  }
}

function paintWords(row: Row, mark: Mark<Item>): void {
  const { area, middle, measure, taken } = row;
  if (!isSeen(area, mark)) return;
  const { context, theme, pixelRatio, width } = area;
  const { text, short, brief, level } = mark;
  const colour = isBar(area, mark) || level === "info" ? "text" : "warn";
  context.fillStyle = toCss(theme[level === "error" ? "error" : colour]);
  const first = width / pixelRatio < SHORT_PX ? short : text;
  for (const words of [first, short, brief]) {
    if (words === "") continue;
    const wide = measure.width(words);
    const left = placeOf(row, mark, wide, words === brief);
    if (left === null) continue;
    context.fillText(words, left, middle);
    const gap = APART_PX * pixelRatio;
    taken.take(left - gap, left + wide + gap);
    reach(row, mark, left, left + wide);
    return;
  }
}

/**
 * Places text inside its bar, or beside a moment: at the right if there is room. `beside`:
 * a bare count, which is only understood next to its own sign.
 */
function placeOf(
  { area, taken }: Row,
  { level, start, stop }: Mark<Item>,
  words: number,
  beside: boolean,
): number | null {
  const { pixelRatio, x } = area;
  const end = area.left + area.width;
  const gap = TEXT_GAP_PX * pixelRatio;
  const sign = level === "error" ? (CROSS_PX * pixelRatio) / 2 : 0;
  const [from, to] = [x(start), x(stop)];
  if (to - from >= NARROW_PX * pixelRatio) {
    const inside = Math.max(area.left, from + sign) + gap;
    // The error count of a bar, unlike words, may extend past its end.
    const counts = beside && level === "error";
    const until = counts ? end : Math.min(end, to) - gap / 2;
    const found = taken.place(inside, until, words);
    return counts && found !== inside ? null : found;
  }
  const right = to + sign + gap;
  if (taken.place(right, end, words) === right) return right;
  const left = from - sign - gap - words;
  const fits = left >= area.left && taken.place(left, end, words) === left;
  return fits ? left : null;
}

/** The error sign, in the current stroke style. */
export function paintCross(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  size: number,
): void {
  context.beginPath();
  context.moveTo(x - size, y - size);
  context.lineTo(x + size, y + size);
  context.moveTo(x + size, y - size);
  context.lineTo(x - size, y + size);
  context.stroke();
}
