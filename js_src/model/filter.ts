// Which rows pass the filter; the others are dimmed. Indexes, not names.

import {
  actionOf,
  hasErred,
  PAINT_NONE,
  SEGMENT_ROWS,
  type RowColumns,
  type Segment,
} from "./segment";
import { BusyBins } from "./busy";
import { isFiltered, refresh } from "./pyramid";
import type { Track } from "./track";

/**
 * What to isolate. Absent kinds mean all; kinds are combined with "and", except `actions`
 * and `erred`: users see them in one list, so either is enough.
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

/** 1 for each matching row of a segment; `words` reads four of these at a time. */
const marks = new Uint8Array(SEGMENT_ROWS);
const words = new Uint32Array(marks.buffer);

export class RowFilter {
  /** Whether actions are filtered; then strips count, too. */
  readonly byAction: boolean;
  private readonly prefixes: Uint8Array | null;
  private readonly spans: Uint8Array | null;
  private readonly lanes: Uint8Array | null;
  private readonly computations: Uint8Array | null;
  /** By action and error, as `whatOf` encodes them. */
  private readonly whats: Uint8Array | null;
  private readonly tasks: Uint32Array | null;

  constructor(
    { prefixes, actions, spans, lanes, computations, erred, tasks }: FilterSpec,
    readonly version: number,
  ) {
    this.byAction = actions !== undefined;
    this.prefixes = mask(prefixes, 0x10000);
    this.spans = mask(spans, 0x10000);
    this.lanes = mask(lanes, 0x10000);
    this.computations = mask(computations, 0x10000);
    const wanted = mask(actions, 0x100);
    this.whats =
      wanted || erred
        ? Uint8Array.from({ length: 0x100 }, (_, what) =>
            erred && hasErred(what) ? 1 : (wanted?.[actionOf(what)] ?? 0),
          )
        : null;
    this.tasks = tasks ? bits(tasks) : null;
  }

  /** Whether it filters single rows, not only whole lanes. */
  get byRow(): boolean {
    const { prefixes, whats, spans, computations, tasks } = this;
    return (prefixes ?? whats ?? spans ?? computations ?? tasks) !== null;
  }

  hasLane(lane: number): boolean {
    return this.lanes === null || this.lanes[lane] === 1;
  }

  /** Whether a row matches; ignores its lane. */
  matches(rows: RowColumns, row: number): boolean {
    const { prefixes, spans, computations, whats, tasks } = this;
    return (
      (prefixes === null || prefixes[rows.prefix[row]] === 1) &&
      (spans === null || spans[rows.span[row]] === 1) &&
      (computations === null || computations[rows.computation[row]] === 1) &&
      (whats === null || whats[rows.what[row]] === 1) &&
      (tasks === null || hasBit(tasks, rows.task[row]) === 1)
    );
  }

  /**
   * Like `matches` for rows `from..to` (`from` a multiple of 8), but much faster. Returns two
   * words for every 8 rows, both 0 if none matches. The next call overwrites them.
   */
  mark(
    segment: RowColumns,
    from: number,
    to: number,
  ): { marks: Uint8Array; words: Uint32Array } {
    const { prefixes, spans, computations, whats, tasks } = this;
    marks.fill(1, from, to);
    marks.fill(0, to, (to + 7) & ~7);
    if (prefixes) keep(prefixes, segment.prefix, from, to);
    if (spans) keep(spans, segment.span, from, to);
    if (computations) keep(computations, segment.computation, from, to);
    if (whats) keep(whats, segment.what, from, to);
    for (let row = from; tasks && row < to; row++) {
      if (marks[row] === 1) marks[row] = hasBit(tasks, segment.task[row]);
    }
    return { marks, words };
  }
}

function keep(
  mask: Uint8Array,
  column: Uint16Array | Uint8Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) marks[row] &= mask[column[row]];
}

function mask(
  indexes: Iterable<number> | undefined,
  size: number,
): Uint8Array | null {
  if (!indexes) return null;
  const out = new Uint8Array(size);
  for (const index of indexes) out[index] = 1;
  return out;
}

const hasBit = (bits: Uint32Array, task: number): number =>
  ((bits[task >>> 5] ?? 0) >>> (task & 31)) & 1;

/** One bit per task: 1.25 MB for ten million. */
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
    /** Bin width of the unfiltered model; matching rows need no finer one. */
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

  /** Whether blocks of the preview count: a row filter cannot check them. */
  countsPreview(lane: number): boolean {
    return !this.filter.byRow && this.filter.hasLane(lane);
  }

  /** Whether the minimap counts this track: strips only if actions are filtered. */
  counts(track: Track): boolean {
    return !track.overlay || this.filter.byAction;
  }

  run(budget_ms: number): void {
    const until = performance.now() + budget_ms;
    let next = this.remaining.pop();
    while (next) {
      // A segment that was split meanwhile is already done; `visit` skips it.
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
      // Skip eight rows at once if none of them passes.
      if (paint && (row & 7) === 0 && paint[row >> 3] === PAINT_NONE) row += 7;
      else if (duration[row] > 0 && filter.matches(segment, row)) {
        this.busy.add(start[row], duration[row], prefix[row]);
      }
    }
  }
}
