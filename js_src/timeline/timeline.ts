// The window of a panel, as signals: every plot of the panel shows the same time. It
// moves frame by frame, and is at rest in between.

import { signal } from "@preact/signals";
import { type Anchor, type Extent, type Range, TimeWindow } from "./window";

/** What passed before the first frame after a rest: the picture must not leap. */
const FIRST_FRAME_MS = 1000 / 60;
const LONGEST_FRAME_MS = 50;
const SETTLE_MS = 250;

export class Timeline {
  readonly window: TimeWindow;
  readonly anchor = signal<Anchor>("now");
  /** What the window shows, also while it moves: for what is drawn. */
  readonly shown = signal<Range>([0, 1]);
  /** The same a few times a second: for words and figures. */
  readonly settled = signal<Range>([0, 1]);
  /** Clicked into: the plain wheel zooms. */
  readonly engaged = signal(false);
  /** Asks for a frame, in which the window advances; set by who draws it. */
  request: () => void = () => {};

  private frame = 0;
  /** When the frame before this one was drawn; null after a rest. */
  private last_ms: number | null = null;
  private settling: ReturnType<typeof setTimeout> | undefined;

  constructor(home: Anchor) {
    this.window = new TimeWindow(home);
    this.anchor.value = home;
    this.window.onMoved = () => {
      this.anchor.value = this.window.anchor;
      this.request();
    };
  }

  /** Advances by itself, for plots that draw what `shown` says; returns what ends it. */
  run(): () => void {
    this.request = () => {
      this.frame ||= requestAnimationFrame((now_ms) => {
        this.frame = 0;
        if (this.advance(now_ms)) this.request();
        this.show();
      });
    };
    return () => {
      cancelAnimationFrame(this.frame);
      clearTimeout(this.settling);
      this.request = () => {};
    };
  }

  /** True while there is more of the movement to come. */
  advance(now_ms: number): boolean {
    const passed_ms =
      this.last_ms === null ? FIRST_FRAME_MS : now_ms - this.last_ms;
    const elapsed_ms = Math.min(Math.max(0, passed_ms), LONGEST_FRAME_MS);
    const moving = this.window.advance(elapsed_ms);
    this.last_ms = moving ? now_ms : null;
    return moving;
  }

  /** The data reach from here to there now, and the whole run is shown as `axis`. */
  extend(extent: Extent, axis: Range): void {
    this.window.setExtent(extent, axis);
    this.anchor.value = this.window.anchor;
    this.show();
    if (this.window.anchor === "whole") this.settle();
    else this.request();
  }

  reset(): void {
    this.window.reset();
    this.anchor.value = this.window.anchor;
  }

  /** Says what the window shows now. */
  show(): void {
    const { start, stop } = this.window;
    const [from, to] = this.shown.peek();
    if (start === from && stop === to) return;
    this.shown.value = [start, stop];
    this.settling ??= setTimeout(() => this.settle(), SETTLE_MS);
  }

  private settle(): void {
    clearTimeout(this.settling);
    this.settling = undefined;
    this.settled.value = this.shown.peek();
  }
}
