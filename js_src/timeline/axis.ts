// Draws the time axis.

import { toCss } from "../base/colour";
import { timeTicks, type Tick } from "../derive/ticks";
import type { TextMeasure } from "../render/text";
import type { PlotArea } from "./time_plot";

const TICK_PX = 5;

/** Caches ticks for three plot widths, so that panning computes none. */
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

/** The extent of all labels that overlap `left..right`; null if none does. */
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

/** Draws the axis above a plot, with a line below it. */
export function paintAxis(
  area: Pick<
    PlotArea,
    "context" | "theme" | "pixelRatio" | "left" | "top" | "width" | "x"
  >,
  measure: TextMeasure,
  ticks: readonly Tick[],
  /** Output: the left and right end of each label. */
  labels: number[],
): void {
  const { context, theme, pixelRatio, left, top, width, x } = area;
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  const line = Math.max(1, Math.round(pixelRatio));
  const tall = TICK_PX * pixelRatio;
  labels.length = 0;
  for (const { time, label } of ticks) {
    const at = x(time) - left;
    if (at < -100 * pixelRatio || at > width) continue;
    if (at >= 0) {
      context.fillStyle = toCss(theme.text2);
      context.globalAlpha = 0.55;
      context.fillRect(left + Math.floor(at), top - tall - line, line, tall);
      context.globalAlpha = 1;
    }
    const from = Math.round(at + 5 * pixelRatio);
    const to = from + measure.width(label);
    if (from < 2 || to > width) continue;
    labels.push(from, to);
    context.fillStyle = toCss(theme.text2);
    context.fillText(label, left + from, top - 8 * pixelRatio);
  }
  context.fillStyle = toCss(theme.rule);
  context.fillRect(left, top - line, width, line);
}
