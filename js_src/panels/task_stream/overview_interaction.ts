// Mouse, pen and touch on the overview: drag the window, its edges, or a new one.

import type { Stage } from "./stage";
import type { ViewState } from "./view_state";

/** Less than this is a click. */
const DRAG_PX = 4;
/** This near an edge of the window, the edge is dragged. */
const EDGE_PX = 6;

export class OverviewInteraction {
  private readonly abort = new AbortController();
  private part: "left" | "right" | "middle" | "new" | null = null;
  private from = 0;
  private startAt = 0;
  private stopAt = 0;
  private moved = false;

  constructor(
    private readonly hit: HTMLElement,
    private readonly view: ViewState,
    private readonly stage: Stage,
  ) {
    const { signal } = this.abort;
    hit.addEventListener("pointerdown", (event) => this.down(event), {
      signal,
    });
    hit.addEventListener("pointermove", (event) => this.move(event), {
      signal,
    });
    hit.addEventListener("pointerup", (event) => this.up(event), { signal });
    hit.addEventListener("pointercancel", () => (this.part = null), { signal });
    hit.addEventListener("dblclick", () => view.fit(), { signal });
  }

  dispose(): void {
    this.abort.abort();
  }

  private partAt(x: number): "left" | "right" | "middle" | "new" {
    const { overview } = this.stage;
    const time = overview.timeAt(x);
    const near = EDGE_PX * overview.secondsPerCssPixel();
    const { start, stop } = this.view.window;
    // In a window of a few pixels the middle must stay reachable.
    const edge = Math.min(near, (stop - start) / 4 || near);
    if (Math.abs(time - start) <= Math.max(edge, near / 2)) return "left";
    if (Math.abs(time - stop) <= Math.max(edge, near / 2)) return "right";
    return time > start && time < stop ? "middle" : "new";
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.view.engaged.value = true;
    this.hit.setPointerCapture(event.pointerId);
    this.part = this.partAt(event.offsetX);
    this.from = this.stage.overview.timeAt(event.offsetX);
    this.startAt = this.view.window.start;
    this.stopAt = this.view.window.stop;
    this.moved = false;
    event.preventDefault();
  }

  private move(event: PointerEvent): void {
    const { view, stage, part } = this;
    if (!part) {
      const over = this.partAt(event.offsetX);
      this.hit.style.cursor =
        over === "middle" ? "grab" : over === "new" ? "crosshair" : "ew-resize";
      return;
    }
    const time = stage.overview.timeAt(event.offsetX);
    const by = time - this.from;
    const least = DRAG_PX * stage.overview.secondsPerCssPixel();
    if (!this.moved && Math.abs(by) < least) return;
    this.moved = true;
    if (part === "middle") {
      view.window.show(this.startAt + by, this.stopAt + by);
    } else if (part === "left") {
      const start = Math.min(this.startAt + by, this.stopAt);
      view.window.show(start, Math.max(this.stopAt, start));
    } else if (part === "right") {
      view.window.show(this.startAt, Math.max(this.stopAt + by, this.startAt));
    } else {
      view.window.show(Math.min(this.from, time), Math.max(this.from, time));
    }
    view.moved();
  }

  private up(event: PointerEvent): void {
    const { part, view, stage } = this;
    this.part = null;
    if (!part || this.moved) return;
    // A click beside the window brings it here.
    if (part === "new") {
      const middle = stage.overview.timeAt(event.offsetX);
      const half = view.window.width / 2;
      view.show(middle - half, middle + half);
    }
  }
}
