// Which part of the run the plot shows, in words.

import { formatDuration, formatStretch } from "../../base/format";
import { type Extent, type TimeWindow, UNSEEN_SHARE } from "./time_window";

/** Null while all of it is shown. `origin` is time zero of the axis. */
export function shownPart(
  window: TimeWindow,
  extent: Extent | null,
  origin: number,
): string | null {
  // The picture may be a little behind: what it follows to counts.
  if (!extent || window.showsWhole()) return null;
  if (window.anchor === "now") {
    return `last ${formatDuration(window.goalWidth())}`;
  }
  const run = (extent.stop - extent.start) * (1 - UNSEEN_SHARE);
  const start = Math.max(window.start, extent.start);
  const stop = Math.min(window.stop, extent.stop);
  if (stop - start >= run) return null;
  return stop > start
    ? formatStretch(start - origin, stop - origin)
    : formatStretch(window.start - origin, window.stop - origin);
}
