// Where the workers' names stand beside their lanes: on the screen and in a picture.

import type { LaneMap } from "./lane_map";
import type { WorkerGroup } from "../../panel/worker_groups";

/** One worker's rows on the stage, in CSS pixels below the top of the lanes. */
export interface Band {
  readonly group: WorkerGroup;
  readonly top: number;
  readonly height: number;
  /** Where the rule above it is; null for the first. */
  readonly rule: number | null;
}

/** So far above the lanes a name can still be seen in part. */
const ABOVE_PX = 20;
/** A narrower gap between two workers has no room for a rule. */
const LEAST_GAP_PX = 3;

/** Bands that can be seen and have room for a name; of crowded ones each that has. */
export function bandsOf(
  map: LaneMap,
  pixelRatio: number,
  /** Height of a line of text. */
  line_px: number,
): Band[] {
  const bands: Band[] = [];
  let free = -Infinity;
  map.groups.forEach((group, at) => {
    const place = map.layout.groups[at];
    if (!place) return;
    const top = (place.top - map.scroll) / pixelRatio;
    const height = (place.bottom - place.top) / pixelRatio;
    const isSeen = top + height > -ABOVE_PX && top < map.height / pixelRatio;
    if (!isSeen || top < free) return;
    const above = map.layout.groups[at - 1];
    const between = above ? place.top - above.bottom : 0;
    const rule =
      above && between >= LEAST_GAP_PX
        ? Math.round(above.bottom + between / 2 - map.scroll) / pixelRatio
        : null;
    bands.push({ group, top, height, rule });
    free = top + line_px;
  });
  return bands;
}
