// A picture made of pixel rows: each is drawn once and copied to its full height. Strips
// are at the bottom of a row, with one pixel of background around them.

/** Share of a row's height that a strip takes. */
export const STRIP_SHARE = 0.36;
/** Lower rows have no room for an edge around the strip. */
const EDGE_FROM_PX = 8;
/** Narrower runs of a strip have no edge: only the edge would be visible. */
const EDGE_FROM_WIDTH_PX = 4;

export class PixelRows {
  width = 0;
  height = 0;
  pixels: Uint32Array = new Uint32Array(0);
  private image: ImageData | null = null;
  private background = new Uint32Array(0);
  private blank = 0;

  /** `put` draws `image`; without it, only `pixels` is filled. */
  resize(width: number, height: number, image?: ImageData): void {
    this.width = width;
    this.height = height;
    this.image = image ?? null;
    this.pixels = image
      ? new Uint32Array(image.data.buffer)
      : new Uint32Array(width * height);
    this.background = new Uint32Array(width);
  }

  /**
   * Start a picture: fill it with the background. `lines` are the columns of a grid, drawn
   * behind everything.
   */
  clear(background: number, lines?: Iterable<number>, lineColour = 0): void {
    this.blank = background;
    this.background.fill(background);
    for (const x of lines ?? []) {
      if (x >= 0 && x < this.width) this.background[x] = lineColour;
    }
    if (!lines || this.height === 0) {
      this.pixels.fill(background);
      return;
    }
    this.pixels.set(this.background, 0);
    this.repeat(0, 1, this.height);
  }

  rule(y: number, colour: number): void {
    if (y < 0 || y >= this.height) return;
    this.pixels.fill(colour, y * this.width, (y + 1) * this.width);
  }

  /**
   * Draw one row from `y` on. Row and strip are RGBA pixels, blended onto the background;
   * `strip` may be null.
   */
  row(
    y: number,
    height: number,
    base: Uint32Array | null,
    strip: Uint32Array | null,
  ): void {
    const top = Math.max(0, y);
    const bottom = Math.min(this.height, y + height);
    if (bottom <= top) return;
    const stripHeight = Math.max(1, Math.round(height * STRIP_SHARE));
    const stripTop = strip
      ? Math.max(top, y + height - stripHeight)
      : y + height;
    if (top < stripTop && base) {
      this.blendOnto(top * this.width, base);
      this.repeat(top, top + 1, Math.min(stripTop, bottom));
    }
    if (!strip || stripTop >= bottom) return;
    const edged = height >= EDGE_FROM_PX;
    const { width, pixels } = this;
    if (base && top < stripTop) {
      const above = top * width;
      pixels.copyWithin(stripTop * width, above, above + width);
    } else if (base) {
      this.blendOnto(stripTop * width, base);
    }
    this.strip(stripTop, strip, edged);
    this.repeat(stripTop, stripTop + 1, bottom);
    const edge = stripTop - 1;
    if (edged && edge >= top) this.edge(edge, strip);
  }

  put(context: CanvasRenderingContext2D, x = 0, y = 0): void {
    if (this.image) context.putImageData(this.image, x, y);
  }

  private repeat(from: number, to: number, end: number): void {
    const { width, pixels } = this;
    const source = from * width;
    let filled = to;
    while (filled < end) {
      const rows = Math.min(filled - from, end - filled);
      pixels.copyWithin(filled * width, source, source + rows * width);
      filled += rows;
    }
  }

  private blendOnto(at: number, row: Uint32Array): void {
    const { width, pixels, background } = this;
    for (let x = 0; x < width; x++) {
      // Signed integers, which the JIT compiler keeps in registers.
      const pixel = row[x] | 0;
      const alpha = pixel >>> 24;
      if (alpha === 255) pixels[at + x] = pixel;
      else if (alpha === 0) pixels[at + x] = background[x];
      else pixels[at + x] = mixPixels(background[x] | 0, pixel, alpha);
    }
  }

  private strip(y: number, strip: Uint32Array, edged: boolean): void {
    const { width, pixels } = this;
    const at = y * width;
    for (let x = 0; x < width;) {
      let pixel = strip[x] | 0;
      let alpha = pixel >>> 24;
      if (alpha === 0) {
        x++;
        continue;
      }
      const first = x;
      while (alpha !== 0) {
        pixels[at + x] =
          alpha === 255 ? pixel : mixPixels(pixels[at + x] | 0, pixel, alpha);
        if (++x === width) break;
        pixel = strip[x] | 0;
        alpha = pixel >>> 24;
      }
      if (!edged || x - first < EDGE_FROM_WIDTH_PX) continue;
      if (first > 0) pixels[at + first - 1] = this.blank;
      // Leave room for this edge and that of the next run.
      if (x < width && (strip[x + 1] ?? 0) >>> 24 === 0) {
        pixels[at + x] = this.blank;
      }
    }
  }

  /** Draw background above each run of a strip that is wide enough for an edge. */
  private edge(y: number, strip: Uint32Array): void {
    const { width, pixels, blank } = this;
    const at = y * width;
    for (let x = 0; x < width; x++) {
      if (strip[x] >>> 24 === 0) continue;
      const first = x;
      while (x < width && strip[x] >>> 24 !== 0) x++;
      if (x - first >= EDGE_FROM_WIDTH_PX) {
        pixels.fill(blank, at + first, at + x);
      }
    }
  }
}

/** Blend `over` (`alpha` 0 to 255) onto the opaque `under`. Returns a signed integer. */
export function mixPixels(under: number, over: number, alpha: number): number {
  const part = alpha + (alpha >>> 7);
  const rest = 256 - part;
  const rb = ((over & 0xff00ff) * part + (under & 0xff00ff) * rest) >>> 8;
  const g = ((over & 0x00ff00) * part + (under & 0x00ff00) * rest) >>> 8;
  return (rb & 0xff00ff) | (g & 0x00ff00) | 0xff000000;
}
