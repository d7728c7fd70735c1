// The same samples as a report of ours and in the page that speedscope ships: from the file to
// its first picture, and frames while a mouse zooms to frames of the graph and back.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { noteFrames, onScreen } from "./frames.mjs";
import { nextFrame, percentile } from "./mouse.mjs";
import { round, VIEWPORT } from "./pages.mjs";

const ADDRESS = "http://peer.test/";
const ROUNDS = 3;
const ZOOMS = 20;
const require = createRequire(import.meta.url);
const shipped = join(
  dirname(require.resolve("speedscope/package.json")),
  "dist/release",
);
/** Of each: where it is, whose text is its graph, and how a frame is zoomed to. */
const KINDS = {
  ours: { path: "profile.html", canvas: ".ds-flame canvas", clickCount: 1 },
  peer: { path: "#profileURL=profile.json", canvas: "canvas", clickCount: 2 },
};

/** Notes when text was drawn on a canvas, in milliseconds since the page was asked for. */
function noteText() {
  window.drawn = [];
  const { prototype } = CanvasRenderingContext2D;
  const native = prototype.fillText;
  prototype.fillText = function (...args) {
    window.drawn.push([this.canvas, performance.now()]);
    native.apply(this, args);
  };
}

async function opened(browser, folder, { path, canvas }) {
  const page = await browser.newPage({ viewport: VIEWPORT });
  await page.addInitScript(noteFrames);
  await page.addInitScript(noteText);
  await page.route("**/*", (route) => {
    const name = new URL(route.request().url()).pathname.slice(1);
    const own = name.startsWith("profile.");
    return route.fulfill({
      path: own ? join(folder, name) : join(shipped, name || "index.html"),
    });
  });
  await page.goto(ADDRESS + path);
  const wait = await page.waitForFunction(
    (css) =>
      window.drawn.find(
        ([canvas]) => canvas.isConnected && canvas.matches(css),
      ),
    canvas,
  );
  const [, first_ms] = await wait.evaluate((found) => [0, found[1]]);
  return { page, first_ms };
}

/** From one frame to the next, while frames of the graph are zoomed to and left. */
async function zoomed(page, { canvas, clickCount }) {
  const box = await page.locator(canvas).last().boundingBox();
  await page.evaluate(() => window.noted.clear());
  for (let zoom = 0; zoom < ZOOMS; zoom++) {
    const x = box.x + box.width * (0.1 + (0.6 * zoom) / ZOOMS);
    await page.mouse.click(x, box.y + 300, { clickCount });
    for (let frame = 0; frame < 15; frame++) await nextFrame(page);
    for (let step = 0; step < 15; step++) await page.keyboard.press("Escape");
    await page.keyboard.press("0");
    for (let frame = 0; frame < 15; frame++) await nextFrame(page);
  }
  return page.evaluate(() => window.noted.gaps);
}

export async function besideSpeedscope(browser, nodes, report) {
  const folder = mkdtempSync(join(tmpdir(), "profile-"));
  try {
    const program = join(import.meta.dirname, "profile_files.py");
    const python = process.env.PYTHON ?? "python3";
    const made = spawnSync(python, [program, folder, String(nodes)], {
      stdio: "inherit",
    });
    if (made.status !== 0) throw new Error("profile_files.py failed");
    const firsts = { ours: [], peer: [] };
    const frames = {};
    for (let turn = 0; turn < ROUNDS; turn++) {
      for (const [name, kind] of Object.entries(KINDS)) {
        const { page, first_ms } = await opened(browser, folder, kind);
        firsts[name].push(first_ms);
        if (turn === 0) frames[name] = await zoomed(page, kind);
        await page.close();
      }
    }
    report({
      metric: "from a file to the picture of its profile, beside speedscope",
      unit: "ms",
      value: round(percentile(firsts.ours, 0.5)),
      peer: round(percentile(firsts.peer, 0.5)),
      nodes,
    });
    const p95 = (gaps) => round(percentile(onScreen(gaps), 0.95));
    report({
      metric: "frame while frames of the graph are zoomed to, p95, as seen",
      unit: "ms",
      value: p95(frames.ours),
      peer: p95(frames.peer),
      longest: [frames.ours, frames.peer].map((of) => round(Math.max(...of))),
      nodes,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
