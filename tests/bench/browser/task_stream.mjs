// The task stream in a browser without a GPU: how fast it takes rows in, how fast it
// draws, how much it holds; and Dask's own task stream under the same mouse.
//
//     node task_stream.mjs [tasks] [lanes] [--no-peer]
//
// PROFILE=<file> keeps a CPU profile of the gestures, PICTURE=<file> the last picture.

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

const [tasks = 10_000_000, lanes = 64] = process.argv
  .slice(2)
  .filter((word) => !word.startsWith("--"));
const [TASKS, LANES] = [Number(tasks), Number(lanes)];
const PEER_ROWS = 100_000;
/** Of the run, so many are taken in with a clock beside them. */
const MEASURED_ROWS = 4_000_000;

const report = reporter("browser");

async function ours(browser) {
  const page = await open(browser, await pageOf("page.ts"));
  await page.evaluate(
    ([tasks, lanes]) => window.bench.open(tasks, lanes),
    [TASKS, LANES],
  );
  const begin_ms = await page.evaluate(() => window.bench.begin());
  const ingest = await page.evaluate(
    (rows) => window.bench.ingest(rows),
    MEASURED_ROWS,
  );
  await page.evaluate(() => window.bench.fill());
  const first_ms = await page.evaluate(() => window.bench.firstPicture());
  await page.evaluate(() => window.bench.settle());
  const size = await page.evaluate(() => window.bench.size());
  // From the whole run on, not from its end: the panel has the keyboard after a click.
  await page.mouse.click(VIEWPORT.width / 2, VIEWPORT.height - 60);
  await page.keyboard.press("Escape");
  await page.keyboard.press("f");
  await page.evaluate(() => window.bench.settle());
  const session = await page.context().newCDPSession(page);
  // Processor time, not that of the clock: other programs do not count.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await taskSeconds(session);
  const profile = process.env.PROFILE;
  if (profile) {
    await session.send("Profiler.enable");
    await session.send("Profiler.start");
  }
  const { gaps, active, work } = await gestures(page);
  if (profile) {
    const taken = await session.send("Profiler.stop");
    writeFileSync(profile, JSON.stringify(taken.profile));
  }
  const cpu_ms = (1000 * ((await taskSeconds(session)) - before)) / gaps.length;
  await session.send("HeapProfiler.collectGarbage");
  const heap = await session.send("Runtime.getHeapUsage");
  if (process.env.PICTURE) {
    await page.screenshot({ path: process.env.PICTURE });
  }
  await page.close();
  return {
    ingest,
    begin_ms,
    first_ms,
    size,
    gaps,
    active,
    work,
    cpu_ms,
    heap,
  };
}

async function taskSeconds(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration").value;
}

async function peer(browser) {
  const page = await peerPage(browser, "peer.py", [PEER_ROWS, LANES]);
  const result = await gestures(page);
  await page.close();
  return result;
}

const browser = await launched();
try {
  const own = await ours(browser);
  const dask = process.argv.includes("--no-peer")
    ? { gaps: [NaN], active: [NaN] }
    : await peer(browser);
  const { tasks, rows, bytes } = own.size;
  const what = { tasks, rows, lanes: LANES };
  report({
    metric: "frame while panning and zooming, p95, as seen on the screen",
    unit: "ms",
    value: round(percentile(onScreen(own.gaps), 0.95)),
    limit: 16.7,
    peer: round(percentile(onScreen(dask.gaps), 0.95)),
    peer_rows: PEER_ROWS,
    as_measured: round(percentile(own.gaps, 0.95), 2),
    p50: round(percentile(own.gaps, 0.5), 2),
    longest: round(Math.max(...own.gaps)),
    peer_as_measured: round(percentile(dask.gaps, 0.95), 2),
    peer_p50: round(percentile(dask.gaps, 0.5), 2),
    frames: own.gaps.length,
    late: round(lateShare(own.gaps), 3),
    peer_late: round(lateShare(dask.gaps), 3),
    ...what,
  });
  report({
    metric: "frame while panning and zooming, of those with work to do, p95",
    unit: "ms",
    value: round(percentile(onScreen(own.active), 0.95)),
    limit: 16.7,
    peer: round(percentile(onScreen(dask.active), 0.95)),
    peer_rows: PEER_ROWS,
    as_measured: round(percentile(own.active, 0.95), 2),
    frames: own.active.length,
    late: round(lateShare(own.active), 3),
    peer_frames: dask.active.length,
    peer_late: round(lateShare(dask.active), 3),
    ...what,
  });
  report({
    ...{ metric: "main thread in a frame, p95", unit: "ms" },
    value: round(percentile(own.work, 0.95)),
    p50: round(percentile(own.work, 0.5)),
    processor_mean: round(own.cpu_ms),
    ...what,
  });
  report({
    ...{ metric: "first picture of data that is there", unit: "ms" },
    ...{ value: round(own.first_ms), limit: 1000, ...what },
  });
  report({
    ...{
      metric: "rows taken in a second, decoded and drawn meanwhile",
      unit: "rows/s",
    },
    value: Math.round(own.ingest.rows / own.ingest.seconds),
    at_least: 1_000_000,
    rows: own.ingest.rows,
  });
  report({
    ...{ metric: "longest frame while taking rows in", unit: "ms" },
    value: round(own.ingest.frame_ms),
    limit: 50,
  });
  report({
    ...{ metric: "longest frame while an empty panel becomes a plot" },
    ...{ unit: "ms", value: round(own.begin_ms), limit: 50 },
  });
  report({
    ...{ metric: "bytes a row in the browser, beside keys", unit: "B" },
    ...{ value: round(bytes / rows, 2), limit: 30 },
    array_buffers: round((own.heap.backingStorageSize ?? NaN) / rows, 2),
    heap: round(own.heap.usedSize / rows, 2),
    ...what,
  });
} finally {
  await browser.close();
}
