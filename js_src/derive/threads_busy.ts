// Busy threads per column of a time: for several rows of a panel at once (each with some
// task groups), in slices that leave time for frames; and for all tasks together.

import { BUSY_PREFIXES, spread } from "../model/busy";
import { groupKey } from "../model/groups";
import { firstReaching } from "../model/query";
import { isDiskRead, type Segment } from "../model/segment";
import type { TaskModel } from "../model/tasks";
import type { Grid } from "./metrics";
import type { TimeWindow } from "./raster";

export class ThreadsBusy {
  /** Row `at`, column `x` is at `[at * width_px + x]`. */
  readonly busy: Float32Array;
  private readonly segments: Segment[] = [];
  private lastKey = -1;
  private lastRows: readonly number[] | undefined;

  constructor(
    model: TaskModel,
    readonly window: TimeWindow,
    /** The rows in which each group counts. */
    private readonly rowsOf: ReadonlyMap<number, readonly number[]>,
    rows: number,
  ) {
    const { start, secondsPerPixel, width_px } = window;
    this.busy = new Float32Array(rows * width_px);
    const stop = start + secondsPerPixel * width_px;
    for (let lane = 0; lane < model.laneCount; lane++) {
      for (const segment of model.track(lane, false)?.segments ?? []) {
        if (segment.firstStart >= stop || segment.maxStop <= start) continue;
        this.segments.push(segment);
      }
    }
  }

  /** Returns true when done. */
  work(budget_ms: number): boolean {
    const until = performance.now() + budget_ms;
    for (;;) {
      const segment = this.segments.pop();
      if (!segment) return true;
      this.add(segment);
      if (performance.now() >= until) return this.segments.length === 0;
    }
  }

  private add(segment: Segment): void {
    const { start: first, secondsPerPixel, width_px } = this.window;
    const { start, duration, computation, span, prefix, rows } = segment;
    for (let row = firstReaching(segment, first); row < rows; row++) {
      const from = (start[row] - first) / secondsPerPixel;
      if (from >= width_px) return;
      const length = duration[row] / secondsPerPixel;
      if (!(length > 0) || from + length <= 0) continue;
      const key = groupKey(computation[row], span[row], prefix[row]);
      if (key !== this.lastKey) {
        this.lastKey = key;
        this.lastRows = this.rowsOf.get(key);
      }
      if (!this.lastRows) continue;
      for (const at of this.lastRows) {
        const offset = at * width_px;
        spread(this.busy, offset, width_px, from, from + length, length);
      }
    }
  }
}

/**
 * Thread-seconds per column in which tasks that have ended computed or read from disk. Uses
 * the rows of the model if columns are finer than its bins.
 */
export function secondsRun(model: TaskModel, grid: Grid): Float64Array {
  const { start, width, columns } = grid;
  const out = new Float64Array(columns);
  const { wholeBusy, diskReads } = model;
  if (width < Math.max(wholeBusy.binWidth_s, diskReads.binWidth_s)) {
    addRows(model, grid, out);
    return out;
  }
  const bySlot = new Float32Array(BUSY_PREFIXES * columns);
  wholeBusy.sum(start, width, columns, bySlot);
  diskReads.sum(start, width, columns, bySlot);
  bySlot.forEach((seconds, at) => (out[at % columns] += seconds));
  return out;
}

function addRows(
  model: TaskModel,
  { start: first, width, columns }: Grid,
  out: Float64Array,
): void {
  const stop = first + width * columns;
  const put = (start: number, duration: number, busy: number): void => {
    const from = (start - first) / width;
    if (duration > 0)
      spread(out, 0, columns, from, from + duration / width, busy);
  };
  for (let lane = 0; lane < model.laneCount; lane++) {
    for (const overlay of [false, true]) {
      for (const segment of model.track(lane, overlay)?.segments ?? []) {
        const { firstStart, maxStop, start, duration, what, rows } = segment;
        if (firstStart >= stop || maxStop <= first) continue;
        for (let row = firstReaching(segment, first); row < rows; row++) {
          if (start[row] >= stop) break;
          if (overlay && !isDiskRead(what[row])) continue;
          put(start[row], duration[row], duration[row]);
        }
      }
    }
    const blocks = model.coarseLane(lane);
    for (let at = 0; at < (blocks?.count ?? 0); at++) {
      const { start, duration, busy, hidden } = blocks!;
      if (hidden[at] !== 1) put(start[at], duration[at], busy[at]);
    }
  }
}
