// Draws the time axis.

import { toCss } from "../base/colour";
import type { Theme } from "../base/theme";
import { timeTicks, type Tick } from "../derive/ticks";
import type { TextMeasure } from "../render/text";

export const TICK_PX = 5;

/** Ticks for three widths, so that panning makes no new ones. */
export class TickCache {
  private key = "";
  private from = 0;
  private to = 0;
  private ticks: readonly Tick[] = [];

  update(
    start: number,
    stop: number,
    width_px: number,
    origin: number,
    font_px: number,
  ): readonly Tick[] {
    const span = stop - start;
    const key = `${span.toPrecision(6)} ${width_px} ${origin} ${font_px}`;
    if (key !== this.key || start < this.from || stop > this.to) {
      this.key = key;
      this.from = start - span;
      this.to = stop + span;
      const width3_px = width_px * 3;
      this.ticks = timeTicks(
        this.from,
        this.to,
        width3_px,
        origin,
        font_px,
      ).ticks;
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
  /** Heights in CSS pixels: of the text, and of all of the axis. */
  readonly rows: { readonly font: number; readonly axis: number };
}

export const xOf = (picture: AxisPicture, time: number): number =>
  (time - picture.start) / picture.secondsPerPixel;

/** From the left end of the first to the right end of the last label there. */
export function labelsBetween(
  labels: readonly number[],
  left: number,
  right: number,
): readonly [number, number] | null {
  let from = Infinity;
  let to = -Infinity;
  for (let at = 0; at < labels.length; at += 2) {
    if (labels[at] >= right || labels[at + 1] <= left) continue;
    from = Math.min(from, labels[at]);
    to = Math.max(to, labels[at + 1]);
  }
  return from < to ? [from, to] : null;
}

export function paintAxis(
  picture: AxisPicture,
  ticks: readonly Tick[],
  /** Is filled with the left and the right end of each label. */
  labels: number[],
): void {
  const { context, theme, width, pixelRatio, measure, rows } = picture;
  const height = rows.axis * pixelRatio;
  context.fillStyle = toCss(theme.panel);
  context.fillRect(0, 0, width, height);
  const font = `${rows.font * pixelRatio}px ${theme.font}`;
  measure.setFont(font);
  context.font = font;
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  const line = Math.max(1, Math.round(pixelRatio));
  labels.length = 0;
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
    const right = left + measure.width(tick.label);
    if (left < 2 || right > width) continue;
    labels.push(left, right);
    context.fillStyle = toCss(theme.text2);
    context.fillText(tick.label, left, height - 8 * pixelRatio);
  }
  context.fillStyle = toCss(theme.rule);
  context.fillRect(0, height - line, width, line);
}
