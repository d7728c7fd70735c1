// A plot over time: its axes, and above it the crosshair and the focus that all panels
// share. The panel paints the content.

import { effect } from "@preact/signals";
import { mix, type Rgb, toCss } from "../base/colour";
import { decimalsFor, formatMoment } from "../base/format";
import type { Theme } from "../base/theme";
import { CanvasView } from "../render/canvas_view";
import { TextMeasure } from "../render/text";
import { labelsBetween, paintAxis, TickCache } from "./axis";
import { type Pointed, PlotGestures, type TimePanel } from "./gestures";
import type { Timeline } from "./timeline";
import type { ValueAxis } from "./value_axis";
import type { Range } from "./window";

export interface PlotArea {
  readonly context: CanvasRenderingContext2D;
  readonly theme: Theme;
  readonly pixelRatio: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly range: Range;
  /** X position of a time, in pixels from the left edge of the canvas. */
  readonly x: (time: number) => number;
  /** Y position of a value, in pixels from the upper edge of the canvas. */
  readonly y: (value: number) => number;
}

export interface TimePlotPanel extends TimePanel {
  /** Time under the pointer, in any panel. */
  readonly crosshair: { readonly value: number | null };
  /** The time in focus; the rest is shaded. */
  readonly selected: { readonly value: Range | null };
}

export interface Margins {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Pointer handlers that only some plots have; in CSS pixels of `hit`. */
export type PlotHandlers = Pick<
  Pointed,
  "hover" | "hovers" | "leave" | "click" | "scroll" | "refuse"
> & {
  /** Returns whether it was handled; if not, the plot fits the whole run. */
  readonly doubleClick?: (x_px: number, y_px: number) => boolean;
};

export interface TimePlotContent extends PlotHandlers {
  readonly origin: number;
  /** The current time of a live session; null if the run is over. */
  readonly present: number | null;
  readonly theme: Theme;
  /** Width of the value labels, if not the default. */
  readonly gutter_px?: number;
  /** Room above and beside the plot, for `over` to paint in. */
  readonly top_px?: number;
  readonly right_px?: number;
  /** Draw the axis above the plot, at the bottom of its top margin. */
  readonly above?: boolean;
  /** Exact margins; with them the axis also receives pointer events. */
  readonly margins?: Margins;
  /** The value axis; without it none is drawn. Called after `prepare`. */
  axis?(range: Range): ValueAxis;
  /** Called before the axes are drawn, with the plot's width in device pixels. */
  prepare?(width: number, range: Range): void;
  /** `columns`: x of the time ticks, in pixels from the left of the plot. */
  paint(area: PlotArea, columns: readonly number[]): void;
  /** Paints on top of everything, including the margins. */
  over?(area: PlotArea): void;
}

/** The small text size for which all other sizes are given: the host's default. */
const USUAL_TEXT_PX = 11;
const MARGINS_PX = { left: 56, bottom: 20, top: 7, right: 8 } as const;

const NO_VALUES: ValueAxis = { bottom: 0, top: 1, ticks: [] };

export class TimePlot implements Pointed {
  readonly view: CanvasView;
  /** Receives pointer events. */
  readonly hit: HTMLElement;
  /** DOM elements above the canvas that move with time. */
  readonly over: HTMLElement;
  private readonly timeline: Timeline;
  private content: TimePlotContent | null = null;
  private readonly measure: TextMeasure;
  private readonly ticks = new TickCache();
  private readonly columns: number[] = [];
  /** Left and right ends of the labels of an axis above the plot. */
  private readonly labels: number[] = [];
  private readonly crosshair: HTMLElement;
  private readonly tag: HTMLElement;
  private readonly cover: HTMLElement;
  private readonly brushed: HTMLElement;
  private readonly shades: readonly [HTMLElement, HTMLElement];
  private readonly gestures: PlotGestures;
  private readonly stops: readonly (() => void)[];
  private drawing = false;

  /** After a click outside of `inside`, the wheel scrolls the page again. */
  constructor(
    element: HTMLElement,
    readonly panel: TimePlotPanel,
    inside?: HTMLElement,
  ) {
    this.timeline = panel.timeline;
    this.view = new CanvasView(element, (_, now_ms) => this.draw(now_ms), {
      opaque: true,
    });
    this.measure = new TextMeasure(this.view.context);
    const part = (name: string, parent: HTMLElement): HTMLElement => {
      const made = document.createElement("div");
      made.className = name;
      parent.append(made);
      return made;
    };
    this.hit = part("ds-time-hit", element);
    this.hit.tabIndex = -1;
    this.over = part("ds-time-over", this.hit);
    this.shades = [
      part("ds-time-shade", this.over),
      part("ds-time-shade", this.over),
    ];
    this.brushed = part("ds-time-brush", this.over);
    this.crosshair = part("ds-time-crosshair", this.over);
    this.cover = part("ds-time-cover", this.hit);
    this.tag = part("ds-time-tag", this.hit);
    this.brushed.hidden = true;
    this.gestures = new PlotGestures(this.hit, this, inside);
    this.stops = [
      effect(() => {
        void this.timeline.shown.value;
        if (!this.drawing) this.timeline.redraw(this.view);
        this.gestures.pictureMoved();
      }),
      effect(() => {
        void this.timeline.anchor.value;
        this.hit.classList.toggle("ds-pans", !this.dragSelects());
      }),
      effect(() => this.placeCrosshair()),
      effect(() => this.shade()),
    ];
  }

  dispose(): void {
    for (const stop of this.stops) stop();
    this.gestures.dispose();
    this.view.dispose();
    this.hit.remove();
  }

  /** Sets the content. The caller must then request a redraw from the view. */
  show(content: TimePlotContent): void {
    this.content = content;
    const { left, bottom, top, right } = marginsOf(content);
    const inset = `${top}px ${right}px ${bottom}px ${left}px`;
    this.hit.style.inset = content.margins ? "0" : inset;
    this.over.style.inset = content.margins ? inset : "0";
  }

  timeAt(x_px: number): number {
    const [start, stop] = this.timeline.shown.peek();
    const share = Math.min(1, Math.max(0, x_px / this.hit.clientWidth));
    return start + share * (stop - start);
  }

  secondsPerCssPixel(): number {
    return this.timeline.window.width / Math.max(1, this.hit.clientWidth);
  }

  /** A drag selects while the whole run is shown: the window cannot move then. */
  dragSelects(): boolean {
    return this.timeline.window.isFixed;
  }

  isScrolled(): boolean {
    for (let at = this.hit.parentElement; at; at = at.parentElement) {
      const { overflowY } = getComputedStyle(at);
      const may = overflowY === "auto" || overflowY === "scroll";
      if (may && at.scrollHeight > at.clientHeight) return true;
    }
    return false;
  }

  brush(range: Range | null): void {
    this.brushed.hidden = range === null;
    if (!range) return;
    const [from, to] = [this.share(range[0]), this.share(range[1])];
    this.brushed.style.inset = `0 ${percent(1 - to)} 0 ${percent(from)}`;
  }

  /** Shows the whole run; if it is shown already, clears the selection. */
  doubleClick(x_px: number, y_px: number): void {
    if (this.content?.doubleClick?.(x_px, y_px)) return;
    if (this.dragSelects()) this.panel.select(null);
    else this.timeline.window.fit();
  }

  click(x_px: number, y_px: number): void {
    this.content?.click?.(x_px, y_px);
  }

  hover(x_px: number, y_px: number): void {
    this.content?.hover?.(x_px, y_px);
  }

  hovers(): boolean {
    return this.content?.hovers?.() ?? false;
  }

  leave(): void {
    this.content?.leave?.();
  }

  get scroll(): Pointed["scroll"] {
    return this.content?.scroll;
  }

  refuse(): void {
    this.content?.refuse?.();
  }

  /** Updates the hover when the picture moves under a resting pointer. */
  pictureMoved(): void {
    this.gestures.pictureMoved();
  }

  private placeCrosshair(): void {
    const { crosshair, tag, cover, content } = this;
    const { value: time } = this.panel.crosshair;
    const share = time === null ? NaN : this.share(time);
    crosshair.hidden = !(share >= 0 && share <= 1);
    tag.hidden = cover.hidden = crosshair.hidden || !content?.above;
    if (crosshair.hidden || time === null) return;
    crosshair.style.left = `${share * 100}%`;
    if (!content || tag.hidden) return;
    const { pixelRatio, width: whole } = this.view.size;
    const { left: gutter, top, right } = marginsOf(content);
    const width = whole / pixelRatio - gutter - right;
    const decimals = decimalsFor(this.secondsPerCssPixel());
    const text = formatMoment(time - content.origin, decimals);
    tag.textContent = text;
    const font_px = content.theme.small_px;
    this.measure.setFont(`${font_px * pixelRatio}px ${content.theme.font}`);
    const wide = this.measure.width(text) / pixelRatio + 2 * TAG_PADDING_PX;
    const most = Math.max(0, width - wide);
    const left = Math.min(Math.max(share * width - wide / 2, 0), most);
    const foot = content.margins ? top - AXIS_TAG_PX : -AXIS_TAG_PX;
    tag.style.transform = `translate(${Math.round(left)}px, ${foot}px)`;
    // Cover whole labels: half a label beside the tag would read as another time.
    const ends = [left * pixelRatio, (left + wide) * pixelRatio] as const;
    const covered = labelsBetween(this.labels, ...ends);
    cover.hidden = covered === null;
    if (!covered) return;
    const [from, to] = covered.map((x) => x / pixelRatio);
    cover.style.width = `${to - from + 2}px`;
    cover.style.transform = `translate(${from - 1}px, ${foot}px)`;
  }

  private shade(): void {
    const [left, right] = this.shades;
    const { value: time } = this.panel.selected;
    left.hidden = right.hidden = time === null;
    if (!time) return;
    left.style.inset = `0 ${percent(1 - this.share(time[0]))} 0 0`;
    right.style.inset = `0 0 0 ${percent(this.share(time[1]))}`;
  }

  /** Position in the window; 0 to 1 if inside. Reads a signal. */
  private share(time: number): number {
    const [start, stop] = this.timeline.shown.value;
    return (time - start) / (stop - start);
  }

  private draw(now_ms: number): void {
    this.drawing = true;
    this.timeline.frameAt(now_ms);
    this.drawing = false;
    if (this.content) this.picture(this.content);
  }

  private picture(content: TimePlotContent): void {
    const { context, size } = this.view;
    const { theme, origin, present } = content;
    const range = this.timeline.shown.peek();
    const { pixelRatio } = size;
    const margins = marginsOf(content);
    const left = Math.round(margins.left * pixelRatio);
    const top = Math.round(margins.top * pixelRatio);
    const width = Math.round(size.width - left - margins.right * pixelRatio);
    const height = Math.round(size.height - top - margins.bottom * pixelRatio);
    context.fillStyle = toCss(theme.panel);
    context.fillRect(0, 0, size.width, size.height);
    if (width <= 0 || height <= 0) return;
    content.prepare?.(width, range);
    const axis = content.axis?.(range) ?? NO_VALUES;
    const [start, stop] = range;
    const x = (time: number): number =>
      left + ((time - start) / (stop - start)) * width;
    const y = (value: number): number =>
      top + (1 - (value - axis.bottom) / (axis.top - axis.bottom)) * height;
    const line = Math.max(1, Math.round(pixelRatio));
    const font = `${theme.small_px * pixelRatio}px ${theme.font}`;
    this.measure.setFont(font);
    const width_px = width / pixelRatio;
    const { small_px } = theme;
    const ticks = this.timeline.window.hasExtent
      ? this.ticks.update(start, stop, width_px, origin, small_px)
      : [];

    const now = present === null ? NaN : Math.round(x(present));
    if (now < left + width) {
      const from = Math.max(left, now);
      context.fillStyle = toCss(theme.well);
      context.fillRect(from, top, left + width - from, height);
    }
    context.fillStyle = toCss(theme.grid);
    for (const tick of axis.ticks) {
      context.fillRect(left, Math.round(y(tick.value)), width, line);
    }
    if (now >= left && now < left + width) {
      context.fillStyle = toCss(theme.text2);
      context.fillRect(now, top, line, height);
    }
    this.columns.length = 0;
    for (const tick of ticks) {
      const column = Math.floor(x(tick.time)) - left;
      if (column >= 0 && column < width) this.columns.push(column);
    }
    context.save();
    context.beginPath();
    context.rect(left, top - line, width, height + 2 * line);
    context.clip();
    const area: PlotArea = {
      ...{ context, theme, pixelRatio, left, top, width, height, range, x, y },
    };
    content.paint(area, this.columns);
    context.restore();
    content.over?.(area);

    context.font = font;
    context.fillStyle = toCss(theme.text2);
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const tick of axis.ticks) {
      const at = tick.value - (tick.below ?? 0);
      context.fillText(tick.label, left - 6 * pixelRatio, y(at));
    }
    if (content.above) {
      paintAxis(area, this.measure, ticks, this.labels);
      return;
    }
    context.textBaseline = "alphabetic";
    context.textAlign = "left";
    for (const tick of ticks) {
      if (tick.time < start || tick.time > stop) continue;
      const half = this.measure.width(tick.label) / 2;
      const at = Math.min(
        Math.max(x(tick.time), left + half),
        size.width - half,
      );
      context.fillText(tick.label, at - half, size.height - 4 * pixelRatio);
    }
  }
}

/** Sizes of the tag with the time at the crosshair. */
const TAG_PADDING_PX = 7;
const AXIS_TAG_PX = 21;

/** Draws a dashed line where the data end, and shades the time after it. */
export function paintEnd(
  area: PlotArea,
  time: number,
  colour: Rgb,
  foot = area.top + area.height,
): void {
  const { context, theme, left, top, width, pixelRatio } = area;
  const x = Math.round(area.x(time));
  if (x > left + width) return;
  const from = Math.max(left, x);
  context.fillStyle = toCss(mix(theme.text, theme.panel, 0.04));
  context.fillRect(from, top, left + width - from, foot - top);
  if (x < left) return;
  context.strokeStyle = toCss(colour);
  context.lineWidth = 1.5 * pixelRatio;
  context.setLineDash([4 * pixelRatio, 3 * pixelRatio]);
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x, foot);
  context.stroke();
  context.setLineDash([]);
}

/** Marks a time without data, which could otherwise be mistaken for idle time. */
export function paintGap(
  area: PlotArea,
  start: number,
  stop: number,
  top: number,
  bottom: number,
): void {
  const { context, theme, left, width, pixelRatio, x } = area;
  const line = Math.max(1, Math.round(pixelRatio));
  const from = Math.max(left - line, Math.round(x(start)));
  const to = Math.min(left + width, Math.round(x(stop)));
  if (to < left || from > left + width) return;
  context.fillStyle = toCss(theme.text);
  context.globalAlpha = 0.05;
  context.fillRect(from, top, Math.max(line, to - from), bottom - top);
  context.globalAlpha = 0.4;
  const dash = 4 * pixelRatio;
  for (let y = top; y < bottom; y += 2 * dash) {
    context.fillRect(from, y, line, dash);
    context.fillRect(to - line, y, line, dash);
  }
  context.globalAlpha = 1;
}

/** Scales a size with the host's text size. */
export const withText = (px: number, { small_px }: Theme): number =>
  Math.round((px * small_px) / USUAL_TEXT_PX);

export const marginsOf = (
  content: Pick<
    TimePlotContent,
    "theme" | "gutter_px" | "top_px" | "right_px" | "above" | "margins"
  >,
): Margins => {
  const { theme, gutter_px, top_px, right_px, above, margins } = content;
  return (
    margins ?? {
      left: withText(gutter_px ?? MARGINS_PX.left, theme),
      bottom: above ? 0 : withText(MARGINS_PX.bottom, theme),
      top: withText(top_px ?? MARGINS_PX.top, theme),
      right:
        right_px === undefined ? MARGINS_PX.right : withText(right_px, theme),
    }
  );
};

const percent = (share: number): string =>
  `${Math.min(1, Math.max(0, share)) * 100}%`;
