// How many lanes there were at a time: from the first start to the last stop of each.

import type { CoarseLane } from "../model/coarse";
import type { TaskModel } from "../model/tasks";
import type { Track } from "../model/track";
import type { TimeWindow } from "./raster";

/** Returns the lanes in each of `columns` columns, parts of them where one begins or ends. */
export function livingLanes(
  model: TaskModel,
  window: TimeWindow,
  columns: number,
): Float32Array {
  // Times busy are known to a bin: a lane is not cut within its first and last one.
  const blur = model.busy.binWidth_s;
  const living = new Float32Array(columns);
  const changes = new Int32Array(columns + 1);
  const place = (time: number): number => {
    const column = (time - window.start) / window.secondsPerPixel;
    return Math.min(Math.max(column, 0), columns);
  };
  for (let lane = 0; lane < model.laneCount; lane++) {
    const [start, stop] = lifeOf(
      model.track(lane, false),
      model.coarseLane(lane),
    );
    if (start > stop) continue;
    const from = place(start - blur);
    const to = place(stop + blur);
    const first = Math.floor(from);
    const last = Math.floor(to);
    changes[first]++;
    changes[last]--;
    // Where it begins it is less than a whole lane, and where it ends it is a part.
    if (first < columns) living[first] -= from - first;
    if (last < columns) living[last] += to - last;
  }
  let whole = 0;
  for (let column = 0; column < columns; column++) {
    whole += changes[column];
    living[column] += whole;
  }
  return living;
}

function lifeOf(
  track: Track | undefined,
  coarse: CoarseLane | undefined,
): [start: number, stop: number] {
  let start = Infinity;
  let stop = -Infinity;
  for (const segment of track?.segments ?? []) {
    start = Math.min(start, segment.firstStart);
    stop = Math.max(stop, segment.maxStop);
  }
  for (let i = 0; i < (coarse?.count ?? 0); i++) {
    start = Math.min(start, coarse!.start[i]);
    stop = Math.max(stop, coarse!.start[i] + coarse!.duration[i]);
  }
  return [start, stop];
}
