// One pixel row for one track of a lane: exact rectangles where there is room, elsewhere
// the dominant colour of each column, fainter where it was less busy. Allocates nothing
// while drawing.

import type { CoarseLane } from "../model/coarse";
import type { RowFilter } from "../model/filter";
import { isFiltered } from "../model/pyramid";
import { firstReaching } from "../model/query";
import { findAfter } from "../model/search";
import { LEVELS, type FilteredNodes, type Segment } from "../model/segment";
import type { TaskModel } from "../model/tasks";
import type { Track } from "../model/track";
import { Columns, type TrackColours } from "./columns";

/** The time range on the screen, in device pixels. */
export interface TimeWindow {
  /** Seconds since the epoch at the left edge. */
  start: number;
  secondsPerPixel: number;
  width_px: number;
}

/** Blocks up to this width are drawn as a whole. */
const FINE_BLOCK_PX = 1;
/** The same for rough drawing, while the picture changes fast. */
const ROUGH_BLOCK_PX = 6;
/** Rectangles at least this wide leave one pixel free before the next one. */
const SEPARATED_PX = 5;

export class LaneRaster {
  private readonly columns = new Columns();
  private t0 = 0;
  private scale = 1;
  private width = 0;

  /** Parameters of the current draw, as fields so that calls allocate nothing. */
  private track: Track | null = null;
  private at = 0;
  private filter: RowFilter | null = null;
  private dimmed = false;
  private dimmedBlocks = false;
  private matching: FilteredNodes | null = null;
  private widest = FINE_BLOCK_PX;

  /**
   * Fill columns `from..to` of `out` with RGBA pixels (little endian, not premultiplied;
   * 0 is nothing). Returns false, with these columns 0, if the lane is empty there.
   * `rough` is several times faster and blurs details of a few pixels.
   */
  draw(
    model: TaskModel,
    lane: number,
    overlay: boolean,
    window: TimeWindow,
    colours: TrackColours,
    out: Uint32Array,
    from = 0,
    to = window.width_px,
    rough = false,
  ): boolean {
    this.t0 = window.start + from * window.secondsPerPixel;
    this.scale = 1 / window.secondsPerPixel;
    this.width = to - from;
    this.widest = rough ? ROUGH_BLOCK_PX : FINE_BLOCK_PX;
    const t1 = window.start + to * window.secondsPerPixel;
    const { filter } = model;
    const dimmed = filter !== null && !filter.hasLane(lane);
    const laneFilter = !dimmed && filter?.byRow ? filter : null;
    // A block of the preview has no rows that a filter could check: dim it.
    const dimmedCoarse = dimmed || laneFilter !== null;
    let begun = false;
    const track = model.track(lane, overlay);
    if (track) {
      const { segments } = track;
      for (let at = 0; at < segments.length; at++) {
        const segment = segments[at];
        if (segment.firstStart >= t1) break;
        if (segment.maxStop < this.t0) continue;
        if (!begun) this.columns.begin(this.width, dimmedCoarse);
        begun = true;
        this.drawSegment(track, at, t1, laneFilter, dimmed);
      }
    }
    const coarse = overlay ? undefined : model.coarseLane(lane);
    if (coarse && coarse.hiddenCount < coarse.count) {
      if (!begun) this.columns.begin(this.width, dimmedCoarse);
      begun = true;
      this.drawCoarse(coarse, t1, dimmedCoarse);
    }
    if (begun) this.columns.write(colours, out, from);
    else out.fill(0, from, to);
    return begun;
  }

  private drawSegment(
    track: Track,
    at: number,
    t1: number,
    filter: RowFilter | null,
    dimmed: boolean,
  ): void {
    const segment = track.segments[at];
    const { rows } = segment;
    const matching =
      filter && isFiltered(segment, filter) ? segment.filtered : null;
    this.matching = matching;
    this.track = track;
    this.at = at;
    this.filter = filter;
    this.dimmed = dimmed;
    // Dim blocks that the filter has not checked yet.
    this.dimmedBlocks = dimmed || (filter !== null && matching === null);
    // Choose the level whose blocks are on average at most one pixel wide.
    const span = (segment.maxStop - segment.firstStart) * this.scale;
    let level = LEVELS;
    while (level > 0 && span / (rows / (1 << (3 * level))) > this.widest * 0.8)
      level--;
    const first = firstReaching(segment, this.t0);
    const last = findAfter(segment.start, first, rows, t1);
    if (last > first) {
      const shift = 3 * level;
      this.drawBlocks(level, first >> shift, ((last - 1) >> shift) + 1);
    }
  }

  /** Draw blocks `from..to` of a level; blocks wider than a pixel use the level below. */
  private drawBlocks(level: number, from: number, to: number): void {
    if (level === 0) {
      this.drawRows(from, to);
      return;
    }
    const { columns, t0, scale, matching, dimmedBlocks } = this;
    const segment = this.track!.segments[this.at];
    const blocksBelow = ((segment.rows - 1) >> (3 * level - 3)) + 1;
    for (let k = from; k < to; k++) {
      k = columns.addBlocks(
        segment,
        level,
        k,
        to,
        t0,
        scale,
        this.widest,
        matching,
        dimmedBlocks,
      );
      if (k === to) return;
      this.drawBlocks(level - 1, k << 3, Math.min((k + 1) << 3, blocksBelow));
    }
  }

  private drawRows(from: number, to: number): void {
    const { columns, t0, scale, filter, dimmed } = this;
    const track = this.track!;
    const segment = track.segments[this.at];
    for (let row = from; row < to; row++) {
      row = columns.addRows(segment, row, to, t0, scale, filter, dimmed);
      if (row === to) return;
      const left = (segment.start[row] - t0) * scale;
      const right = left + segment.duration[row] * scale;
      if (right < 0 || left >= this.width) continue;
      const rest = dimmed || (filter !== null && !filter.matches(segment, row));
      this.drawSharp(track, this.at, row, left, right, rest);
    }
  }

  private drawSharp(
    track: Track,
    at: number,
    row: number,
    left: number,
    right: number,
    rest: boolean,
  ): void {
    const segment = track.segments[at];
    const x0 = Math.round(left);
    let x1 = Math.round(right);
    if (right - left >= SEPARATED_PX) {
      const next = nextStart(track, at, row);
      if (Math.round((next - this.t0) * this.scale) <= x1) x1--;
    }
    this.columns.fill(
      Math.max(0, x0),
      Math.min(this.width, x1),
      segment.paintOf(row),
      rest,
    );
  }

  private drawCoarse(lane: CoarseLane, t1: number, dimmed: boolean): void {
    const { t0, scale, columns, width } = this;
    // Blocks do not overlap: starting one before the window is enough.
    let i = Math.max(0, findAfter(lane.start, 0, lane.count, t0) - 1);
    for (; i < lane.count && lane.start[i] < t1; i++) {
      if (lane.hidden[i] === 1) continue;
      const left = (lane.start[i] - t0) * scale;
      const size = lane.duration[i] * scale;
      const share = size > 0 ? (lane.busy[i] * scale) / size : 0;
      const from = Math.max(0, left);
      const to = Math.min(width, left + size);
      for (let x = Math.floor(from); x < to; x++) {
        const part = Math.min(to, x + 1) - Math.max(from, x);
        const { prefix, erred } = lane;
        columns.addPart(x, part * share, prefix[i], erred[i], dimmed);
      }
    }
  }
}

/** Start of the next row; Infinity after the last. */
function nextStart(track: Track, at: number, row: number): number {
  const segment: Segment = track.segments[at];
  if (row + 1 < segment.rows) return segment.start[row + 1];
  return track.segments[at + 1]?.firstStart ?? Infinity;
}
