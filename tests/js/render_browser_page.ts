// The page of render_browser.test.ts: what is drawn, and what the test asks for.

import { CanvasView } from "../../js_src/render/canvas_view";
import { PixelRows } from "../../js_src/render/pixel_rows";
import { shorten, TextMeasure } from "../../js_src/render/text";

const RED = 0xff0000ff;
const BLUE = 0xffff0000;
const WHITE = 0xffffffff;

const element = document.getElementById("place")!;
const rows = new PixelRows();
let drawn = 0;

const view = new CanvasView(
  element,
  ({ context, size }) => {
    drawn++;
    const { width, height } = size;
    rows.resize(width, height, context.createImageData(width, height));
    rows.clear(WHITE);
    const base = new Uint32Array(width).fill(RED, 10, 30);
    const strip = new Uint32Array(width).fill(BLUE, 15, 25);
    rows.row(10, 20, base, strip);
    rows.put(context);
  },
  { opaque: true },
);

const frame = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => resolve()));

async function colours(
  source: ImageBitmapSource,
  points: [number, number][],
): Promise<string[]> {
  const bitmap = await createImageBitmap(source);
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext("2d")!;
  context.drawImage(bitmap, 0, 0);
  return points.map(([x, y]) =>
    [...context.getImageData(x, y, 1, 1).data.subarray(0, 3)].join(","),
  );
}

const page = {
  view,
  element,
  drawn: () => drawn,
  async frames(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await frame();
  },
  size: () => ({
    width: view.canvas.width,
    height: view.canvas.height,
    pixelRatio: view.size.pixelRatio,
  }),
  coloursOfPng: async (base64: string, points: [number, number][]) => {
    const answer = await fetch(`data:image/png;base64,${base64}`);
    return colours(await answer.blob(), points);
  },
  /**
   * Mount several at once whose first pictures take some time; the frames of these, and what
   * is seen before.
   */
  async mounted(count: number, took_ms: number) {
    const times: number[] = [];
    const views = Array.from({ length: count }, () => {
      const place = element.cloneNode() as HTMLElement;
      document.body.append(place);
      let drawn = false;
      const draw = (_: CanvasView, now_ms: number) => {
        if (drawn) return;
        times.push(now_ms);
        drawn = true;
        const until = performance.now() + took_ms;
        while (performance.now() < until);
      };
      return new CanvasView(place, draw, { opaque: true });
    });
    const seen = () =>
      views.map(({ canvas }) => getComputedStyle(canvas).visibility);
    const before = seen();
    while (times.length < count) await frame();
    const after = seen();
    for (const each of views) each.dispose();
    return { times, before, after };
  },
  shortened(text: string, room: number): string {
    const measure = new TextMeasure(view.context);
    measure.setFont("12px monospace");
    return shorten(text, room, measure);
  },
};

declare global {
  interface Window {
    page: typeof page;
  }
}
window.page = page;
