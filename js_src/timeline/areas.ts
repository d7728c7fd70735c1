// Areas and bands in a plot over time. A value holds until the next one. Each pixel column
// is as high as the largest value in it, so that no zoom level hides a peak.

import { rowAt, type Series } from "../derive/series";
import type { PlotArea } from "./time_plot";

export interface AreaLook {
  readonly colour: string;
  /** Striped, to mark data that is kept elsewhere than the rest. */
  readonly hatched?: boolean;
  /** Drawn downwards from the zero line. */
  readonly below?: boolean;
}

type Place = Pick<PlotArea, "left" | "width" | "range" | "x">;

/** The smallest or largest value in each pixel column; NaN where there is no data. */
export function perColumn(
  series: Series,
  which: "least" | "most",
  { left, width, range, x }: Place,
): Float64Array {
  const { time, until, values, longest_s } = series;
  const sign = which === "most" ? 1 : -1;
  const columns = new Float64Array(width).fill(NaN);
  const put = (from: number, to: number, value: number): void => {
    if (Number.isNaN(value)) return;
    const first = Math.floor(from - left);
    const last = Math.min(width - 1, Math.max(first, Math.ceil(to - left) - 1));
    for (let at = Math.max(0, first); at <= last; at++) {
      if (!(columns[at] * sign >= value * sign)) columns[at] = value;
    }
  };
  const [start, stop] = range;
  for (let at = Math.max(0, rowAt(series, start)); time[at] <= stop; at++) {
    const held = x(until[at]);
    put(x(time[at]), held, series[which][at]);
    if (time[at + 1] - until[at] <= longest_s) {
      put(held, x(time[at + 1]), values[at]);
    }
  }
  return columns;
}

/** For a stack, paint the highest area first: lower ones are painted over it. */
export function paintArea(
  area: PlotArea,
  series: Series,
  { colour, hatched, below }: AreaLook,
): void {
  const most = perColumn(series, "most", area);
  const sign = below ? -1 : 1;
  const zero = area.y(0);
  area.context.fillStyle = hatched ? hatch(area, colour) : colour;
  paintColumns(area, (at) => [area.y(sign * most[at]), zero]);
}

/** A band between least and most; each value holds until the next one. */
export function paintStairBand(
  area: PlotArea,
  series: Series,
  colour: string,
): void {
  const least = perColumn(series, "least", area);
  const most = perColumn(series, "most", area);
  area.context.fillStyle = colour;
  paintColumns(area, (at) => [area.y(most[at]), area.y(least[at])]);
}

/** Merges equal neighbouring columns into one rectangle. */
function paintColumns(
  { context, left, width }: PlotArea,
  edges: (column: number) => readonly [number, number],
): void {
  context.beginPath();
  for (let at = 0; at < width;) {
    const [upper, lower] = edges(at);
    const from = at++;
    while (at < width) {
      const [up, low] = edges(at);
      if (up !== upper || low !== lower) break;
      at += 1;
    }
    if (upper - lower !== 0 && !Number.isNaN(upper - lower)) {
      context.rect(left + from, upper, at - from, lower - upper);
    }
  }
  context.fill();
}

const STRIPE_PX = 6;

const hatches = new WeakMap<object, Map<string, CanvasPattern | null>>();

/** Stripes that rise to the right, on a faint background of the same colour. */
export function hatch(
  { context, pixelRatio }: Pick<PlotArea, "context" | "pixelRatio">,
  colour: string,
): string | CanvasPattern {
  const size = Math.max(4, Math.round(STRIPE_PX * pixelRatio));
  const known = hatches.get(context) ?? new Map<string, CanvasPattern | null>();
  hatches.set(context, known);
  const id = `${size} ${colour}`;
  if (!known.has(id)) known.set(id, patternOf(context, size, colour));
  return known.get(id) ?? colour;
}

function patternOf(
  context: CanvasRenderingContext2D,
  size: number,
  colour: string,
): CanvasPattern | null {
  const tile = document.createElement("canvas");
  tile.width = tile.height = size;
  const ink = tile.getContext("2d");
  if (!ink) return null;
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
  return context.createPattern(tile, "repeat");
}
