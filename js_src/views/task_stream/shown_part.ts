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
  const run = (extent.stop - extent.start) * (1 - UNSEEN_SHARE);
  if (window.anchor === "now") {
    // The picture may be a little behind: what it follows to counts.
    const followed = window.goalWidth();
    return followed >= run ? null : `last ${formatDuration(followed)}`;
  }
  const start = Math.max(window.start, extent.start);
  const stop = Math.min(window.stop, extent.stop);
  if (stop - start >= run) return null;
  return stop > start
    ? formatStretch(start - origin, stop - origin)
    : formatStretch(window.start - origin, window.stop - origin);
}
