// The chrome of an exported picture: on the screen it is made of elements, in a
// file it has to be drawn.

import { toCss } from "../../base/colour";
import type { Theme } from "../../base/theme";
import { shorten, TextMeasure } from "../../render/text";
import type { PlotRows } from "./geometry";
import type { LaneMap } from "./lane_map";
import type { LegendEntry } from "./legend_entries";

export const LEGEND_PX = 34;
const LONGEST_NAME_PX = 200;

export interface PictureChrome {
  readonly width: number;
  readonly height: number;
  readonly gutter: number;
  readonly lanesTop: number;
  readonly pixelRatio: number;
  readonly theme: Theme;
  readonly rows: PlotRows;
  readonly entries: readonly LegendEntry[];
  readonly map: LaneMap;
}

export function drawLegend(picture: PictureChrome): HTMLCanvasElement {
  const { width, height, pixelRatio, theme, rows, entries, gutter } = picture;
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser offers no 2D canvas.");
  const measure = new TextMeasure(context);
  const font = `${(rows.font + 1) * pixelRatio}px ${theme.font}`;
  measure.setFont(font);
  context.font = font;
  context.textBaseline = "middle";
  const middle = (LEGEND_PX / 2) * pixelRatio;
  const square = 10 * pixelRatio;
  let x = 12 * pixelRatio;
  for (const { name, colour } of entries) {
    const text = shorten(name, LONGEST_NAME_PX * pixelRatio, measure);
    const wide = square + 6 * pixelRatio + measure.width(text);
    if (x + wide > width) break;
    context.fillStyle = colour;
    context.fillRect(x, middle - square / 2, square, square);
    context.fillStyle = toCss(theme.text);
    context.fillText(text, x + square + 6 * pixelRatio, middle);
    x += wide + 16 * pixelRatio;
  }
  const { map } = picture;
  map.groups.forEach((group, at) => {
    const place = map.layout.groups[at];
    if (!place) return;
    const y =
      picture.lanesTop +
      rows.lanesTop * pixelRatio +
      place.top -
      map.scroll +
      8 * pixelRatio;
    const name = shorten(group.name, gutter - 16 * pixelRatio, measure);
    context.fillStyle = toCss(theme.text);
    if (place.bottom - place.top >= 10 * pixelRatio || at % 4 === 0) {
      context.fillText(name, 12 * pixelRatio, y);
    }
  });
  return canvas;
}
