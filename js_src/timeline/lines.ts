// Lines in a plot over time. Each pixel column shows the minimum and maximum in it, so that
// no zoom level hides a peak.

import { rowAt, type Series } from "../derive/series";
import type { PlotArea } from "./time_plot";
import type { Range } from "./window";

export interface LineLook {
  readonly colour: string;
  /** Draw steps: a count holds until the next one. */
  readonly stair?: boolean;
  readonly wide_px?: number;
  readonly dash_px?: readonly number[];
}

interface Column {
  /** False after a gap: no line leads here from the previous column. */
  joined: boolean;
  x: number;
  /** Pixel position of the end of its last row. */
  end: number;
  first: number;
  least: number;
  most: number;
  last: number;
}

/** Reused for each line, so that a frame allocates no columns. */
const pool: Column[] = [];

/**
 * Summarises a series per pixel column, with one row before and one after the range. The
 * result is valid until the next call.
 */
export function columnsOf(
  series: Series,
  x: (time: number) => number,
  [start, stop]: Range = [-Infinity, Infinity],
): Column[] {
  const { time, until, values, least, most, longest_s } = series;
  let count = 0;
  let column: Column | undefined;
  let before = NaN;
  const from = Math.max(0, rowAt(series, start));
  for (let at = from; at < time.length; at++) {
    if (at > from && time[at - 1] > stop) break;
    // The worker left within this step, so there is no value at its end.
    const ended = Number.isNaN(values[at]);
    const value = ended ? most[at] : values[at];
    if (!Number.isFinite(value)) {
      before = NaN;
      continue;
    }
    const joined = time[at] - before <= longest_s;
    before = ended ? NaN : until[at];
    const place = x(time[at]);
    if (joined && column && Math.floor(column.x) === Math.floor(place)) {
      column.end = x(until[at]);
      column.least = Math.min(column.least, least[at]);
      column.most = Math.max(column.most, most[at]);
      column.last = value;
      continue;
    }
    column = pool[count++] ??= {} as Column;
    column.joined = joined;
    column.x = place;
    column.end = x(until[at]);
    column.first = column.last = value;
    column.least = least[at];
    column.most = most[at];
  }
  return pool.slice(0, count);
}

/** Opacity of the min–max range of a step that covers several columns. */
const SPREAD_OPACITY = 0.25;

export function paintLine(
  area: PlotArea,
  series: Series,
  look: LineLook,
): void {
  const { context, pixelRatio } = area;
  context.lineWidth = (look.wide_px ?? 1.5) * pixelRatio;
  context.lineJoin = "round";
  context.strokeStyle = look.colour;
  context.setLineDash((look.dash_px ?? []).map((px) => px * pixelRatio));
  const columns = columnsOf(series, area.x, area.range);
  for (let from = 0, to = 0; from < columns.length; from = to) {
    do to += 1;
    while (columns[to]?.joined);
    trace(area, columns, from, to, look);
    context.stroke();
    if (to - from === 1) dot(area, columns[from], look.colour);
  }
  context.setLineDash([]);
  paintSpreads(area, columns, look);
}

function paintSpreads(
  { context, y }: PlotArea,
  columns: readonly Column[],
  { colour }: LineLook,
): void {
  context.fillStyle = colour;
  context.globalAlpha = SPREAD_OPACITY;
  for (const { x, end, least, most } of columns) {
    if (end - x < 2 || least === most) continue;
    context.fillRect(x, y(most), end - x, y(least) - y(most));
  }
  context.globalAlpha = 1;
}

function trace(
  { context, y }: PlotArea,
  columns: readonly Column[],
  from: number,
  to: number,
  { stair }: LineLook,
): void {
  context.beginPath();
  for (let at = from; at < to; at++) {
    const { x, first, least, most, last } = columns[at];
    if (at === from) context.moveTo(x, y(first));
    else if (stair) context.lineTo(x, y(columns[at - 1].last));
    context.lineTo(x, y(first));
    if (least === most) continue;
    context.lineTo(x, y(least));
    context.lineTo(x, y(most));
    context.lineTo(x, y(last));
  }
}

function dot(area: PlotArea, { x, last }: Column, colour: string): void {
  const { context, pixelRatio } = area;
  context.fillStyle = colour;
  context.beginPath();
  context.arc(x, area.y(last), 2 * pixelRatio, 0, 2 * Math.PI);
  context.fill();
}
