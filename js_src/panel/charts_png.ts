// The charts of a panel as one picture, each under its title and its legend.

import { toCss } from "../base/colour";
import type { Theme } from "../base/theme";

const PADDING_PX = 12;

/** Null where no chart is drawn. */
export function chartsPng(
  root: HTMLElement,
  theme: Theme,
): Promise<Blob | null> {
  const charts = [
    ...root.querySelectorAll<HTMLCanvasElement>(
      ":is(.ds-time-plot, .ds-flame-canvas) > canvas",
    ),
  ].filter(({ width, height }) => width > 0 && height > 0);
  if (charts.length === 0) return Promise.resolve(null);
  const ratio = window.devicePixelRatio || 1;
  const padding = PADDING_PX * ratio;
  const line = 2 * theme.size_px * ratio;
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(...charts.map(({ width }) => width)) + 2 * padding;
  canvas.height = charts.reduce(
    (sum, { height }) => sum + line + height + padding,
    padding,
  );
  const context = canvas.getContext("2d");
  if (!context) return Promise.resolve(null);
  context.fillStyle = toCss(theme.panel);
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.textBaseline = "middle";
  let y = padding;
  for (const chart of charts) {
    paintHead(context, theme, chart, [padding, y + line / 2, ratio]);
    context.drawImage(chart, padding, y + line);
    y += line + chart.height + padding;
  }
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function paintHead(
  context: CanvasRenderingContext2D,
  theme: Theme,
  chart: HTMLElement,
  [left, y, ratio]: readonly [number, number, number],
): void {
  const head = chart.closest(".ds-part")?.querySelector(".ds-part-head");
  const font = `${theme.size_px * ratio}px ${theme.font}`;
  let x = left;
  const write = (text: string): void => {
    context.fillText(text, x, y);
    x += context.measureText(text).width + PADDING_PX * ratio;
  };
  context.fillStyle = toCss(theme.text);
  context.font = `600 ${font}`;
  write(head?.querySelector("h3")?.textContent ?? "");
  context.font = font;
  const size = 9 * ratio;
  for (const one of head?.querySelectorAll(".ds-line-value, .ds-prefix") ??
    []) {
    const swatch = one.querySelector(".ds-swatch");
    context.fillStyle = swatch ? colourOf(swatch) : "transparent";
    context.fillRect(x, y - size / 2, size, size);
    x += size + 5 * ratio;
    context.fillStyle = toCss(theme.text);
    write(one.textContent ?? "");
  }
}

/** One that is hatched has its colour in a gradient. */
function colourOf(swatch: Element): string {
  const { backgroundColor, backgroundImage } = getComputedStyle(swatch);
  return /rgb\([^)]*\)/.exec(backgroundImage)?.[0] ?? backgroundColor;
}
