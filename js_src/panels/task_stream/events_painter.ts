// Draws the row of events below the time axis, and gaps over the lanes. Marks
// come first, words go where nothing else is: errors choose before the others.

import { toCss } from "../../base/colour";
import { xOf, type AxisPicture } from "./axis_painter";
import type { Merged, Shown } from "./event_marks";
import { actionRgb, tint } from "../../panel/paints";

const CROSS_PX = 7;
const TEXT_GAP_PX = 6;
/** Between the words of two marks. */
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
/** Who chooses its place first. */
const ORDER: readonly Merged["kind"][] = ["error", "gap", "worker"];

export function paintEvents(
  picture: AxisPicture,
  merged: readonly Shown[],
  gridColumns: Iterable<number>,
  short: boolean,
): void {
  const { context, theme, width, pixelRatio, measure, rows } = picture;
  const top = rows.axis * pixelRatio;
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
export function paintGaps(
  picture: AxisPicture,
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

const isBar = (picture: AxisPicture, mark: Merged): boolean =>
  (mark.stop - mark.start) / picture.secondsPerPixel >= 3 * picture.pixelRatio;

const isSeen = (picture: AxisPicture, mark: Merged): boolean =>
  xOf(picture, mark.stop) >= 0 && xOf(picture, mark.start) <= picture.width;

/** A pointer need not be exact to the pixel. */
const REACH_PX = 4;

function reach(picture: AxisPicture, mark: Shown, from: number, to: number) {
  const near = REACH_PX * picture.pixelRatio;
  mark.left_px = Math.min(mark.left_px, from - near);
  mark.right_px = Math.max(mark.right_px, to + near);
}

function paintBar(picture: AxisPicture, mark: Shown, middle: number): void {
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
function paintSign(picture: AxisPicture, mark: Shown, middle: number): void {
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
  picture: AxisPicture,
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
  picture: AxisPicture,
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
