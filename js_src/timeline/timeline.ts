// The window of a panel, as signals: every plot of the panel shows the same time. It
// moves frame by frame, and is at rest in between.

import { signal } from "@preact/signals";
import type { CanvasView } from "../render/canvas_view";
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
  /** Asks for a frame, in which the window advances. */
  request: () => void = () => {};

  private frame = 0;
  /** The window is moved to a frame just now. */
  private inFrame = false;
  /** The frame that the window was moved to. */
  private at_ms = NaN;
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

  /** Moves frame by frame from now on; returns what ends it. */
  run(): () => void {
    this.request = () => {
      this.frame ||= requestAnimationFrame((now_ms) => {
        this.frame = 0;
        this.frameAt(now_ms);
      });
    };
    return () => {
      cancelAnimationFrame(this.frame);
      this.frame = 0;
      clearTimeout(this.settling);
      this.settling = undefined;
      this.request = () => {};
    };
  }

  /** Moves the window to a frame: once, whoever draws first in it. */
  frameAt(now_ms: number): void {
    if (now_ms === this.at_ms) return;
    this.at_ms = now_ms;
    this.inFrame = true;
    if (this.advance(now_ms)) this.request();
    this.show();
    this.inFrame = false;
  }

  /** Draws what shows the window, in the frame that moves it or else in the next. */
  redraw(view: CanvasView): void {
    if (this.inFrame) view.drawInFrame(this.at_ms);
    else view.request();
  }

  /** True while there is more of the movement to come. */
  private advance(now_ms: number): boolean {
    const passed_ms =
      this.last_ms === null ? FIRST_FRAME_MS : now_ms - this.last_ms;
    const elapsed_ms = Math.min(Math.max(0, passed_ms), LONGEST_FRAME_MS);
    const moving = this.window.advance(elapsed_ms);
    this.last_ms = moving ? now_ms : null;
    return moving;
  }

  /** The data reach from here to there now; with an `axis` the whole run is shown as that. */
  extend(extent: Extent, axis: Range | null = null): void {
    this.window.setExtent(extent, axis);
    this.anchor.value = this.window.anchor;
    this.show();
    if (this.window.isFixed) this.settle();
    else this.request();
  }

  /** Shows a time, or the whole run, without a movement; words and figures follow at once. */
  jump(range: Range | null): void {
    if (range) this.window.show(...range);
    else this.window.fit(false);
    this.show();
    this.settle();
  }

  reset(): void {
    this.window.reset();
    this.anchor.value = this.window.anchor;
  }

  private show(): void {
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
