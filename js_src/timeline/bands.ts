// Bands behind the line of a series, from its minimum to its maximum. Each pixel column
// shows its own minimum and maximum, so that no zoom level hides a peak.

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
    // Fill whole pixel columns: a spike between two points would be too thin to see.
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
