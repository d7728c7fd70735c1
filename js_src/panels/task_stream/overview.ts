// The overview of the task stream: threads busy by prefix.

import { toCss } from "../../base/colour";
import type { ViewColours } from "./stage";
import { fullHeight, Minimap } from "../../derive/minimap";
import { OverviewStrip } from "../../timeline/overview";
import type { Extent } from "../../timeline/window";
import type { PixelColours } from "../../panel/pixel_colours";
import type { ViewState } from "./view_state";

/** Bins are summed anew for each picture: not more often than this. */
const REDRAW_MS = 100;

const PEAK_SHARE = 0.02;

export class Overview extends OverviewStrip {
  private readonly minimap = new Minimap();
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private painted: PixelColours | null = null;
  private full = 0;
  private drawn_ms = 0;
  private later: ReturnType<typeof setTimeout> | undefined;

  constructor(
    element: HTMLElement,
    private readonly panel: ViewState,
    private readonly colours: ViewColours,
  ) {
    super(element);
  }

  protected extent(): Extent | null {
    return this.panel.extent;
  }

  override dispose(): void {
    clearTimeout(this.later);
    super.dispose();
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

  protected draw(): void {
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
