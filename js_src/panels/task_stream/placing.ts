// From a point of the plot to the row that is drawn there, and back.

import type { TimeWindow } from "../../derive/raster";
import { findAfter } from "../../model/search";
import type { TaskModel } from "../../model/tasks";
import type { Interval } from "../../model/types";
import { STRIP_SHARE } from "./geometry";
import type { LaneMap } from "./lane_map";

/** The pointer catches a row this near. */
const CATCH_PX = 3;
/** Long rows are cut this far outside the plot. */
const OUTSIDE_PX = 10;

/** A rectangle in pixels of the device. */
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
  /** Where the lanes begin, in CSS pixels. */
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
  /** What took most of it. */
  readonly prefix: number;
  readonly rows: number;
  /** From 0 to 1. */
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

/** The row under the pointer; null in empty space. */
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

/** Where a row is drawn; null when it is not in the window. */
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
