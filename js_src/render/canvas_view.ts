// A canvas as large as its element, in device pixels. It draws at most once per frame, and
// not while it is invisible.

export interface CanvasSize {
  /** Device pixels. */
  width: number;
  height: number;
  pixelRatio: number;
}

/** First pictures are slow (cold code): after this time, the others wait for the next frame. */
const FIRST_PICTURES_MS = 8;
const firstPictures = { frame_ms: -1, took_ms: 0 };

export class CanvasView {
  readonly canvas: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  size: CanvasSize = { width: 0, height: 0, pixelRatio: 1 };
  private frame = 0;
  private wanted = false;
  private shown = true;
  private drawn = false;
  private readonly resizes: ResizeObserver;
  private readonly intersections: IntersectionObserver;
  private ratioQuery: MediaQueryList | null = null;
  private readonly window: Window & typeof globalThis;

  /** `draw` receives the frame time in milliseconds. */
  constructor(
    private readonly element: HTMLElement,
    private readonly draw: (view: CanvasView, now_ms: number) => void,
    options: { opaque?: boolean } = {},
  ) {
    const { ownerDocument } = element;
    this.window = ownerDocument.defaultView ?? window;
    this.canvas = ownerDocument.createElement("canvas");
    // Hidden until the first picture: a canvas without alpha starts black.
    this.canvas.style.cssText =
      "position:absolute;inset:0;width:100%;height:100%;display:block;visibility:hidden";
    const context = this.canvas.getContext("2d", {
      alpha: !options.opaque,
    });
    if (!context) throw new Error("This browser offers no 2D canvas.");
    this.context = context;
    element.append(this.canvas);
    this.resizes = new this.window.ResizeObserver((entries) =>
      this.resized(entries[entries.length - 1]),
    );
    this.resizes.observe(element);
    this.intersections = new this.window.IntersectionObserver((entries) => {
      this.shown = entries[entries.length - 1].isIntersecting;
      if (this.shown && this.wanted) this.request();
    });
    this.intersections.observe(element);
    this.ratioChanged();
  }

  /** The page is laid out for paper: draw even if invisible. */
  onPaper = false;

  get visible(): boolean {
    return this.shown && this.size.width > 0 && this.size.height > 0;
  }

  /** Request a redraw; may be called any number of times per frame. */
  request = (): void => {
    this.wanted = true;
    if (this.frame || !this.visible) return;
    this.frame = this.window.requestAnimationFrame((now) => {
      this.frame = 0;
      const { frame_ms, took_ms } = firstPictures;
      const waits = now === frame_ms && took_ms > FIRST_PICTURES_MS;
      if (this.drawn || !waits) this.drawNow(now);
      else this.request();
    });
  };

  /** Draw within a frame that is already running. */
  drawInFrame(now_ms: number): void {
    if (!this.drawn || !this.visible) {
      this.request();
      return;
    }
    if (this.frame) this.window.cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.picture(now_ms);
  }

  /** Draw now, at the element's current size: printing does not wait for frames. */
  drawAtOnce(): void {
    this.measure();
    const { width, height } = this.size;
    if (width > 0 && height > 0) this.picture(this.window.performance.now());
  }

  dispose(): void {
    if (this.frame) this.window.cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.shown = false;
    this.resizes.disconnect();
    this.intersections.disconnect();
    this.ratioQuery?.removeEventListener("change", this.ratioChanged);
    this.canvas.remove();
  }

  private drawNow(now_ms: number): void {
    if (this.visible) this.picture(now_ms);
  }

  private picture(now_ms: number): void {
    this.wanted = false;
    const began_ms = performance.now();
    this.draw(this, now_ms);
    if (this.drawn) return;
    this.drawn = true;
    this.canvas.style.visibility = "";
    if (firstPictures.frame_ms !== now_ms) firstPictures.took_ms = 0;
    firstPictures.frame_ms = now_ms;
    firstPictures.took_ms += performance.now() - began_ms;
  }

  private resized(entry: ResizeObserverEntry): void {
    const pixelRatio = this.window.devicePixelRatio || 1;
    const exact = entry.devicePixelContentBoxSize?.[0];
    const { width, height } = entry.contentRect;
    this.setSize(
      closest(width * pixelRatio, exact?.inlineSize),
      closest(height * pixelRatio, exact?.blockSize),
      pixelRatio,
    );
    // A resized canvas is blank. Draw at once, or it flickers while the user drags its edge.
    // The first picture may wait for a frame: mounting the plot has already used this one.
    if (this.onPaper) this.drawAtOnce();
    else if (this.wanted && this.drawn) {
      this.drawNow(this.window.performance.now());
    }
  }

  private setSize(width: number, height: number, pixelRatio: number): void {
    const { size, canvas } = this;
    if (size.width === width && size.height === height) {
      if (size.pixelRatio === pixelRatio) return;
    }
    this.size = { width, height, pixelRatio };
    canvas.width = width;
    canvas.height = height;
    this.request();
  }

  /** The page was zoomed or moved to another screen. */
  private ratioChanged = (): void => {
    this.ratioQuery?.removeEventListener("change", this.ratioChanged);
    const pixelRatio = this.window.devicePixelRatio || 1;
    this.ratioQuery = this.window.matchMedia(`(resolution: ${pixelRatio}dppx)`);
    this.ratioQuery.addEventListener("change", this.ratioChanged);
    this.measure();
  };

  private measure(): void {
    const pixelRatio = this.window.devicePixelRatio || 1;
    const { width, height } = this.element.getBoundingClientRect();
    this.setSize(
      Math.round(width * pixelRatio),
      Math.round(height * pixelRatio),
      pixelRatio,
    );
  }
}

/**
 * Device pixels as the browser reports them: rounding may be a pixel off, which blurs the
 * picture. Emulated screens report wrong sizes; there, use the rounded value.
 */
function closest(computed: number, exact: number | undefined): number {
  if (exact !== undefined && Math.abs(exact - computed) < 2) return exact;
  return Math.round(computed);
}
