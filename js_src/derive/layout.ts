// The position of each lane: as high as fits, grouped by worker.

export interface LaneLayout {
  /** By lane, in display order; `height` excludes the gap below. */
  top: Float64Array;
  height: number;
  /** Per worker: top of its first lane, bottom of its last. */
  groups: { top: number; bottom: number }[];
  /** Larger than the space if the lanes do not fit: then the plot scrolls. */
  contentHeight: number;
}

const WORKER_GAP = 10;
/** Gaps between workers take at most this share of the space, so that lanes shrink less. */
const GAP_SHARE = 0.25;

/**
 * Lay lanes out in `height` device pixels; `lanesOf` is the number of lanes of each worker.
 * A lane takes at least one pixel, so the content may be higher than the space.
 */
export function layOutLanes(
  lanesOf: readonly number[],
  height: number,
  pixelRatio = 1,
  most_px = 26,
): LaneLayout {
  const count = lanesOf.reduce((sum, lanes) => sum + lanes, 0);
  const gaps = Math.max(0, lanesOf.length - 1);
  const workerGap =
    gaps === 0
      ? 0
      : Math.max(
          1,
          Math.floor(
            Math.min(WORKER_GAP * pixelRatio, (height * GAP_SHARE) / gaps),
          ),
        );
  const { lane, gap, pitch } = fit(
    (height - gaps * workerGap) / Math.max(1, count),
    pixelRatio,
    most_px * pixelRatio,
  );
  const top = new Float64Array(count);
  const groups: LaneLayout["groups"] = [];
  let at = 0;
  let y = 0;
  for (const lanes of lanesOf) {
    if (groups.length) y += workerGap;
    const first = y;
    for (const end = at + lanes; at < end; at++) {
      top[at] = Math.floor(y);
      y += pitch;
    }
    groups.push({ top: Math.floor(first), bottom: Math.floor(y - gap) });
  }
  const contentHeight = count ? Math.ceil(y - gap) : 0;
  return { top, height: lane, groups, contentHeight };
}

/** Height and gap of a lane, which together may take `space` pixels. */
function fit(
  space: number,
  pixelRatio: number,
  most: number,
): { lane: number; gap: number; pitch: number } {
  for (const [gap, from] of [
    [2, 8],
    [1, 3],
  ]) {
    const lane = Math.floor(space - gap * pixelRatio);
    if (lane >= from * pixelRatio) {
      const height = Math.min(lane, most);
      const between = Math.round(gap * pixelRatio);
      return { lane: height, gap: between, pitch: height + between };
    }
  }
  // Without gaps, heights may differ by a pixel, so that all space is used.
  const pitch = Math.min(Math.max(1, space), 3 * pixelRatio);
  return { lane: Math.ceil(pitch), gap: 0, pitch };
}

/** Index (in display order) of the lane at `y`, or -1 in a gap. */
export function laneAt(layout: LaneLayout, y: number): number {
  const { top, height } = layout;
  let from = 0;
  let to = top.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (top[middle] <= y) from = middle + 1;
    else to = middle;
  }
  const index = from - 1;
  return index >= 0 && y < top[index] + height ? index : -1;
}
