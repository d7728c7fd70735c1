// The minimap's picture: busy threads by prefix per column, stacked. Kept until the data,
// the window or the size change.

import { BUSY_PREFIXES, type BusyBins } from "../model/busy";
import type { TaskModel } from "../model/tasks";
import type { TimeWindow } from "./raster";
import type { CoarseLane } from "../model/coarse";
import type { Track } from "../model/track";

interface Heights {
  readonly most: number;
  /** Current threads of the cluster. */
  readonly threads: number;
  readonly filtered: boolean;
}

/**
 * The number of threads that the full height represents. It may exceed those of the cluster:
 * workers have left, or tasks seceded and ran beside their thread's next task. With a filter
 * it is the maximum of the filtered rows, which may be small.
 */
export function fullHeight({ most, threads, filtered }: Heights): number {
  return filtered ? Math.max(most, 1e-6) : Math.max(most, threads, 1);
}

/** Fewer busy seconds in a column are not drawn. */
const LEAST_S = 1e-6;

export class Minimap {
  /** Busy threads, at `prefix * columns + column`. */
  threads = new Float32Array(0);
  columns = 0;
  most = 0;
  readonly prefixes: number[] = [];
  private source: BusyBins | null = null;
  private version = -1;
  private start = 0;
  private secondsPerPixel = 0;

  update(model: TaskModel, window: TimeWindow): boolean {
    const { busy } = model;
    const columns = Math.max(0, Math.floor(window.width_px));
    const same =
      busy === this.source &&
      busy.version === this.version &&
      window.start === this.start &&
      window.secondsPerPixel === this.secondsPerPixel &&
      columns === this.columns;
    if (same) return false;
    this.source = busy;
    this.version = busy.version;
    this.start = window.start;
    this.secondsPerPixel = window.secondsPerPixel;
    this.columns = columns;
    const size = BUSY_PREFIXES * columns;
    if (this.threads.length < size) this.threads = new Float32Array(size);
    else this.threads.fill(0, 0, size);
    const { threads, prefixes } = this;
    busy.sum(window.start, window.secondsPerPixel, columns, threads);
    prefixes.length = 0;
    const totals = new Float32Array(columns);
    for (let prefix = 0; prefix < BUSY_PREFIXES; prefix++) {
      let any = false;
      for (let column = 0; column < columns; column++) {
        const at = prefix * columns + column;
        // Subtracting blocks of the preview leaves rounding errors: treat them as 0.
        if (threads[at] < LEAST_S) {
          threads[at] = 0;
          continue;
        }
        any = true;
        threads[at] /= window.secondsPerPixel;
        totals[column] += threads[at];
      }
      if (any) prefixes.push(prefix);
    }
    this.limit(totals, livingLanes(model, window, columns));
    this.most = totals.reduce((a, b) => Math.max(a, b), 0);
    return true;
  }

  /**
   * Limit busy threads to existing ones. Rows of a thread may overlap by some milliseconds: a
   * worker adds its estimate of the scheduler's clock offset to its times, and that estimate
   * changes with every heartbeat. A block of the preview may also overlap rows that have
   * arrived.
   */
  private limit(totals: Float32Array, living: Float32Array): void {
    const { columns, threads } = this;
    for (let column = 0; column < columns; column++) {
      if (totals[column] <= living[column]) continue;
      const share = living[column] / totals[column];
      for (const prefix of this.prefixes) {
        threads[prefix * columns + column] *= share;
      }
      totals[column] = living[column];
    }
  }

  /**
   * Fill an image of `columns` × `height` pixels, stacked from the bottom. The full height
   * represents `threads` threads; other pixels stay unchanged.
   */
  paint(
    pixels: Uint32Array,
    height: number,
    threads: number,
    paints: Uint32Array,
    other: number,
  ): void {
    const { columns, prefixes } = this;
    const scale = threads > 0 ? height / threads : 0;
    for (let column = 0; column < columns; column++) {
      let level = 0;
      let y = height;
      for (const prefix of prefixes) {
        level += this.threads[prefix * columns + column] * scale;
        const top = Math.max(0, height - Math.round(level));
        const last = prefix === BUSY_PREFIXES - 1 || prefix >= paints.length;
        const colour = last ? other : paints[prefix];
        while (y > top) {
          y--;
          pixels[y * columns + column] = colour;
        }
      }
    }
  }
}

/** Lanes that exist in each column, with fractions where a lane begins or ends. */
function livingLanes(
  model: TaskModel,
  window: TimeWindow,
  columns: number,
): Float32Array {
  // Busy times have the resolution of a bin: count first and last bin of a lane in full.
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
    // Subtract the fractions before its start and after its stop.
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
