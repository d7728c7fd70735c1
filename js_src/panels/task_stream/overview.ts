// The overview of the whole run: threads busy by prefix, and over it the window
// that the plot shows. The picture is drawn when the data change; the window
// moves as plain elements, so that panning redraws nothing here.

import type { Theme } from "../../base/theme";
import { fullHeight, Minimap } from "../../derive/minimap";
import type { TimeWindow } from "../../derive/raster";
import type { TaskModel } from "../../model/tasks";
import { CanvasView } from "../../render/canvas_view";
import type { Paints } from "../../panel/paints";
import type { Extent } from "./time_window";

/** Room beside the run, as a share of the width. */
const MARGIN = 0.012;
/** Bins are summed anew for each picture: not more often than this. */
const REDRAW_MS = 100;
/** A window of less than this would be lost to the eye. */
const NARROWEST_PX = 4;

export interface OverviewSource {
  model(): TaskModel | null;
  extent(): Extent | null;
  paints(): Paints | null;
  theme(): Theme;
  /** One colour for all, where one action is isolated. */
  onlyColour(): number | null;
  /** Of the workers that are shown. */
  threads(): number;
  /** Is told what the full height stands for (0: nothing), and the number of threads. */
  measured(full: number, threads: number): void;
}

export class Overview {
  readonly view: CanvasView;
  private readonly minimap = new Minimap();
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private painted: Paints | null = null;
  /** Threads that the height stands for. */
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
    private readonly source: OverviewSource,
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

  /** Time at a CSS pixel from the left. */
  timeAt(x_px: number): number {
    const { start, secondsPerPixel } = this.range;
    return start + x_px * this.view.size.pixelRatio * secondsPerPixel;
  }

  secondsPerCssPixel(): number {
    return this.range.secondsPerPixel * this.view.size.pixelRatio;
  }

  /** Puts the window where the plot is. Cheap: once a frame. */
  place(start: number, stop: number): void {
    this.frame.hidden = this.source.extent() === null;
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
    const extent = this.source.extent();
    const { width } = this.view.size;
    if (!extent || width === 0) return;
    const run = Math.max(extent.stop - extent.start, 1e-3);
    this.range.start = extent.start - run * MARGIN;
    this.range.secondsPerPixel = (run * (1 + 2 * MARGIN)) / width;
    this.range.width_px = width;
  }

  private draw(): void {
    const model = this.source.model();
    const paints = this.source.paints();
    const { context, size } = this.view;
    const { width, height } = size;
    this.drawn_ms = performance.now();
    if (!model || !paints || !this.source.extent()) {
      if (paints) {
        const [red, green, blue] = this.source.theme().panel;
        context.fillStyle = `rgb(${red} ${green} ${blue})`;
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
    const threads = this.source.threads();
    const full = fullHeight({
      most: this.minimap.most,
      threads,
      filtered: model.filter?.byRow ?? false,
    });
    const rescaled = full !== this.full;
    this.full = full;
    // Where nothing was busy, the height stands for nothing.
    const drawn = this.minimap.most > 0 || full === threads;
    this.source.measured(drawn ? full : 0, threads);
    const same = !changed && !resized && !rescaled;
    if (same && paints === this.painted) return;
    this.painted = paints;
    this.pixels.fill(paints.background);
    const only = this.source.onlyColour();
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
