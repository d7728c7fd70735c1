// Draws the lanes: rows of pixels from the raster, names where they fit.

import { LabelList, placeLabels, type NameWidths } from "../../derive/labels";
import { LanePicture } from "../../derive/lane_picture";
import type { TimeWindow } from "../../derive/raster";
import type { TaskModel } from "../../model/tasks";
import { PixelRows } from "../../render/pixel_rows";
import { shorten, TextMeasure } from "../../render/text";
import type { LaneMap } from "./lane_map";
import type { PixelColours } from "../../panel/pixel_colours";

export interface LanesPicture {
  readonly model: TaskModel;
  readonly map: LaneMap;
  readonly window: TimeWindow;
  /** It shows the time of the picture before. */
  readonly still: boolean;
  readonly paints: PixelColours;
  readonly prefixes: readonly string[];
  readonly grid: Iterable<number>;
  /** Columns from here on are not drawn: the panel is paused. */
  readonly limit_px: number;
  mayLabel(prefix: number): boolean;
  readonly font: string;
  readonly labelHeight_px: number;
  readonly pixelRatio: number;
  readonly background: string;
}

/**
 * Time for drawing lanes finely; drawing them roughly may take as long again. What is
 * left of 16.7 ms is for putting the picture together and for the browser itself.
 */
const PAINT_MS = 4;
/** While nothing moves, such as after a choice, no frame is missed: drawn once, not twice. */
const STILL_MS = 12;
const LEAST_CHARACTERS = 5;
const LONGEST_NAME = 200;

class MeasuredNames implements NameWidths {
  picture: LanesPicture | null = null;

  constructor(private readonly measure: TextMeasure) {}

  whole(prefix: number): number {
    const name = this.nameOf(prefix);
    if (name === null || name.length > LONGEST_NAME) return Infinity;
    return this.measure.width(name);
  }

  least(prefix: number): number {
    const name = this.nameOf(prefix);
    if (name === null) return Infinity;
    if (name.length <= LEAST_CHARACTERS + 1) return this.measure.width(name);
    return this.measure.width(this.measure.cut(name, LEAST_CHARACTERS));
  }

  private nameOf(prefix: number): string | null {
    if (!this.picture?.mayLabel(prefix)) return null;
    return this.picture.prefixes[prefix] ?? null;
  }
}

export class LanesPainter {
  private readonly picture = new LanePicture();
  private readonly rows = new PixelRows();
  private readonly labels = new LabelList();
  private readonly measure: TextMeasure;
  private readonly visible: number[] = [];
  private readonly names: MeasuredNames;

  constructor(private readonly context: CanvasRenderingContext2D) {
    this.measure = new TextMeasure(context);
    this.names = new MeasuredNames(this.measure);
  }

  resize(width: number, height: number): void {
    if (this.rows.width === width && this.rows.height === height) return;
    if (width < 1 || height < 1) {
      this.rows.resize(0, 0);
      return;
    }
    const image = this.context.createImageData(width, height);
    this.rows.resize(width, height, image);
  }

  /**
   * Draws with the top of the lanes at `top` device pixels. Returns false when
   * some lanes are drawn roughly: then call again in the next frame.
   */
  paint(picture: LanesPicture, top: number): boolean {
    const { rows, visible } = this;
    const { map, model, paints } = picture;
    if (rows.width === 0 || rows.height === 0) return true;
    const { layout } = map;
    visible.length = 0;
    for (let at = 0; at < map.shown.length; at++) {
      const y = map.topOf(at);
      if (y > rows.height) break;
      const lane = map.shown[at];
      if (lane >= 0 && y + layout.height >= 0) visible.push(lane);
    }
    const fine = this.picture.update(
      model,
      visible,
      picture.window,
      paints,
      picture.still ? STILL_MS : PAINT_MS,
    );
    rows.clear(paints.background, picture.grid, paints.grid);
    for (let at = 1; at < layout.groups.length; at++) {
      const above = layout.groups[at - 1].bottom;
      const between = layout.groups[at].top - above;
      if (between < 3) continue;
      rows.rule(Math.round(above + between / 2 - map.scroll), paints.rule);
    }
    this.labels.clear();
    const named = layout.height >= picture.labelHeight_px;
    for (const lane of visible) {
      const base = this.picture.base(lane);
      const strip = this.picture.strip(lane);
      const y = Math.round(map.topOf(map.positionOf(lane)));
      if (base || strip) rows.row(y, layout.height, base, strip);
      if (named && base) this.place(picture, lane);
    }
    rows.put(this.context, 0, top);
    if (this.labels.count > 0) this.write(picture, top);
    if (picture.limit_px < rows.width) {
      const from = Math.max(0, picture.limit_px);
      this.context.fillStyle = picture.background;
      this.context.fillRect(from, top, rows.width - from, rows.height);
    }
    return fine;
  }

  private place(picture: LanesPicture, lane: number): void {
    this.measure.setFont(picture.font);
    this.names.picture = picture;
    placeLabels(
      picture.model,
      lane,
      picture.window,
      this.names,
      picture.pixelRatio,
      this.labels,
    );
  }

  private write(picture: LanesPicture, top: number): void {
    const { context, labels, rows } = this;
    const { map, paints, prefixes } = picture;
    context.save();
    context.beginPath();
    context.rect(0, top, rows.width, rows.height);
    context.clip();
    context.font = picture.font;
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (let at = 0; at < labels.count; at++) {
      const prefix = labels.prefix[at];
      const position = map.positionOf(labels.lane[at]);
      context.fillStyle =
        labels.erred[at] === 1
          ? paints.erredLabel
          : (paints.labels[prefix] ?? "#000000");
      context.fillText(
        shorten(prefixes[prefix] ?? "", labels.room[at], this.measure),
        Math.round(labels.x[at]),
        top + map.topOf(position) + map.layout.height / 2,
      );
    }
    context.restore();
  }
}
