// How soon a focus is in all open panels, with a million tasks and as many metrics as a page
// keeps: from the moment in which it is set to the frame after each panel's last change.
//
//     node focus.mjs [tasks] [workers]
//
// PROFILE=<file> keeps a CPU profile, PICTURE=<file> the last picture.

import { writeFileSync } from "node:fs";
import { percentile } from "./mouse.mjs";
import { launched, open, pageOf, reporter, round } from "./pages.mjs";

const [tasks = 1_000_000, workers = 8] = process.argv.slice(2).map(Number);
const ROUNDS = 20;
/** What the main thread does without a focus, in the same time. */
const IDLE_ROUNDS = 5;
/** Large enough for eight panels whose charts are all in sight. */
const SCREEN = { width: 2200, height: 1400 };
/** Of each focus, the panels that have to show it. */
const SHOW = {
  time: ["task-stream", "summary", "memory", "system", "fine-metrics"],
  worker: ["task-stream", "memory"],
  prefix: ["task-stream", "summary", "fine-metrics"],
  cell: ["task-stream", "spans", "fine-metrics"],
};
/** What says that a panel has something to show. */
const CONTENT = {
  "task-stream": ".ds-hit",
  spans: "[role=row]",
  "fine-metrics": ".ds-time-plot canvas",
  memory: ".ds-time-plot canvas",
  system: ".ds-time-plot canvas",
};

const report = reporter("focus");
const browser = await launched();
try {
  const page = await open(browser, await pageOf("focus_page.ts"));
  await page.setViewportSize(SCREEN);
  const { panels, increments } = await page.evaluate(
    ([tasks, workers]) => window.focusBench.open(tasks, workers),
    [tasks, workers],
  );
  for (const [panel, content] of Object.entries(CONTENT)) {
    const found = page.locator(`[data-panel=${panel}] ${content}`);
    await found.first().waitFor();
  }
  const session = await page.context().newCDPSession(page);
  // Of the main thread: other programs do not count.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const mainMs = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
  };
  const idle = [];
  for (let at = 0; at < IDLE_ROUNDS; at++) {
    const before = await mainMs();
    await page.evaluate(() => window.focusBench.focus(null));
    idle.push((await mainMs()) - before);
  }
  const idle_ms = percentile(idle, 0.5);
  const found = Object.fromEntries(Object.keys(SHOW).map((of) => [of, []]));
  const took = Object.fromEntries(Object.keys(SHOW).map((of) => [of, []]));
  const set = async (what, focus) => {
    const before = await mainMs();
    found[what].push(
      await page.evaluate((focus) => window.focusBench.focus(focus), focus),
    );
    took[what].push((await mainMs()) - before - idle_ms);
  };
  const { PROFILE: profile } = process.env;
  if (profile) {
    await session.send("Profiler.enable");
    await session.send("Profiler.start");
  }
  for (let at = 0; at < ROUNDS; at++) {
    const time = await page.evaluate(
      (from) => window.focusBench.timeOf(from, from + 0.1),
      0.05 + (0.85 * at) / ROUNDS,
    );
    await set("time", { time });
    const worker = `tcp://10.0.0.${at % workers}:40000`;
    await set("worker", { workers: [worker] });
    await set("prefix", { prefixes: [`function-${at * 7}`] });
    await set("cell", { cells: [`In [${1 + 2 * at}]`] });
  }
  if (profile) {
    const taken = await session.send("Profiler.stop");
    writeFileSync(profile, JSON.stringify(taken.profile));
  }
  if (process.env.PICTURE) {
    await page.screenshot({ path: process.env.PICTURE });
  }
  for (const [what, rounds] of Object.entries(found)) {
    const latest = (of) =>
      rounds.map((shown) =>
        Math.max(...Object.values(shown).map((times) => times[of])),
      );
    const each = panels.flatMap((panel) => {
      const times = rounds.flatMap((shown) => shown[panel] ?? []);
      if (times.length === 0) return [];
      const worst = (of) => round(Math.max(...times.map((one) => one[of])));
      return [[panel, [worst("first"), worst("last")]]];
    });
    const shown = Object.fromEntries(each);
    const silent = SHOW[what].filter((panel) => !(panel in shown));
    if (silent.length > 0) throw new Error(`${what}: no change in ${silent}`);
    const all = latest("last");
    report({
      metric: `a ${what} in focus, to the last change of all open panels, longest of ${ROUNDS}`,
      unit: "ms",
      value: round(Math.max(...all)),
      limit: 100,
      median: round(percentile(all, 0.5)),
      first_change: round(Math.max(...latest("first"))),
      main_thread: round(Math.max(...took[what])),
      main_thread_median: round(percentile(took[what], 0.5)),
      longest_by_panel: shown,
      tasks,
      increments,
    });
  }
} finally {
  await browser.close();
}
