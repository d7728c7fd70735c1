// Busy seconds of threads by prefix, in fine bins of time, for the minimap. Exact per row,
// updated as rows arrive in any order. Bins are kept in pages, so that rows hours off cost
// one page instead of the resolution of all others.

/** Bins per page, and maximum number of pages; with more, bins double their width. */
const PAGE_BINS = 256;
const MAX_PAGES = 32;
/** Prefixes counted separately; later ones are summed. */
export const BUSY_PREFIXES = 64;
const FINEST_S = 1 / 1024;

type Page = (Float32Array | null)[];

export class BusyBins {
  private pages = new Map<number, Page>();
  private lastNumber = NaN;
  private lastPage: Page = [];
  version = 0;

  /** If the final extent is known, a sufficient `width_s` avoids widening later. */
  constructor(private width_s = FINEST_S) {}

  get binWidth_s(): number {
    return this.width_s;
  }

  get byteLength(): number {
    let bytes = 0;
    for (const page of this.pages.values()) {
      for (const bins of page) bytes += bins ? bins.byteLength : 8;
    }
    return bytes;
  }

  /** Adds `share` of the seconds; a negative share removes what was added before. */
  add(start: number, seconds: number, prefix: number, share = 1): void {
    this.version++;
    const slot = prefix < BUSY_PREFIXES - 1 ? prefix : BUSY_PREFIXES - 1;
    const stop = start + seconds;
    while ((stop - start) / this.width_s > PAGE_BINS * MAX_PAGES) this.widen();
    const first = Math.floor(start / this.width_s);
    const last = Math.floor(stop / this.width_s);
    if (first === last) {
      this.put(first, slot, seconds * share);
      return;
    }
    const width = this.width_s;
    this.put(first, slot, ((first + 1) * width - start) * share);
    this.put(last, slot, (stop - last * width) * share);
    for (let bin = first + 1; bin < last; bin++) {
      this.put(bin, slot, width * share);
    }
    while (this.pages.size > MAX_PAGES) this.widen();
  }

  /**
   * Add to `out[slot * columns + column]` the seconds busy in each of `columns`
   * equal columns from `start` on.
   */
  sum(
    start: number,
    secondsPerColumn: number,
    columns: number,
    out: Float32Array,
  ): void {
    const width = this.width_s;
    const size = width / secondsPerColumn;
    for (const [number, page] of this.pages) {
      const left = (number * PAGE_BINS * width - start) / secondsPerColumn;
      if (left > columns || left + PAGE_BINS * size < 0) continue;
      for (let slot = 0; slot < page.length; slot++) {
        const bins = page[slot];
        if (!bins) continue;
        const row = slot * columns;
        for (let bin = 0; bin < PAGE_BINS; bin++) {
          const seconds = bins[bin];
          if (seconds === 0) continue;
          const from = left + bin * size;
          spread(out, row, columns, from, from + size, seconds);
        }
      }
    }
  }

  private put(bin: number, slot: number, seconds: number): void {
    const number = Math.floor(bin / PAGE_BINS);
    let page = this.lastPage;
    if (number !== this.lastNumber) {
      page = this.pages.get(number) ?? [];
      if (page.length === 0) this.pages.set(number, page);
      this.lastNumber = number;
      this.lastPage = page;
    }
    while (page.length <= slot) page.push(null);
    const bins = (page[slot] ??= new Float32Array(PAGE_BINS));
    bins[bin - number * PAGE_BINS] += seconds;
  }

  private widen(): void {
    const old = this.pages;
    this.pages = new Map();
    this.width_s *= 2;
    this.lastNumber = NaN;
    for (const [number, page] of old) {
      for (let slot = 0; slot < page.length; slot++) {
        const bins = page[slot];
        if (!bins) continue;
        for (let bin = 0; bin < PAGE_BINS; bin++) {
          if (bins[bin] === 0) continue;
          this.put(Math.floor((number * PAGE_BINS + bin) / 2), slot, bins[bin]);
        }
      }
    }
  }
}

/** Spread an amount evenly over the columns between `from` and `to`. */
export function spread(
  out: Float32Array | Float64Array,
  offset: number,
  columns: number,
  from: number,
  to: number,
  amount: number,
): void {
  const column = Math.floor(from);
  // Fast path: most amounts lie within one column.
  if (to <= column + 1) {
    if (column >= 0 && column < columns) out[offset + column] += amount;
    return;
  }
  const each = amount / (to - from);
  for (let at = Math.max(0, column); at < to && at < columns; at++) {
    const part = Math.min(to, at + 1) - Math.max(from, at);
    out[offset + at] += part * each;
  }
}
