// Which rectangles show their name: those whose visible part has room for it, or for its
// beginning, without covering another row or a strip.

import type { TaskModel } from "../model/tasks";
import type { TimeWindow } from "./raster";

/** Labels of all lanes; grows as needed and is reused for each picture. */
export class LabelList {
  count = 0;
  x = new Float64Array(256);
  room = new Float64Array(256);
  lane = new Uint32Array(256);
  prefix = new Uint32Array(256);
  erred = new Uint8Array(256);

  clear(): void {
    this.count = 0;
  }

  add(
    x: number,
    room: number,
    lane: number,
    prefix: number,
    erred: boolean,
  ): void {
    if (this.count === this.x.length) this.grow();
    this.x[this.count] = x;
    this.room[this.count] = room;
    this.lane[this.count] = lane;
    this.prefix[this.count] = prefix;
    this.erred[this.count] = erred ? 1 : 0;
    this.count++;
  }

  private grow(): void {
    const size = this.x.length * 2;
    const { x, room, lane, prefix, erred } = this;
    this.x = new Float64Array(size);
    this.x.set(x);
    this.room = new Float64Array(size);
    this.room.set(room);
    this.lane = new Uint32Array(size);
    this.lane.set(lane);
    this.prefix = new Uint32Array(size);
    this.prefix.set(prefix);
    this.erred = new Uint8Array(size);
    this.erred.set(erred);
  }
}

/**
 * Widths of a prefix's name in device pixels: in full, and cut to its shortest readable
 * form. Infinity leaves a name out, such as one that a filter dims.
 */
export interface NameWidths {
  whole(prefix: number): number;
  least(prefix: number): number;
}

const LEAST_PX = 24;
const PADDING_PX = 6;

/** Candidate label of the current lane. */
let open = false;
let labelLeft = 0;
let labelRoom = 0;
let labelPrefix = 0;
let labelErred = false;
/** No label may begin left of this: an earlier row extends to here. */
let blockedUntil = 0;

export function placeLabels(
  model: TaskModel,
  lane: number,
  window: TimeWindow,
  names: NameWidths,
  pixelRatio: number,
  into: LabelList,
): void {
  const { start, secondsPerPixel, width_px } = window;
  const t1 = start + width_px * secondsPerPixel;
  const padding = PADDING_PX * pixelRatio;
  const flush = (): void => {
    if (!open) return;
    open = false;
    const from = start + labelLeft * secondsPerPixel;
    const to = start + (labelLeft + labelRoom) * secondsPerPixel;
    let free = true;
    model.forEachVisible(lane, from, to, 0, () => (free = false), true);
    if (!free) return;
    into.add(labelLeft, labelRoom, lane, labelPrefix, labelErred);
  };
  open = false;
  blockedUntil = -Infinity;
  model.forEachVisible(
    lane,
    start,
    t1,
    LEAST_PX * pixelRatio * secondsPerPixel,
    (row) => {
      // Copy before `flush`, which visits other rows: all visits share one row object.
      const { prefix, status } = row;
      const left = (row.start - start) / secondsPerPixel;
      const right = left + row.duration / secondsPerPixel;
      // A row that begins under the last label removes it.
      if (open && left < labelLeft + labelRoom) open = false;
      flush();
      const text = Math.max(left, 0) + padding;
      const room = Math.min(right, width_px) - padding - text;
      if (names.least(prefix) <= room && text >= blockedUntil) {
        open = true;
        labelLeft = text;
        labelRoom = Math.min(names.whole(prefix), room);
        labelPrefix = prefix;
        labelErred = status === 1;
      }
      blockedUntil = Math.max(blockedUntil, right);
    },
  );
  flush();
}
