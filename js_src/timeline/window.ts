// The stretch of time that a plot shows, and how it moves: by hand, with the
// newest row, or over the whole run. Until it knows where the data are it stays
// as it is. Pure: no DOM, no clock of its own.

import { formatDuration, formatStretch } from "../base/format";

/**
 * `now`: the right edge follows the newest row. `whole`: everything, growing.
 * `free`: where the person left it.
 */
export type Anchor = "now" | "whole" | "free";

export interface Extent {
  readonly start: number;
  readonly stop: number;
}

/** From the start to the stop of a stretch of time, in seconds since the epoch. */
export type Range = readonly [start: number, stop: number];

/** Below this, float64 seconds since the epoch (steps of 0.24 µs) show as jumps. */
const NARROWEST_S = 200e-6;
/** Following shows the whole run until it is this long, then this much of it. */
export const FOLLOWED_S = 60;
/** Less than this share of the run off the screen is all of it to the eye. */
const UNSEEN_SHARE = 0.005;
const SHORTEST_RUN_S = 1e-3;
const MARGIN = 0.015;
/** More of the time to come is not kept in sight while it is zoomed. */
const MOST_AHEAD = 0.05;
const ZOOM_MS = 120;
/** The picture reaches the newest row within about three of these. */
const EASE_MS = 90;

export class TimeWindow {
  start = 0;
  stop = 1;
  anchor: Anchor;
  /** It was moved, or is about to: there are frames to advance in. */
  onMoved: () => void = () => {};
  /** No animation: hidden, or the person asked for none. */
  still = false;
  private extentStart = 0;
  private extentStop = 1;
  /** As it was said last; null until the data are known. */
  extent: Extent | null = null;
  /** What the whole run is shown as; null: what there is, with margins. */
  private axis: Range | null = null;
  /** Width while following; 0 means: as long as the run, up to FOLLOWED_S. */
  private followed_s = 0;
  /** What it followed before it was held. */
  private held: Anchor = "free";
  private moving = false;
  private moveFromStart = 0;
  private moveFromStop = 0;
  private moveToStart = 0;
  private moveToStop = 0;
  private moved_ms = 0;

  /** `home` is how it begins. */
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
   * Where the data begin and end; the first call places the window. With an `axis` the
   * whole run is shown as just that, without a movement, and nothing beyond it.
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

  /** Moves by one frame. True while there is more of the movement to come. */
  advance(elapsed_ms: number): boolean {
    if (this.moving) {
      this.moved_ms += elapsed_ms;
      const part = this.still ? 1 : Math.min(1, this.moved_ms / ZOOM_MS);
      const eased = 1 - (1 - part) * (1 - part);
      this.start =
        this.moveFromStart + (this.moveToStart - this.moveFromStart) * eased;
      this.stop =
        this.moveFromStop + (this.moveToStop - this.moveFromStop) * eased;
      this.moving = part < 1;
      // What it follows may have gone on meanwhile.
      return this.moving || this.anchor !== "free";
    }
    if (!this.hasExtent || this.anchor === "free") return false;
    const start = this.goalStart();
    const stop = this.goalStop();
    const near = this.width * 2e-4;
    const far = Math.abs(stop - this.stop) > 2 * this.width;
    if (
      this.still ||
      far ||
      (Math.abs(start - this.start) < near && Math.abs(stop - this.stop) < near)
    ) {
      const same = start === this.start && stop === this.stop;
      this.start = start;
      this.stop = stop;
      return !same && !this.still && !far;
    }
    const share = 1 - Math.exp(-elapsed_ms / EASE_MS);
    this.start += (start - this.start) * share;
    this.stop += (stop - this.stop) * share;
    return true;
  }

  /**
   * `factor` below 1 zooms in. What stays where it is on the screen is `at`, without one
   * the middle, and as long as it goes on following the newest row.
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
    // A third of the picture stays on the data.
    const keep = (stop - start) / 3;
    const least = this.extentStart + keep - stop;
    const most = this.extentStop - keep - start;
    const by = Math.min(
      Math.max(seconds, Math.min(least, 0)),
      Math.max(most, 0),
    );
    this.show(start + by, stop + by, animate);
  }

  /** Leaves live or whole for a stretch of the person's own. */
  show(start: number, stop: number, animate = false): void {
    if (!this.hasExtent) return;
    const width = this.clampWidth(stop - start);
    const middle = (start + stop) / 2;
    this.anchor = "free";
    this.go(middle - width / 2, middle + width / 2, animate);
  }

  /** Back to the newest row, as wide as it is now where that is sensible. */
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

  /** Follows nothing until `release`; by hand it can be moved meanwhile. */
  hold(): void {
    if (!this.hasExtent) return;
    this.moving = false;
    this.held = this.anchor;
    this.anchor = "free";
    this.onMoved();
  }

  /** Follows as before `hold`; another way that was chosen meanwhile stays. */
  release(): void {
    if (this.anchor !== "free" || this.held === "free") return;
    this.anchor = this.held;
    this.go(this.goalStart(), this.goalStop());
  }

  /** The whole run is shown as an axis: there is nothing to move. */
  get isFixed(): boolean {
    return this.wholeAxis !== null;
  }

  /** The axis of the whole run, while that is shown. */
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
    if (this.still) this.advance(0);
  }

  private clampWidth(width: number): number {
    const run = this.extentStop - this.extentStart;
    const [from, to] = this.axis ?? [0, 1];
    const widest = Math.max(run * 3, to - from);
    return Math.min(Math.max(width, NARROWEST_S), widest);
  }

  /** How much of the run it is to show while it follows or shows the whole. */
  goalWidth(): number {
    const run = this.extentStop - this.extentStart;
    if (this.anchor === "whole") return run;
    return this.followed_s || Math.min(run, FOLLOWED_S);
  }

  /** It follows, and what it follows to is all of the run. */
  showsWhole(): boolean {
    if (this.anchor === "free") return false;
    if (this.wholeAxis) return true;
    const run = this.extentStop - this.extentStart;
    return this.goalWidth() >= run * (1 - UNSEEN_SHARE);
  }

  /** Zoomed by hand, does it go on with the newest row, or stay where it was taken? */
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

/** Null while all of it is shown. `origin` is time zero of the axis. */
export function shownPart(
  window: TimeWindow,
  extent: Extent | null,
  origin: number,
): string | null {
  // The picture may be a little behind: what it follows to counts.
  if (!extent || window.showsWhole()) return null;
  if (window.anchor === "now") {
    return `last ${formatDuration(window.goalWidth())}`;
  }
  const run = (extent.stop - extent.start) * (1 - UNSEEN_SHARE);
  const start = Math.max(window.start, extent.start);
  const stop = Math.min(window.stop, extent.stop);
  if (stop - start >= run) return null;
  return stop > start
    ? formatStretch(start - origin, stop - origin)
    : formatStretch(window.start - origin, window.stop - origin);
}

const STEPS_S = [30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400];
/** With more of them, the next wider step is used. */
const MOST_STEPS = 8;

/** In seconds from the start of the axis, later than `elapsed_s`. */
export function growingAxis(elapsed_s: number): number {
  const elapsed = Math.max(0, elapsed_s);
  const fits = (step: number): boolean => elapsed < step * MOST_STEPS;
  const step = STEPS_S.find(fits) ?? STEPS_S[STEPS_S.length - 1];
  return (Math.floor(elapsed / step) + 1) * step;
}
