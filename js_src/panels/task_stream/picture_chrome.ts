// What is around the plot of an exported picture: on the screen it is made of
// elements, in a file it has to be drawn.

import { toCss } from "../../base/colour";
import { formatExact } from "../../base/format";
import type { Theme } from "../../base/theme";
import { shorten, TextMeasure } from "../../render/text";
import { factWords, fitFacts } from "../../panel/status_line";
import { bandsOf } from "./bands";
import type { PlotRows } from "./geometry";
import type { LaneMap } from "./lane_map";
import type { LegendEntry } from "./legend_entries";
import { legendLines, type PictureLegend } from "./picture_legend";
import type { PictureWords } from "./picture_words";

const TITLE = "Task stream";
const PADDING_PX = 12;
const TITLE_PX = 32;
const LEGEND_LINE_PX = 20;
const STATUS_PX = 26;
const SQUARE_PX = 10;
const BESIDE_SQUARE_PX = 6;
const BETWEEN_PX = 16;
const REST_PX = 80;
const LONGEST_NAME_PX = 200;
const DIMMED = 0.35;
/** Of the background, as on the screen. */
const SHADE = 0.66;

export interface PictureParts {
  readonly width: number;
  /** Of overview and plot together. */
  readonly stageHeight: number;
  readonly overviewHeight: number;
  readonly gutter: number;
  readonly pixelRatio: number;
  readonly theme: Theme;
  readonly rows: PlotRows;
  readonly entries: readonly LegendEntry[];
  /** Ids of entries; empty means that all are shown. */
  readonly isolated: ReadonlySet<string>;
  readonly map: LaneMap;
  readonly words: PictureWords;
}

export interface PictureChrome {
  readonly canvas: HTMLCanvasElement;
  /** Where the overview begins, in pixels of the canvas. */
  readonly stageTop: number;
}

export function drawChrome(parts: PictureParts): PictureChrome {
  const { pixelRatio: ratio, width } = parts;
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser offers no 2D canvas.");
  const measure = new TextMeasure(context);
  const pen = new Pen(context, measure, parts);
  pen.font("");
  const legend = legendLines(
    parts.entries,
    (entry) => pen.widthOf(entry),
    width - 2 * PADDING_PX * ratio,
    REST_PX * ratio,
  );
  const legend_px = legend.lines.length * LEGEND_LINE_PX + 6;
  const stageTop = Math.round((TITLE_PX + legend_px) * ratio);
  canvas.width = width;
  canvas.height = stageTop + parts.stageHeight + Math.round(STATUS_PX * ratio);
  context.textBaseline = "middle";
  pen.title();
  pen.legend(legend);
  pen.workers(stageTop + parts.overviewHeight);
  pen.status(canvas.height - (STATUS_PX / 2) * ratio);
  return { canvas, stageTop };
}

/** The window over the overview: what it does not show is pale. */
export function drawWindow(
  size: { readonly width: number; readonly height: number },
  [left, right]: readonly [number, number],
  theme: Theme,
): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = size.width;
  canvas.height = size.height;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser offers no 2D canvas.");
  context.globalAlpha = SHADE;
  context.fillStyle = toCss(theme.panel);
  context.fillRect(0, 0, left, size.height);
  context.fillRect(right, 0, size.width - right, size.height);
  context.globalAlpha = 1;
  context.strokeStyle = toCss(theme.brand);
  context.strokeRect(left + 0.5, 0.5, right - left - 1, size.height - 1);
  return canvas;
}

class Pen {
  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly measure: TextMeasure,
    private readonly parts: PictureParts,
  ) {}

  font(weight: string): void {
    const { rows, theme, pixelRatio } = this.parts;
    const font = `${weight} ${(rows.font + 1) * pixelRatio}px ${theme.font}`;
    this.measure.setFont(font.trim());
    this.context.font = font.trim();
  }

  widthOf(entry: LegendEntry): number {
    const around = SQUARE_PX + BESIDE_SQUARE_PX + BETWEEN_PX;
    const { pixelRatio } = this.parts;
    return around * pixelRatio + this.measure.width(this.nameOf(entry));
  }

  title(): void {
    const { pixelRatio: ratio, theme, words } = this.parts;
    this.font("600");
    const middle = (TITLE_PX / 2) * ratio;
    const x = PADDING_PX * ratio;
    this.text(TITLE, x, middle, toCss(theme.text));
    const beside = x + this.measure.width(TITLE) + 10 * ratio;
    this.font("");
    this.line(words.about, beside, middle);
  }

  legend({ lines, rest }: PictureLegend): void {
    const { pixelRatio: ratio, theme, isolated } = this.parts;
    const square = SQUARE_PX * ratio;
    let x = 0;
    lines.forEach((line, at) => {
      x = PADDING_PX * ratio;
      const middle = (TITLE_PX + (at + 0.5) * LEGEND_LINE_PX) * ratio;
      for (const entry of line) {
        const dimmed = isolated.size > 0 && !isolated.has(entry.id);
        this.context.globalAlpha = dimmed ? DIMMED : 1;
        this.context.fillStyle = entry.colour;
        this.context.fillRect(x, middle - square / 2, square, square);
        const left = x + square + BESIDE_SQUARE_PX * ratio;
        this.text(this.nameOf(entry), left, middle, toCss(theme.text));
        x += this.widthOf(entry);
      }
    });
    this.context.globalAlpha = 1;
    if (rest === 0) return;
    const middle = (TITLE_PX + (lines.length - 0.5) * LEGEND_LINE_PX) * ratio;
    this.text(`+${formatExact(rest)} more`, x, middle, toCss(theme.text2));
  }

  /** Names beside the lanes that can be seen; the stage begins at `top`. */
  workers(top: number): void {
    const { map, rows, gutter, pixelRatio: ratio, theme } = this.parts;
    const { context } = this;
    const lanesTop = top + rows.lanesTop * ratio;
    context.save();
    context.beginPath();
    context.rect(0, lanesTop, gutter, map.height);
    context.clip();
    for (const band of bandsOf(map, ratio, rows.line)) {
      const name = shorten(band.group.name, gutter - 16 * ratio, this.measure);
      const middle = lanesTop + (band.top + rows.line / 2) * ratio;
      this.text(name, PADDING_PX * ratio, middle, toCss(theme.text));
    }
    context.restore();
  }

  status(middle: number): void {
    const { width, pixelRatio: ratio, words } = this.parts;
    const { shown } = fitFacts(
      words.facts,
      width / ratio - 2 * PADDING_PX,
      (text) => this.measure.width(text) / ratio,
    );
    const texts = shown.map(({ fact, text }) => factWords(fact, text));
    this.line(texts, PADDING_PX * ratio, middle);
  }

  private line(words: readonly string[], x: number, middle: number): void {
    const { width, pixelRatio, theme } = this.parts;
    const room = width - x - PADDING_PX * pixelRatio;
    const text = shorten(words.join(" · "), room, this.measure);
    this.text(text, x, middle, toCss(theme.text2));
  }

  private text(text: string, x: number, y: number, colour: string): void {
    this.context.fillStyle = colour;
    this.context.fillText(text, x, y);
  }

  private nameOf({ name }: LegendEntry): string {
    const longest = LONGEST_NAME_PX * this.parts.pixelRatio;
    return shorten(name || "(no name)", longest, this.measure);
  }
}
