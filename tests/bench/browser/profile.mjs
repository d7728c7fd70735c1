// What the Profile panel makes of trees of 100,000 and a million nodes, in a browser; how many
// nodes are coloured where two halves of one run are compared; an hour of 100 workers; and the
// page that speedscope ships, with the same samples as a report.
//
//     node profile.mjs [nodes]

import { onScreen } from "./frames.mjs";
import { percentile } from "./mouse.mjs";
import { launched, open, pageOf, reporter, round } from "./pages.mjs";
import { besideSpeedscope } from "./profile_peer.mjs";

const ROUNDS = 5;
const SEEDS = 12;
/** Seconds of the hour: nearly all, old and new minutes, the newest seconds. */
const BRUSHES = [
  [1, 3_590],
  [600, 1_800],
  [3_000, 3_540],
  [3_560, 3_590],
];
/** Milliseconds by number of nodes, for what is done while the panel is used. */
const LIMITS = { 100_000: 50, 1_000_000: 200 };
const LIMITED = ["filter", "layout", "layout by weight", "invert"];
const only = process.argv.slice(2).map(Number);
const sizes = only.length > 0 ? only : Object.keys(LIMITS).map(Number);

const report = reporter("profile_trees");

/** What a page has in memory, without garbage. */
async function heapOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.enable");
  return async () => {
    await session.send("HeapProfiler.collectGarbage");
    const heap = await session.send("Runtime.getHeapUsage");
    return heap.usedSize + heap.backingStorageSize;
  };
}
const browser = await launched();
try {
  const html = await pageOf("profile_page.ts");
  for (const size of sizes) {
    const page = await open(browser, html);
    const session = await page.context().newCDPSession(page);
    // Of the main thread: other programs do not count.
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const mainMs = async () => {
      const { metrics } = await session.send("Performance.getMetrics");
      return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
    };
    const { nodes, drawn, found } = await page.evaluate(
      (size) => window.profileBench.make(size),
      size,
    );
    report({
      metric: "nodes that are drawn, alone or within a pixel, of all",
      unit: "share",
      value: round(drawn / nodes, 6),
      at_least: 1,
      nodes,
    });
    report({
      metric: "functions that a search finds, of those in the tree",
      unit: "share",
      value: round(found, 6),
      at_least: 1,
      nodes,
    });
    for (const step of await page.evaluate(() => window.profileBench.steps())) {
      const before = await mainMs();
      const times = await page.evaluate(
        ([step, rounds]) => window.profileBench.run(step, rounds),
        [step, ROUNDS],
      );
      report({
        metric: `${step} of a tree`,
        unit: "ms",
        value: round(percentile(times, 0.5)),
        limit: LIMITED.includes(step) ? (LIMITS[size] ?? null) : null,
        main_thread: round(((await mainMs()) - before) / ROUNDS),
        longest: round(Math.max(...times)),
        nodes,
      });
    }
    const before = await mainMs();
    const gaps = await page.evaluate(() => window.profileBench.zoom(300));
    report({
      metric: "frame while zooming, p95, as seen on the screen",
      unit: "ms",
      value: round(percentile(onScreen(gaps), 0.95)),
      limit: 16.7,
      as_measured: round(percentile(gaps, 0.95)),
      median: round(percentile(gaps, 0.5)),
      main_thread: round(((await mainMs()) - before) / gaps.length),
      longest: round(Math.max(...gaps)),
      nodes,
    });
    await page.close();
  }
  const page = await open(browser, html);
  const shares = await page.evaluate(
    (seeds) => window.profileBench.halves(seeds),
    SEEDS,
  );
  report({
    metric: "nodes coloured of two halves of one run, the most of some runs",
    unit: "share",
    value: round(Math.max(...shares), 4),
    limit: 0.05,
    median: round(percentile(shares, 0.5), 4),
    runs: SEEDS,
  });
  await page.close();

  const hour = await open(browser, await pageOf("profile_hour_page.ts"));
  const heapBytes = await heapOf(hour);
  const empty = await heapBytes();
  const size = await hour.evaluate(() => window.hourBench.fill());
  const first_ms = await hour.evaluate(() => window.hourBench.firstPicture());
  report({
    metric: "an hour of 100 workers with 4 threads in a page",
    unit: "bytes",
    value: size.bytes,
    limit: 40_000_000,
    heap: (await heapBytes()) - empty,
    rows: size.rows,
  });
  const brushes = [];
  for (const [from_s, to_s] of BRUSHES) {
    const times = [from_s, to_s];
    brushes.push(
      await hour.evaluate(([a, b]) => window.hourBench.brush(a, b), times),
    );
  }
  report({
    metric: "an hour of 100 workers, from a brush to its picture, longest",
    unit: "ms",
    value: round(Math.max(...brushes)),
    limit: 200,
    each: brushes.map((ms) => round(ms)),
    first_picture: round(first_ms),
    ...size,
  });
  await hour.close();

  await besideSpeedscope(browser, 100_000, report);
} finally {
  await browser.close();
}
