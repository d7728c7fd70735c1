// Where things are on the stage, in CSS pixels. Pure.

import type { Breadth } from "../panel/environment";

export interface Geometry {
  /** Width of the gutter at the left. */
  readonly gutter: number;
  readonly gutterSize: "full" | "names" | "short";
  /** Height of the overview above the plot; 0 where there is no room for it. */
  readonly overview: number;
  /** Height of the bars in it. */
  readonly bars: number;
}

const GUTTER: Record<Breadth, number> = {
  wide: 132,
  medium: 84,
  narrow: 84,
  small: 32,
  tiny: 32,
};

export function geometryOf(breadth: Breadth, height_px: number): Geometry {
  const roomy = breadth === "wide" || breadth === "medium";
  const bars = roomy ? 40 : 28;
  const overview = height_px < 180 ? 0 : bars + (roomy ? 8 : 7);
  return {
    gutter: GUTTER[breadth],
    gutterSize:
      breadth === "wide" ? "full" : GUTTER[breadth] > 32 ? "names" : "short",
    overview,
    bars,
  };
}

/** Rows of the plot, from its top. */
export const AXIS_PX = 23;
export const EVENTS_PX = 20;
export const LANES_TOP_PX = AXIS_PX + EVENTS_PX + 6;
export const LANES_BOTTOM_PX = 6;
/** Share of a lane that the strip of a transfer takes, as it is drawn. */
export const STRIP_SHARE = 0.36;
/** Names are written on lanes from this height on. */
export const LABEL_LANE_PX = 15;
