// The first, coarse picture of a long run: stretches of lanes, drawn until the rows
// that they stand for have come.

import type { CoarseColumns } from "../schema";
import type { BusyBins } from "./busy";
import type { Changes } from "./changes";
import type { Coverage, Range } from "./coverage";
import { findAfter, isTime, lengthOf, sortByKey } from "./search";

/** `rows` of a coarse batch is a column; its length is that of every column. */
export interface CoarseBatch extends CoarseColumns {
  /** The tasks it stands for, when known. */
  first?: number;
  tasks?: number;
}

/** The stretches of one lane, sorted by start. */
export class CoarseLane {
  count = 0;
  hiddenCount = 0;
  start: Float64Array;
  duration: Float32Array;
  busy: Float32Array;
  prefix: Uint16Array;
  erred: Uint8Array;
  /** How many rows each stretch stands for. */
  rows: Uint32Array;
  /** 1 where detail has come. */
  hidden: Uint8Array;

  constructor(private readonly size: number) {
    this.start = new Float64Array(size);
    this.duration = new Float32Array(size);
    this.busy = new Float32Array(size);
    this.prefix = new Uint16Array(size);
    this.erred = new Uint8Array(size);
    this.rows = new Uint32Array(size);
    this.hidden = new Uint8Array(size);
  }

  get byteLength(): number {
    return this.size * BYTES_PER_STRETCH;
  }
}

const BYTES_PER_STRETCH = 24;

export class Coarse {
  private lanes: (CoarseLane | undefined)[] = [];
  private first = 0;
  private tasks = 0;
  private stretches = 0;

  get byteLength(): number {
    return this.stretches * BYTES_PER_STRETCH;
  }

  get isEmpty(): boolean {
    return this.stretches === 0;
  }

  get laneCount(): number {
    return this.lanes.length;
  }

  lane(lane: number): CoarseLane | undefined {
    return this.lanes[lane];
  }

  constructor(
    private readonly changes: Changes,
    /** Stretches count as busy until the rows themselves do. */
    private readonly count: (
      stretches: CoarseLane,
      i: number,
      sign: number,
      lane: number,
    ) => void,
  ) {}

  set(batch: CoarseBatch, coverage: Coverage): void {
    this.clear();
    this.first = batch.first ?? 0;
    this.tasks = batch.tasks ?? 0;
    this.stretches = batch.start.length;
    const sizes: number[] = [];
    const order = new Uint32Array(batch.start.length);
    for (let row = 0; row < batch.start.length; row++) {
      order[row] = row;
      sizes[batch.lane[row]] = (sizes[batch.lane[row]] ?? 0) + 1;
    }
    sortByKey(order, 0, order.length, batch.start);
    for (const row of order) {
      if (!isTime(batch.start[row])) continue;
      const number = batch.lane[row];
      const lane = (this.lanes[number] ??= new CoarseLane(sizes[number]));
      lane.start[lane.count] = batch.start[row];
      lane.duration[lane.count] = lengthOf(batch.duration[row]);
      lane.busy[lane.count] = batch.busy[row];
      lane.prefix[lane.count] = batch.prefix[row];
      lane.erred[lane.count] = batch.erred[row];
      lane.rows[lane.count] = batch.rows[row];
      this.count(lane, lane.count, 1, number);
      lane.count++;
    }
    this.changes.note(-Infinity, Infinity);
    for (const range of coverage.all()) this.hide(range, coverage);
  }

  /**
   * Hide what this range replaces; true if there was any. Forgets everything when all
   * detail is here.
   */
  hide(range: Range, coverage: Coverage): boolean {
    if (this.isEmpty) return false;
    if (this.tasks > 0 && coverage.covers(this.first, this.tasks)) {
      this.clear();
      return true;
    }
    let hasHidden = false;
    for (const [number, lane] of this.lanes.entries()) {
      if (!lane || lane.hiddenCount === lane.count) continue;
      let i = findAfter(lane.start, 0, lane.count, range.start);
      // A stretch that began before is hidden if most of it lies in the range.
      i = Math.max(0, i - 1);
      for (; i < lane.count && lane.start[i] <= range.stop; i++) {
        if (lane.hidden[i] === 1) continue;
        const middle = lane.start[i] + lane.duration[i] / 2;
        if (middle < range.start || middle > range.stop) continue;
        lane.hidden[i] = 1;
        hasHidden = true;
        lane.hiddenCount++;
        this.count(lane, i, -1, number);
        this.changes.note(lane.start[i], lane.start[i] + lane.duration[i]);
      }
    }
    return hasHidden;
  }

  clear(): void {
    if (this.isEmpty) return;
    for (const [number, lane] of this.lanes.entries()) {
      for (let i = 0; lane && i < lane.count; i++) {
        if (lane.hidden[i] === 0) this.count(lane, i, -1, number);
      }
    }
    this.lanes = [];
    this.stretches = 0;
    this.changes.note(-Infinity, Infinity);
  }
}

/** Add what a stretch was busy to bins, or take it away. */
export function countStretch(
  busy: BusyBins,
  stretches: CoarseLane,
  i: number,
  sign: number,
): void {
  const duration = stretches.duration[i];
  if (!(duration > 0)) return;
  const share = (sign * stretches.busy[i]) / duration;
  busy.add(stretches.start[i], duration, stretches.prefix[i], share);
}
