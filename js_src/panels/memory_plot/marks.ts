// Names in the plot: peaks, ends of lines, and the limit; marks of the means at the axis.

import { toCss } from "../../base/colour";
import { formatBytes } from "../../base/format";
import { shorten, TextMeasure } from "../../render/text";
import type { PlotArea } from "../../timeline/time_plot";
import { valueNear } from "./runs";
import type { Drawn } from "./view";

/** With more lines, only the peak under the pointer is named, and ends that have room. */
const MOST_NAMED = 6;
const MEAN_PX = 12;
const BESIDE_PX = 7;

export function paintMarks(
  area: PlotArea,
  lines: readonly Drawn[],
  look: {
    readonly pointedAt: string | null;
    /** Width for names beside the plot. */
    readonly right_px: number;
    /** NaN if none is drawn. */
    readonly limit: number;
    /** Runs with a band of their workers, in addition to the line of the cluster. */
    readonly banded: readonly Drawn[];
  },
): void {
  const { context, theme, pixelRatio, left, width } = area;
  const pen = new Pen(area, look.right_px * pixelRatio);
  if (look.limit > 0) {
    const y = area.y(look.limit);
    pen.name(`limit ${formatBytes(look.limit)}`, left + width, y);
    pen.avoid([left, y - 1, left + width, y + 1]);
  }
  const crowded = lines.length > MOST_NAMED;
  for (const { run, colour, figures } of lines) {
    const { mean, peak, peakTime } = figures;
    context.fillStyle = colour;
    const y = area.y(mean) - pixelRatio;
    context.fillRect(left, y, MEAN_PX * pixelRatio, 2 * pixelRatio);
    const x = area.x(peakTime);
    if (crowded && run.label !== look.pointedAt) continue;
    if (!(x >= left && x <= left + width)) continue;
    circle(area, peakTime, peak, 4.5, colour);
    circle(area, peakTime, peak, 2.5, toCss(theme.panel));
    pen.above(`peak ${formatBytes(peak)}`, x, area.y(peak) - 3 * pixelRatio);
  }
  const nameEnd = ({ run }: Drawn, series = run.median, text = run.label) => {
    const time = Math.min(run.stop, area.range[1]);
    if (time < area.range[0]) return;
    pen.name(text, area.x(time), area.y(valueNear(series, time)), crowded);
  };
  for (const one of lines) {
    const { run, line, colour } = one;
    if (run.stop >= area.range[0] && run.stop <= area.range[1]) {
      circle(area, run.stop, valueNear(line, run.stop), 2.5, colour);
    }
    nameEnd(one, line);
  }
  for (const one of look.banded) nameEnd(one, one.run.median, "each worker");
}

/** Dots on all lines at the moment under the pointer. */
export function paintDots(
  area: PlotArea,
  lines: readonly Drawn[],
  moment: number,
): void {
  for (const { line, colour } of lines) {
    const value = valueNear(line, moment);
    circle(area, moment, value, 4, toCss(area.theme.panel));
    circle(area, moment, value, 3, colour);
  }
}

function circle(
  { context, pixelRatio, x, y }: PlotArea,
  time: number,
  value: number,
  radius_px: number,
  colour: string,
): void {
  if (Number.isNaN(value)) return;
  context.fillStyle = colour;
  context.beginPath();
  context.arc(x(time), y(value), radius_px * pixelRatio, 0, 2 * Math.PI);
  context.fill();
}

type Box = readonly [left: number, top: number, right: number, bottom: number];

/** Writes text only where it does not cover other text. */
class Pen {
  private readonly written: Box[] = [];
  private readonly measure: TextMeasure;
  private readonly line: number;
  private readonly end: number;

  constructor(
    private readonly area: PlotArea,
    private readonly right: number,
  ) {
    const { context, theme, pixelRatio, left, width } = area;
    this.measure = new TextMeasure(context);
    this.measure.setFont(`${theme.small_px * pixelRatio}px ${theme.font}`);
    this.line = theme.small_px * 1.2 * pixelRatio;
    this.end = left + width + right;
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.lineJoin = "round";
  }

  avoid(box: Box): void {
    this.written.push(box);
  }

  /** Writes beside a point, or a little higher or lower; above it if there is no margin. */
  name(text: string, x: number, y: number, crowded = false): void {
    const from = x + BESIDE_PX * this.area.pixelRatio;
    const words = shorten(text, this.end - from, this.measure);
    if (this.right === 0 && words !== text) {
      this.above(text, x, y);
      return;
    }
    for (const lines of crowded ? [0] : [0, 1, -1, 2, -2]) {
      if (this.put(words, from, y + lines * this.line)) return;
    }
  }

  /** Writes centred above a point, or else below it. */
  above(text: string, x: number, y: number): void {
    const width = this.measure.width(text);
    const most = this.end - width;
    const from = Math.min(Math.max(x - width / 2, this.area.left), most);
    if (this.put(text, from, y - this.line)) return;
    this.put(text, from, y + this.line * 1.2);
  }

  private put(text: string, x: number, y: number): boolean {
    const { context, theme, top, height, pixelRatio } = this.area;
    const half = this.line / 2;
    const box: Box = [x, y - half, x + this.measure.width(text), y + half];
    if (!(box[1] >= top - half && box[3] <= top + height + half)) return false;
    const isFree = (other: Box): boolean =>
      [0, 1].some((at) => box[at] >= other[at + 2] || other[at] >= box[at + 2]);
    if (!this.written.every(isFree)) return false;
    this.written.push(box);
    context.strokeStyle = toCss(theme.panel);
    context.lineWidth = 3 * pixelRatio;
    context.strokeText(text, x, y);
    context.fillStyle = toCss(theme.text);
    context.fillText(text, x, y);
    return true;
  }
}
