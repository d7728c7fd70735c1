// The layout of the panel, in CSS pixels. Pure functions.

import type { Breadth } from "../../panel/environment";

export interface Geometry {
  readonly gutter: number;
  readonly gutterSize: "full" | "names" | "short";
  /** Height of the overview above the plot; 0 if there is no room. */
  readonly overview: number;
  readonly bars: number;
}

const GUTTER: Record<Breadth, number> = {
  wide: 132,
  medium: 84,
  narrow: 84,
  small: 32,
  tiny: 32,
};

const CHROME_PX = 90;
/** Minimum height of a readable lane, including the gap below. */
const READABLE_LANE_PX = 10;
/** Maximum share of the overview if lanes need room. */
const OVERVIEW_SHARE = 0.2;
const LEAST_BARS_PX = 14;

export function geometryOf(
  breadth: Breadth,
  height_px: number,
  rows: PlotRows,
  lanes: number,
): Geometry {
  const roomy = breadth === "wide" || breadth === "medium";
  const around = roomy ? 8 : 7;
  const wanted = (roomy ? 40 : 28) + around;
  // Lanes take precedence: in low panels the overview shrinks first.
  const room = height_px - CHROME_PX - rows.lanesTop - LANES_BOTTOM_PX;
  const spare = Math.max(
    room - lanes * READABLE_LANE_PX,
    Math.floor(room * OVERVIEW_SHARE),
  );
  const given = Math.min(wanted, spare);
  const overview = given < LEAST_BARS_PX + around ? 0 : given;
  const bars = Math.max(0, overview - around);
  return {
    gutter: Math.round((GUTTER[breadth] * rows.font) / USUAL_FONT_PX),
    gutterSize:
      breadth === "wide" ? "full" : GUTTER[breadth] > 32 ? "names" : "short",
    overview,
    bars,
  };
}

/** Rows of the plot from top to bottom, with heights that fit their text. */
export interface PlotRows {
  readonly font: number;
  readonly axis: number;
  /** Height of the lane of cells; 0 without cells. */
  readonly cells: number;
  /** Distance from the top of the plot to the events. */
  readonly eventsTop: number;
  readonly events: number;
  readonly lanesTop: number;
  readonly lane: number;
  readonly labelled: number;
  readonly line: number;
}

const USUAL_FONT_PX = 11;
const LEAST_FONT_PX = 10;
const LARGEST_FONT_PX = 16;

/** Rows for the host's small text size, within limits. */
export function plotRows(small_px: number, hasCells = false): PlotRows {
  const wanted = Math.round(small_px) || USUAL_FONT_PX;
  const font = Math.min(Math.max(wanted, LEAST_FONT_PX), LARGEST_FONT_PX);
  const [axis, events] = [font + 12, font + 9];
  const cells = hasCells ? font + 9 : 0;
  return {
    font,
    axis,
    cells,
    eventsTop: axis + cells,
    events,
    lanesTop: axis + cells + events + 6,
    lane: font + 15,
    labelled: font + 4,
    line: font + 4,
  };
}

export const LANES_BOTTOM_PX = 6;
