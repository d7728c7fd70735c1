// The stretch of time that a plot shows, and how it moves: by hand, with the
// newest task, or over the whole run. Until it knows where the data are it stays
// as it is. Pure: no DOM, no clock of its own.

/**
 * `now`: the right edge follows the newest row. `whole`: everything, growing.
 * `free`: where the person left it.
 */
export type Anchor = "now" | "whole" | "free";

export interface Extent {
  readonly start: number;
  readonly stop: number;
}

/** Below this, float64 seconds since the epoch (steps of 0.24 µs) show as jumps. */
const NARROWEST_S = 200e-6;
/** Following shows the whole run until it is this long, then this much of it. */
export const FOLLOWED_S = 60;
/** Less than this share of the run off the screen is all of it to the eye. */
export const UNSEEN_SHARE = 0.005;
/** A run of no length still needs an axis. */
const SHORTEST_RUN_S = 1e-3;
/** Room beside the data, as a share of the width. */
const MARGIN = 0.015;
const ZOOM_MS = 120;
/** The picture reaches the newest row within about three of these. */
const EASE_MS = 90;

export class TimeWindow {
  start = 0;
  stop = 1;
  anchor: Anchor = "now";
  /** No animation: hidden, or the person asked for none. */
  still = false;
  private extentStart = 0;
  private extentStop = 1;
  private known = false;
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

  get width(): number {
    return this.stop - this.start;
  }

  get hasExtent(): boolean {
    return this.known;
  }

  /** Where the data begin and end; the first call places the window. */
  setExtent(extent: Extent): void {
    const stop = Math.max(extent.stop, extent.start + SHORTEST_RUN_S);
    this.extentStart = extent.start;
    this.extentStop = stop;
    if (this.known) return;
    this.known = true;
    this.jump();
  }

  /** Forgets the data: another session, or none. */
  reset(): void {
    this.known = false;
    this.moving = false;
    this.anchor = "now";
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
      return this.moving;
    }
    if (!this.known || this.anchor === "free") return false;
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
    if (!this.known) return;
    const fromStart = this.moving ? this.moveToStart : this.start;
    const fromStop = this.moving ? this.moveToStop : this.stop;
    const width = fromStop - fromStart;
    const wanted = this.clampWidth(width * factor);
    const follows = this.followsZoomed(factor, at);
    const fixed = follows ? fromStop : (at ?? (fromStart + fromStop) / 2);
    const left = width > 0 ? (fixed - fromStart) / width : 0.5;
    const start = fixed - wanted * left;
    if (follows) {
      this.anchor = "now";
      this.followed_s = wanted;
      if (animate) this.moveTo(start, start + wanted);
      else this.place(start, start + wanted);
      return;
    }
    this.show(start, start + wanted, animate);
  }

  pan(seconds: number, animate = false): void {
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
    if (!this.known) return;
    const width = this.clampWidth(stop - start);
    const middle = (start + stop) / 2;
    this.anchor = "free";
    if (animate) this.moveTo(middle - width / 2, middle + width / 2);
    else this.place(middle - width / 2, middle + width / 2);
  }

  /** Back to the newest row, as wide as it is now where that is sensible. */
  goToNow(): void {
    if (!this.known) return;
    const run = this.extentStop - this.extentStart;
    this.followed_s =
      this.anchor === "free" && this.width < Math.min(run, FOLLOWED_S)
        ? this.width
        : 0;
    this.anchor = "now";
    this.moveTo(this.goalStart(), this.goalStop());
  }

  fit(): void {
    if (!this.known) return;
    this.anchor = "whole";
    this.moveTo(this.goalStart(), this.goalStop());
  }

  /** Follows nothing until `release`; by hand it can be moved meanwhile. */
  hold(): void {
    if (!this.known) return;
    this.moving = false;
    this.held = this.anchor;
    this.anchor = "free";
  }

  /** Follows as before `hold`; another way that was chosen meanwhile stays. */
  release(): void {
    if (this.anchor !== "free" || this.held === "free") return;
    this.anchor = this.held;
    this.moveTo(this.goalStart(), this.goalStop());
  }

  private jump(): void {
    this.moving = false;
    this.start = this.goalStart();
    this.stop = this.goalStop();
  }

  private place(start: number, stop: number): void {
    this.moving = false;
    this.start = start;
    this.stop = stop;
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
    return Math.min(Math.max(width, NARROWEST_S), Math.max(run * 3, 1));
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
    return this.extentStop + this.goalWidth() * MARGIN;
  }

  private goalStart(): number {
    const width = this.goalWidth();
    const margin = this.followed_s && this.anchor === "now" ? -1 : 1;
    return this.extentStop - width - width * MARGIN * margin;
  }
}
