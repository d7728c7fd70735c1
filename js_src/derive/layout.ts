// Where each lane lies: as high as fits, grouped by worker.

export interface LaneLayout {
  /** Per lane in display order: its number, top and height (without the gap below). */
  lanes: Uint32Array;
  top: Float64Array;
  height: number;
  /** Per worker: top of its first lane, bottom of its last. */
  groups: { worker: string; top: number; bottom: number; lanes: number }[];
  /** More than the space when the lanes do not fit: then the plot scrolls. */
  contentHeight: number;
}

const WORKER_GAP = 10;
/** Gaps between workers give way before lanes do: at most this part of the space. */
const GAP_SHARE = 0.25;

/**
 * Lay lanes out in a space of `height` device pixels. Lanes of one worker stay together,
 * workers are in the order in which they appear, threads in the order of their lanes.
 * Below one pixel a lane the content is higher than the space.
 */
export function layOutLanes(
  workerOfLane: readonly string[],
  height: number,
  pixelRatio = 1,
  /** The highest that a lane gets, in CSS pixels. */
  most_px = 26,
): LaneLayout {
  const byWorker = new Map<string, number[]>();
  workerOfLane.forEach((worker, lane) => {
    const lanes = byWorker.get(worker);
    if (lanes) lanes.push(lane);
    else byWorker.set(worker, [lane]);
  });
  const count = workerOfLane.length;
  const gaps = Math.max(0, byWorker.size - 1);
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
  const lanes = new Uint32Array(count);
  const top = new Float64Array(count);
  const groups: LaneLayout["groups"] = [];
  let at = 0;
  let y = 0;
  for (const [worker, members] of byWorker) {
    if (groups.length) y += workerGap;
    const first = y;
    for (const member of members) {
      lanes[at] = member;
      top[at] = Math.floor(y);
      y += pitch;
      at++;
    }
    groups.push({
      worker,
      top: Math.floor(first),
      bottom: Math.floor(y - gap),
      lanes: members.length,
    });
  }
  const contentHeight = count ? Math.ceil(y - gap) : 0;
  return { lanes, top, height: lane, groups, contentHeight };
}

/** Height and gap of a lane that may take `space` pixels in all. */
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
  // Without gaps, heights may differ by a pixel so that the space is used.
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
