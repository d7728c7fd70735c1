// Threads busy in each column of pixels, for several rows of a panel at once: each is of
// some groups of tasks. One pass over the rows of tasks, in pieces that leave time for frames.

import { groupKey } from "../model/groups";
import { firstReaching } from "../model/query";
import type { Segment } from "../model/segment";
import type { TaskModel } from "../model/tasks";
import type { TimeWindow } from "./raster";

export class ThreadsBusy {
  /** Of row `at`, column `x`: `[at * width_px + x]`. */
  readonly busy: Float32Array;
  private readonly segments: Segment[] = [];
  private lastKey = -1;
  private lastRows: readonly number[] | undefined;

  constructor(
    model: TaskModel,
    readonly window: TimeWindow,
    /** The rows that a group counts in. */
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

  /** True when it is through. */
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
      const to = Math.min(from + length, width_px);
      for (const at of this.lastRows) {
        this.spread(at * width_px, Math.max(from, 0), to);
      }
    }
  }

  private spread(offset: number, from: number, to: number): void {
    const { busy } = this;
    const first = Math.floor(from);
    const last = Math.floor(to);
    if (first === last) {
      busy[offset + first] += to - from;
      return;
    }
    busy[offset + first] += first + 1 - from;
    for (let x = first + 1; x < last; x++) busy[offset + x] += 1;
    if (last < this.window.width_px) busy[offset + last] += to - last;
  }
}
