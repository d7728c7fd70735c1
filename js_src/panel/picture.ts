// A plot as a PNG: below its title, and above what the status line says of it.

import { toCss } from "../base/colour";
import { shorten, TextMeasure } from "../render/text";
import type { PlotArea } from "../timeline/time_plot";

const LINE_PX = 28;
const PADDING_PX = 12;

/** Null where the browser makes none. */
export function pictureOf(
  { context: { canvas: plot }, pixelRatio, theme }: PlotArea,
  title: string,
  facts: string,
): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  const line = Math.round(LINE_PX * pixelRatio);
  canvas.width = plot.width;
  canvas.height = plot.height + 2 * line;
  const context = canvas.getContext("2d");
  if (!context) return Promise.resolve(null);
  context.fillStyle = toCss(theme.panel);
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(plot, 0, line);
  context.textBaseline = "middle";
  const measure = new TextMeasure(context);
  const padding = PADDING_PX * pixelRatio;
  const write = (text: string, weight: string, middle: number): void => {
    const font = `${weight} ${theme.size_px * pixelRatio}px ${theme.font}`;
    measure.setFont(font);
    context.fillStyle = toCss(theme.text);
    const words = shorten(text, canvas.width - 2 * padding, measure);
    context.fillText(words, padding, middle);
  };
  write(title, "600", line / 2);
  write(facts, "400", canvas.height - line / 2);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
