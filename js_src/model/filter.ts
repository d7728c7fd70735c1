// Which rows are in the light; the others are dimmed. Indexes, not names.

import {
  actionOf,
  hasErred,
  PAINT_NONE,
  type RowColumns,
  type Segment,
} from "./segment";
import { BusyBins } from "./busy";
import { isFiltered, refresh } from "./pyramid";
import type { Track } from "./track";

/**
 * What to isolate. Absent kinds mean all; kinds are combined with "and", but for `actions`
 * and `erred`, which are entries of one list to people: either is enough.
 */
export interface FilterSpec {
  prefixes?: Iterable<number>;
  actions?: Iterable<number>;
  spans?: Iterable<number>;
  lanes?: Iterable<number>;
  computations?: Iterable<number>;
  /** Tasks that erred, whatever the action. */
  erred?: boolean;
  tasks?: Uint32Array;
}

export class RowFilter {
  private readonly prefixes: Uint8Array | null;
  private readonly actions: Uint8Array | null;
  private readonly spans: Uint8Array | null;
  private readonly lanes: Uint8Array | null;
  private readonly computations: Uint8Array | null;
  private readonly erred: boolean;
  private readonly tasks: Uint32Array | null;

  constructor(
    spec: FilterSpec,
    readonly version: number,
  ) {
    this.prefixes = spec.prefixes ? mask(spec.prefixes, 0x10000) : null;
    this.actions = spec.actions ? mask(spec.actions, 0x100) : null;
    this.spans = spec.spans ? mask(spec.spans, 0x10000) : null;
    this.lanes = spec.lanes ? mask(spec.lanes, 0x10000) : null;
    this.computations = spec.computations
      ? mask(spec.computations, 0x10000)
      : null;
    this.erred = spec.erred ?? false;
    this.tasks = spec.tasks ? bits(spec.tasks) : null;
  }

  get byAction(): boolean {
    return this.actions !== null;
  }

  /** Whether rows of a lane that it has may be in the dark. */
  get byRow(): boolean {
    const { prefixes, actions, spans, computations, tasks } = this;
    const some = prefixes || actions || spans || computations || tasks;
    return this.erred || some !== null;
  }

  hasLane(lane: number): boolean {
    return this.lanes === null || this.lanes[lane] === 1;
  }

  /** Whether a row matches, its lane aside. */
  matches(rows: RowColumns, row: number): boolean {
    if (this.prefixes !== null && this.prefixes[rows.prefix[row]] === 0)
      return false;
    if (this.spans !== null && this.spans[rows.span[row]] === 0) return false;
    if (
      this.computations !== null &&
      this.computations[rows.computation[row]] === 0
    )
      return false;
    if (this.actions !== null || this.erred) {
      const what = rows.what[row];
      const erred = this.erred && hasErred(what);
      if (!erred && (this.actions?.[actionOf(what)] ?? 0) === 0) return false;
    }
    if (this.tasks !== null) {
      const task = rows.task[row];
      const word = task >>> 5;
      if (word >= this.tasks.length) return false;
      if (((this.tasks[word] >>> (task & 31)) & 1) === 0) return false;
    }
    return true;
  }
}

function mask(indexes: Iterable<number>, size: number): Uint8Array {
  const out = new Uint8Array(size);
  for (const index of indexes) out[index] = 1;
  return out;
}

/** One bit a task: 1.25 MB for ten million. */
function bits(tasks: Uint32Array): Uint32Array {
  let last = 0;
  for (let i = 0; i < tasks.length; i++) if (tasks[i] > last) last = tasks[i];
  const out = new Uint32Array((last >>> 5) + 1);
  for (let i = 0; i < tasks.length; i++) {
    out[tasks[i] >>> 5] |= 1 << (tasks[i] & 31);
  }
  return out;
}

export class FilterPass {
  readonly busy: BusyBins;
  private remaining: { track: Track; segment: Segment }[] = [];

  constructor(
    readonly filter: RowFilter,
    tracks: Iterable<Track>,
    /** Of all rows: those that pass need no finer one. */
    binWidth_s?: number,
  ) {
    this.busy = new BusyBins(binWidth_s);
    for (const track of tracks) {
      if (!filter.hasLane(track.lane)) continue;
      for (const segment of track.segments) {
        this.remaining.push({ track, segment });
      }
    }
    this.remaining.reverse();
  }

  get finished(): boolean {
    return this.remaining.length === 0;
  }

  /** The filter, if it has to look at rows of this track. */
  of(track: Track): RowFilter | null {
    const { filter } = this;
    return filter.byRow && filter.hasLane(track.lane) ? filter : null;
  }

  /** Whether stretches count that stand for rows: of what rows they are they cannot say. */
  countsStretches(lane: number): boolean {
    return !this.filter.byRow && this.filter.hasLane(lane);
  }

  /** Whether the minimap counts this row. Strips only if actions are asked for. */
  counts(track: Track): boolean {
    return !track.overlay || this.filter.byAction;
  }

  run(budget_ms: number): void {
    const until = performance.now() + budget_ms;
    let next = this.remaining.pop();
    while (next) {
      // A segment that was split meanwhile was visited before.
      this.visit(next.track, next.segment);
      if (performance.now() >= until) return;
      next = this.remaining.pop();
    }
  }

  /** Filter and count the rows of one segment, once. */
  visit(track: Track, segment: Segment): void {
    const { filter } = this;
    if (!filter.hasLane(track.lane)) return;
    if (filter.byRow && !isFiltered(segment, filter)) refresh(segment, filter);
    if (segment.counted === filter.version) return;
    segment.counted = filter.version;
    if (this.counts(track)) this.count(segment);
  }

  private count(segment: Segment): void {
    const { start, duration, prefix, rows } = segment;
    const { filter } = this;
    const paint = filter.byRow ? segment.filtered?.paint : undefined;
    for (let row = 0; row < rows; row++) {
      // Of eight rows of which none passes, none is looked at again.
      if (paint && (row & 7) === 0 && paint[row >> 3] === PAINT_NONE) row += 7;
      else if (duration[row] > 0 && filter.matches(segment, row)) {
        this.busy.add(start[row], duration[row], prefix[row]);
      }
    }
  }
}
