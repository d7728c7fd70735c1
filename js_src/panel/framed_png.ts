// A picture of a plot with its surroundings, such as title and legend. On the page these are
// DOM elements; in a file they must be drawn.

import { toCss } from "../base/colour";
import { formatExact } from "../base/format";
import type { Theme } from "../base/theme";
import { shorten, TextMeasure } from "../render/text";
import { type LegendEntry, legendLines } from "./legend";
import { type Fact, factWords, fitFacts } from "./status_line";

export interface Framed {
  readonly title: string;
  /** Text beside the title: session, time, filters. */
  readonly about: readonly string[];
  readonly legend: {
    readonly entries: readonly LegendEntry[];
    readonly isolated: ReadonlySet<string>;
  };
  readonly facts: readonly Fact[];
  readonly theme: Theme;
  readonly font_px: number;
  readonly pixelRatio: number;
  /** Stacked vertically, with a gutter at the left. */
  readonly canvases: readonly {
    readonly canvas: HTMLCanvasElement;
    /** Parent of the elements above the canvas; `seen` selects those to draw. */
    readonly over: HTMLElement;
    readonly seen: string;
    readonly below_px: number;
  }[];
  readonly gutter_px: number;
  /** Names in the gutter of the last canvas, in CSS pixels from its top. */
  readonly names: {
    readonly top: number;
    readonly bottom: number;
    readonly all: readonly { readonly text: string; readonly middle: number }[];
  };
}

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

export function framedPng(framed: Framed): HTMLCanvasElement {
  const { theme, pixelRatio: ratio, canvases, names, legend } = framed;
  // Canvases are copied pixel by pixel, so they need whole device pixels.
  const whole = (css_px: number): number => Math.round(css_px * ratio) / ratio;
  const gutter = whole(framed.gutter_px);
  const widest = Math.max(...canvases.map(({ canvas }) => canvas.width));
  const width = gutter + widest / ratio;
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser offers no 2D canvas.");
  const measure = new TextMeasure(context);
  const font = (weight: string): void => {
    const wanted = `${weight} ${framed.font_px}px ${theme.font}`.trim();
    measure.setFont(wanted);
    context.font = wanted;
  };
  font("");
  const nameOf = ({ name }: LegendEntry): string =>
    shorten(name || "(no name)", LONGEST_NAME_PX, measure);
  const widthOf = (entry: LegendEntry): number =>
    SQUARE_PX + BESIDE_SQUARE_PX + BETWEEN_PX + measure.width(nameOf(entry));
  const room = width - 2 * PADDING_PX;
  const { lines, rest } = legendLines(legend.entries, widthOf, room, REST_PX);
  const top = whole(TITLE_PX + lines.length * LEGEND_LINE_PX + 6);
  const places: number[] = [];
  let foot = top;
  for (const one of canvases) {
    places.push(foot);
    foot += whole(one.canvas.height / ratio + one.below_px);
  }
  const height = whole(foot + STATUS_PX);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.scale(ratio, ratio);
  context.imageSmoothingEnabled = false;
  context.textBaseline = "middle";
  context.fillStyle = toCss(theme.panel);
  context.fillRect(0, 0, width, height);

  const write = (text: string, x: number, y: number, colour = theme.text) => {
    context.fillStyle = toCss(colour);
    context.fillText(text, x, y);
  };
  const line = (words: readonly string[], x: number, middle: number): void => {
    const text = shorten(words.join(" · "), width - x - PADDING_PX, measure);
    write(text, x, middle, theme.text2);
  };
  font("600");
  write(framed.title, PADDING_PX, TITLE_PX / 2);
  const beside = PADDING_PX + measure.width(framed.title) + 10;
  font("");
  line(framed.about, beside, TITLE_PX / 2);

  let x = 0;
  lines.forEach((entries, at) => {
    x = PADDING_PX;
    const middle = TITLE_PX + (at + 0.5) * LEGEND_LINE_PX;
    for (const entry of entries) {
      const { isolated } = legend;
      const dimmed = isolated.size > 0 && !isolated.has(entry.id);
      context.globalAlpha = dimmed ? DIMMED : 1;
      context.fillStyle = entry.colour;
      context.fillRect(x, middle - SQUARE_PX / 2, SQUARE_PX, SQUARE_PX);
      write(nameOf(entry), x + SQUARE_PX + BESIDE_SQUARE_PX, middle);
      x += widthOf(entry);
    }
  });
  context.globalAlpha = 1;
  if (rest > 0) {
    const middle = TITLE_PX + (lines.length - 0.5) * LEGEND_LINE_PX;
    write(`+${formatExact(rest)} more`, x, middle, theme.text2);
  }

  const last = places[places.length - 1];
  context.save();
  context.beginPath();
  context.rect(0, last + names.top, gutter, names.bottom - names.top);
  context.clip();
  for (const { text, middle } of names.all) {
    const name = shorten(text, gutter - 16, measure);
    write(name, PADDING_PX, last + middle);
  }
  context.restore();

  const { shown } = fitFacts(framed.facts, room, (text) => measure.width(text));
  const facts = shown.map(({ fact, text }) => factWords(fact, text));
  line(facts, PADDING_PX, height - STATUS_PX / 2);
  canvases.forEach(({ canvas: source, over, seen }, at) => {
    const size = [source.width / ratio, source.height / ratio] as const;
    context.drawImage(source, gutter, places[at], ...size);
    drawOver(context, theme, over, seen, gutter, places[at]);
  });
  return canvas;
}

/** Draws the DOM elements above a canvas. */
function drawOver(
  context: CanvasRenderingContext2D,
  { brand }: Theme,
  over: HTMLElement,
  selector: string,
  left: number,
  top: number,
): void {
  const from = over.getBoundingClientRect();
  context.save();
  context.beginPath();
  context.rect(left, top, from.width, from.height);
  context.clip();
  context.strokeStyle = toCss(brand);
  context.lineWidth = 1.5;
  for (const one of over.querySelectorAll<HTMLElement>(selector)) {
    if (one.hidden || one.style.display === "none") continue;
    const { backgroundColor, opacity } = getComputedStyle(one);
    const { x, y, width, height } = one.getBoundingClientRect();
    const place = [left + x - from.x, top + y - from.y, width, height] as const;
    context.globalAlpha = Number(opacity);
    context.fillStyle = backgroundColor;
    context.fillRect(...place);
    // An element without background is drawn as a frame.
    if (/, 0\)$|transparent/.test(backgroundColor))
      context.strokeRect(...place);
  }
  context.restore();
}
