// The time range that a plot shows, and how it moves: by hand, with the newest
// row, or over the whole run. It does not move until the extent of the data is
// known. Pure: no DOM, no clock of its own.

import { formatDuration, formatRange } from "../base/format";

/**
 * `now`: the right edge follows the newest row. `whole`: the whole run, as it grows.
 * `free`: where the user left it.
 */
export type Anchor = "now" | "whole" | "free";

export interface Extent {
  readonly start: number;
  readonly stop: number;
}

/** A time range, in seconds since the epoch. */
export type Range = readonly [start: number, stop: number];

/** Below this, float64 seconds since the epoch (steps of 0.24 µs) show as jumps. */
const NARROWEST_S = 200e-6;
/** While following, show at most this much of the run. */
export const FOLLOWED_S = 60;
/** If less than this share of the run is off the screen, it counts as fully shown. */
const UNSEEN_SHARE = 0.005;
const SHORTEST_RUN_S = 1e-3;
const MARGIN = 0.015;
/** While zooming, at most this share of the window may lie in the future. */
const MOST_AHEAD = 0.05;
const ZOOM_MS = 120;
/** Time constant of following: the picture catches up in about three of these. */
const EASE_MS = 90;

export class TimeWindow {
  start = 0;
  stop = 1;
  anchor: Anchor;
  /** Called when the window moves or is about to, so that frames are requested. */
  onMoved: () => void = () => {};
  /** No animation: the panel is hidden, or the user prefers reduced motion. */
  noAnimation = false;
  private extentStart = 0;
  private extentStop = 1;
  /** As last set; null until the extent of the data is known. */
  extent: Extent | null = null;
  /** The range shown for the whole run; null: the extent of the data, with margins. */
  private axis: Range | null = null;
  /** Width while following; 0 means: as long as the run, up to FOLLOWED_S. */
  private followed_s = 0;
  /** The anchor before `hold`. */
  private anchorBeforeHold: Anchor = "free";
  private moving = false;
  private moveFromStart = 0;
  private moveFromStop = 0;
  private moveToStart = 0;
  private moveToStop = 0;
  private moved_ms = 0;

  /** `home`: the initial anchor. */
  constructor(private readonly home: Anchor = "now") {
    this.anchor = home;
  }

  get width(): number {
    return this.stop - this.start;
  }

  get hasExtent(): boolean {
    return this.extent !== null;
  }

  /**
   * Sets where the data begin and end; the first call places the window. With an `axis`,
   * the whole run is shown as exactly that range, without animation.
   */
  setExtent(extent: Extent, axis: Range | null = null): void {
    const stop = Math.max(extent.stop, extent.start + SHORTEST_RUN_S);
    this.extentStart = extent.start;
    this.extentStop = stop;
    this.axis = axis;
    const known = this.hasExtent;
    this.extent = extent;
    if (known && (this.moving || !this.wholeAxis)) return;
    this.jump();
  }

  reset(): void {
    this.extent = null;
    this.moving = false;
    this.anchor = this.home;
    this.followed_s = 0;
    this.start = 0;
    this.stop = 1;
  }

  /** Moves by one frame; returns whether the movement continues. */
  advance(elapsed_ms: number): boolean {
    if (this.moving) {
      this.moved_ms += elapsed_ms;
      const part = this.noAnimation ? 1 : Math.min(1, this.moved_ms / ZOOM_MS);
      const eased = 1 - (1 - part) * (1 - part);
      this.start =
        this.moveFromStart + (this.moveToStart - this.moveFromStart) * eased;
      this.stop =
        this.moveFromStop + (this.moveToStop - this.moveFromStop) * eased;
      this.moving = part < 1;
      // New rows may have arrived during the animation.
      return this.moving || this.anchor !== "free";
    }
    if (!this.hasExtent || this.anchor === "free") return false;
    const start = this.goalStart();
    const stop = this.goalStop();
    const near = this.width * 2e-4;
    const far = Math.abs(stop - this.stop) > 2 * this.width;
    if (
      this.noAnimation ||
      far ||
      (Math.abs(start - this.start) < near && Math.abs(stop - this.stop) < near)
    ) {
      const same = start === this.start && stop === this.stop;
      this.start = start;
      this.stop = stop;
      return !same && !this.noAnimation && !far;
    }
    const share = 1 - Math.exp(-elapsed_ms / EASE_MS);
    this.start += (start - this.start) * share;
    this.stop += (stop - this.stop) * share;
    return true;
  }

  /**
   * `factor` below 1 zooms in. `at` keeps its place on the screen; null is the middle, or
   * the newest row while the window follows it.
   */
  zoom(factor: number, at: number | null, animate = false): void {
    if (!this.hasExtent) return;
    const fromStart = this.moving ? this.moveToStart : this.start;
    const fromStop = this.moving ? this.moveToStop : this.stop;
    const width = fromStop - fromStart;
    const wanted = this.clampWidth(width * factor);
    if (this.axis && wanted >= this.axis[1] - this.axis[0]) {
      this.fit();
      return;
    }
    const follows = this.followsZoomed(factor, at);
    const ahead = this.axis ? wanted * MOST_AHEAD : Infinity;
    const newest = Math.min(fromStop, this.extentStop + ahead);
    const fixed = follows ? newest : (at ?? (fromStart + fromStop) / 2);
    const left = width > 0 ? (fixed - fromStart) / width : 0.5;
    const start = fixed - wanted * left;
    if (follows) {
      this.anchor = "now";
      this.followed_s = wanted;
      this.go(start, start + wanted, animate);
      return;
    }
    this.show(start, start + wanted, animate);
  }

  pan(seconds: number, animate = false): void {
    if (this.wholeAxis) return;
    const start = this.moving && animate ? this.moveToStart : this.start;
    const stop = this.moving && animate ? this.moveToStop : this.stop;
    // Keep data in at least a third of the picture.
    const keep = (stop - start) / 3;
    const least = this.extentStart + keep - stop;
    const most = this.extentStop - keep - start;
    const by = Math.min(
      Math.max(seconds, Math.min(least, 0)),
      Math.max(most, 0),
    );
    this.show(start + by, stop + by, animate);
  }

  /** Stops following and shows the given range. */
  show(start: number, stop: number, animate = false): void {
    if (!this.hasExtent) return;
    const width = this.clampWidth(stop - start);
    const middle = (start + stop) / 2;
    this.anchor = "free";
    this.go(middle - width / 2, middle + width / 2, animate);
  }

  /** Follows the newest row again; keeps the current width if sensible. */
  goToNow(): void {
    if (!this.hasExtent) return;
    const run = this.extentStop - this.extentStart;
    this.followed_s =
      this.anchor === "free" && this.width < Math.min(run, FOLLOWED_S)
        ? this.width
        : 0;
    const all = this.axis && !this.followed_s && run <= FOLLOWED_S;
    this.anchor = all ? "whole" : "now";
    this.go(this.goalStart(), this.goalStop());
  }

  fit(animate = true): void {
    if (!this.hasExtent) return;
    this.anchor = "whole";
    this.go(this.goalStart(), this.goalStop(), animate);
  }

  /** Stops following until `release`; the user can still move the window. */
  hold(): void {
    if (!this.hasExtent) return;
    this.moving = false;
    this.anchorBeforeHold = this.anchor;
    this.anchor = "free";
    this.onMoved();
  }

  /** Follows as before `hold`, unless the user chose another anchor meanwhile. */
  release(): void {
    if (this.anchor !== "free" || this.anchorBeforeHold === "free") return;
    this.anchor = this.anchorBeforeHold;
    this.go(this.goalStart(), this.goalStop());
  }

  /** Whether the whole run is shown as an axis, which cannot be moved. */
  get isFixed(): boolean {
    return this.wholeAxis !== null;
  }

  /** The axis of the whole run, while it is shown; else null. */
  private get wholeAxis(): Range | null {
    return this.anchor === "whole" ? this.axis : null;
  }

  private jump(): void {
    this.moving = false;
    this.start = this.goalStart();
    this.stop = this.goalStop();
  }

  private go(start: number, stop: number, animate = true): void {
    if (animate) this.moveTo(start, stop);
    else {
      this.moving = false;
      this.start = start;
      this.stop = stop;
    }
    this.onMoved();
  }

  private moveTo(start: number, stop: number): void {
    this.moveFromStart = this.start;
    this.moveFromStop = this.stop;
    this.moveToStart = start;
    this.moveToStop = stop;
    this.moved_ms = 0;
    this.moving = true;
    if (this.noAnimation) this.advance(0);
  }

  private clampWidth(width: number): number {
    const run = this.extentStop - this.extentStart;
    const [from, to] = this.axis ?? [0, 1];
    const widest = Math.max(run * 3, to - from);
    return Math.min(Math.max(width, NARROWEST_S), widest);
  }

  /** The width to reach while following or showing the whole run. */
  goalWidth(): number {
    const run = this.extentStop - this.extentStart;
    if (this.anchor === "whole") return run;
    return this.followed_s || Math.min(run, FOLLOWED_S);
  }

  /** Whether it follows and its goal is the whole run. */
  showsWhole(): boolean {
    if (this.anchor === "free") return false;
    if (this.wholeAxis) return true;
    const run = this.extentStop - this.extentStart;
    return this.goalWidth() >= run * (1 - UNSEEN_SHARE);
  }

  /** Whether it still follows the newest row after a zoom by hand. */
  private followsZoomed(factor: number, at: number | null): boolean {
    if (this.anchor === "free") return false;
    if (at !== null && at >= this.extentStop) return true;
    if (this.anchor === "whole") return false;
    return factor >= 1 || at === null || !this.showsWhole();
  }

  private goalStop(): number {
    if (this.wholeAxis) return this.wholeAxis[1];
    return this.extentStop + this.goalWidth() * MARGIN;
  }

  private goalStart(): number {
    if (this.wholeAxis) return this.wholeAxis[0];
    const width = this.goalWidth();
    const margin = this.followed_s && this.anchor === "now" ? -1 : 1;
    return this.extentStop - width - width * MARGIN * margin;
  }
}

/** The shown part of the run in words; null for all. `origin`: time zero of the axis. */
export function shownPart(
  window: TimeWindow,
  extent: Extent | null,
  origin: number,
): string | null {
  // The picture may lag behind, so use the goal rather than the current range.
  if (!extent || window.showsWhole()) return null;
  if (window.anchor === "now") {
    return `last ${formatDuration(window.goalWidth())}`;
  }
  const run = (extent.stop - extent.start) * (1 - UNSEEN_SHARE);
  const start = Math.max(window.start, extent.start);
  const stop = Math.min(window.stop, extent.stop);
  if (stop - start >= run) return null;
  return stop > start
    ? formatRange(start - origin, stop - origin)
    : formatRange(window.start - origin, window.stop - origin);
}

const STEPS_S = [30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400];
/** With more steps than this, use the next wider step. */
const MOST_STEPS = 8;

/** The end of an axis that grows in steps: in seconds, later than `elapsed_s`. */
export function growingAxis(elapsed_s: number): number {
  const elapsed = Math.max(0, elapsed_s);
  const fits = (step: number): boolean => elapsed < step * MOST_STEPS;
  const step = STEPS_S.find(fits) ?? STEPS_S[STEPS_S.length - 1];
  return (Math.floor(elapsed / step) + 1) * step;
}
