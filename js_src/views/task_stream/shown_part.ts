// Which part of the run the plot shows, in words.

import { formatDuration, formatStretch } from "../../base/format";
import type { Extent, TimeWindow } from "./time_window";

/** Less than this share of the run off the screen is all of it to the eye. */
const UNSEEN_SHARE = 0.005;

/** Null while all of it is shown. `origin` is time zero of the axis. */
export function shownPart(
  window: TimeWindow,
  extent: Extent | null,
  origin: number,
): string | null {
  if (!extent || window.anchor === "whole") return null;
  const start = Math.max(window.start, extent.start);
  const stop = Math.min(window.stop, extent.stop);
  const run = extent.stop - extent.start;
  if (stop - start >= run * (1 - UNSEEN_SHARE)) return null;
  if (window.anchor === "now") {
    return `last ${formatDuration(window.goalWidth())}`;
  }
  return stop > start
    ? formatStretch(start - origin, stop - origin)
    : formatStretch(window.start - origin, window.stop - origin);
}
