// The overview of the whole run, with the window that the plots show on top. The picture is
// drawn when data change; the window consists of DOM elements, so that panning redraws
// nothing here.

import { toCss } from "../base/colour";
import type { Theme } from "../base/theme";
import { CanvasView } from "../render/canvas_view";
import type { PlotArea } from "./time_plot";
import type { Timeline } from "./timeline";
import type { Extent } from "./window";

const MARGIN = 0.012;
const NARROWEST_PX = 4;

export interface OverviewContent {
  /** The whole run; null until it is known. */
  extent(): Extent | null;
  theme(): Theme;
  paint(area: Omit<PlotArea, "y">): void;
}

export class OverviewStrip {
  readonly view: CanvasView;
  private readonly range = { start: 0, secondsPerPixel: 1 };
  private readonly shadeLeft: HTMLElement;
  private readonly shadeRight: HTMLElement;
  private readonly frame: HTMLElement;

  constructor(
    private readonly element: HTMLElement,
    private readonly content: OverviewContent,
  ) {
    this.view = new CanvasView(element, () => this.draw(), { opaque: true });
    const part = (name: string): HTMLElement => {
      const made = document.createElement("div");
      made.className = name;
      element.append(made);
      return made;
    };
    this.shadeLeft = part("ds-overview-shade");
    this.shadeRight = part("ds-overview-shade");
    this.frame = part("ds-overview-window");
    for (const side of ["left", "right"]) {
      const handle = document.createElement("div");
      handle.className = `ds-overview-handle ds-${side}`;
      this.frame.append(handle);
    }
  }

  dispose(): void {
    this.view.dispose();
    this.element.replaceChildren();
  }

  timeAt(x_px: number): number {
    const { start, secondsPerPixel } = this.range;
    return start + x_px * this.view.size.pixelRatio * secondsPerPixel;
  }

  secondsPerCssPixel(): number {
    return this.range.secondsPerPixel * this.view.size.pixelRatio;
  }

  /** Moves the window to what the plot shows. Called once per frame, so it must be cheap. */
  place(start: number, stop: number): void {
    this.frame.hidden = this.content.extent() === null;
    const edges = this.edges(start, stop);
    if (!edges) return;
    const [left, right] = edges;
    this.shadeLeft.style.width = `${Math.max(0, left)}px`;
    this.shadeRight.style.left = `${right}px`;
    this.frame.style.transform = `translateX(${left}px)`;
    this.frame.style.width = `${Math.max(2, right - left)}px`;
  }

  /** Left and right edge of a window, in CSS pixels; null if there is none. */
  edges(start: number, stop: number): [number, number] | null {
    this.measure();
    const width = this.view.size.width / this.view.size.pixelRatio;
    const scale = 1 / this.secondsPerCssPixel();
    if (!(width > 0) || !Number.isFinite(scale)) return null;
    let left = (start - this.range.start) * scale;
    let right = (stop - this.range.start) * scale;
    if (right - left < NARROWEST_PX) {
      const middle = (left + right) / 2;
      left = middle - NARROWEST_PX / 2;
      right = middle + NARROWEST_PX / 2;
    }
    return [
      Math.min(Math.max(left, 0), width - 2),
      Math.max(Math.min(right, width), 2),
    ];
  }

  private draw(): void {
    const { context, size } = this.view;
    const { width, height, pixelRatio } = size;
    const theme = this.content.theme();
    context.fillStyle = toCss(theme.panel);
    context.fillRect(0, 0, width, height);
    if (!this.content.extent()) return;
    this.measure();
    const { start, secondsPerPixel } = this.range;
    this.content.paint({
      ...{ context, theme, pixelRatio, width, height, left: 0, top: 0 },
      range: [start, start + width * secondsPerPixel],
      x: (time) => (time - start) / secondsPerPixel,
    });
  }

  private measure(): void {
    const extent = this.content.extent();
    const { width } = this.view.size;
    if (!extent || width === 0) return;
    const run = Math.max(extent.stop - extent.start, 1e-3);
    this.range.start = extent.start - run * MARGIN;
    this.range.secondsPerPixel = (run * (1 + 2 * MARGIN)) / width;
  }
}

const DRAG_PX = 4;
/** A drag that starts this close to an edge of the window moves the edge. */
const EDGE_PX = 6;

export class OverviewGestures {
  private readonly abort = new AbortController();
  private part: "left" | "right" | "middle" | "new" | null = null;
  private from = 0;
  private startAt = 0;
  private stopAt = 0;
  private moved = false;

  constructor(
    private readonly hit: HTMLElement,
    private readonly timeline: Timeline,
    private readonly overview: OverviewStrip,
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
    hit.addEventListener("dblclick", () => timeline.window.fit(), { signal });
  }

  dispose(): void {
    this.abort.abort();
  }

  private partAt(x: number): "left" | "right" | "middle" | "new" {
    const { overview } = this;
    const time = overview.timeAt(x);
    const near = EDGE_PX * overview.secondsPerCssPixel();
    const { start, stop } = this.timeline.window;
    // The middle of a narrow window must stay reachable, too.
    const edge = Math.min(near, (stop - start) / 4 || near);
    if (Math.abs(time - start) <= Math.max(edge, near / 2)) return "left";
    if (Math.abs(time - stop) <= Math.max(edge, near / 2)) return "right";
    return time > start && time < stop ? "middle" : "new";
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.timeline.engaged.value = true;
    this.hit.setPointerCapture(event.pointerId);
    this.part = this.partAt(event.offsetX);
    this.from = this.overview.timeAt(event.offsetX);
    this.startAt = this.timeline.window.start;
    this.stopAt = this.timeline.window.stop;
    this.moved = false;
    event.preventDefault();
  }

  private move(event: PointerEvent): void {
    const { overview, part } = this;
    const { window } = this.timeline;
    if (!part) {
      const over = this.partAt(event.offsetX);
      this.hit.style.cursor =
        over === "middle" ? "grab" : over === "new" ? "crosshair" : "ew-resize";
      return;
    }
    const time = overview.timeAt(event.offsetX);
    const by = time - this.from;
    const least = DRAG_PX * overview.secondsPerCssPixel();
    if (!this.moved && Math.abs(by) < least) return;
    this.moved = true;
    if (part === "middle") {
      window.show(this.startAt + by, this.stopAt + by);
    } else if (part === "left") {
      const start = Math.min(this.startAt + by, this.stopAt);
      window.show(start, Math.max(this.stopAt, start));
    } else if (part === "right") {
      window.show(this.startAt, Math.max(this.stopAt + by, this.startAt));
    } else {
      window.show(Math.min(this.from, time), Math.max(this.from, time));
    }
  }

  private up(event: PointerEvent): void {
    const { part, overview } = this;
    const { window } = this.timeline;
    this.part = null;
    if (!part || this.moved) return;
    // A click outside the window moves the window here.
    if (part === "new") {
      const middle = overview.timeAt(event.offsetX);
      const half = window.width / 2;
      window.show(middle - half, middle + half, true);
    }
  }
}
