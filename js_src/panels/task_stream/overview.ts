// The overview of the whole run: threads busy by prefix, and over it the window
// that the plot shows. The picture is drawn when the data change; the window
// moves as plain elements, so that panning redraws nothing here.

import { toCss } from "../../base/colour";
import type { ViewColours, Stage } from "./stage";
import { fullHeight, Minimap } from "../../derive/minimap";
import type { TimeWindow } from "../../derive/raster";
import { CanvasView } from "../../render/canvas_view";
import type { Paints } from "../../panel/paints";
import type { ViewState } from "./view_state";

const MARGIN = 0.012;
/** Bins are summed anew for each picture: not more often than this. */
const REDRAW_MS = 100;
const NARROWEST_PX = 4;

const PEAK_SHARE = 0.02;

export class Overview {
  readonly view: CanvasView;
  private readonly minimap = new Minimap();
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private painted: Paints | null = null;
  private full = 0;
  private drawn_ms = 0;
  private later: ReturnType<typeof setTimeout> | undefined;
  private readonly shadeLeft: HTMLElement;
  private readonly shadeRight: HTMLElement;
  private readonly frame: HTMLElement;
  private readonly range: TimeWindow = {
    start: 0,
    secondsPerPixel: 1,
    width_px: 0,
  };

  constructor(
    private readonly element: HTMLElement,
    private readonly panel: ViewState,
    private readonly colours: ViewColours,
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
    clearTimeout(this.later);
    this.view.dispose();
    this.element.replaceChildren();
  }

  /** Data came: draw soon, but not for each frame. */
  dataChanged(): void {
    const wait = this.drawn_ms + REDRAW_MS - performance.now();
    if (wait <= 0) {
      this.view.request();
    } else if (this.later === undefined) {
      this.later = setTimeout(() => {
        this.later = undefined;
        this.view.request();
      }, wait);
    }
  }

  timeAt(x_px: number): number {
    const { start, secondsPerPixel } = this.range;
    return start + x_px * this.view.size.pixelRatio * secondsPerPixel;
  }

  secondsPerCssPixel(): number {
    return this.range.secondsPerPixel * this.view.size.pixelRatio;
  }

  /** Puts the window where the plot is. Cheap: once a frame. */
  place(start: number, stop: number): void {
    this.frame.hidden = this.panel.extent === null;
    const edges = this.edges(start, stop);
    if (!edges) return;
    const [left, right] = edges;
    this.shadeLeft.style.width = `${Math.max(0, left)}px`;
    this.shadeRight.style.left = `${right}px`;
    this.frame.style.transform = `translateX(${left}px)`;
    this.frame.style.width = `${Math.max(2, right - left)}px`;
  }

  /** Left and right of a window, in CSS pixels of what is there; null for none. */
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

  private measure(): void {
    const { extent } = this.panel;
    const { width } = this.view.size;
    if (!extent || width === 0) return;
    const run = Math.max(extent.stop - extent.start, 1e-3);
    this.range.start = extent.start - run * MARGIN;
    this.range.secondsPerPixel = (run * (1 + 2 * MARGIN)) / width;
    this.range.width_px = width;
  }

  private draw(): void {
    const model = this.panel.session.peek()?.model;
    const paints = this.colours.current();
    const { context, size } = this.view;
    const { width, height } = size;
    this.drawn_ms = performance.now();
    if (!model || !paints || !this.panel.extent) {
      if (paints) {
        context.fillStyle = toCss(this.panel.environment.theme.peek().panel);
        context.fillRect(0, 0, width, height);
      }
      return;
    }
    this.measure();
    const resized =
      !this.image || this.image.width !== width || this.image.height !== height;
    if (resized) {
      this.image = context.createImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    const changed = this.minimap.update(model, this.range);
    const threads = this.panel.threadsShown.peek();
    const full = fullHeight({
      most: this.minimap.most,
      threads,
      filtered: model.filter?.byRow ?? false,
    });
    const rescaled = full !== this.full;
    this.full = full;
    // Where nothing was busy, the height stands for nothing.
    const drawn = this.minimap.most > 0 || full === threads;
    const peak = drawn ? full : 0;
    const differs = Math.abs(peak - threads) > PEAK_SHARE * threads;
    this.panel.peak.value = differs ? peak : null;
    const same = !changed && !resized && !rescaled;
    if (same && paints === this.painted) return;
    this.painted = paints;
    this.pixels.fill(paints.background);
    const only = this.colours.only();
    const { paints: colours, other } = paints.compute;
    this.minimap.paint(
      this.pixels,
      height,
      full,
      only === null ? colours : new Uint32Array(colours.length).fill(only),
      only ?? other,
    );
    if (this.image) context.putImageData(this.image, 0, 0);
  }
}

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
    hit.addEventListener("dblclick", () => view.window.fit(), { signal });
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
    this.view.timeline.engaged.value = true;
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
  }

  private up(event: PointerEvent): void {
    const { part, view, stage } = this;
    this.part = null;
    if (!part || this.moved) return;
    // A click beside the window brings it here.
    if (part === "new") {
      const middle = stage.overview.timeAt(event.offsetX);
      const half = view.window.width / 2;
      view.window.show(middle - half, middle + half, true);
    }
  }
}
