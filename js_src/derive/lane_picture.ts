// The pixel rows of many lanes, kept from frame to frame. Panning moves them and draws only
// what comes into view; new data redraw only the time they touch. After a change of scale,
// lanes are drawn roughly first if there is no time to draw them all.

import type { TaskModel } from "../model/tasks";
import type { TrackColours } from "./columns";
import { LaneRaster, type TimeWindow } from "./raster";

export interface LaneColours {
  compute: TrackColours;
  overlay: TrackColours;
}

/** Pixels of one lane. */
interface LaneRow {
  base: Uint32Array;
  strip: Uint32Array;
  hasBase: boolean;
  hasStrip: boolean;
  quality: Quality;
  /** Number of the last update that used it. */
  asked: number;
}

enum Quality {
  Stale,
  Rough,
  Fine,
}

/** Number of rows kept for lanes that are scrolled out of view. */
const SPARE_ROWS = 64;

/** Redraws of more than this share of the width respect the time budget. */
const LARGE_SHARE = 0.25;
/** Rounding may affect pixels up to this distance from a change. */
const EDGE_PX = 2;

export class LanePicture {
  /** What the rows show. Its start may differ from the request by half a pixel. */
  window: TimeWindow = { start: 0, secondsPerPixel: 1, width_px: 0 };
  version = 0;
  private readonly raster = new LaneRaster();
  private readonly rows = new Map<number, LaneRow>();
  private colours: LaneColours | null = null;
  private modelVersion = -1;
  private model: TaskModel | null = null;
  private updates = 0;
  /** Index of the lane to draw first. */
  private next = 0;
  /** The window of the kept pixels, if it differs from `window`. */
  private shown: TimeWindow | null = null;
  private scratch = new Uint32Array(0);

  /**
   * Update the rows of `lanes`. Takes about `budget_ms`, at most twice that, plus the time to
   * draw new lanes roughly. Returns false if some lanes are still rough: then call it again
   * in the next frame. Panning is cheap as long as the scale and the `colours` object stay
   * the same.
   */
  update(
    model: TaskModel,
    lanes: ArrayLike<number>,
    window: TimeWindow,
    colours: LaneColours,
    budget_ms: number,
  ): boolean {
    const until = performance.now() + budget_ms;
    const width = window.width_px;
    const scaled =
      model !== this.model ||
      colours !== this.colours ||
      width !== this.window.width_px ||
      !sameScale(window, this.window);
    const shift = scaled
      ? width
      : Math.round((window.start - this.window.start) / window.secondsPerPixel);
    if (Math.abs(shift) > width * LARGE_SHARE) {
      this.restart(model, window, colours);
    } else {
      this.catchUp(model);
      if (shift !== 0) this.move(model, shift);
    }
    const complete = this.refine(model, lanes, until, until + budget_ms);
    this.shown = null;
    return complete;
  }

  base(lane: number): Uint32Array | null {
    const row = this.rows.get(lane);
    return row?.hasBase ? row.base : null;
  }

  strip(lane: number): Uint32Array | null {
    const row = this.rows.get(lane);
    return row?.hasStrip ? row.strip : null;
  }

  /** Mark everything as stale; arrays of the same width are reused. */
  private restart(
    model: TaskModel,
    window: TimeWindow,
    colours: LaneColours,
  ): void {
    if (window.width_px !== this.window.width_px) {
      this.rows.clear();
      this.scratch = new Uint32Array(window.width_px);
    }
    const same = model === this.model && colours === this.colours;
    this.shown = same ? this.window : null;
    this.window = { ...window };
    this.colours = colours;
    this.model = model;
    this.modelVersion = model.version;
    for (const row of this.rows.values()) row.quality = Quality.Stale;
    this.version++;
  }

  private catchUp(model: TaskModel): void {
    const changed = model.changedSince(this.modelVersion);
    this.modelVersion = model.version;
    if (!changed) return;
    const { start, secondsPerPixel, width_px } = this.window;
    const from = (changed.start - start) / secondsPerPixel - EDGE_PX;
    const to = (changed.stop - start) / secondsPerPixel + EDGE_PX;
    const first = Math.max(0, Math.floor(from));
    const last = Math.min(width_px, Math.ceil(to));
    if (last <= first) return;
    const most = last - first > width_px * LARGE_SHARE;
    if (most) this.shown = this.window;
    for (const [lane, row] of this.rows) {
      if (most || row.asked !== this.updates || row.quality === Quality.Stale)
        row.quality = Quality.Stale;
      else this.drawPart(model, lane, row, first, last);
    }
    this.version++;
  }

  private move(model: TaskModel, shift: number): void {
    const { window } = this;
    const width = window.width_px;
    this.window = {
      ...window,
      start: window.start + shift * window.secondsPerPixel,
    };
    for (const [lane, row] of this.rows) {
      if (row.asked !== this.updates) row.quality = Quality.Stale;
      if (row.quality === Quality.Stale) continue;
      if (shift > 0) {
        row.base.copyWithin(0, shift);
        row.strip.copyWithin(0, shift);
        this.drawPart(model, lane, row, width - shift, width);
      } else {
        row.base.copyWithin(-shift, 0);
        row.strip.copyWithin(-shift, 0);
        this.drawPart(model, lane, row, 0, -shift);
      }
    }
    this.version++;
  }

  private drawPart(
    model: TaskModel,
    lane: number,
    row: LaneRow,
    from: number,
    to: number,
  ): void {
    const { raster, window } = this;
    const { compute, overlay } = this.colours!;
    const { base, strip } = row;
    // The buffer of an empty track still has the pixels of an older picture.
    if (!row.hasBase) base.fill(0);
    if (!row.hasStrip) strip.fill(0);
    if (raster.draw(model, lane, false, window, compute, base, from, to))
      row.hasBase = true;
    if (raster.draw(model, lane, true, window, overlay, strip, from, to))
      row.hasStrip = true;
  }

  /**
   * Draw lanes finely until time runs out, then roughly; if even that takes too long
   * (hundreds of lanes), stretch the old pixels. Starts where the last update stopped, so
   * that each lane gets its turn.
   */
  private refine(
    model: TaskModel,
    lanes: ArrayLike<number>,
    until: number,
    deadline: number,
  ): boolean {
    let late = -1;
    this.updates++;
    const begin = this.next < lanes.length ? this.next : 0;
    for (let n = 0; n < lanes.length; n++) {
      const i = (begin + n) % lanes.length;
      const lane = lanes[i];
      const row = this.rows.get(lane) ?? this.addRow(lane);
      const wasShown = row.asked === this.updates - 1;
      row.asked = this.updates;
      if (row.quality === Quality.Fine) continue;
      const now = performance.now();
      if (late < 0 && now > until) late = i;
      // Lanes that are already drawn roughly wait for their turn.
      if (late >= 0 && row.quality === Quality.Rough) continue;
      if (now > deadline && wasShown && this.shown) {
        this.stretch(row, this.shown);
      } else {
        this.drawAll(model, lane, row, late >= 0);
      }
      row.quality = late >= 0 ? Quality.Rough : Quality.Fine;
      this.version++;
    }
    this.next = Math.max(0, late);
    if (this.rows.size > lanes.length + SPARE_ROWS) {
      for (const [lane, row] of this.rows) {
        if (row.asked !== this.updates) this.rows.delete(lane);
      }
    }
    return late < 0;
  }

  /** Scale pixels of the previous window to the current one. */
  private stretch(row: LaneRow, shown: TimeWindow): void {
    const { start, secondsPerPixel, width_px } = this.window;
    const ratio = secondsPerPixel / shown.secondsPerPixel;
    const first = (start - shown.start) / shown.secondsPerPixel + ratio / 2;
    const before = this.scratch;
    for (const pixels of [row.base, row.strip]) {
      if (pixels === row.base ? !row.hasBase : !row.hasStrip) continue;
      before.set(pixels);
      for (let x = 0; x < width_px; x++) {
        const from = Math.floor(first + x * ratio);
        pixels[x] = from >= 0 && from < width_px ? before[from] : 0;
      }
    }
  }

  private addRow(lane: number): LaneRow {
    const row = {
      base: new Uint32Array(this.window.width_px),
      strip: new Uint32Array(this.window.width_px),
      hasBase: false,
      hasStrip: false,
      quality: Quality.Stale,
      asked: 0,
    };
    this.rows.set(lane, row);
    return row;
  }

  private drawAll(
    model: TaskModel,
    lane: number,
    row: LaneRow,
    rough: boolean,
  ): void {
    const { raster, window } = this;
    const to = window.width_px;
    const { compute, overlay } = this.colours!;
    const { base, strip } = row;
    // prettier-ignore
    row.hasBase = raster.draw(model, lane, false, window, compute, base, 0, to, rough);
    // prettier-ignore
    row.hasStrip = raster.draw(model, lane, true, window, overlay, strip, 0, to, rough);
  }
}

/** Whether a change of scale is invisible even at the far end of the window. */
function sameScale(a: TimeWindow, b: TimeWindow): boolean {
  const ratio = a.secondsPerPixel / b.secondsPerPixel;
  return Math.abs(ratio - 1) * a.width_px < 1e-3;
}
