// Bands in a plot over time: from the least to the most of a series, behind its line. Each
// column of pixels shows the least and the most in it, at every zoom.

import type { Series } from "../derive/series";
import { columnsOf } from "./lines";
import type { PlotArea } from "./time_plot";

export function paintBand(
  area: PlotArea,
  series: Series,
  colour: string,
  opacity: number,
): void {
  const { context, pixelRatio, y } = area;
  const columns = columnsOf(series, area.x, area.range);
  context.fillStyle = colour;
  context.globalAlpha = opacity;
  for (let from = 0, to = 0; from < columns.length; from = to) {
    do to += 1;
    while (columns[to]?.joined);
    context.beginPath();
    // A column is a pixel wide: a spike would be a needle that no pixel shows.
    for (let at = from; at < to; at++) {
      const { x, end, most } = columns[at];
      context.lineTo(Math.floor(x), y(most));
      context.lineTo(Math.max(Math.floor(x) + 1, end), y(most));
    }
    for (let at = to - 1; at >= from; at--) {
      const { x, end, least, most } = columns[at];
      const bottom = Math.max(y(least), y(most) + pixelRatio);
      context.lineTo(Math.max(Math.floor(x) + 1, end), bottom);
      context.lineTo(Math.floor(x), bottom);
    }
    context.fill();
  }
  context.globalAlpha = 1;
}
