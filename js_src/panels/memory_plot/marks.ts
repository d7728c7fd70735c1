// What is named in the plot: peaks, ends of lines, the limit; and the mean at the axis.

import { toCss } from "../../base/colour";
import { formatBytes } from "../../base/format";
import { shorten, TextMeasure } from "../../render/text";
import type { PlotArea } from "../../timeline/time_plot";
import { type By, valueNear } from "./runs";
import type { Drawn } from "./view";

/** Beyond that many only the one that is pointed at is named. */
const MOST_PEAKS = 6;
const MEAN_PX = 12;
const RING_PX = 3.5;
const DOT_PX = 2.5;
const BESIDE_PX = 6;

export function paintMarks(
  area: PlotArea,
  lines: readonly Drawn[],
  look: {
    readonly by: By;
    readonly pointedAt: string | null;
    /** Room for names beside the plot. */
    readonly right_px: number;
    readonly limit: number;
  },
): void {
  const { context, theme, pixelRatio, left, width } = area;
  const pen = new Pen(area, look.right_px);
  const right = left + width;
  if (look.limit > 0) {
    const y = area.y(look.limit);
    const text = `limit ${formatBytes(look.limit)}`;
    if (look.right_px > 0) pen.write(text, right + BESIDE_PX * pixelRatio, y);
    else pen.above(text, right, y);
  }
  for (const { colour, figures } of lines) {
    context.fillStyle = colour;
    const height = 2 * pixelRatio;
    const y = Math.round(area.y(figures.mean) - height / 2);
    context.fillRect(left, y, MEAN_PX * pixelRatio, height);
  }
  const isNamed = ({ run }: Drawn): boolean =>
    lines.length <= MOST_PEAKS || run.label === look.pointedAt;
  for (const { colour, figures } of lines.filter(isNamed)) {
    const x = area.x(figures.peakTime);
    if (!(x >= left && x <= right)) continue;
    const y = area.y(figures.peak);
    context.strokeStyle = colour;
    context.fillStyle = toCss(theme.panel);
    context.lineWidth = 2 * pixelRatio;
    circle(context, x, y, RING_PX * pixelRatio);
    context.stroke();
    pen.above(`peak ${formatBytes(figures.peak)}`, x, y - 3 * pixelRatio);
  }
  for (const { run, colour } of lines) {
    const series = look.by === "cluster" ? run.cluster : run.median;
    const time = Math.min(run.stop, area.range[1]);
    const x = area.x(time);
    const y = area.y(valueNear(series, time));
    if (!(x >= left)) continue;
    context.fillStyle = colour;
    if (time === run.stop) circle(context, x, y, DOT_PX * pixelRatio);
    if (look.right_px > 0 || right - x > 80 * pixelRatio) {
      pen.write(run.label, x + (BESIDE_PX + 1) * pixelRatio, y);
    }
  }
}

/** The moment that is pointed at, on each line. */
export function paintDots(
  area: PlotArea,
  lines: readonly Drawn[],
  by: By,
  moment: number,
): void {
  const { context, pixelRatio, theme } = area;
  for (const { run, colour } of lines) {
    const series = by === "cluster" ? run.cluster : run.median;
    const value = valueNear(series, moment);
    if (Number.isNaN(value)) continue;
    context.fillStyle = toCss(theme.panel);
    circle(context, area.x(moment), area.y(value), 4 * pixelRatio);
    context.fillStyle = colour;
    circle(context, area.x(moment), area.y(value), 3 * pixelRatio);
  }
}

function circle(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  radius: number,
): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

/** The line that is nearest to a place, if one is near. */
export function lineAt(
  area: PlotArea,
  lines: readonly Drawn[],
  by: By,
  moment: number,
  y: number,
): string | null {
  let found: string | null = null;
  let nearest = 12 * area.pixelRatio;
  for (const { run } of lines) {
    const series = by === "cluster" ? run.cluster : run.median;
    const distance = Math.abs(area.y(valueNear(series, moment)) - y);
    if (!(distance < nearest)) continue;
    nearest = distance;
    found = run.label;
  }
  return found;
}

type Box = readonly [left: number, top: number, right: number, bottom: number];

/** Writes where nothing is written yet. */
class Pen {
  private readonly written: Box[] = [];
  private readonly measure: TextMeasure;
  private readonly line: number;
  private readonly end: number;

  constructor(
    private readonly area: PlotArea,
    right_px: number,
  ) {
    const { context, theme, pixelRatio, left, width } = area;
    this.measure = new TextMeasure(context);
    this.measure.setFont(`${theme.small_px * pixelRatio}px ${theme.font}`);
    this.line = theme.small_px * 1.2 * pixelRatio;
    this.end = left + width + right_px * pixelRatio;
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.lineJoin = "round";
  }

  /** From `x` on, or a little higher or lower. */
  write(text: string, x: number, y: number): void {
    const words = shorten(text, this.end - x, this.measure);
    for (const lines of [0, 1, -1, 2, -2]) {
      if (words && this.put(words, x, y + lines * this.line)) return;
    }
  }

  /** With its middle at `x`, above what is at `y`, or below. */
  above(text: string, x: number, y: number): void {
    const { left } = this.area;
    const width = this.measure.width(text);
    const from = Math.min(Math.max(x - width / 2, left), this.end - width);
    const by = this.line * 0.95;
    if (!this.put(text, from, y - by)) this.put(text, from, y + by);
  }

  private put(text: string, x: number, y: number): boolean {
    const { context, theme, top, height, pixelRatio } = this.area;
    const half = this.line / 2;
    const box: Box = [x, y - half, x + this.measure.width(text), y + half];
    if (box[1] < top - half || box[3] > top + height + half) return false;
    if (this.written.some((other) => overlap(box, other))) return false;
    this.written.push(box);
    context.strokeStyle = toCss(theme.panel);
    context.lineWidth = 3 * pixelRatio;
    context.strokeText(text, x, y);
    context.fillStyle = toCss(theme.text);
    context.fillText(text, x, y);
    return true;
  }
}

const overlap = (one: Box, other: Box): boolean =>
  one[0] < other[2] &&
  other[0] < one[2] &&
  one[1] < other[3] &&
  other[1] < one[3];
