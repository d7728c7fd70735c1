// What lies over the picture and moves with the pointer: the crosshair with its
// time, outlines of the task under it and of the pinned one, the brush.

import { textOn, toCss } from "../../base/colour";
import { formatMoment } from "../../base/format";
import type { Theme } from "../../base/theme";
import type { Interval } from "../../model/types";
import { labelsBetween, TICK_PX } from "../../timeline/axis";
import type { PlotRows } from "./geometry";
import type { LaneMap, Box } from "./lane_map";
import { tint } from "../../panel/pixel_colours";

export interface OverlayPicture {
  readonly context: CanvasRenderingContext2D;
  readonly theme: Theme;
  readonly width: number;
  readonly height: number;
  readonly pixelRatio: number;
  readonly rows: PlotRows;
  /** Left and right ends of the labels on the axis. */
  readonly tickLabels: readonly number[];
  readonly start: number;
  readonly secondsPerPixel: number;
  readonly origin: number;
  readonly crosshair: number | null;
  readonly decimals: number;
  readonly brush: readonly [number, number] | null;
  readonly focus: readonly [number, number] | null;
  readonly hover: Interval | null;
  readonly hoverOverlay: boolean;
  readonly pinned: Interval | null;
  /** Where the picture ends, and why: paused, lost. */
  readonly end: { readonly time: number; readonly colour: string } | null;
  /** How far the lanes are scrolled, where they do not fit. */
  readonly scroll: LaneMap;
  boxOf(row: Interval, overlay: boolean, into: Box): Box | null;
}

const box: Box = { x: 0, y: 0, width: 0, height: 0 };

export function paintOverlay(picture: OverlayPicture): void {
  const { context, width, height, theme, pixelRatio, rows } = picture;
  context.clearRect(0, 0, width, height);
  const xOf = (time: number): number =>
    (time - picture.start) / picture.secondsPerPixel;
  const top = rows.axis * pixelRatio;

  if (picture.focus) shadeOutside(picture, xOf, top);
  if (picture.brush) paintBrush(picture, xOf, top);
  if (picture.end) paintEnd(picture, xOf(picture.end.time), top);

  context.save();
  context.beginPath();
  context.rect(0, rows.lanesTop * pixelRatio - 5, width, height);
  context.clip();
  if (picture.hover) {
    const place = picture.boxOf(picture.hover, picture.hoverOverlay, box);
    if (place) outline(picture, place, toCss(theme.text), 1.5, 0);
  }
  if (picture.pinned) {
    const place = picture.boxOf(picture.pinned, false, box);
    if (place) {
      // A gap of background between the task and its ring.
      outline(picture, place, toCss(theme.panel), 1.5, 0);
      outline(picture, place, toCss(theme.brand), 2, 1.5);
    }
  }
  context.restore();
  if (picture.scroll.mostScroll > 0) paintScroll(picture);
  if (picture.crosshair !== null) {
    paintCrosshair(picture, xOf(picture.crosshair), picture.crosshair);
  }
}

function outline(
  picture: OverlayPicture,
  place: Box,
  colour: string,
  width: number,
  gap: number,
): void {
  const { context, pixelRatio } = picture;
  const line = width * pixelRatio;
  const out = gap * pixelRatio + line / 2;
  context.strokeStyle = colour;
  context.lineWidth = line;
  context.strokeRect(
    place.x - out,
    place.y - out,
    place.width + 2 * out,
    place.height + 2 * out,
  );
}

/** How much of the lanes is seen; the gutter and Alt+wheel move them. */
function paintScroll(picture: OverlayPicture): void {
  const { context, width, theme, pixelRatio, scroll } = picture;
  const wide = 4 * pixelRatio;
  const share = scroll.height / scroll.layout.contentHeight;
  const top = picture.rows.lanesTop * pixelRatio;
  context.fillStyle = toCss(theme.text2);
  context.globalAlpha = 0.6;
  context.beginPath();
  context.roundRect(
    width - wide - 2 * pixelRatio,
    top + scroll.scroll * share,
    wide,
    Math.max(20 * pixelRatio, scroll.height * share),
    wide / 2,
  );
  context.fill();
  context.globalAlpha = 1;
}

function shadeOutside(
  picture: OverlayPicture,
  xOf: (time: number) => number,
  top: number,
): void {
  const { context, width, height, theme, focus } = picture;
  if (!focus) return;
  const left = xOf(focus[0]);
  const right = xOf(focus[1]);
  context.fillStyle = toCss(theme.panel);
  context.globalAlpha = 0.66;
  if (left > 1) context.fillRect(0, top, left, height - top);
  if (right < width - 1) {
    context.fillRect(right, top, width - right, height - top);
  }
  context.globalAlpha = 1;
}

function paintBrush(
  picture: OverlayPicture,
  xOf: (time: number) => number,
  top: number,
): void {
  const { context, height, theme, brush, pixelRatio } = picture;
  if (!brush) return;
  const left = Math.round(xOf(Math.min(...brush)));
  const right = Math.round(xOf(Math.max(...brush)));
  context.fillStyle = toCss(theme.brand);
  context.globalAlpha = 0.16;
  context.fillRect(left, top, right - left, height - top);
  context.globalAlpha = 1;
  const line = Math.max(1, Math.round(pixelRatio));
  context.fillRect(left, top, line, height - top);
  context.fillRect(right - line, top, line, height - top);
}

function paintEnd(picture: OverlayPicture, x: number, top: number): void {
  const { context, width, height, theme, end, pixelRatio } = picture;
  if (!end || x > width) return;
  const from = Math.max(0, x);
  context.fillStyle = tint(theme.text, theme, 0.04);
  context.fillRect(from, top, width - from, height - top);
  if (x < 0) return;
  context.strokeStyle = end.colour;
  context.lineWidth = 1.5 * pixelRatio;
  context.setLineDash([4 * pixelRatio, 3 * pixelRatio]);
  context.beginPath();
  context.moveTo(Math.round(x), top);
  context.lineTo(Math.round(x), height);
  context.stroke();
  context.setLineDash([]);
}

function paintCrosshair(
  picture: OverlayPicture,
  x: number,
  time: number,
): void {
  const { context, width, height, theme, pixelRatio, rows } = picture;
  if (x < 0 || x > width) return;
  const top = rows.axis * pixelRatio;
  const line = Math.max(1, Math.round(pixelRatio));
  context.fillStyle = toCss(theme.text);
  context.globalAlpha = 0.55;
  context.fillRect(Math.floor(x), top, line, height - top);
  context.globalAlpha = 1;
  const label = formatMoment(time - picture.origin, picture.decimals);
  context.font = `${rows.font * pixelRatio}px ${theme.font}`;
  const wide = context.measureText(label).width + 14 * pixelRatio;
  const left = Math.round(Math.min(Math.max(x - wide / 2, 0), width - wide));
  const tall = (rows.font + 7) * pixelRatio;
  // Half a label beside the tag reads as another time: cover it whole.
  const covered = labelsBetween(picture.tickLabels, left, left + wide);
  if (covered) {
    context.fillStyle = toCss(theme.panel);
    const bottom = top - (TICK_PX + 1) * pixelRatio;
    context.fillRect(covered[0] - 1, 0, covered[1] - covered[0] + 2, bottom);
  }
  context.fillStyle = toCss(theme.text);
  context.beginPath();
  context.roundRect(left, 2 * pixelRatio, wide, tall, 2 * pixelRatio);
  context.fill();
  context.fillStyle = textOn(theme.text);
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.fillText(label, left + 7 * pixelRatio, 2 * pixelRatio + tall / 2);
}
