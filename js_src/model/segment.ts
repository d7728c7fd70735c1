// Up to 4,096 rows of one track, sorted by start, with summaries of every 8, 64,
// 512 and 4,096 of them (the pyramid). All columns share one buffer: a row takes
// 27 bytes, plus 1.6 for its share of the pyramid. Must not know about lanes.

import { ACTIONS } from "../schema";
import { findAfter, MAX_DURATION_S } from "./search";

/** Rows a segment may hold: 8 to the power of LEVELS. */
export const SEGMENT_ROWS = 4096;
export const LEVELS = 4;
/** Paint of erred tasks; no prefix has this index. */
export const PAINT_ERRED = 0xffff;
/** Paint of a node without rows that pass the filter. */
export const PAINT_NONE = 0xfffe;

/** Views and objects around the buffer take about 2 kB per segment, measured in Chromium. */
const OBJECT_BYTES = 2048;
const MIN_CAPACITY = 64;
const CAPACITIES = [MIN_CAPACITY, 256, 1024, 2048, 3072, SEGMENT_ROWS];
const FIRST_OVERLAY_ACTION = 1;
const LAST_OVERLAY_ACTION = 4;

/** Whether an action is drawn as a strip on the compute row (schema.ACTIONS 1 to 4). */
export function isOverlay(action: number): boolean {
  return action >= FIRST_OVERLAY_ACTION && action <= LAST_OVERLAY_ACTION;
}

/** Error flag in the `what` byte of a row; the other bits are the action. */
const ERRED = 0x80;

export function actionOf(what: number): number {
  return what & ~ERRED;
}

export function hasErred(what: number): boolean {
  return what >= ERRED;
}

const DISK_READ = ACTIONS.indexOf("disk-read");

/** Disk reads count as executing a task, because its thread waits for them. */
export const isDiskRead = (what: number): boolean =>
  actionOf(what) === DISK_READ;

/** Packs action and error flag into one byte, to save a column. */
export function whatOf(action: Uint8Array, status: Uint8Array): Uint8Array {
  return action.map((one, row) => one | (status[row] === 1 ? ERRED : 0));
}

/** The columns of rows, either of a batch or of a segment. */
export interface RowColumns {
  start: Float64Array;
  duration: Float32Array;
  prefix: Uint16Array;
  /** See `whatOf`. */
  what: Uint8Array;
  nbytes: Float32Array;
  span: Uint16Array;
  task: Uint32Array;
  computation: Uint16Array;
}

/** Result of a filter on a segment: a pyramid of only the matching rows. */
export interface FilteredNodes {
  version: number;
  busy: Float32Array;
  paint: Uint16Array;
}

export class Segment implements RowColumns {
  rows = 0;
  capacity = 0;
  firstStart = Infinity;
  /** Latest stop and longest duration of a row, for searches by time. */
  maxStop = -Infinity;
  maxDuration = 0;
  /** First row whose summaries are stale; `rows` if none is. */
  staleFrom = 0;
  filtered: FilteredNodes | null = null;
  /** Version of the filter that has counted these rows (see filter_pass). */
  counted = 0;

  start!: Float64Array;
  duration!: Float32Array;
  nbytes!: Float32Array;
  task!: Uint32Array;
  prefix!: Uint16Array;
  span!: Uint16Array;
  computation!: Uint16Array;
  what!: Uint8Array;

  /** For node k at level l, at index `offset[l] + k`: seconds busy below it. */
  busy!: Float32Array;
  /** Seconds from the start of its first row to the last stop below it. */
  reach!: Float32Array;
  /** Dominant paint: a prefix, or an action on the overlay track. */
  paint!: Uint16Array;
  /** Whether a task below it erred. */
  erred!: Uint8Array;
  readonly offset = new Int32Array(LEVELS + 1);

  private buffer!: ArrayBuffer;

  constructor(
    readonly overlay: boolean,
    capacity: number,
  ) {
    this.allocate(capacity);
  }

  get byteLength(): number {
    const filtered = this.filtered;
    return (
      this.buffer.byteLength +
      OBJECT_BYTES +
      (filtered ? filtered.busy.byteLength + filtered.paint.byteLength : 0)
    );
  }

  get nodes(): number {
    return this.busy.length;
  }

  get lastStart(): number {
    return this.start[this.rows - 1];
  }

  paintOf(row: number): number {
    const what = this.what[row];
    if (this.overlay) return actionOf(what);
    return hasErred(what) ? PAINT_ERRED : this.prefix[row];
  }

  private allocate(wanted: number): void {
    const capacity = Math.min(
      SEGMENT_ROWS,
      Math.max(MIN_CAPACITY, Math.ceil(wanted / 8) * 8),
    );
    const before = this.buffer ? views(this) : null;
    const nodesBefore = this.offset.slice();
    let nodes = 0;
    let inLevel = capacity;
    for (let level = 1; level <= LEVELS; level++) {
      this.offset[level] = nodes;
      inLevel = Math.ceil(inLevel / 8);
      nodes += inLevel;
    }
    const bytes = capacity * 27 + nodes * 11;
    const buffer = takeBuffer(bytes);
    let at = 0;
    const take = (bytes: number): number => {
      at += bytes;
      return at - bytes;
    };
    this.buffer = buffer;
    this.start = new Float64Array(buffer, take(capacity * 8), capacity);
    this.duration = new Float32Array(buffer, take(capacity * 4), capacity);
    this.nbytes = new Float32Array(buffer, take(capacity * 4), capacity);
    this.task = new Uint32Array(buffer, take(capacity * 4), capacity);
    this.busy = new Float32Array(buffer, take(nodes * 4), nodes);
    this.reach = new Float32Array(buffer, take(nodes * 4), nodes);
    this.prefix = new Uint16Array(buffer, take(capacity * 2), capacity);
    this.span = new Uint16Array(buffer, take(capacity * 2), capacity);
    this.computation = new Uint16Array(buffer, take(capacity * 2), capacity);
    this.paint = new Uint16Array(buffer, take(nodes * 2), nodes);
    this.what = new Uint8Array(buffer, take(capacity), capacity);
    this.erred = new Uint8Array(buffer, take(nodes), nodes);
    this.capacity = capacity;
    this.filtered = null;
    if (before) {
      this.copyFrom(before, nodesBefore);
      giveBuffer(before.start.buffer as ArrayBuffer);
    }
  }

  private copyFrom(before: SegmentViews, nodesBefore: Int32Array): void {
    for (const name of COLUMN_NAMES) {
      // Both columns have the same type, which TypeScript cannot infer from `name`.
      (this[name] as Float64Array).set(
        (before[name] as Float64Array).subarray(0, this.rows),
      );
    }
    for (let level = 1; level <= LEVELS; level++) {
      const from = nodesBefore[level];
      const to = from + ((this.rows - 1) >> (3 * level)) + 1;
      for (const name of NODE_NAMES) {
        (this[name] as Float32Array).set(
          (before[name] as Float32Array).subarray(from, to),
          this.offset[level],
        );
      }
    }
  }

  private reserve(rows: number): void {
    if (rows <= this.capacity) return;
    const larger = CAPACITIES.find((capacity) => capacity >= rows);
    this.allocate(larger ?? SEGMENT_ROWS);
  }

  /**
   * Merge rows `order[from..to)` of `source`, sorted by start.
   * The caller must make sure that they fit.
   */
  merge(
    source: RowColumns,
    order: Uint32Array,
    from: number,
    to: number,
  ): void {
    const added = to - from;
    this.reserve(this.rows + added);
    const starts = source.start;
    let write = this.rows + added;
    let kept = this.rows;
    let next = to;
    while (next > from) {
      const row = order[next - 1];
      const start = starts[row];
      // Move all own rows that start later than this one in one block.
      if (kept > 0 && this.start[kept - 1] > start) {
        const cut = findAfter(this.start, 0, kept, start);
        write -= kept - cut;
        this.move(cut, kept, write);
        kept = cut;
      }
      write--;
      next--;
      this.put(write, source, row);
    }
    this.staleFrom = Math.min(this.staleFrom, write);
    this.rows += added;
    this.firstStart = this.start[0];
  }

  /** Append rows `from..to` of another segment. */
  append(other: Segment, from: number, to: number): void {
    this.reserve(this.rows + to - from);
    for (const name of COLUMN_NAMES) {
      (this[name] as Float64Array).set(
        (other[name] as Float64Array).subarray(from, to),
        this.rows,
      );
    }
    for (let row = this.rows; row < this.rows + to - from; row++) {
      this.noteTime(this.start[row], this.duration[row]);
    }
    this.rows += to - from;
    this.firstStart = this.start[0];
  }

  private put(at: number, source: RowColumns, row: number): void {
    const start = source.start[row];
    // NaN and invalid durations become 0.
    const given = source.duration[row];
    const duration = given < MAX_DURATION_S ? given : 0;
    this.start[at] = start;
    this.duration[at] = duration;
    this.prefix[at] = source.prefix[row];
    this.what[at] = source.what[row];
    this.nbytes[at] = source.nbytes[row];
    this.span[at] = source.span[row];
    this.task[at] = source.task[row];
    this.computation[at] = source.computation[row];
    this.noteTime(start, duration);
  }

  private noteTime(start: number, duration: number): void {
    if (duration > this.maxDuration) this.maxDuration = duration;
    const stop = duration > 0 ? start + duration : start;
    if (stop > this.maxStop) this.maxStop = stop;
  }

  private move(from: number, to: number, target: number): void {
    // For about twenty rows or fewer, a loop is faster than eight calls.
    if (to - from > 20) {
      for (const name of COLUMN_NAMES) this[name].copyWithin(target, from, to);
      return;
    }
    let at = target + to - from;
    for (let row = to - 1; row >= from; row--) {
      at--;
      this.start[at] = this.start[row];
      this.duration[at] = this.duration[row];
      this.prefix[at] = this.prefix[row];
      this.what[at] = this.what[row];
      this.nbytes[at] = this.nbytes[row];
      this.span[at] = this.span[row];
      this.task[at] = this.task[row];
      this.computation[at] = this.computation[row];
    }
  }
}

/**
 * Buffers that growing segments no longer need, for reuse. Without them, a page that
 * receives a million rows per second spends a tenth of its time in garbage collection,
 * with pauses of up to 30 ms.
 */
const spares = new Map<number, ArrayBuffer[]>();
const SPARES_PER_SIZE = 8;

function takeBuffer(bytes: number): ArrayBuffer {
  return spares.get(bytes)?.pop() ?? new ArrayBuffer(bytes);
}

function giveBuffer(buffer: ArrayBuffer): void {
  const same = spares.get(buffer.byteLength) ?? [];
  if (same.length === 0) spares.set(buffer.byteLength, same);
  if (same.length < SPARES_PER_SIZE) same.push(buffer);
}

const COLUMN_NAMES = [
  "start",
  "duration",
  "nbytes",
  "task",
  "prefix",
  "span",
  "computation",
  "what",
] as const;

const NODE_NAMES = ["busy", "reach", "paint", "erred"] as const;

type SegmentViews = Pick<
  Segment,
  (typeof COLUMN_NAMES)[number] | (typeof NODE_NAMES)[number]
>;

function views(segment: Segment): SegmentViews {
  const { start, duration, nbytes, task, prefix, span, computation } = segment;
  const { what, busy, reach, paint, erred } = segment;
  return {
    ...{ start, duration, nbytes, task, prefix, span, computation },
    ...{ what, busy, reach, paint, erred },
  };
}
