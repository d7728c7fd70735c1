// Which lane lies where: the groups of workers laid out in the room there is,
// scrolled when they do not fit. In pixels of the device.

import { laneAt, layOutLanes, type LaneLayout } from "../../derive/layout";
import type { WorkerGroup } from "../../panel/worker_groups";

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

  /** True when something moved. */
  update(
    groups: readonly WorkerGroup[],
    height: number,
    pixelRatio: number,
    /** The highest that a lane gets, in CSS pixels. */
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
    const shown: number[] = [];
    const workers: string[] = [];
    for (const group of groups) {
      for (const lane of group.lanes) {
        shown.push(lane);
        workers.push(group.address);
      }
    }
    this.shown = Int32Array.from(shown);
    this.positions.clear();
    shown.forEach((lane, at) => {
      if (lane >= 0) this.positions.set(lane, at);
    });
    this.layout = layOutLanes(
      workers,
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

  /** True when it moved. */
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

  /** Scrolls so that a lane can be seen. */
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
