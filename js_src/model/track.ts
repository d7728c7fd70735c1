// The compute or the overlay rows of one lane, as segments sorted by start.

import type { FilterPass } from "./filter";
import { refresh } from "./pyramid";
import { findAfter } from "./search";
import { Segment, SEGMENT_ROWS, type RowColumns } from "./segment";

/** Maximum rows of the first segment; with more, `prepend` makes a new one before it. */
const HEAD_ROWS = 1024;

export class Track {
  readonly segments: Segment[] = [];
  rows = 0;
  /** Index of the former first segment after `prepend` made a new one; else 0. */
  private joinAt = 0;

  constructor(
    readonly lane: number,
    readonly overlay: boolean,
  ) {}

  get byteLength(): number {
    let sum = 0;
    for (const segment of this.segments) sum += segment.byteLength;
    return sum;
  }

  /** Insert rows `order[from..to)` of `source`, sorted by start. */
  insert(
    source: RowColumns,
    order: Uint32Array,
    from: number,
    to: number,
    pass: FilterPass | null,
  ): void {
    const { segments } = this;
    const starts = source.start;
    this.rows += to - from;
    let lowest = Infinity;
    let highest = 0;
    while (from < to) {
      const first = starts[order[from]];
      const at = this.find(first);
      // Find a run of rows between the starts of two segments.
      const next = at + 1 < segments.length ? segments[at + 1] : null;
      const end = next
        ? findBefore(starts, order, from, to, next.firstStart)
        : to;
      const before = segments.length;
      if (pass && before > 0) pass.visit(this, segments[Math.max(at, 0)]);
      this.place(at, source, order, from, end);
      const touched = Math.max(at, 0);
      lowest = Math.min(lowest, touched);
      // All segments that `place` adds follow directly after the touched one.
      highest = Math.max(touched, touched + segments.length - before);
      from = end;
    }
    const last = Math.min(highest, segments.length - 1);
    for (let at = lowest; at <= last; at++) {
      const segment = segments[at];
      if (segment.staleFrom === segment.rows) continue;
      refresh(segment, pass?.of(this) ?? null);
      if (pass) segment.counted = pass.filter.version;
    }
    if (this.joinAt > 0) this.join(this.joinAt, pass);
    this.joinAt = 0;
  }

  /** Remove segments; returns how many rows they had. */
  remove(going: ReadonlySet<Segment>): number {
    let rows = 0;
    let kept = 0;
    for (const segment of this.segments) {
      if (going.has(segment)) rows += segment.rows;
      else this.segments[kept++] = segment;
    }
    this.segments.length = kept;
    this.rows -= rows;
    return rows;
  }

  /** The last segment that starts at or before `time`; -1 if all start later. */
  find(time: number): number {
    const { segments } = this;
    let from = 0;
    let to = segments.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (segments[middle].firstStart <= time) from = middle + 1;
      else to = middle;
    }
    return from - 1;
  }

  /** Put a run of rows into or after segment `at`; -1 is before the first one. */
  private place(
    at: number,
    source: RowColumns,
    order: Uint32Array,
    from: number,
    to: number,
  ): void {
    const { segments } = this;
    if (at < 0) {
      this.prepend(source, order, from, to);
      return;
    }
    const segment = segments[at];
    if (segment.rows + to - from <= SEGMENT_ROWS) {
      segment.merge(source, order, from, to);
      return;
    }
    const starts = source.start;
    if (starts[order[from]] >= segment.lastStart) {
      const room = SEGMENT_ROWS - segment.rows;
      if (room > 0) segment.merge(source, order, from, from + room);
      this.fill(at + 1, source, order, from + room, to);
      return;
    }
    this.split(at);
    const before = segments.length;
    const cut = segments[at + 1].firstStart;
    const middle = findBefore(starts, order, from, to, cut);
    if (middle > from) this.place(at, source, order, from, middle);
    const right = at + 1 + segments.length - before;
    if (to > middle) this.place(right, source, order, middle, to);
  }

  /**
   * Put rows before all others. History arrives newest first, and inserting at the front
   * moves all rows of a segment: so the first segment is kept small, and joined to the
   * next one once it has grown.
   */
  private prepend(
    source: RowColumns,
    order: Uint32Array,
    from: number,
    to: number,
  ): void {
    const { segments } = this;
    const head = segments.length > 0 ? segments[0] : null;
    const room = head ? Math.max(0, HEAD_ROWS - head.rows) : 0;
    const cut = Math.max(from, to - room);
    if (head && to > cut) head.merge(source, order, cut, to);
    if (cut === from) return;
    const before = segments.length;
    this.fill(0, source, order, from, cut, true);
    if (head) this.joinAt = segments.length - before;
  }

  /** Join segment `at` with the next one, if they fit into one. */
  private join(at: number, pass: FilterPass | null): void {
    const { segments } = this;
    if (at + 1 >= segments.length) return;
    const [segment, next] = [segments[at], segments[at + 1]];
    if (segment.rows + next.rows > SEGMENT_ROWS) return;
    if (pass) {
      pass.visit(this, segment);
      pass.visit(this, next);
    }
    segment.append(next, 0, next.rows);
    segments.splice(at + 1, 1);
    refresh(segment, pass?.of(this) ?? null);
  }

  /** Make new segments at index `at`; the last one, or the first, may have room left. */
  private fill(
    at: number,
    source: RowColumns,
    order: Uint32Array,
    from: number,
    to: number,
    roomInFirst = false,
  ): void {
    const fresh: Segment[] = [];
    const over = (to - from) % SEGMENT_ROWS;
    let end = roomInFirst && over > 0 ? from + over : from + SEGMENT_ROWS;
    for (let row = from; row < to; row = end, end += SEGMENT_ROWS) {
      end = Math.min(end, to);
      const segment = new Segment(this.overlay, end - row);
      segment.merge(source, order, row, end);
      fresh.push(segment);
    }
    this.segments.splice(at, 0, ...fresh);
  }

  private split(at: number): void {
    const whole = this.segments[at];
    const half = cutOf(whole);
    const left = new Segment(this.overlay, half);
    left.append(whole, 0, half);
    const right = new Segment(this.overlay, whole.rows - half);
    right.append(whole, half, whole.rows);
    left.counted = whole.counted;
    right.counted = whole.counted;
    this.segments.splice(at, 1, left, right);
  }
}

/** Where to split a segment: near the middle, between different starts if possible. */
function cutOf(segment: Segment): number {
  const { start, rows } = segment;
  const middle = rows >> 1;
  const after = findAfter(start, middle, rows, start[middle]);
  return after < rows ? after : middle;
}

/** First position in `order[from..to)` whose start is at or after `time`. */
function findBefore(
  starts: Float64Array,
  order: Uint32Array,
  from: number,
  to: number,
  time: number,
): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (starts[order[middle]] < time) from = middle + 1;
    else to = middle;
  }
  return from;
}
