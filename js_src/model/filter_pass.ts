// Brings a new filter to all rows in slices of a few milliseconds, so that the page
// goes on answering. Rows that come meanwhile are filtered as they come.

import { BusyBins } from "./busy";
import type { RowFilter } from "./filter";
import { isFiltered, refresh } from "./pyramid";
import type { Segment } from "./segment";
import type { Track } from "./track";

export class FilterPass {
  /** Threads busy with matching rows. */
  readonly busy = new BusyBins();
  private remaining: { track: Track; segment: Segment }[] = [];

  constructor(
    readonly filter: RowFilter,
    tracks: Iterable<Track>,
  ) {
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
    if (segment.counted !== filter.version) {
      segment.counted = filter.version;
      if (this.counts(track)) this.count(segment);
    }
    if (filter.byRow && !isFiltered(segment, filter)) refresh(segment, filter);
  }

  private count(segment: Segment): void {
    const { start, duration, prefix } = segment;
    for (let row = 0; row < segment.rows; row++) {
      if (duration[row] > 0 && this.filter.matches(segment, row)) {
        this.busy.add(start[row], duration[row], prefix[row]);
      }
    }
  }
}
