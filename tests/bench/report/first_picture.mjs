// Opens a report from the disk and says when its task stream was on the screen; with
// --mouse also how the frames came while it was panned and zoomed.
//
//     node first_picture.mjs FILE daskscope|dask [--mouse]

import { pathToFileURL } from "node:url";
import { chromium } from "@playwright/test";
import { noteFrames, onScreen } from "../browser/frames.mjs";
import { panAndZoom, percentile } from "../browser/mouse.mjs";

const [file, which, mouse] = process.argv.slice(2);
const VIEWPORT = { width: 1600, height: 900 };
const TIMEOUT_MS = 120_000;

/** Runs in the page: whether a picture is there. */
const shown = {
  daskscope: () => {
    const canvas = document.querySelector(".ds-plot canvas");
    if (!canvas?.width || !canvas.height) return false;
    // A line down it meets 64 lanes; without tasks only the rules between 16 workers.
    const { width, height } = canvas;
    const context = canvas.getContext("2d");
    const { data } = context.getImageData(width >> 1, 0, 1, height);
    const line = new Uint32Array(data.buffer);
    return (
      line.filter((colour, y) => y > 0 && colour !== line[y - 1]).length > 64
    );
  },
  dask: () => window.Bokeh?.documents?.[0]?.is_idle === true,
};

/** Runs in the page: whether everything is there. */
const whole = () => {
  const status = document.querySelector(".ds-status")?.textContent ?? "";
  const counts = status.match(/([\d,]+) of ([\d,]+) tasks/);
  return counts !== null && counts[1] === counts[2];
};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
});
try {
  const page = await browser.newPage({ viewport: VIEWPORT });
  page.on("pageerror", (error) => {
    throw error;
  });
  await page.addInitScript(noteFrames);
  const fragment = which === "daskscope" ? "#tab=task-stream" : "";
  const options = { polling: "raf", timeout: TIMEOUT_MS };
  await page.goto(pathToFileURL(file).href + fragment, {
    waitUntil: "commit",
  });
  const now = () =>
    new Promise((resolve) =>
      requestAnimationFrame(() =>
        requestAnimationFrame(() => resolve(performance.now())),
      ),
    );
  await page.waitForFunction(shown[which], null, options);
  const figures = { picture_ms: Math.round(await page.evaluate(now)) };
  if (which === "daskscope") {
    await page.waitForFunction(whole, null, options);
    figures.whole_ms = Math.round(await page.evaluate(now));
  }
  if (mouse) {
    await page.mouse.click(VIEWPORT.width / 2, VIEWPORT.height / 2);
    await page.keyboard.press("Escape");
    await page.keyboard.press("f");
    await page.evaluate(now);
    await page.evaluate(() => window.noted.clear());
    await panAndZoom(page);
    const { gaps, active } = await page.evaluate(() => ({
      gaps: window.noted.gaps,
      active: window.noted.active,
    }));
    const p95 = (values) => Number(percentile(values, 0.95).toFixed(2));
    figures.frame_p95_ms = p95(onScreen(gaps));
    figures.frame_p95_measured_ms = p95(gaps);
    figures.active_p95_ms = p95(onScreen(active));
    figures.active_frames = active.length;
  }
  console.log(JSON.stringify(figures));
} finally {
  await browser.close();
}
