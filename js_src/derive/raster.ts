// One row of pixels for one track of a lane: exact rectangles where there is room for
// them, elsewhere the dominant colour of each column, the fainter the less it was
// busy. Allocates nothing while drawing.

import type { CoarseLane } from "../model/coarse";
import type { RowFilter } from "../model/filter";
import { isFiltered } from "../model/pyramid";
import { firstReaching } from "../model/query";
import { findAfter } from "../model/search";
import { LEVELS, PAINT_NONE, type Segment } from "../model/segment";
import type { TaskModel } from "../model/tasks";
import type { Track } from "../model/track";
import { Columns, type TrackColours } from "./columns";

/** The part of time that is on the screen. Pixels are those of the device. */
export interface TimeWindow {
  /** Seconds since the epoch at the left edge. */
  start: number;
  secondsPerPixel: number;
  width_px: number;
}

/** From this width on a row is a rectangle with sharp edges. */
const SHARP_PX = 3;
/** From this width on it leaves its last pixel free before a neighbour. */
const SEPARATED_PX = 5;

export class LaneRaster {
  private readonly columns = new Columns();
  private t0 = 0;
  private scale = 1;
  private width = 0;

  /**
   * Fill `out` with RGBA pixels (little endian, not premultiplied; 0 is nothing).
   * Returns false, and leaves `out` alone, when there is nothing in the window.
   */
  draw(
    model: TaskModel,
    lane: number,
    overlay: boolean,
    window: TimeWindow,
    colours: TrackColours,
    out: Uint32Array,
  ): boolean {
    this.t0 = window.start;
    this.scale = 1 / window.secondsPerPixel;
    this.width = window.width_px;
    const t1 = window.start + window.width_px * window.secondsPerPixel;
    const { filter } = model;
    const laneFilter = filter && filter.hasLane(lane) ? filter : null;
    const dimmed = filter !== null && laneFilter === null;
    let begun = false;
    const track = model.track(lane, overlay);
    if (track) {
      const { segments } = track;
      for (let at = 0; at < segments.length; at++) {
        const segment = segments[at];
        if (segment.firstStart >= t1) break;
        if (segment.maxStop < this.t0) continue;
        if (!begun) this.columns.begin(this.width, dimmed || !!laneFilter);
        begun = true;
        this.drawSegment(track, at, t1, laneFilter, dimmed);
      }
    }
    const coarse = overlay ? undefined : model.coarseLane(lane);
    if (coarse && coarse.hiddenCount < coarse.count) {
      if (!begun) this.columns.begin(this.width, filter !== null);
      begun = true;
      this.drawCoarse(coarse, t1, filter !== null);
    }
    if (begun) this.columns.write(colours, out);
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
    const { start, duration, rows, reach, offset, busy, paint } = segment;
    const { t0, scale, columns, width } = this;
    const nodes =
      filter && isFiltered(segment, filter) ? segment.filtered : null;
    let row = firstReaching(segment, t0);
    let level = LEVELS;
    while (row < rows) {
      const begin = start[row];
      if (begin >= t1) return;
      const left = (begin - t0) * scale;
      // The largest block that begins here and is at most one pixel wide.
      while (
        level > 0 &&
        ((row & ((1 << (3 * level)) - 1)) !== 0 ||
          reach[offset[level] + (row >> (3 * level))] * scale > 1)
      ) {
        level--;
      }
      if (level === 0) {
        const seconds = duration[row];
        const right = seconds > 0 ? left + seconds * scale : left;
        if (right >= 0) {
          const rest =
            dimmed || (filter !== null && !filter.matches(segment, row));
          if (right - left >= SHARP_PX) {
            this.drawSharp(track, at, row, left, right, rest);
          } else {
            columns.addRow(
              left,
              right,
              segment.paintOf(row),
              !track.overlay && segment.status[row] === 1 ? 1 : 0,
              rest,
            );
          }
        }
        row++;
        if ((row & 7) === 0) level = LEVELS;
        continue;
      }
      const node = offset[level] + (row >> (3 * level));
      const size = reach[node] * scale;
      if (left + size >= 0 && left < width) {
        const work = busy[node] * scale;
        if (dimmed || (filter && !nodes)) {
          columns.addRest(left, size, work);
        } else if (nodes) {
          const matching = nodes.paint[node];
          if (matching === PAINT_NONE) {
            columns.addRest(left, size, work);
          } else {
            columns.add(left, size, nodes.busy[node] * scale, matching, 0);
          }
        } else {
          columns.add(left, size, work, paint[node], segment.erred[node]);
        }
      }
      row += 1 << (3 * level);
      if (level < LEVELS && (row & ((1 << (3 * level + 3)) - 1)) === 0) {
        level = LEVELS;
      }
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
    // Stretches are short and do not overlap: one before the window is enough.
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
        if (dimmed) columns.addRest(x, 0, part * share);
        else columns.add(x, 0, part * share, lane.prefix[i], lane.erred[i]);
      }
    }
  }
}

/** When the row after this one starts; infinity after the last. */
function nextStart(track: Track, at: number, row: number): number {
  const segment: Segment = track.segments[at];
  if (row + 1 < segment.rows) return segment.start[row + 1];
  return track.segments[at + 1]?.firstStart ?? Infinity;
}
