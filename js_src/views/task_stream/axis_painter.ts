// Draws the time axis and the row of events below it.

import { toCss } from "../../base/colour";
import type { Theme } from "../../base/theme";
import { timeTicks, type Tick } from "../../derive/ticks";
import type { TextMeasure } from "../../render/text";
import type { Merged, Shown } from "./event_marks";
import { AXIS_PX, EVENTS_PX } from "./geometry";
import { tint } from "./paints";

const FONT_PX = 11;
const TICK_PX = 5;
const BAR_PX = 11;
const CROSS_PX = 7;

/** Ticks for three widths, so that panning makes no new ones. */
export class TickCache {
  private key = "";
  private from = 0;
  private to = 0;
  private ticks: readonly Tick[] = [];
  readonly columns: number[] = [];

  update(
    start: number,
    stop: number,
    width_px: number,
    origin: number,
  ): readonly Tick[] {
    const span = stop - start;
    const key = `${span.toPrecision(6)} ${width_px} ${origin}`;
    if (key !== this.key || start < this.from || stop > this.to) {
      this.key = key;
      this.from = start - span;
      this.to = stop + span;
      this.ticks = timeTicks(this.from, this.to, width_px * 3, origin).ticks;
    }
    return this.ticks;
  }
}

export interface AxisPicture {
  readonly context: CanvasRenderingContext2D;
  readonly measure: TextMeasure;
  readonly theme: Theme;
  readonly start: number;
  readonly secondsPerPixel: number;
  readonly width: number;
  readonly pixelRatio: number;
}

const xOf = (picture: AxisPicture, time: number): number =>
  (time - picture.start) / picture.secondsPerPixel;

export function paintAxis(picture: AxisPicture, ticks: readonly Tick[]): void {
  const { context, theme, width, pixelRatio, measure } = picture;
  const height = AXIS_PX * pixelRatio;
  context.fillStyle = toCss(theme.panel);
  context.fillRect(0, 0, width, height);
  const font = `${FONT_PX * pixelRatio}px ${theme.font}`;
  measure.setFont(font);
  context.font = font;
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  const line = Math.max(1, Math.round(pixelRatio));
  for (const tick of ticks) {
    const x = xOf(picture, tick.time);
    if (x < -100 * pixelRatio || x > width) continue;
    if (x >= 0) {
      context.fillStyle = toCss(theme.text2);
      context.globalAlpha = 0.55;
      context.fillRect(
        Math.floor(x),
        height - TICK_PX * pixelRatio - line,
        line,
        TICK_PX * pixelRatio,
      );
      context.globalAlpha = 1;
    }
    const left = Math.round(x + 5 * pixelRatio);
    if (left < 2 || left + measure.width(tick.label) > width) continue;
    context.fillStyle = toCss(theme.text2);
    context.fillText(tick.label, left, height - 8 * pixelRatio);
  }
  context.fillStyle = toCss(theme.rule);
  context.fillRect(0, height - line, width, line);
}

export function paintEvents(
  picture: AxisPicture,
  merged: readonly Shown[],
  gridColumns: Iterable<number>,
  short: boolean,
): void {
  const { context, theme, width, pixelRatio, measure } = picture;
  const top = AXIS_PX * pixelRatio;
  const height = EVENTS_PX * pixelRatio;
  context.fillStyle = toCss(theme.panel);
  context.fillRect(0, top, width, height + 6 * pixelRatio);
  context.fillStyle = toCss(theme.grid);
  const line = Math.max(1, Math.round(pixelRatio));
  for (const x of gridColumns) {
    context.fillRect(x, top, line, height + 6 * pixelRatio);
  }
  if (merged.length === 0) return;
  const font = `${FONT_PX * pixelRatio}px ${theme.font}`;
  measure.setFont(font);
  context.font = font;
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (let at = 0; at < merged.length; at++) {
    const mark = merged[at];
    const left = xOf(picture, mark.start);
    const right = Math.min(xOf(picture, mark.stop), width + 10);
    if (right < -200 * pixelRatio || left > width) continue;
    const next = merged[at + 1];
    const room = next ? Math.min(xOf(picture, next.start), width) : width;
    const text = short ? mark.short : mark.text;
    const middle = top + height / 2;
    if (right - left >= 3 * pixelRatio) {
      paintRange(picture, mark, left, right, middle, text, room);
    } else {
      paintMoment(picture, mark, left, middle, text, room, at, merged);
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

function paintRange(
  picture: AxisPicture,
  mark: Shown,
  left: number,
  right: number,
  middle: number,
  text: string,
  room: number,
): void {
  const { context, theme, pixelRatio, measure } = picture;
  const from = Math.max(0, Math.round(left));
  const to = Math.round(right);
  if (to <= from) return;
  const half = (BAR_PX * pixelRatio) / 2;
  const colour =
    mark.level === "error" ? theme.error : ([232, 135, 30] as const);
  context.fillStyle = tint(colour, theme, theme.dark ? 0.26 : 0.2);
  context.fillRect(from, Math.round(middle - half), to - from, half * 2);
  const gap = 6 * pixelRatio;
  const inside = (words: string): boolean =>
    measure.width(words) + 2 * gap <= to - from;
  const { brief } = mark;
  context.fillStyle = toCss(theme.text);
  if (inside(text)) context.fillText(text, from + gap, middle);
  else if (to + gap + measure.width(text) <= room - gap) {
    context.fillText(text, to + gap, middle);
  } else if (brief !== "" && inside(brief)) {
    context.fillText(brief, from + gap, middle);
  }
}

function paintMoment(
  picture: AxisPicture,
  mark: Shown,
  left: number,
  middle: number,
  text: string,
  room: number,
  at: number,
  merged: readonly Merged[],
): void {
  const { context, theme, pixelRatio, measure } = picture;
  if (left < -4 * pixelRatio) return;
  context.fillStyle = context.strokeStyle = toCss(
    mark.level === "error" ? theme.error : theme.warn,
  );
  const half = (CROSS_PX * pixelRatio) / 2;
  if (mark.kind === "error") {
    context.lineWidth = 2 * pixelRatio;
    context.beginPath();
    context.moveTo(left - half, middle - half);
    context.lineTo(left + half, middle + half);
    context.moveTo(left + half, middle - half);
    context.lineTo(left - half, middle + half);
    context.stroke();
  } else {
    const tall = (BAR_PX * pixelRatio) / 2;
    context.fillRect(
      Math.round(left - pixelRatio),
      Math.round(middle - tall),
      Math.round(2 * pixelRatio),
      tall * 2,
    );
  }
  const gap = half + 5 * pixelRatio;
  const width = measure.width(text);
  if (left + gap + width <= room - 6 * pixelRatio) {
    context.fillText(text, left + gap, middle);
    return;
  }
  // No room at the right: at the left, if nothing is written there.
  const before = merged[at - 1];
  const taken = before ? xOf(picture, Math.min(before.stop, mark.start)) : 0;
  const free = left - gap - width;
  if (free > Math.max(0, taken + (before ? 90 * pixelRatio : 0))) {
    context.fillText(text, free, middle);
  }
}
