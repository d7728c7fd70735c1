// The start and stop of the run, without rows of a worker whose clock is
// hours off.
//
// Tasks are numbered as they finish, so real rows that are later in time have later
// numbers, whatever pauses lie between them. Rows with a wrong clock lie at another
// time but among the same numbers: a cluster of rows in time whose numbers overlap
// those of a larger cluster is an outlier.

export interface Extent {
  start: number;
  stop: number;
}

export function union(a: Extent | null, b: Extent | null): Extent | null {
  if (!a || !b) return a ?? b;
  return {
    start: Math.min(a.start, b.start),
    stop: Math.max(a.stop, b.stop),
  };
}

interface Bin extends Extent {
  rows: number;
  firstTask: number;
  lastTask: number;
}

/** Rows further apart than this belong to different clusters. */
const GAP_S = 1800;
const MAX_BINS = 4096;

export class Extents {
  private bins = new Map<number, Bin>();
  private width_s = 60;
  private lastKey = NaN;
  private lastBin: Bin | null = null;
  private robustExtent: Extent | null = null;
  private rowsOutside = 0;
  private stale = false;

  add(start: number, stop: number, task: number): void {
    const key = Math.floor(stop / this.width_s);
    let bin = key === this.lastKey ? this.lastBin : null;
    if (bin === null) {
      bin = this.bins.get(key) ?? null;
      if (bin === null) {
        bin = { start, stop, rows: 0, firstTask: task, lastTask: task };
        this.bins.set(key, bin);
        if (this.bins.size > MAX_BINS) this.widen();
      }
      this.lastKey = key;
      this.lastBin = bin;
    }
    bin.rows++;
    if (start < bin.start) bin.start = start;
    if (stop > bin.stop) bin.stop = stop;
    if (task < bin.firstTask) bin.firstTask = task;
    if (task > bin.lastTask) bin.lastTask = task;
    this.stale = true;
  }

  /** From the first start to the last stop of all rows except outliers. */
  robust(): Extent | null {
    this.settle();
    return this.robustExtent;
  }

  outside(): number {
    this.settle();
    return this.rowsOutside;
  }

  private widen(): void {
    this.width_s *= 2;
    const old = this.bins;
    this.bins = new Map();
    for (const [key, bin] of old) {
      const half = Math.floor(key / 2);
      const into = this.bins.get(half);
      if (into) join(into, bin);
      else this.bins.set(half, bin);
    }
    this.lastKey = NaN;
  }

  private settle(): void {
    if (!this.stale) return;
    this.stale = false;
    const bins = [...this.bins.values()].sort((a, b) => a.start - b.start);
    const clusters: Bin[] = [];
    for (const bin of bins) {
      const last = clusters[clusters.length - 1];
      if (last && bin.start - last.stop <= GAP_S) join(last, bin);
      else clusters.push({ ...bin });
    }
    this.robustExtent = null;
    this.rowsOutside = 0;
    const taken: Bin[] = [];
    for (const cluster of clusters.sort((a, b) => b.rows - a.rows)) {
      const outlier = taken.some(
        (other) =>
          cluster.firstTask <= other.lastTask &&
          cluster.lastTask >= other.firstTask,
      );
      if (outlier) {
        this.rowsOutside += cluster.rows;
      } else {
        taken.push(cluster);
        this.robustExtent = hull(this.robustExtent, cluster);
      }
    }
  }
}

function join(into: Bin, bin: Bin): void {
  into.rows += bin.rows;
  into.start = Math.min(into.start, bin.start);
  into.stop = Math.max(into.stop, bin.stop);
  into.firstTask = Math.min(into.firstTask, bin.firstTask);
  into.lastTask = Math.max(into.lastTask, bin.lastTask);
}

function hull(extent: Extent | null, other: Extent): Extent {
  return {
    start: Math.min(extent?.start ?? Infinity, other.start),
    stop: Math.max(extent?.stop ?? -Infinity, other.stop),
  };
}

/** Number of versions remembered; views further behind redraw everything. */
const REMEMBERED = 64;

export class Changes {
  version = 0;
  private readonly starts = new Float64Array(REMEMBERED);
  private readonly stops = new Float64Array(REMEMBERED);
  private start = Infinity;
  private stop = -Infinity;

  /** Record that data between `start` and `stop` changed; `step` publishes it. */
  note(start: number, stop: number): void {
    if (start < this.start) this.start = start;
    if (stop > this.stop) this.stop = stop;
  }

  step(): void {
    const at = this.version % REMEMBERED;
    this.starts[at] = this.start;
    this.stops[at] = this.stop;
    this.start = Infinity;
    this.stop = -Infinity;
    this.version++;
  }

  /** The time range changed since a version; null if none. */
  since(version: number): Extent | null {
    if (this.version - version > REMEMBERED) {
      return { start: -Infinity, stop: Infinity };
    }
    let start = Infinity;
    let stop = -Infinity;
    for (let v = version; v < this.version; v++) {
      start = Math.min(start, this.starts[v % REMEMBERED]);
      stop = Math.max(stop, this.stops[v % REMEMBERED]);
    }
    return start <= stop ? { start, stop } : null;
  }
}
