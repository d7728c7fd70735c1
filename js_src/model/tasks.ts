// All tasks of a session that the page holds, for drawing, searching and filtering. Rows
// arrive in any order: live ones at the end, history newest first, late ones in between.

import type { TasksColumns } from "../schema";
import { BusyBins } from "./busy";
import { Changes, Extents, union, type Extent } from "./extent";
import {
  Coarse,
  type CoarseBatch,
  type CoarseLane,
  countBlock,
} from "./coarse";
import {
  Coverage,
  describe,
  type InsertedTasks,
  mergeInserted,
} from "./coverage";
import { RowFilter, type FilterSpec, FilterPass } from "./filter";
import { Groups } from "./groups";
import { blankInterval, hitRow, rowsOfTask, visitRows } from "./query";
import { isTime, lengthOf, sortByKey } from "./search";
import {
  isDiskRead,
  isOverlay,
  type RowColumns,
  type Segment,
  whatOf,
} from "./segment";
import { Track } from "./track";
import type { Interval } from "./types";

export interface TaskBatch extends TasksColumns {
  rows: number;
}

export type { CoarseBatch, Extent, FilterSpec };

/** Counts of invalid rows. */
export interface Oddities {
  /** Clocks disagreed; drawn as ticks without length. */
  negativeDurations: number;
  /** Left out, since their start is not a valid time. */
  unplaceable: number;
}

/** Interval between redraws while a filter is still being applied. */
const NOTE_MS = 100;

export class TaskModel {
  /** Rows held in detail; `evictedRows` were replaced by a preview. */
  rows = 0;
  evictedRows = 0;
  readonly odd: Oddities = { negativeDurations: 0, unplaceable: 0 };

  readonly groups = new Groups();
  private readonly changes = new Changes();
  /** Index 2 × lane, plus 1 for its overlay. */
  private readonly tracks: (Track | undefined)[] = [];
  private readonly coverage = new Coverage();
  private readonly extents = new Extents();
  private coarseEdges: Extent | null = null;
  private readonly allBusy = new BusyBins();
  /** Time in which threads read task inputs from disk, for all prefixes together. */
  readonly diskReads = new BusyBins();
  private readonly coarse = new Coarse(
    this.changes,
    (blocks, i, sign, lane) => {
      countBlock(this.allBusy, blocks, i, sign);
      if (!this.pass?.countsPreview(lane)) return;
      countBlock(this.pass.busy, blocks, i, sign);
    },
  );
  private pass: FilterPass | null = null;
  private filters = 0;
  /** When progress of the filter was last published. */
  private noted_ms = 0;
  /** Tasks inserted since the last `markCovered`. */
  private uncovered: InsertedTasks | null = null;
  private order = new Uint32Array(0);
  private counts = new Int32Array(0);
  /** One per kind of track, since a visitor of one may visit the other. */
  private readonly cursors = [blankInterval(), blankInterval()] as const;

  /** Increases with each change of the rows or of the filter's result. */
  get version(): number {
    return this.changes.version;
  }

  /** The time range changed since a version; null if none. */
  changedSince(version: number): Extent | null {
    return this.changes.since(version);
  }

  get laneCount(): number {
    return Math.max((this.tracks.length + 1) >> 1, this.coarse.laneCount);
  }

  /** Memory that grows with the rows, including slack and summaries. */
  get byteLength(): number {
    let bytes = this.coarse.byteLength + this.allBusy.byteLength;
    bytes += this.groups.byteLength + this.diskReads.byteLength;
    for (const track of this.tracks) bytes += track?.byteLength ?? 0;
    if (this.pass) bytes += this.pass.busy.byteLength;
    return bytes + this.order.byteLength + this.counts.byteLength;
  }

  /** Add rows. Rows of tasks that are already covered are skipped. */
  insert(batch: TaskBatch): void {
    const { rows } = batch;
    if (rows === 0) return;
    const { tracks } = this;
    const inserted = describe(batch);
    const repeats = this.coverage.touches(inserted.first, inserted.last);
    if (this.order.length < rows) this.order = new Uint32Array(rows);

    // Counting sort of the rows by track: first the counts.
    const slots = 2 * (inserted.lastLane + 1);
    if (this.counts.length < slots + 1) {
      this.counts = new Int32Array(slots + 1);
    } else {
      this.counts.fill(0, 0, slots + 1);
    }
    const { counts, order } = this;
    const { start, lane, action, status, task } = batch;
    const columns = { ...batch, what: whatOf(action, status) };
    for (let row = 0; row < rows; row++) {
      if (this.isSkipped(start[row], task[row], repeats)) continue;
      counts[2 * lane[row] + (isOverlay(action[row]) ? 1 : 0) + 1]++;
    }
    for (let slot = 0; slot < slots; slot++) counts[slot + 1] += counts[slot];
    const total = counts[slots];
    for (let row = 0; row < rows; row++) {
      if (this.isSkipped(start[row], task[row], repeats)) {
        if (!isTime(start[row])) this.odd.unplaceable++;
        continue;
      }
      const slot = 2 * lane[row] + (isOverlay(action[row]) ? 1 : 0);
      order[counts[slot]++] = row;
      this.note(columns, row, slot);
    }
    // Now counts[slot] is the end of its rows and the start of the next slot's.
    let from = 0;
    for (let slot = 0; slot < slots; slot++) {
      const to = counts[slot];
      if (to === from) continue;
      const track = (tracks[slot] ??= new Track(slot >> 1, (slot & 1) === 1));
      sortByKey(order, from, to, start);
      track.insert(columns, order, from, to, this.pass);
      from = to;
    }
    this.rows += total;
    this.uncovered = mergeInserted(this.uncovered, inserted);
    this.changes.step();
  }

  covers(first: number, tasks: number): boolean {
    return this.coverage.covers(first, tasks);
  }

  /** Mark all rows of these tasks as present; call it after `insert`. */
  markCovered(first: number, tasks: number): void {
    const rows = this.uncovered;
    this.uncovered = null;
    const known = rows && rows.first >= first && rows.last < first + tasks;
    const range = known
      ? this.coverage.add(first, tasks, rows.start, rows.stop)
      : this.coverage.add(first, tasks);
    this.coarse.hide(range, this.coverage);
    this.changes.step();
  }

  /**
   * Drop about as many of the oldest rows as exceed `maxRows`, and keep blocks instead.
   * Their tasks stay covered, so that they are not sent again.
   */
  evictRows(maxRows: number): void {
    let excess = this.rows - maxRows;
    const oldest: { track: Track; segment: Segment }[] = [];
    for (const track of this.allTracks()) {
      for (const segment of track.segments) oldest.push({ track, segment });
    }
    oldest.sort((a, b) => a.segment.maxStop - b.segment.maxStop);
    const going = new Map<Track, Set<Segment>>();
    for (const { track, segment } of oldest) {
      if (excess <= 0) break;
      excess -= segment.rows;
      if (!going.has(track)) going.set(track, new Set());
      going.get(track)!.add(segment);
    }
    for (const [track, segments] of going) {
      this.coarse.keep(track.lane, segments);
      const rows = track.remove(segments);
      this.rows -= rows;
      this.evictedRows += rows;
      for (const { firstStart, maxStop } of segments) {
        this.changes.note(firstStart, maxStop);
      }
    }
    this.changes.step();
  }

  /** Covered ranges of task numbers, each as `[first, last + 1]`. */
  have(): [number, number][] {
    return this.coverage.list();
  }

  /** Set the preview of the history; each block is drawn until its rows arrive. */
  setCoarse(batch: CoarseBatch): void {
    this.coarse.set(batch, this.coverage);
    this.coarseEdges = null;
    for (let row = 0; row < batch.start.length; row++) {
      const start = batch.start[row];
      if (!isTime(start)) continue;
      const stop = start + lengthOf(batch.duration[row]);
      this.coarseEdges = union(this.coarseEdges, { start, stop });
    }
    this.changes.step();
  }

  /** Whether the preview still has blocks of rows that have not arrived. */
  get isCoarse(): boolean {
    return !this.coarse.isEmpty;
  }

  /** Blocks of a lane, of rows still to arrive and of dropped ones. */
  coarseLane(lane: number): CoarseLane | undefined {
    return this.coarse.lane(lane);
  }

  track(lane: number, overlay: boolean): Track | undefined {
    return this.tracks[2 * lane + (overlay ? 1 : 0)];
  }

  /** From the first start to the last stop, without rows whose clock is hours off. */
  extent(): Extent | null {
    return this.withCoarse(this.extents.robust());
  }

  rowsOutside(): number {
    return this.extents.outside();
  }

  /** Busy threads by prefix over time, of rows that pass the filter if there is one. */
  get busy(): BusyBins {
    return this.pass ? this.pass.busy : this.allBusy;
  }

  /** The same for all tasks, ignoring the filter. */
  get wholeBusy(): BusyBins {
    return this.allBusy;
  }

  /** Set the filter; null removes it. `work` applies it step by step. */
  setFilter(spec: FilterSpec | null): void {
    if (spec) {
      const filter = new RowFilter(spec, ++this.filters);
      this.noted_ms = performance.now();
      this.pass = new FilterPass(
        filter,
        this.allTracks(),
        this.allBusy.binWidth_s,
      );
      this.countPreview(this.pass);
      // Without rows to filter, the result is complete at once.
      if (!this.pass.finished) return;
    } else {
      this.pass = null;
      for (const track of this.allTracks()) {
        for (const segment of track.segments) segment.filtered = null;
      }
    }
    this.changes.note(-Infinity, Infinity);
    this.changes.step();
  }

  get filter(): RowFilter | null {
    return this.pass?.filter ?? null;
  }

  /** Apply the filter for up to `budget_ms`; returns whether work is left. */
  work(budget_ms: number): boolean {
    const { pass } = this;
    if (!pass || pass.finished) return false;
    pass.run(budget_ms);
    // A filter step redraws everything, so publish it only every `NOTE_MS`.
    const now = performance.now();
    if (!pass.finished && now - this.noted_ms < NOTE_MS) return true;
    this.noted_ms = now;
    this.changes.note(-Infinity, Infinity);
    this.changes.step();
    return !pass.finished;
  }

  /** The row at a position, or the nearest one within the tolerance. */
  hit(
    lane: number,
    time: number,
    tolerance_s: number,
    overlay: boolean,
  ): Interval | null {
    const track = this.track(lane, overlay);
    if (!track) return null;
    return hitRow(track, time, tolerance_s, this.pass?.of(track) ?? null);
  }

  /** All intervals of a task on its lane, sorted by start. */
  ofTask(lane: number, task: number): Interval[] {
    const found: Interval[] = [];
    for (const overlay of [false, true]) {
      const track = this.track(lane, overlay);
      if (track) found.push(...rowsOfTask(track, task));
    }
    return found.sort((a, b) => a.start - b.start);
  }

  /**
   * Visit rows of at least `minDuration_s` that overlap `t0..t1`, sorted by start.
   * The visitor gets the same object each time; returning false stops the visit.
   */
  forEachVisible(
    lane: number,
    t0: number,
    t1: number,
    minDuration_s: number,
    visit: (row: Readonly<Interval>) => boolean | void,
    overlay = false,
  ): void {
    const track = this.track(lane, overlay);
    const cursor = this.cursors[overlay ? 1 : 0];
    if (track) visitRows(track, t0, t1, minDuration_s, cursor, visit);
  }

  private withCoarse(extent: Extent | null): Extent | null {
    return this.coarse.isEmpty ? extent : union(extent, this.coarseEdges);
  }

  private countPreview(pass: FilterPass): void {
    for (let lane = 0; lane < this.laneCount; lane++) {
      if (!pass.countsPreview(lane)) continue;
      const blocks = this.coarseLane(lane);
      for (let i = 0; blocks && i < blocks.count; i++) {
        if (blocks.hidden[i] === 1) continue;
        countBlock(pass.busy, blocks, i, 1);
      }
    }
  }

  private *allTracks(): Iterable<Track> {
    for (const track of this.tracks) if (track) yield track;
  }

  private isSkipped(start: number, task: number, repeats: boolean): boolean {
    return !isTime(start) || (repeats && this.coverage.covers(task, 1));
  }

  /** Updates the totals and indexes kept besides the row itself. */
  private note(batch: RowColumns, row: number, slot: number): void {
    const start = batch.start[row];
    const given = batch.duration[row];
    if (given < 0) this.odd.negativeDurations++;
    const seconds = lengthOf(given);
    this.extents.add(start, start + seconds, batch.task[row]);
    this.changes.note(start, start + seconds);
    this.groups.add(batch, row);
    if (seconds === 0) return;
    const overlay = (slot & 1) === 1;
    if (!overlay) this.allBusy.add(start, seconds, batch.prefix[row]);
    else if (isDiskRead(batch.what[row])) this.diskReads.add(start, seconds, 0);
    const { pass } = this;
    if (!pass || (overlay && !pass.filter.byAction)) return;
    if (pass.filter.hasLane(slot >> 1) && pass.filter.matches(batch, row)) {
      pass.busy.add(start, seconds, batch.prefix[row]);
    }
  }
}
