// What is around the plot of an exported picture: on the screen it is made of elements, in a
// file it has to be drawn.

import {
  type LegendEntry,
  legendLines,
  type PictureLegend,
} from "../../panel/legend";
import { viewLegend } from "./legend";
import type { TaskPlot } from "./plot";
import { toCss } from "../../base/colour";
import {
  formatExact,
  formatClock,
  formatDate,
  formatStretch,
} from "../../base/format";
import type { Theme } from "../../base/theme";
import { shorten, TextMeasure } from "../../render/text";
import { factWords, fitFacts } from "../../panel/status_line";
import { bandsOf, type LaneMap } from "../../timeline/lanes";
import type { WorkerGroup } from "../../panel/worker_groups";
import { crumbsOf } from "../../panel/crumbs";
import { panelFacts } from "./status_facts";
import type { PanelState } from "./panel_state";

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
const LEAST_GUTTER_PX = 84;

/** The picture as it is, with what elements say on the screen around it. */
export function drawPicture(
  view: PanelState,
  { overview, lanes, plot }: TaskPlot,
): HTMLCanvasElement {
  const { size, canvas: plotted } = plot.view;
  const { pixelRatio: ratio } = size;
  const theme = view.environment.theme.peek();
  const geometry = view.geometry.peek();
  // The canvases are copied pixel by pixel.
  const whole = (css_px: number): number => Math.round(css_px * ratio) / ratio;
  const gutter = whole(Math.max(geometry.gutter, LEAST_GUTTER_PX));
  const width = gutter + size.width / ratio;
  const bars = overview.view.canvas;
  const bars_px = geometry.overview > 0 ? whole(bars.height / ratio + 8) : 0;
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser offers no 2D canvas.");
  const pen = new Pen(context, view, width);
  pen.font("");
  const { entries, isolated } = viewLegend(view);
  const room = width - 2 * PADDING_PX;
  const widthOf = (entry: LegendEntry): number => pen.widthOf(entry);
  const legend = legendLines(entries, widthOf, room, REST_PX);
  const legend_px = legend.lines.length * LEGEND_LINE_PX + 6;
  const top = whole(TITLE_PX + legend_px);
  const plotTop = top + bars_px;
  const height = whole(plotTop + size.height / ratio + STATUS_PX);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.scale(ratio, ratio);
  context.imageSmoothingEnabled = false;
  context.textBaseline = "middle";
  context.fillStyle = toCss(theme.panel);
  context.fillRect(0, 0, width, height);
  pen.title();
  pen.legend(legend, isolated);
  pen.workers(lanes.map, ratio, plotTop, gutter);
  pen.status(height - STATUS_PX / 2);
  const place = (source: HTMLCanvasElement, y: number): void =>
    context.drawImage(
      ...[source, gutter, y, source.width / ratio, source.height / ratio],
    );
  if (bars_px > 0) {
    place(bars, top);
    const over = ".ds-overview-shade, .ds-overview-window";
    drawOver(context, theme, bars.parentElement!, over, gutter, top);
  }
  place(plotted, plotTop);
  const over = ".ds-time-shade, .ds-lane-pinned";
  drawOver(context, theme, plot.hit, over, gutter, plotTop);
  return canvas;
}

/** What lies over a canvas as elements. */
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
    if (one.hidden) continue;
    const { backgroundColor, opacity } = getComputedStyle(one);
    const { x, y, width, height } = one.getBoundingClientRect();
    const place = [left + x - from.x, top + y - from.y, width, height] as const;
    context.globalAlpha = Number(opacity);
    context.fillStyle = backgroundColor;
    context.fillRect(...place);
    // A frame has no background.
    if (/, 0\)$|transparent/.test(backgroundColor))
      context.strokeRect(...place);
  }
  context.restore();
}

class Pen {
  private readonly measure: TextMeasure;
  private readonly theme: Theme;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly view: PanelState,
    private readonly width: number,
  ) {
    this.measure = new TextMeasure(context);
    this.theme = view.environment.theme.peek();
  }

  font(weight: string): void {
    const size_px = this.view.rows.peek().font + 1;
    const font = `${weight} ${size_px}px ${this.theme.font}`.trim();
    this.measure.setFont(font);
    this.context.font = font;
  }

  widthOf(entry: LegendEntry): number {
    const around = SQUARE_PX + BESIDE_SQUARE_PX + BETWEEN_PX;
    return around + this.measure.width(this.nameOf(entry));
  }

  title(): void {
    this.font("600");
    const middle = TITLE_PX / 2;
    this.text(TITLE, PADDING_PX, middle, toCss(this.theme.text));
    const beside = PADDING_PX + this.measure.width(TITLE) + 10;
    this.font("");
    this.line(aboutOf(this.view), beside, middle);
  }

  legend({ lines, rest }: PictureLegend, isolated: ReadonlySet<string>): void {
    const { theme, context } = this;
    let x = 0;
    lines.forEach((line, at) => {
      x = PADDING_PX;
      const middle = TITLE_PX + (at + 0.5) * LEGEND_LINE_PX;
      for (const entry of line) {
        const dimmed = isolated.size > 0 && !isolated.has(entry.id);
        context.globalAlpha = dimmed ? DIMMED : 1;
        context.fillStyle = entry.colour;
        context.fillRect(x, middle - SQUARE_PX / 2, SQUARE_PX, SQUARE_PX);
        const left = x + SQUARE_PX + BESIDE_SQUARE_PX;
        this.text(this.nameOf(entry), left, middle, toCss(theme.text));
        x += this.widthOf(entry);
      }
    });
    context.globalAlpha = 1;
    if (rest === 0) return;
    const middle = TITLE_PX + (lines.length - 0.5) * LEGEND_LINE_PX;
    this.text(`+${formatExact(rest)} more`, x, middle, toCss(theme.text2));
  }

  /** Names beside the lanes that can be seen; the plot begins at `top`. */
  workers(
    map: LaneMap<WorkerGroup>,
    ratio: number,
    top: number,
    gutter: number,
  ): void {
    const { context } = this;
    const rows = this.view.rows.peek();
    const lanesTop = top + rows.lanesTop;
    context.save();
    context.beginPath();
    context.rect(0, lanesTop, gutter, map.height / ratio);
    context.clip();
    for (const band of bandsOf(map, ratio, rows.line)) {
      const name = shorten(band.group.name, gutter - 16, this.measure);
      const middle = lanesTop + band.top + rows.line / 2;
      this.text(name, PADDING_PX, middle, toCss(this.theme.text));
    }
    context.restore();
  }

  status(middle: number): void {
    const { shown } = fitFacts(
      panelFacts(this.view, null, true),
      this.width - 2 * PADDING_PX,
      (text) => this.measure.width(text),
    );
    const texts = shown.map(({ fact, text }) => factWords(fact, text));
    this.line(texts, PADDING_PX, middle);
  }

  private line(words: readonly string[], x: number, middle: number): void {
    const room = this.width - x - PADDING_PX;
    const text = shorten(words.join(" · "), room, this.measure);
    this.text(text, x, middle, toCss(this.theme.text2));
  }

  private text(text: string, x: number, y: number, colour: string): void {
    this.context.fillStyle = colour;
    this.context.fillText(text, x, y);
  }

  private nameOf({ name }: LegendEntry): string {
    return shorten(name || "(no name)", LONGEST_NAME_PX, this.measure);
  }
}

/** The client, the time that is shown, what it is filtered to. */
function aboutOf(view: PanelState): string[] {
  const { window, extent } = view;
  const origin = view.origin.peek();
  const about: string[] = [];
  const name = view.session.peek()?.info.peek().name;
  if (name) about.push(name);
  if (extent) {
    const start = Math.max(window.start, extent.start);
    const stop = Math.min(window.stop, extent.stop);
    const isSeen = stop > start;
    const [from, to] = isSeen ? [start, stop] : [window.start, window.stop];
    about.push(formatStretch(from - origin, to - origin));
    about.push(`from ${formatDate(from)} ${formatClock(from, 0)}`);
  }
  const narrowing = view.narrowing.peek();
  const crumbs = crumbsOf(narrowing, origin);
  for (const { part, text } of crumbs) {
    const names = part === "time" ? [] : narrowing[part];
    // There is no pointer to ask what "2 workers" are.
    about.push(`only ${names.length > 1 ? names.join(", ") : text}`);
  }
  const search = view.search.peek().text;
  if (search !== "") about.push(`search “${search}”`);
  return about;
}
