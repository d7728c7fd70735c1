// Paints samples as a line, a stair or an area: at most a few strokes for each column
// of pixels, however many samples there are.

import type { PlotArea } from "./time_plot";
import type { Series } from "../derive/series";

export interface LineLook {
  readonly colour: string;
  /** Fills what lies between the line and zero. */
  readonly fill?: string;
  /** In stripes: what is shown is not where the rest is. */
  readonly hatched?: boolean;
  /** A value holds until the next: counts have nothing in between. */
  readonly stair?: boolean;
  /** 0: no line, only what it fills. */
  readonly wide_px?: number;
}

interface Column {
  x: number;
  first: number;
  least: number;
  most: number;
  last: number;
}

/** What of a series each column of pixels shows, in runs without a gap. */
export function columnsOf(
  { time, until, values, least, most, longest_s }: Series,
  x: (time: number) => number,
): Column[][] {
  const runs: Column[][] = [];
  let run: Column[] = [];
  let before = NaN;
  for (let at = 0; at < time.length; at++) {
    const value = values[at];
    if (!Number.isFinite(value)) continue;
    if (run.length === 0 || time[at] - before > longest_s) {
      run = [];
      runs.push(run);
    }
    before = until[at];
    const place = x(time[at]);
    const column = run[run.length - 1];
    if (column && Math.floor(column.x) === Math.floor(place)) {
      column.least = Math.min(column.least, least[at]);
      column.most = Math.max(column.most, most[at]);
      column.last = value;
    } else {
      run.push({
        x: place,
        first: value,
        least: least[at],
        most: most[at],
        last: value,
      });
    }
  }
  return runs;
}

export function paintLine(
  area: PlotArea,
  series: Series,
  look: LineLook,
): void {
  const { context, pixelRatio } = area;
  const zero = area.y(0);
  context.lineWidth = (look.wide_px ?? 1.5) * pixelRatio;
  context.lineJoin = "round";
  context.strokeStyle = look.colour;
  for (const run of columnsOf(series, area.x)) {
    context.beginPath();
    trace(area, run, look.stair ?? false);
    if (look.fill !== undefined) {
      context.lineTo(run[run.length - 1].x, zero);
      context.lineTo(run[0].x, zero);
      context.closePath();
      context.fillStyle = look.hatched ? hatch(area, look.fill) : look.fill;
      context.fill();
      context.beginPath();
      trace(area, run, look.stair ?? false);
    }
    if (look.wide_px !== 0) context.stroke();
    if (run.length === 1) dot(area, run[0], look.colour);
  }
}

const STRIPE_PX = 6;

/** Stripes that rise to the right, over a hint of the same colour. */
function hatch({ context, pixelRatio }: PlotArea, colour: string) {
  const size = Math.max(4, Math.round(STRIPE_PX * pixelRatio));
  const tile = document.createElement("canvas");
  tile.width = tile.height = size;
  const ink = tile.getContext("2d");
  if (!ink) return colour;
  ink.fillStyle = ink.strokeStyle = colour;
  ink.globalAlpha = 0.25;
  ink.fillRect(0, 0, size, size);
  ink.globalAlpha = 1;
  ink.lineWidth = size / 2.6;
  for (const shift of [-size, 0, size]) {
    ink.beginPath();
    ink.moveTo(shift - 1, size + 1);
    ink.lineTo(shift + size + 1, -1);
    ink.stroke();
  }
  return context.createPattern(tile, "repeat") ?? colour;
}

/** The same in a legend. */
export function fillCss({ fill, hatched, colour }: LineLook): string {
  if (!fill || !hatched) return fill ?? colour;
  const faint = `color-mix(in srgb, ${fill} 25%, transparent)`;
  return `repeating-linear-gradient(135deg, ${fill} 0 2px, ${faint} 2px 4px)`;
}

function trace(area: PlotArea, run: readonly Column[], stair: boolean): void {
  const { context } = area;
  run.forEach(({ x, first, least, most, last }, at) => {
    const y = area.y(first);
    if (at === 0) context.moveTo(x, y);
    else if (stair) context.lineTo(x, area.y(run[at - 1].last));
    context.lineTo(x, y);
    if (least === most) return;
    context.lineTo(x, area.y(least));
    context.lineTo(x, area.y(most));
    context.lineTo(x, area.y(last));
  });
}

/** One sample makes no line. */
function dot(area: PlotArea, { x, last }: Column, colour: string): void {
  const { context, pixelRatio } = area;
  context.fillStyle = colour;
  context.beginPath();
  context.arc(x, area.y(last), 2 * pixelRatio, 0, 2 * Math.PI);
  context.fill();
}
