// A chart over the time of the run: axes on a canvas, and over it, as elements, what
// moves with the pointer: crosshair, brush, and the shade beside the time in focus.
// What lies between the axes is painted by whoever makes it.

import { toCss } from "../base/colour";
import type { Theme } from "../base/theme";
import { timeTicks } from "../derive/ticks";
import { CanvasView } from "../render/canvas_view";
import { TextMeasure } from "../render/text";
import type { Range } from "./panel_view";
import type { ValueAxis } from "./value_axis";

/** Where to paint, in pixels of the device. */
export interface PlotArea {
  readonly context: CanvasRenderingContext2D;
  readonly theme: Theme;
  readonly pixelRatio: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly range: Range;
  /** Pixels from the left edge of the canvas, of a time. */
  readonly x: (time: number) => number;
  /** Pixels from the upper edge of the canvas, of a value. */
  readonly y: (value: number) => number;
}

export interface TimePlotContent {
  readonly range: Range;
  readonly origin: number;
  /** Later times are still to come; null where none is. */
  readonly present: number | null;
  readonly theme: Theme;
  /** Room for the labels of values, where it is not the usual one. */
  readonly gutter_px?: number;
  /** Asked for after `prepare`, so that it may depend on what is shown. */
  axis(): ValueAxis;
  /** Before the axes are drawn, with the width of the plot in device pixels. */
  prepare?(width: number): void;
  paint(area: PlotArea): void;
}

export interface TimePlotHands {
  /** Time under the pointer; null when it has left. */
  onPoint(time: number | null): void;
  /** A stretch was marked; null: the mark was taken back. */
  onBrush(range: Range | null): void;
}

/** The host's small text where nobody changed it: sizes are of a plot with that. */
const USUAL_TEXT_PX = 11;
const MARGINS_PX = { left: 56, bottom: 20, top: 7 } as const;
const RIGHT_PX = 8;
/** Less than this is a click. */
const DRAG_PX = 4;

export class TimePlot {
  readonly view: CanvasView;
  private content: TimePlotContent | null = null;
  private readonly measure: TextMeasure;
  private readonly hit: HTMLElement;
  private readonly crosshair: HTMLElement;
  private readonly brush: HTMLElement;
  private readonly shades: readonly [HTMLElement, HTMLElement];
  private readonly abort = new AbortController();
  private from: number | null = null;
  private moved = false;

  constructor(
    element: HTMLElement,
    private readonly hands: TimePlotHands,
  ) {
    this.view = new CanvasView(element, () => this.draw(), { opaque: true });
    this.measure = new TextMeasure(this.view.context);
    const part = (name: string, parent: HTMLElement): HTMLElement => {
      const made = document.createElement("div");
      made.className = name;
      parent.append(made);
      return made;
    };
    this.hit = part("ds-time-hit", element);
    this.shades = [
      part("ds-time-shade", this.hit),
      part("ds-time-shade", this.hit),
    ];
    this.brush = part("ds-time-brush", this.hit);
    this.crosshair = part("ds-time-crosshair", this.hit);
    for (const one of [...this.shades, this.brush, this.crosshair]) {
      one.hidden = true;
    }
    this.listen();
  }

  dispose(): void {
    this.abort.abort();
    this.view.dispose();
    this.hit.remove();
  }

  /** What it draws from now on; who calls it asks the view for a picture. */
  show(content: TimePlotContent): void {
    this.content = content;
    const { left, bottom, top } = marginsOf(content);
    this.hit.style.inset = `${top}px ${RIGHT_PX}px ${bottom}px ${left}px`;
  }

  /** Puts the crosshair at a time of any panel; null: nowhere. */
  point(time: number | null): void {
    const share = time === null ? NaN : this.share(time);
    this.crosshair.hidden = !(share >= 0 && share <= 1);
    if (!this.crosshair.hidden) {
      this.crosshair.style.left = `${share * 100}%`;
    }
  }

  /** Shades what is not in focus. */
  shade(time: Range | null): void {
    const [left, right] = this.shades;
    left.hidden = right.hidden = time === null;
    if (!time) return;
    const [from, to] = [this.share(time[0]), this.share(time[1])];
    left.style.inset = `0 ${percent(1 - from)} 0 0`;
    right.style.inset = `0 0 0 ${percent(to)}`;
  }

  /** Between 0 and 1 where it is on the plot. */
  private share(time: number): number {
    const range = this.content?.range;
    return range ? (time - range[0]) / (range[1] - range[0]) : NaN;
  }

  private timeAt(event: PointerEvent): number | null {
    const range = this.content?.range;
    const box = this.hit.getBoundingClientRect();
    if (!range || box.width === 0) return null;
    const share = (event.clientX - box.left) / box.width;
    return range[0] + Math.min(1, Math.max(0, share)) * (range[1] - range[0]);
  }

  private listen(): void {
    const { signal } = this.abort;
    const on = (
      type: "pointerdown" | "pointermove" | "pointerup" | "pointercancel",
      run: (event: PointerEvent) => void,
    ): void => this.hit.addEventListener(type, run, { signal });
    on("pointerdown", (event) => {
      if (event.button !== 0 || event.pointerType === "touch") return;
      this.hit.setPointerCapture(event.pointerId);
      this.from = this.timeAt(event);
      this.moved = false;
      event.preventDefault();
    });
    on("pointermove", (event) => {
      const time = this.timeAt(event);
      this.hands.onPoint(time);
      if (this.from === null || time === null) return;
      const px = Math.abs(
        (this.share(time) - this.share(this.from)) * this.hit.clientWidth,
      );
      this.moved ||= px >= DRAG_PX;
      this.brush.hidden = !this.moved;
      const [left, right] = inOrder(this.from, time);
      this.brush.style.inset = `0 ${percent(1 - this.share(right))} 0 ${percent(this.share(left))}`;
    });
    on("pointerup", (event) => {
      const time = this.timeAt(event);
      const { from } = this;
      this.letGo();
      if (from !== null && time !== null && this.moved) {
        this.hands.onBrush(inOrder(from, time));
      }
    });
    on("pointercancel", () => this.letGo());
    this.hit.addEventListener("pointerleave", () => this.hands.onPoint(null), {
      signal,
    });
    this.hit.addEventListener("dblclick", () => this.hands.onBrush(null), {
      signal,
    });
  }

  private letGo(): void {
    this.from = null;
    this.brush.hidden = true;
  }

  private draw(): void {
    const { content } = this;
    const { context, size } = this.view;
    if (!content) return;
    const { theme, range, origin, present } = content;
    const { pixelRatio } = size;
    const margins = marginsOf(content);
    const left = Math.round(margins.left * pixelRatio);
    const top = Math.round(margins.top * pixelRatio);
    const width = Math.round(size.width - left - RIGHT_PX * pixelRatio);
    const height = Math.round(size.height - top - margins.bottom * pixelRatio);
    context.fillStyle = toCss(theme.panel);
    context.fillRect(0, 0, size.width, size.height);
    if (width <= 0 || height <= 0) return;
    content.prepare?.(width);
    const axis = content.axis();
    const [start, stop] = range;
    const x = (time: number): number =>
      left + ((time - start) / (stop - start)) * width;
    const y = (value: number): number =>
      top + (1 - (value - axis.bottom) / (axis.top - axis.bottom)) * height;
    const line = Math.max(1, Math.round(pixelRatio));
    const font = `${theme.small_px * pixelRatio}px ${theme.font}`;
    this.measure.setFont(font);

    const now = present === null ? NaN : Math.round(x(present));
    if (now < left + width) {
      context.fillStyle = toCss(theme.well);
      context.fillRect(now, top, left + width - now, height);
    }
    context.fillStyle = toCss(theme.grid);
    for (const tick of axis.ticks) {
      context.fillRect(left, Math.round(y(tick.value)), width, line);
    }
    if (now < left + width) {
      context.fillStyle = toCss(theme.text2);
      context.fillRect(now, top, line, height);
    }
    context.save();
    context.beginPath();
    context.rect(left, top - line, width, height + 2 * line);
    context.clip();
    content.paint({
      ...{ context, theme, pixelRatio, left, top, width, height, range, x, y },
    });
    context.restore();

    context.font = font;
    context.fillStyle = toCss(theme.text2);
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const tick of axis.ticks) {
      const at = tick.value - (tick.below ?? 0);
      context.fillText(tick.label, left - 6 * pixelRatio, y(at));
    }
    context.textBaseline = "alphabetic";
    context.textAlign = "left";
    const width_px = width / pixelRatio;
    const ticks = timeTicks(start, stop, width_px, origin, theme.small_px);
    for (const tick of ticks.ticks) {
      const half = this.measure.width(tick.label) / 2;
      const at = Math.min(
        Math.max(x(tick.time), left + half),
        size.width - half,
      );
      context.fillText(tick.label, at - half, size.height - 4 * pixelRatio);
    }
  }
}

/** As large as the text of the host makes it. */
export const withText = (px: number, { small_px }: Theme): number =>
  Math.round((px * small_px) / USUAL_TEXT_PX);

/** Room for the labels of the axes. */
const marginsOf = ({ theme, gutter_px }: TimePlotContent) => ({
  left: withText(gutter_px ?? MARGINS_PX.left, theme),
  bottom: withText(MARGINS_PX.bottom, theme),
  top: withText(MARGINS_PX.top, theme),
});

const percent = (share: number): string =>
  `${Math.min(1, Math.max(0, share)) * 100}%`;

const inOrder = (one: number, other: number): Range =>
  one < other ? [one, other] : [other, one];
