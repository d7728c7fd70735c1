// Which lane lies where: the groups of workers laid out in the room there is,
// scrolled when they do not fit. In pixels of the device.

import { laneAt, layOutLanes, type LaneLayout } from "../../derive/layout";
import type { WorkerGroup } from "../../panel/worker_groups";
import type { TimeWindow } from "../../derive/raster";
import { findAfter } from "../../model/search";
import type { TaskModel } from "../../model/tasks";
import type { Interval } from "../../model/types";
import { STRIP_SHARE } from "../../render/pixel_rows";

export class LaneMap {
  layout: LaneLayout = layOutLanes([], 1);
  /** Lane number by position; -1 for a thread that has not run anything. */
  shown = new Int32Array(0);
  groups: readonly WorkerGroup[] = [];
  scroll = 0;
  height = 0;
  private pixelRatio = 1;
  private most_px = 0;
  private readonly positions = new Map<number, number>();

  update(
    groups: readonly WorkerGroup[],
    height: number,
    pixelRatio: number,
    most_px: number,
  ): boolean {
    if (
      groups === this.groups &&
      height === this.height &&
      pixelRatio === this.pixelRatio &&
      most_px === this.most_px
    ) {
      return false;
    }
    this.groups = groups;
    this.height = height;
    this.pixelRatio = pixelRatio;
    this.most_px = most_px;
    const shown = groups.flatMap(({ lanes }) => lanes);
    this.shown = Int32Array.from(shown);
    this.positions.clear();
    shown.forEach((lane, at) => {
      if (lane >= 0) this.positions.set(lane, at);
    });
    this.layout = layOutLanes(
      groups.map(({ lanes }) => lanes.length),
      Math.max(1, height),
      pixelRatio,
      most_px,
    );
    this.scrollBy(0);
    return true;
  }

  get mostScroll(): number {
    return Math.max(0, this.layout.contentHeight - this.height);
  }

  scrollBy(pixels: number): boolean {
    const before = this.scroll;
    this.scroll = Math.min(Math.max(before + pixels, 0), this.mostScroll);
    return this.scroll !== before;
  }

  /** Position of the lane at `y` below the top of the lanes, or -1. */
  positionAt(y: number): number {
    return laneAt(this.layout, y + this.scroll);
  }

  topOf(position: number): number {
    return (this.layout.top[position] ?? 0) - this.scroll;
  }

  /** Where a lane is; -1 when the focus hides it. */
  positionOf(lane: number): number {
    return this.positions.get(lane) ?? -1;
  }

  reveal(lane: number): void {
    const position = this.positionOf(lane);
    if (position < 0) return;
    const top = this.topOf(position);
    const room = this.layout.height * 2;
    if (top < 0) this.scrollBy(top - room);
    const over = top + this.layout.height - this.height;
    if (over > 0) this.scrollBy(over + room);
  }
}

/** One worker's rows on the stage, in CSS pixels below the top of the lanes. */
export interface Band {
  readonly group: WorkerGroup;
  readonly top: number;
  readonly height: number;
  /** Where the rule above it is; null for the first. */
  readonly rule: number | null;
}

/** So far above the lanes a name can still be seen in part. */
const ABOVE_PX = 20;
/** A narrower gap between two workers has no room for a rule. */
const LEAST_GAP_PX = 3;

/** Bands that can be seen and have room for a name; of crowded ones each that has. */
export function bandsOf(
  map: LaneMap,
  pixelRatio: number,
  line_px: number,
): Band[] {
  const bands: Band[] = [];
  let free = -Infinity;
  map.groups.forEach((group, at) => {
    const place = map.layout.groups[at];
    if (!place) return;
    const top = (place.top - map.scroll) / pixelRatio;
    const height = (place.bottom - place.top) / pixelRatio;
    const isSeen = top + height > -ABOVE_PX && top < map.height / pixelRatio;
    if (!isSeen || top < free) return;
    const above = map.layout.groups[at - 1];
    const between = above ? place.top - above.bottom : 0;
    const rule =
      above && between >= LEAST_GAP_PX
        ? Math.round(above.bottom + between / 2 - map.scroll) / pixelRatio
        : null;
    bands.push({ group, top, height, rule });
    free = top + line_px;
  });
  return bands;
}

const CATCH_PX = 3;
const OUTSIDE_PX = 10;

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Place {
  model: TaskModel | null;
  readonly map: LaneMap;
  readonly window: TimeWindow;
  pixelRatio: number;
  lanesTop_px: number;
}

/** A row and where it is, in CSS pixels of the plot. */
export interface Target {
  readonly row: Interval;
  /** Drawn as a strip on another row. */
  readonly overlay: boolean;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A stretch of the coarse picture and where its lane is, in CSS pixels. */
export interface CoarseTarget {
  readonly lane: number;
  readonly prefix: number;
  readonly rows: number;
  readonly busyShare: number;
  readonly erred: boolean;
  readonly top: number;
  readonly height: number;
}

interface Spot {
  readonly lane: number;
  readonly time: number;
  /** From 0 at the top of the lane to 1 at its bottom. */
  readonly inLane: number;
}

function spotAt(place: Place, x_px: number, y_px: number): Spot | null {
  const { map, window, pixelRatio } = place;
  const y = (y_px - place.lanesTop_px) * pixelRatio;
  if (y < 0) return null;
  const position = map.positionAt(y);
  const lane = map.shown[position];
  if (lane === undefined || lane < 0) return null;
  return {
    lane,
    time: window.start + x_px * pixelRatio * window.secondsPerPixel,
    inLane: (y - map.topOf(position)) / map.layout.height,
  };
}

export function hitRow(
  place: Place,
  x_px: number,
  y_px: number,
): Target | null {
  const { model, window, pixelRatio } = place;
  const spot = spotAt(place, x_px, y_px);
  if (!model || !spot) return null;
  const { lane, time } = spot;
  const near = CATCH_PX * pixelRatio * window.secondsPerPixel;
  const strip =
    spot.inLane > 1 - STRIP_SHARE ? model.hit(lane, time, near, true) : null;
  // First what is exactly there, then what is near: a task of one pixel.
  const row =
    strip ??
    model.hit(lane, time, near / 8, false) ??
    model.hit(lane, time, near, false);
  if (!row) return null;
  const overlay = strip !== null;
  const box = boxOf(place, row, overlay, { x: 0, y: 0, width: 0, height: 0 });
  if (!box) return null;
  return {
    row,
    overlay,
    left: box.x / pixelRatio,
    top: box.y / pixelRatio,
    width: box.width / pixelRatio,
    height: box.height / pixelRatio,
  };
}

/** What stands for tasks whose detail is not here yet; null elsewhere. */
export function coarseAt(
  place: Place,
  x_px: number,
  y_px: number,
): CoarseTarget | null {
  const spot = spotAt(place, x_px, y_px);
  const coarse = spot && place.model?.coarseLane(spot.lane);
  if (!coarse) return null;
  // Stretches of a lane do not overlap: the last to begin is the only one.
  const at = findAfter(coarse.start, 0, coarse.count, spot.time) - 1;
  if (at < 0 || coarse.hidden[at] === 1) return null;
  const duration = coarse.duration[at];
  if (spot.time > coarse.start[at] + duration) return null;
  const { map, pixelRatio } = place;
  return {
    lane: spot.lane,
    prefix: coarse.prefix[at],
    rows: coarse.rows[at],
    busyShare: duration > 0 ? Math.min(1, coarse.busy[at] / duration) : 1,
    erred: coarse.erred[at] === 1,
    top: place.lanesTop_px + map.topOf(map.positionOf(spot.lane)) / pixelRatio,
    height: map.layout.height / pixelRatio,
  };
}

export function boxOf(
  place: Place,
  row: Interval,
  overlay: boolean,
  into: Box,
): Box | null {
  const { map, window, pixelRatio } = place;
  const position = map.positionOf(row.lane);
  if (position < 0) return null;
  const left = (row.start - window.start) / window.secondsPerPixel;
  const right = left + Math.max(0, row.duration) / window.secondsPerPixel;
  if (right < -2 || left > window.width_px + 2) return null;
  const { height } = map.layout;
  const part = overlay ? Math.max(1, Math.round(height * STRIP_SHARE)) : height;
  const from = Math.max(Math.round(left), -OUTSIDE_PX);
  const to = Math.min(
    Math.max(Math.round(right), from + 1),
    window.width_px + OUTSIDE_PX,
  );
  into.x = from;
  into.width = to - from;
  into.height = part;
  const top = place.lanesTop_px * pixelRatio + map.topOf(position);
  into.y = top + height - part;
  return into;
}
