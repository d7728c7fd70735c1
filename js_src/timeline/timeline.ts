// The time window of a panel, as signals that all its plots share. It requests frames only
// while it moves.

import { signal } from "@preact/signals";
import type { CanvasView } from "../render/canvas_view";
import { type Anchor, type Extent, type Range, TimeWindow } from "./window";

/** Time assumed for the first frame after a rest, so that the picture does not jump. */
const FIRST_FRAME_MS = 1000 / 60;
const LONGEST_FRAME_MS = 50;
const SETTLE_MS = 250;

export class Timeline {
  readonly window: TimeWindow;
  readonly anchor = signal<Anchor>("now");
  /** The time shown, updated in each frame; for drawing. */
  readonly shown = signal<Range>([0, 1]);
  /** The same, updated a few times a second; for text and figures. */
  readonly settled = signal<Range>([0, 1]);
  /** The user clicked into a plot, so the plain wheel zooms. */
  readonly engaged = signal(false);
  /** Requests a frame, in which the window advances. */
  request: () => void = () => {};

  private frame = 0;
  /** `frameAt` is running. */
  private inFrame = false;
  /** Time of the last frame that the window was moved to. */
  private at_ms = NaN;
  /** Time of the previous frame; null after a rest. */
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

  /** Starts the animation; returns a function that stops it. */
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

  /** Advances the window, once per frame; the first view to draw calls it. */
  frameAt(now_ms: number): void {
    if (now_ms === this.at_ms) return;
    this.at_ms = now_ms;
    this.inFrame = true;
    if (this.advance(now_ms)) this.request();
    this.show();
    this.inFrame = false;
  }

  /** Redraws a view in the current frame if the window is moving, else in the next one. */
  redraw(view: CanvasView): void {
    if (this.inFrame) view.drawInFrame(this.at_ms);
    else view.request();
  }

  /** Returns whether the movement continues. */
  private advance(now_ms: number): boolean {
    const passed_ms =
      this.last_ms === null ? FIRST_FRAME_MS : now_ms - this.last_ms;
    const elapsed_ms = Math.min(Math.max(0, passed_ms), LONGEST_FRAME_MS);
    const moving = this.window.advance(elapsed_ms);
    this.last_ms = moving ? now_ms : null;
    return moving;
  }

  /** Sets the extent of the data; `axis` is what is shown for the whole run. */
  extend(extent: Extent, axis: Range | null = null): void {
    this.window.setExtent(extent, axis);
    this.anchor.value = this.window.anchor;
    this.show();
    if (this.window.isFixed) this.settle();
    else this.request();
  }

  /** Shows a time, or the whole run if null, at once and without animation. */
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
