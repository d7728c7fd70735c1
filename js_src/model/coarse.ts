// The preview of a run: blocks that summarize rows of a lane. They are drawn until the
// rows arrive, and in place of the oldest rows after the page dropped these.

import type { CoarseColumns } from "../schema";
import type { BusyBins } from "./busy";
import type { Coverage, Range } from "./coverage";
import type { Changes } from "./extent";
import { findAfter, isTime, lengthOf } from "./search";
import { PAINT_ERRED, type Segment } from "./segment";

/** In a coarse batch, `rows` is a column; all columns have the same length. */
export interface CoarseBatch extends CoarseColumns {
  /** The range of tasks that it summarizes, if known. */
  first?: number;
  tasks?: number;
}

/** Values of `hidden`: drawn until rows arrive; hidden, as they arrived; drawn permanently. */
const COMING = 0;
const CAME = 1;
const GONE = 2;

interface PreviewBlock {
  start: number;
  duration: number;
  /** Seconds in which the thread computed. */
  busy: number;
  prefix: number;
  erred: number;
  /** How many rows it summarizes. */
  rows: number;
  hidden: number;
}

export class CoarseLane {
  readonly count: number;
  hiddenCount = 0;
  readonly start: Float64Array;
  readonly duration: Float32Array;
  readonly busy: Float32Array;
  readonly prefix: Uint16Array;
  readonly erred: Uint8Array;
  readonly rows: Uint32Array;
  /** `CAME` where the rows have arrived. */
  readonly hidden: Uint8Array;

  constructor(blocks: PreviewBlock[]) {
    blocks.sort((a, b) => a.start - b.start);
    this.count = blocks.length;
    this.start = Float64Array.from(blocks, ({ start }) => start);
    this.duration = Float32Array.from(blocks, ({ duration }) => duration);
    this.busy = Float32Array.from(blocks, ({ busy }) => busy);
    this.prefix = Uint16Array.from(blocks, ({ prefix }) => prefix);
    this.erred = Uint8Array.from(blocks, ({ erred }) => erred);
    this.rows = Uint32Array.from(blocks, ({ rows }) => rows);
    this.hidden = Uint8Array.from(blocks, ({ hidden }) => hidden);
    for (const one of this.hidden) if (one === CAME) this.hiddenCount++;
  }

  all(): PreviewBlock[] {
    const { start, duration, busy, prefix, erred, rows, hidden } = this;
    return Array.from(start, (_, i) => ({
      start: start[i],
      duration: duration[i],
      busy: busy[i],
      prefix: prefix[i],
      erred: erred[i],
      rows: rows[i],
      hidden: hidden[i],
    }));
  }
}

const BYTES_PER_BLOCK = 24;
/** A block of dropped rows summarizes 64, or 8 if there are pauses among the 64. */
const WIDE_LEVEL = 2;
const DENSE_SHARE = 0.5;

export class Coarse {
  private lanes: (CoarseLane | undefined)[] = [];
  private first = 0;
  private tasks = 0;
  /** Number of blocks in the last batch; 0 once all rows have arrived. */
  private coming = 0;

  get byteLength(): number {
    return this.lanes.reduce(
      (sum, lane) => sum + (lane?.count ?? 0) * BYTES_PER_BLOCK,
      0,
    );
  }

  /** Whether no rows are still to arrive. */
  get isEmpty(): boolean {
    return this.coming === 0;
  }

  get laneCount(): number {
    return this.lanes.length;
  }

  lane(lane: number): CoarseLane | undefined {
    return this.lanes[lane];
  }

  constructor(
    private readonly changes: Changes,
    /** Counts a block as busy (1), or no longer once its rows count (-1). */
    private readonly count: (
      blocks: CoarseLane,
      i: number,
      sign: number,
      lane: number,
    ) => void,
  ) {}

  set(batch: CoarseBatch, coverage: Coverage): void {
    this.clear();
    this.first = batch.first ?? 0;
    this.tasks = batch.tasks ?? 0;
    this.coming = batch.start.length;
    const lanes: PreviewBlock[][] = [];
    for (let row = 0; row < batch.start.length; row++) {
      if (!isTime(batch.start[row])) continue;
      (lanes[batch.lane[row]] ??= []).push({
        start: batch.start[row],
        duration: lengthOf(batch.duration[row]),
        busy: batch.busy[row],
        prefix: batch.prefix[row],
        erred: batch.erred[row],
        rows: batch.rows[row],
        hidden: COMING,
      });
    }
    lanes.forEach((blocks, number) => {
      const lane = this.add(number, blocks);
      for (let i = 0; i < lane.count; i++) {
        if (lane.hidden[i] === COMING) this.count(lane, i, 1, number);
      }
    });
    this.changes.note(-Infinity, Infinity);
    for (const range of coverage.all()) this.hide(range, coverage);
  }

  /** Keep summaries of segments of one lane that are about to be dropped. */
  keep(number: number, segments: Iterable<Segment>): void {
    const added: PreviewBlock[] = [];
    for (const segment of segments) {
      // Transfers and the like do not keep a thread busy, so the preview has none.
      if (!segment.overlay) summarize(segment, added);
    }
    this.add(number, added);
  }

  /**
   * Hide the blocks that the rows of this range replace. Once all rows have arrived,
   * remove all of them.
   */
  hide(range: Range, coverage: Coverage): void {
    if (this.isEmpty) return;
    if (this.tasks > 0 && coverage.covers(this.first, this.tasks)) {
      this.clear();
      return;
    }
    for (const [number, lane] of this.lanes.entries()) {
      if (!lane || lane.hiddenCount === lane.count) continue;
      let i = findAfter(lane.start, 0, lane.count, range.start);
      // Include the block before: it is hidden if most of it lies in the range.
      i = Math.max(0, i - 1);
      for (; i < lane.count && lane.start[i] <= range.stop; i++) {
        if (lane.hidden[i] !== COMING) continue;
        const middle = lane.start[i] + lane.duration[i] / 2;
        if (middle < range.start || middle > range.stop) continue;
        lane.hidden[i] = CAME;
        lane.hiddenCount++;
        this.count(lane, i, -1, number);
        this.changes.note(lane.start[i], lane.start[i] + lane.duration[i]);
      }
    }
  }

  private clear(): void {
    if (this.isEmpty) return;
    this.lanes = this.lanes.map((lane, number) => {
      for (let i = 0; lane && i < lane.count; i++) {
        if (lane.hidden[i] === COMING) this.count(lane, i, -1, number);
      }
      const gone = lane?.all().filter(({ hidden }) => hidden === GONE) ?? [];
      return gone.length > 0 ? new CoarseLane(gone) : undefined;
    });
    this.coming = 0;
    this.changes.note(-Infinity, Infinity);
  }

  private add(number: number, blocks: readonly PreviewBlock[]): CoarseLane {
    const before = this.lanes[number]?.all() ?? [];
    return (this.lanes[number] = new CoarseLane([...before, ...blocks]));
  }
}

function summarize(segment: Segment, into: PreviewBlock[]): void {
  for (let node = 0; node << (3 * WIDE_LEVEL) < segment.rows; node++) {
    const wide = blockAt(segment, WIDE_LEVEL, node);
    if (wide.busy >= DENSE_SHARE * wide.duration) {
      into.push(wide);
      continue;
    }
    const first = node << 3;
    for (let k = first; k < first + 8 && k << 3 < segment.rows; k++) {
      into.push(blockAt(segment, WIDE_LEVEL - 1, k));
    }
  }
}

function blockAt(segment: Segment, level: number, node: number): PreviewBlock {
  const first = node << (3 * level);
  const at = segment.offset[level] + node;
  const paint = segment.paint[at];
  return {
    start: segment.start[first],
    duration: segment.reach[at],
    busy: segment.busy[at],
    prefix: paint === PAINT_ERRED ? segment.prefix[first] : paint,
    erred: segment.erred[at],
    rows: Math.min(segment.rows - first, 1 << (3 * level)),
    hidden: GONE,
  };
}

export function countBlock(
  busy: BusyBins,
  blocks: CoarseLane,
  i: number,
  sign: number,
): void {
  const duration = blocks.duration[i];
  if (!(duration > 0)) return;
  const share = (sign * blocks.busy[i]) / duration;
  busy.add(blocks.start[i], duration, blocks.prefix[i], share);
}
