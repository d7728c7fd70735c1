// The Memory panel and the plot of a MemorySampler in a browser without a GPU, with a day of
// 200 workers: how soon there is a picture, how well it pans; and a Bokeh figure of the same
// lines under the same mouse.
//
//     node memory.mjs [workers] [--no-peer]
//
// PROFILE=<file> keeps a CPU profile of the last first picture, PICTURE=<file> the picture.

import { writeFileSync } from "node:fs";
import { lateShare, onScreen } from "./frames.mjs";
import { percentile } from "./mouse.mjs";
import {
  gestures,
  launched,
  open,
  pageOf,
  peerPage,
  reporter,
  round,
  VIEWPORT,
} from "./pages.mjs";

const [workers = 200] = process.argv.slice(2).filter((word) => +word > 0);
const WORKERS = Number(workers);
/** Each in a page of its own: as a user meets it, nothing is compiled yet. */
const OPENED = 5;
/** A drag after each: nearly a day, hours, minutes; never the whole, where a drag selects. */
const TURNS = [-4, -16, -14, 30];
/** Where the newest samples are, as a share of the day. */
const NEWEST = 0.98;
/** Bokeh's axis, in pixels beside its plot. */
const AXIS_PX = 60;

const PANELS = { memory: "Memory panel", "memory-plot": "plot of a sampler" };

const report = reporter("memory_plots");

async function opened(browser, html, panel) {
  const page = await open(browser, html);
  const size = await page.evaluate(
    ([panel, workers]) => window.memoryBench.fill(panel, workers),
    [panel, WORKERS],
  );
  let session = null;
  const { PROFILE: profile } = process.env;
  if (profile) {
    session = await page.context().newCDPSession(page);
    await session.send("Profiler.enable");
    await session.send("Profiler.setSamplingInterval", { interval: 200 });
    await session.send("Profiler.start");
  }
  const first_ms = await page.evaluate(
    (panel) => window.memoryBench.firstPicture(panel),
    panel,
  );
  if (session) {
    const taken = await session.send("Profiler.stop");
    writeFileSync(`${panel}-${profile}`, JSON.stringify(taken.profile));
  }
  return { page, size, first_ms };
}

async function measure(browser, html, panel) {
  const times = [];
  for (let i = 1; i < OPENED; i++) {
    const { page, first_ms } = await opened(browser, html, panel);
    times.push(first_ms);
    await page.close();
  }
  const { page, size, first_ms } = await opened(browser, html, panel);
  times.push(first_ms);
  const what = { ...size, workers: WORKERS };
  report({
    metric: `${PANELS[panel]}: first picture of data that are there`,
    unit: "ms",
    value: round(percentile(times, 0.5)),
    limit: 300,
    each: times.map((ms) => round(ms)),
    ...what,
  });
  await page.evaluate(() => window.memoryBench.settle());
  const at = await page.evaluate((share) => window.memoryBench.placeOf(share), NEWEST);
  const own = await gestures(page, { at, turns: TURNS });
  if (process.env.PICTURE) {
    await page.screenshot({ path: `${panel}-${process.env.PICTURE}` });
  }
  const lines = await page.evaluate(
    (panel) => window.memoryBench.lines(panel),
    panel,
  );
  await page.close();
  const dask = process.argv.includes("--no-peer")
    ? { gaps: [NaN] }
    : await peer(browser, lines);
  report({
    metric: `${PANELS[panel]}: frame while panning and zooming, p95, as seen on the screen`,
    unit: "ms",
    value: round(percentile(onScreen(own.gaps), 0.95)),
    limit: 16.7,
    peer: round(percentile(onScreen(dask.gaps), 0.95)),
    peer_points: lines.reduce((sum, [times]) => sum + times.length, 0),
    as_measured: round(percentile(own.gaps, 0.95), 2),
    longest: round(Math.max(...own.gaps)),
    peer_longest: round(Math.max(...dask.gaps)),
    work: round(percentile(own.work, 0.95)),
    frames: own.gaps.length,
    late: round(lateShare(own.gaps), 3),
    peer_late: round(lateShare(dask.gaps), 3),
    ...what,
  });
}

async function peer(browser, lines) {
  const page = await peerPage(
    browser,
    "memory_peer.py",
    [],
    JSON.stringify(lines),
  );
  const x = AXIS_PX + NEWEST * (VIEWPORT.width - AXIS_PX);
  const at = [x, VIEWPORT.height / 2];
  const found = await gestures(page, { at, turns: TURNS });
  if (process.env.PICTURE) {
    await page.screenshot({ path: `peer-${process.env.PICTURE}` });
  }
  await page.close();
  return found;
}

const browser = await launched();
try {
  const html = await pageOf("memory_page.ts");
  for (const panel of Object.keys(PANELS)) await measure(browser, html, panel);
} finally {
  await browser.close();
}
