// Where things are on the stage, in CSS pixels. Pure.

import type { Breadth } from "../../panel/environment";

export interface Geometry {
  readonly gutter: number;
  readonly gutterSize: "full" | "names" | "short";
  /** Height of the overview above the plot; 0 where there is no room for it. */
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
/** Lanes are readable from this height on, with the gap below them. */
const READABLE_LANE_PX = 10;
/** If lanes need room, the overview takes at most this share. */
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
  // The lanes are what a panel is for: where height is short the overview gives way.
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

/** Rows of the plot from its top, as high as the text in them needs. */
export interface PlotRows {
  readonly font: number;
  readonly axis: number;
  /** Of the lane of cells; 0 without any. */
  readonly cells: number;
  /** From the top to the events. */
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

/** For the host's small text: the canvas follows it within reason. */
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
