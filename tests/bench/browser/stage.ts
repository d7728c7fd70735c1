// The lanes of a task stream and nothing around them: what model, derive and render
// cost, without the panel. Wheel zooms, dragging pans.

import { LanePicture } from "../../../js_src/derive/lane_picture";
import { LabelList, placeLabels } from "../../../js_src/derive/labels";
import { layOutLanes, type LaneLayout } from "../../../js_src/derive/layout";
import type { TimeWindow } from "../../../js_src/derive/raster";
import { timeTicks } from "../../../js_src/derive/ticks";
import type { TaskModel } from "../../../js_src/model/tasks";
import { CanvasView } from "../../../js_src/render/canvas_view";
import { PixelRows } from "../../../js_src/render/pixel_rows";
import { TextMeasure } from "../../../js_src/render/text";

const COLOURS = [
  0x75c9cd, 0x02654c, 0x86b687, 0x63873c, 0x695b01, 0xebd065, 0xe5a55d,
  0xde735a, 0xa13649, 0x945f79, 0xaa76bb, 0x552083,
].map((colour) => (colour | 0xff000000) >>> 0);
const ACTIONS = [0, 0x3d26d7, 0x1e87e8, 0x1e87e8, 0x9a9a9a].map(
  (colour) => (colour | 0xff000000) >>> 0,
);
const WHITE = 0xffffffff;
/** Time that drawing may take of a frame of 16.7 ms. */
const BUDGET_MS = 5;

function colours(paints: number[]) {
  return {
    paints: Uint32Array.from(paints),
    other: 0xff888888,
    erred: 0xff111111,
    rest: 0x40808080,
  };
}

export class Stage {
  readonly view: CanvasView;
  /** Milliseconds that each picture took on the main thread. */
  readonly work_ms: number[] = [];
  private readonly picture = new LanePicture();
  private readonly rows = new PixelRows();
  private readonly labels = new LabelList();
  private readonly measure: TextMeasure;
  private readonly colours = {
    compute: colours(COLOURS),
    overlay: colours(ACTIONS),
  };
  private window: TimeWindow = { start: 0, secondsPerPixel: 1, width_px: 1 };
  private layout: LaneLayout = layOutLanes([], 1);
  private follow = true;

  constructor(
    element: HTMLElement,
    private readonly model: TaskModel,
  ) {
    this.view = new CanvasView(element, () => this.draw(), { opaque: true });
    this.measure = new TextMeasure(this.view.context);
    element.addEventListener("wheel", (event) => this.zoom(event), {
      passive: false,
    });
    element.addEventListener("pointermove", (event) => this.pan(event));
    this.fit();
  }

  fit(): void {
    this.follow = true;
    this.view.request();
  }

  private zoom(event: WheelEvent): void {
    event.preventDefault();
    this.follow = false;
    const factor = Math.exp(event.deltaY / 400);
    const { window } = this;
    const time = window.start + event.offsetX * window.secondsPerPixel;
    window.secondsPerPixel *= factor;
    window.start = time - event.offsetX * window.secondsPerPixel;
    this.view.request();
  }

  private pan(event: PointerEvent): void {
    if (event.buttons === 0) return;
    this.follow = false;
    this.window.start -= event.movementX * this.window.secondsPerPixel;
    this.view.request();
  }

  private draw(): void {
    const began = performance.now();
    const { model, view, rows, picture, window } = this;
    const { width, height } = view.size;
    if (rows.width !== width || rows.height !== height) {
      rows.resize(width, height, view.context.createImageData(width, height));
      window.width_px = width;
    }
    const lanes = model.laneCount;
    if (this.layout.lanes.length !== lanes) {
      const workers = Array.from({ length: lanes }, (_, i) => `w${i >> 3}`);
      this.layout = layOutLanes(workers, height);
    }
    const extent = model.extent();
    if (this.follow && extent) {
      const { secondsPerPixel } = window;
      const seconds = extent.stop - extent.start;
      // As a live panel does it: a new scale when a tenth has been added.
      if (
        seconds / secondsPerPixel > width ||
        seconds * 1.2 < secondsPerPixel * width
      ) {
        window.secondsPerPixel = (seconds * 1.1) / width;
      }
      window.start = extent.start;
    }
    const fine = picture.update(
      model,
      this.layout.lanes,
      window,
      this.colours,
      BUDGET_MS,
    );
    this.paint(extent?.start ?? 0);
    this.work_ms.push(performance.now() - began);
    if (!fine) view.request();
  }

  private paint(origin: number): void {
    const { rows, layout, picture, view, labels } = this;
    const { window } = picture;
    const stop = window.start + window.width_px * window.secondsPerPixel;
    const ticks = timeTicks(window.start, stop, window.width_px, origin).ticks;
    const grid = ticks.map((tick) =>
      Math.floor((tick.time - window.start) / window.secondsPerPixel),
    );
    rows.clear(WHITE, grid, 0xffe0e0e0);
    labels.clear();
    this.measure.setFont("11px sans-serif");
    for (let i = 0; i < layout.lanes.length; i++) {
      const lane = layout.lanes[i];
      const base = picture.base(lane);
      rows.row(layout.top[i], layout.height, base, picture.strip(lane));
      if (layout.height < 12 || !base) continue;
      const widthOf = (prefix: number) => this.measure.width(nameOf(prefix));
      placeLabels(this.model, lane, window, widthOf, 1, labels);
    }
    const { context } = view;
    rows.put(context);
    context.textBaseline = "middle";
    context.fillStyle = "#000";
    for (let i = 0; i < labels.count; i++) {
      const y = layout.top[labels.lane[i]] + layout.height / 2;
      context.fillText(nameOf(labels.prefix[i]), labels.x[i], y);
    }
    for (const tick of ticks) {
      const x = (tick.time - window.start) / window.secondsPerPixel;
      context.fillText(tick.label, x, view.size.height - 8);
    }
  }
}

const names = Array.from({ length: 16 }, (_, prefix) => `groupby-${prefix}`);

function nameOf(prefix: number): string {
  return names[prefix] ?? "";
}
