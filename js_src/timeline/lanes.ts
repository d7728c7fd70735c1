// Lanes of intervals in a plot over time, in groups. Each lane is a row of pixels; if they
// do not all fit, they scroll. In device pixels.

import { toCss } from "../base/colour";
import { laneAt, layOutLanes, type LaneLayout } from "../derive/layout";
import { PixelRows, STRIP_SHARE } from "../render/pixel_rows";
import type { PlotArea } from "./time_plot";

export interface LaneGroup {
  /** Lane numbers; -1 for a lane without intervals. */
  readonly lanes: readonly number[];
}

export class LaneMap<G extends LaneGroup> {
  layout: LaneLayout = layOutLanes([], 1);
  /** Lane number by position; -1 for a lane without intervals. */
  shown = new Int32Array(0);
  groups: readonly G[] = [];
  scroll = 0;
  height = 0;
  private pixelRatio = 1;
  private most_px = 0;
  private readonly positions = new Map<number, number>();

  /** Returns whether any lane moved. `most_px`: maximum height of a lane. */
  update(
    groups: readonly G[],
    height: number,
    pixelRatio: number,
    most_px: number,
  ): boolean {
    if (
      groups === this.groups &&
      height === this.height &&
      pixelRatio === this.pixelRatio &&
      most_px === this.most_px
    ) {
      return false;
    }
    this.groups = groups;
    this.height = height;
    this.pixelRatio = pixelRatio;
    this.most_px = most_px;
    const shown = groups.flatMap(({ lanes }) => lanes);
    this.shown = Int32Array.from(shown);
    this.positions.clear();
    shown.forEach((lane, at) => {
      if (lane >= 0) this.positions.set(lane, at);
    });
    this.layout = layOutLanes(
      groups.map(({ lanes }) => lanes.length),
      Math.max(1, height),
      pixelRatio,
      most_px,
    );
    this.scrollBy(0);
    return true;
  }

  get mostScroll(): number {
    return Math.max(0, this.layout.contentHeight - this.height);
  }

  scrollBy(pixels: number): boolean {
    const before = this.scroll;
    this.scroll = Math.min(Math.max(before + pixels, 0), this.mostScroll);
    return this.scroll !== before;
  }

  /** Position of the lane at `y` below the top of the lanes, or -1. */
  positionAt(y: number): number {
    return laneAt(this.layout, y + this.scroll);
  }

  topOf(position: number): number {
    return (this.layout.top[position] ?? 0) - this.scroll;
  }

  /** The position of a lane; -1 when it is not shown. */
  positionOf(lane: number): number {
    return this.positions.get(lane) ?? -1;
  }

  reveal(lane: number): void {
    const position = this.positionOf(lane);
    if (position < 0) return;
    const top = this.topOf(position);
    const room = this.layout.height * 2;
    if (top < 0) this.scrollBy(top - room);
    const over = top + this.layout.height - this.height;
    if (over > 0) this.scrollBy(over + room);
  }
}

/** The lanes of a group, in CSS pixels below the top of all lanes. */
export interface Band<G> {
  readonly group: G;
  readonly top: number;
  readonly height: number;
  /** Position of the line above the group; null for the first. */
  readonly rule: number | null;
}

/** A name this far above the top edge is still partly visible. */
const ABOVE_PX = 20;
/** A narrower gap between two groups has no room for a rule. */
const LEAST_GAP_PX = 3;

/** Visible bands that have room for a name. */
export function bandsOf<G extends LaneGroup>(
  map: LaneMap<G>,
  pixelRatio: number,
  line_px: number,
): Band<G>[] {
  const bands: Band<G>[] = [];
  let free = -Infinity;
  map.groups.forEach((group, at) => {
    const place = map.layout.groups[at];
    if (!place) return;
    const top = (place.top - map.scroll) / pixelRatio;
    const height = (place.bottom - place.top) / pixelRatio;
    const isSeen = top + height > -ABOVE_PX && top < map.height / pixelRatio;
    if (!isSeen || top < free) return;
    const above = ruleAbove(map, at);
    const rule = above === null ? null : above / pixelRatio;
    bands.push({ group, top, height, rule });
    free = top + line_px;
  });
  return bands;
}

function ruleAbove<G extends LaneGroup>(
  { layout, scroll }: LaneMap<G>,
  group: number,
): number | null {
  const above = layout.groups[group - 1]?.bottom ?? NaN;
  const between = layout.groups[group].top - above;
  if (!(between >= LEAST_GAP_PX)) return null;
  return Math.round(above + between / 2 - scroll);
}

/** The pixels of lanes; null where a lane has nothing. */
export interface LanePixels {
  base(lane: number): Uint32Array | null;
  /** Drawn at the bottom of the lane. */
  strip(lane: number): Uint32Array | null;
}

interface LaneColours {
  readonly background: number;
  readonly grid: number;
  readonly rule: number;
}

/** A place in a lane. */
export interface Spot {
  readonly lane: number;
  readonly time: number;
  /** Whether it is in the part of the lane where strips are drawn. */
  readonly inStrip: boolean;
  /** Top of the lane, in CSS pixels of the plot. */
  readonly top: number;
  readonly height: number;
}

/** In CSS pixels of the plot. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const OUTSIDE_PX = 10;
/** Rounding errors must not count as a new scale: panning then reuses drawn pixels. */
const SAME_SCALE = 1e-7;

export class Lanes<G extends LaneGroup> {
  readonly map = new LaneMap<G>();
  /** The time range of the current picture. */
  readonly window = { start: 0, secondsPerPixel: 1, width_px: 1 };
  /** Whether the previous picture showed the same time. */
  sameTime = false;
  top = 0;
  pixelRatio = 1;
  private readonly rows = new PixelRows();

  /** Sets time range and size; returns whether any lane moved. */
  place(
    [start, stop]: readonly [number, number],
    size: {
      readonly top: number;
      readonly width: number;
      readonly height: number;
      readonly pixelRatio: number;
    },
    groups: readonly G[],
    most_px: number,
  ): boolean {
    const { window } = this;
    const scale = (stop - start) / Math.max(1, size.width);
    const same = window.secondsPerPixel === scale;
    this.sameTime = same && start === window.start;
    window.start = start;
    window.width_px = size.width;
    if (Math.abs(scale - window.secondsPerPixel) > scale * SAME_SCALE) {
      window.secondsPerPixel = scale;
    }
    this.top = size.top;
    this.pixelRatio = size.pixelRatio;
    return this.map.update(groups, size.height, size.pixelRatio, most_px);
  }

  /** Collects the visible lanes that have intervals. */
  visible(into: number[]): void {
    const { map } = this;
    into.length = 0;
    for (let at = 0; at < map.shown.length; at++) {
      const y = map.topOf(at);
      if (y > map.height) break;
      const lane = map.shown[at];
      if (lane >= 0 && y + map.layout.height >= 0) into.push(lane);
    }
  }

  paint(
    context: CanvasRenderingContext2D,
    lanes: readonly number[],
    pixels: LanePixels,
    colours: LaneColours,
    columns: readonly number[],
  ): void {
    const { map, rows, top } = this;
    this.resize(context);
    if (rows.width === 0 || rows.height === 0) return;
    rows.clear(colours.background, columns, colours.grid);
    for (let at = 1; at < map.groups.length; at++) {
      const rule = ruleAbove(map, at);
      if (rule !== null) rows.rule(rule, colours.rule);
    }
    for (const lane of lanes) {
      const [base, strip] = [pixels.base(lane), pixels.strip(lane)];
      const y = Math.round(map.topOf(map.positionOf(lane)));
      if (base || strip) rows.row(y, map.layout.height, base, strip);
    }
    rows.put(context, 0, top);
  }

  /** Draws the scrollbar. */
  paintScroll({
    context,
    theme,
    left,
    width,
    pixelRatio,
  }: Pick<
    PlotArea,
    "context" | "theme" | "left" | "width" | "pixelRatio"
  >): void {
    const { map, top } = this;
    if (map.mostScroll === 0) return;
    const wide = 4 * pixelRatio;
    const share = map.height / map.layout.contentHeight;
    const x = left + width - wide - 2 * pixelRatio;
    const tall = Math.max(20 * pixelRatio, map.height * share);
    context.fillStyle = toCss(theme.text2);
    context.globalAlpha = 0.6;
    context.beginPath();
    context.roundRect(x, top + map.scroll * share, wide, tall, wide / 2);
    context.fill();
    context.globalAlpha = 1;
  }

  private resize(context: CanvasRenderingContext2D): void {
    const [width, height] = [this.window.width_px, this.map.height];
    const { rows } = this;
    if (rows.width === width && rows.height === height) return;
    if (width < 1 || height < 1) rows.resize(0, 0);
    else rows.resize(width, height, context.createImageData(width, height));
  }

  spotAt(x_px: number, y_px: number): Spot | null {
    const { map, window, pixelRatio, top } = this;
    const y = y_px * pixelRatio - top;
    const position = y < 0 ? -1 : map.positionAt(y);
    const lane = map.shown[position];
    if (lane === undefined || lane < 0) return null;
    const { height } = map.layout;
    const laneTop = map.topOf(position);
    return {
      lane,
      time: window.start + x_px * pixelRatio * window.secondsPerPixel,
      inStrip: (y - laneTop) / height > 1 - STRIP_SHARE,
      top: (top + laneTop) / pixelRatio,
      height: height / pixelRatio,
    };
  }

  /** The box of an interval; null off the screen. */
  boxOf(
    {
      lane,
      start,
      duration,
    }: { lane: number; start: number; duration: number },
    isStrip: boolean,
  ): Box | null {
    const { map, window, pixelRatio } = this;
    const position = map.positionOf(lane);
    if (position < 0) return null;
    const left = (start - window.start) / window.secondsPerPixel;
    const right = left + Math.max(0, duration) / window.secondsPerPixel;
    if (right < -2 || left > window.width_px + 2) return null;
    const { height } = map.layout;
    const part = isStrip
      ? Math.max(1, Math.round(height * STRIP_SHARE))
      : height;
    const from = Math.max(Math.round(left), -OUTSIDE_PX);
    const to = Math.min(
      Math.max(Math.round(right), from + 1),
      window.width_px + OUTSIDE_PX,
    );
    return {
      left: from / pixelRatio,
      top: (this.top + map.topOf(position) + height - part) / pixelRatio,
      width: (to - from) / pixelRatio,
      height: part / pixelRatio,
    };
  }
}

/** Room above the lanes for the outline of the first one. */
const RING_PX = 5;

/** Outlines around the hovered and the chosen interval. */
export class LaneOutlines {
  private readonly element = document.createElement("div");
  private readonly hovered = document.createElement("div");
  private readonly chosen = document.createElement("div");
  private top = 0;

  constructor(parent: HTMLElement) {
    this.element.className = "ds-lane-outlines";
    this.hovered.className = "ds-lane-hovered";
    this.chosen.className = "ds-lane-chosen";
    this.element.append(this.hovered, this.chosen);
    parent.append(this.element);
    this.hover(null);
    this.choose(null);
  }

  /** `lanesTop`: top of the lanes, in CSS pixels of the parent. */
  place(lanesTop: number): void {
    this.top = lanesTop - RING_PX;
    this.element.style.top = `${this.top}px`;
  }

  hover(box: Box | null): void {
    this.put(this.hovered, box);
  }

  choose(box: Box | null): void {
    this.put(this.chosen, box);
  }

  private put({ style }: HTMLElement, box: Box | null): void {
    style.display = box ? "" : "none";
    if (!box) return;
    const { left, top, width, height } = box;
    style.transform = `translate(${left}px, ${top - this.top}px)`;
    style.width = `${width}px`;
    style.height = `${height}px`;
  }
}
