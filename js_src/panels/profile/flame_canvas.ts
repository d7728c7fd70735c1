// Draws a flame graph on a canvas: rows of rectangles as wide as their samples, with as much
// of their name as fits. It must not know what its colours mean.

import {
  contrast,
  mix,
  parseColour,
  type Rgb,
  toCss,
  toPixel,
} from "../../base/colour";
import type { Theme } from "../../base/theme";
import { type Layout, visible } from "../../derive/profile_layout";
import type { Tree } from "../../derive/profile_tree";
import { CanvasView } from "../../render/canvas_view";
import { PixelRows } from "../../render/pixel_rows";
import { shorten, TextMeasure } from "../../render/text";
import type { Frames } from "./frames";

/** How nodes of one colour are drawn. */
export interface Look {
  readonly fill: string | CanvasPattern;
  /** `fill` without a pattern, as a CSS colour and as a pixel value. */
  readonly css: string;
  readonly pixel: number;
  readonly text: string;
  /** Colour of the detail beside the name. */
  readonly text2: string;
}

export interface FlamePicture {
  readonly tree: Tree;
  readonly layout: Layout;
  readonly frames: Frames;
  /** Index into `looks`, by node. */
  readonly paints: Uint8Array;
  readonly looks: readonly Look[];
  readonly theme: Theme;
  /** Height of a row in CSS pixels. */
  readonly row_px: number;
  /** Text beside the name of a node; may be empty. */
  readonly detailOf: (node: number) => string;
  /** Callees are above their callers: the first row is at the bottom. */
  readonly flipped: boolean;
  /** Rows before this one are not drawn. */
  readonly firstRow: number;
  /** Outlined nodes; -1 for none. */
  readonly hovered: number;
  readonly chosen: number;
}

export type Window = readonly [from: number, to: number];

const GAP_PX = 1;
const PADDING_PX = 4;
/** Narrower rectangles have no room for text. */
const LEAST_TEXT_PX = 18;
/** Narrower rectangles are drawn without a pattern. */
const LEAST_PATTERN_PX = 6;
const BESIDE_PX = 7;
const ZOOM_MS = 120;

export class FlameCanvas {
  readonly view: CanvasView;
  private picture: FlamePicture | null = null;
  private readonly measure: TextMeasure;
  /** The shown range in samples, with start and end of its animation. */
  private window: Window = [0, 1];
  private from: Window = [0, 1];
  private target: Window = [0, 1];
  private began_ms = -1;
  /** Vertical scroll position in CSS pixels. */
  scroll = 0;
  /** The row being drawn; reused, so that a frame allocates nothing. */
  private readonly row = {
    ...{ top: 0, height: 0, gap: 1, scale: 1 },
    picture: null as unknown as FlamePicture,
  };
  private look = -1;
  /** Nodes without text are drawn as pixels, since a million rectangles would be too slow. */
  private readonly pixels = new PixelRows();
  private line = new Uint32Array(0);
  /** Nodes drawn as rectangles over the pixels, as triples: first, end (exclusive), row. */
  private readonly wide: number[] = [];

  constructor(element: HTMLElement) {
    this.view = new CanvasView(element, (_, now_ms) => this.draw(now_ms), {
      opaque: true,
    });
    this.measure = new TextMeasure(this.view.context);
  }

  dispose(): void {
    this.view.dispose();
  }

  show(picture: FlamePicture, window: Window, moves: boolean): void {
    const before = this.picture?.layout.x1[0];
    this.picture = picture;
    // Do not animate between graphs of different samples: positions do not correspond.
    if (!moves || picture.layout.x1[0] !== before) {
      this.window = this.target = window;
      this.began_ms = -1;
    } else if (window[0] !== this.target[0] || window[1] !== this.target[1]) {
      this.from = this.window;
      this.target = window;
      this.began_ms = 0;
    }
    this.view.request();
  }

  /** The node at a position in CSS pixels from the element's corner; -1 for none. */
  nodeAt(x_px: number, y_px: number): number {
    const { picture, window } = this;
    if (!picture) return -1;
    const { layout, row_px, firstRow, flipped } = picture;
    const height = this.view.size.height / this.view.size.pixelRatio;
    const y = flipped ? height - y_px + this.scroll : y_px + this.scroll;
    const row = Math.floor(y / row_px) + firstRow;
    const width = this.view.size.width / this.view.size.pixelRatio;
    const [from, to] = window;
    const x = from + (x_px / width) * (to - from);
    let node = -1;
    if (y < 0) return node;
    visible(
      layout,
      row,
      { from: x, to: x + (to - from) * 1e-9, least: 0 },
      (first) => {
        node = layout.nodes[first];
      },
    );
    return node;
  }

  /** The box of a node, in CSS pixels from the element's corner. */
  boxOf(node: number): { left: number; top: number; width: number } {
    const { picture, window } = this;
    if (!picture) return { left: 0, top: 0, width: 0 };
    const { layout, row_px, firstRow, flipped } = picture;
    const { size } = this.view;
    const [from, to] = window;
    const scale = size.width / size.pixelRatio / (to - from);
    const left = Math.max(0, (layout.x0[node] - from) * scale);
    const right = Math.min(
      size.width / size.pixelRatio,
      (layout.x1[node] - from) * scale,
    );
    const y = (picture.tree.depth[node] - firstRow) * row_px - this.scroll;
    const height = size.height / size.pixelRatio;
    const top = flipped ? height - y - row_px : y;
    return { left, top, width: right - left };
  }

  private advance(now_ms: number): void {
    if (this.began_ms < 0) return;
    if (this.began_ms === 0) this.began_ms = now_ms;
    const share = Math.min(1, (now_ms - this.began_ms) / ZOOM_MS);
    const eased = 1 - (1 - share) ** 3;
    const [a, b] = this.from;
    const [c, d] = this.target;
    this.window = [a + (c - a) * eased, b + (d - b) * eased];
    if (share < 1) {
      this.view.request();
      return;
    }
    this.window = this.target;
    this.began_ms = -1;
  }

  private draw(now_ms: number): void {
    const { picture } = this;
    const { context, size } = this.view;
    if (!picture) return;
    this.advance(now_ms);
    const { layout, theme, firstRow, flipped } = picture;
    const { width, height, pixelRatio } = size;
    if (width < 1 || height < 1) return;
    this.resize(width, height);
    this.pixels.clear(toPixel(theme.panel));
    this.wide.length = 0;
    const pitch = picture.row_px * pixelRatio;
    const font_px = picture.row_px < 20 ? theme.small_px - 1 : theme.small_px;
    const font = `${font_px * pixelRatio}px ${theme.font}`;
    this.measure.setFont(font);
    context.font = font;
    context.textAlign = "left";
    const scroll = this.scroll * pixelRatio;
    const first = Math.max(0, Math.floor(scroll / pitch));
    const last = Math.min(
      layout.rows.length - 2 - firstRow,
      Math.floor((scroll + height) / pitch),
    );
    const gap = Math.max(1, Math.round(GAP_PX * pixelRatio));
    const [from, to] = this.window;
    const scale = width / (to - from);
    const place = (row: number): void => {
      const y = row * pitch - scroll;
      const top = Math.round(flipped ? height - y - pitch : y);
      const bottom = Math.round(flipped ? height - y : y + pitch);
      Object.assign(this.row, { picture, top, gap, scale });
      this.row.height = bottom - top - gap;
    };
    for (let row = first; row <= last; row++) {
      place(row);
      this.line.fill(0);
      const kept = this.wide.length;
      const window = { from, to, least: 1 / scale };
      visible(layout, row + firstRow, window, this.drawNarrow);
      for (let at = kept + 2; at < this.wide.length; at += 3) {
        this.wide[at] = row;
      }
      this.pixels.row(this.row.top, this.row.height, this.line, null);
    }
    this.pixels.put(context);
    this.look = -1;
    context.textBaseline = "middle";
    for (let at = 0; at < this.wide.length; at += 3) {
      if (at === 0 || this.wide[at + 2] !== this.wide[at - 1]) {
        place(this.wide[at + 2]);
      }
      this.drawWide(this.wide[at], this.wide[at + 1]);
    }
    this.outline(picture, picture.hovered, toCss(theme.text), 1.5, 0);
    this.outline(picture, picture.chosen, toCss(theme.brand), 2, 1);
  }

  private resize(width: number, height: number): void {
    const { pixels } = this;
    if (pixels.width === width && pixels.height === height) return;
    pixels.resize(
      width,
      height,
      this.view.context.createImageData(width, height),
    );
    this.line = new Uint32Array(width);
  }

  /** Left edge in device pixels. */
  private leftOf(first: number): number {
    const { x0, nodes } = this.row.picture.layout;
    return Math.max(
      0,
      Math.round((x0[nodes[first]] - this.window[0]) * this.row.scale),
    );
  }

  private roomOf(end: number, left: number): number {
    const { x1, nodes } = this.row.picture.layout;
    const stop = (x1[nodes[end - 1]] - this.window[0]) * this.row.scale;
    return Math.max(1, Math.round(Math.min(this.view.size.width, stop)) - left);
  }

  /** Draws one narrow node, or all nodes of one pixel; defers others to `drawWide`. */
  private readonly drawNarrow = (first: number, end: number): void => {
    const { picture, gap } = this.row;
    const left = this.leftOf(first);
    const room = this.roomOf(end, left);
    const { pixelRatio } = this.view.size;
    const { fill, css, pixel } =
      picture.looks[picture.paints[picture.layout.nodes[first]]];
    const patterned = fill !== css && room >= LEAST_PATTERN_PX * pixelRatio;
    if (patterned || room >= LEAST_TEXT_PX * pixelRatio) {
      this.wide.push(first, end, 0);
      return;
    }
    this.line.fill(pixel, left, left + (room > 3 * gap ? room - gap : room));
  };

  private drawWide(first: number, end: number): void {
    const { picture, top, height, gap } = this.row;
    const { paints, looks, tree, frames } = picture;
    const { context, size } = this.view;
    const { pixelRatio } = size;
    const node = picture.layout.nodes[first];
    const left = this.leftOf(first);
    const room = this.roomOf(end, left);
    if (paints[node] !== this.look) {
      this.look = paints[node];
      context.fillStyle = looks[this.look].fill;
    }
    context.fillRect(left, top, room > 3 * gap ? room - gap : room, height);
    if (room < LEAST_TEXT_PX * pixelRatio) return;
    const padding = PADDING_PX * pixelRatio;
    const inside = room - gap - 2 * padding;
    const name = frames.nameOf(tree.frame[node]);
    const shown = shorten(name, inside, this.measure);
    if (shown === "") return;
    const { text, text2 } = looks[this.look];
    this.look = -1;
    const middle = top + height / 2 + pixelRatio / 2;
    context.fillStyle = text;
    context.fillText(shown, left + padding, middle);
    const detail = shown === name ? picture.detailOf(node) : "";
    if (detail === "") return;
    const begin = this.measure.width(name) + BESIDE_PX * pixelRatio;
    if (begin + this.measure.width(detail) > inside) return;
    context.fillStyle = text2;
    context.fillText(detail, left + padding + begin, middle);
  }

  private outline(
    picture: FlamePicture,
    node: number,
    colour: string,
    thick_px: number,
    gap_px: number,
  ): void {
    const { layout, row_px, firstRow } = picture;
    if (node < 0 || picture.tree.depth[node] < firstRow) return;
    const [from, to] = this.window;
    if (layout.x1[node] <= from || layout.x0[node] >= to) return;
    const { left, top, width } = this.boxOf(node);
    const { context, size } = this.view;
    const { pixelRatio: ratio } = size;
    const thick = thick_px * ratio;
    const inset = thick / 2;
    if (gap_px > 0) {
      context.lineWidth = gap_px * ratio;
      context.strokeStyle = toCss(picture.theme.panel);
      const within = thick + (gap_px * ratio) / 2;
      this.frame(left, top, width, row_px, within);
    }
    context.lineWidth = thick;
    context.strokeStyle = colour;
    this.frame(left, top, width, row_px, inset);
  }

  private frame(
    left: number,
    top: number,
    width: number,
    height: number,
    inset: number,
  ): void {
    const { context, size } = this.view;
    const ratio = size.pixelRatio;
    context.strokeRect(
      left * ratio + inset,
      top * ratio + inset,
      Math.max(1, (width - GAP_PX) * ratio - 2 * inset),
      (height - GAP_PX) * ratio - 2 * inset,
    );
  }
}

/** The detail beside a name has less contrast, but stays readable. */
const QUIET = 0.7;
const READABLE = 4.5;

/** Chooses the text colour: that of the theme or, if unreadable, black or white. */
export function lookOf(
  colour: string,
  theme: Theme,
  /** Opacity of `colour` over the panel. */
  share = 1,
): Look {
  const fill = mix(parseColour(colour) ?? theme.panel, theme.panel, share);
  const text = textColour(fill, theme);
  const quiet = mix(text, fill, QUIET);
  const text2 = contrast(quiet, fill) >= READABLE ? quiet : text;
  const css = toCss(fill);
  const pixel = toPixel(fill);
  return { fill: css, css, pixel, text: toCss(text), text2: toCss(text2) };
}

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

function textColour(fill: Rgb, { text }: Theme): Rgb {
  if (contrast(fill, text) >= READABLE) return text;
  return contrast(fill, WHITE) >= READABLE ? WHITE : BLACK;
}
