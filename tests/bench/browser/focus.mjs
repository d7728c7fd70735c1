// How soon a focus is in all open panels with plots, with a million tasks: from the moment in
// which it is set to the frame after each panel's first change.
//
//     node focus.mjs [tasks] [workers]
//
// PROFILE=<file> keeps a CPU profile, PICTURE=<file> the last picture.

import { writeFileSync } from "node:fs";
import { percentile } from "./mouse.mjs";
import { launched, open, pageOf, reporter, round } from "./pages.mjs";

const [tasks = 1_000_000, workers = 8] = process.argv.slice(2).map(Number);
const ROUNDS = 10;
/** Those that have to show where time is selected. */
const SHOW_TIME = ["task-stream", "summary", "memory", "system"];

const report = reporter("focus");
const browser = await launched();
try {
  const page = await open(browser, await pageOf("focus_page.ts"));
  const panels = await page.evaluate(
    ([tasks, workers]) => window.focusBench.open(tasks, workers),
    [tasks, workers],
  );
  const found = { time: [], worker: [], prefix: [] };
  const session = await page.context().newCDPSession(page);
  // Of the main thread: other programs do not count.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const mainMs = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
  };
  const took = { time: [], worker: [], prefix: [] };
  const set = async (what, focus) => {
    const before = await mainMs();
    found[what].push(
      await page.evaluate((focus) => window.focusBench.focus(focus), focus),
    );
    took[what].push((await mainMs()) - before);
  };
  const { PROFILE: profile } = process.env;
  if (profile) {
    await session.send("Profiler.enable");
    await session.send("Profiler.start");
  }
  for (let round = 0; round < ROUNDS; round++) {
    const time = await page.evaluate(
      (from) => window.focusBench.timeOf(from, from + 0.1),
      0.05 + round / (ROUNDS + 2),
    );
    await set("time", { time });
    const worker = `tcp://10.0.0.${round % workers}:40000`;
    await set("worker", { workers: [worker] });
    await set("prefix", { prefixes: [`groupby-${round}`] });
  }
  if (profile) {
    const taken = await session.send("Profiler.stop");
    writeFileSync(profile, JSON.stringify(taken.profile));
  }
  if (process.env.PICTURE) {
    await page.screenshot({ path: process.env.PICTURE });
  }
  for (const [what, rounds] of Object.entries(found)) {
    const latest = rounds.map((shown) => Math.max(...Object.values(shown)));
    const each = panels.flatMap((panel) => {
      const times = rounds.flatMap((shown) => shown[panel] ?? []);
      return times.length > 0 ? [[panel, round(percentile(times, 0.5))]] : [];
    });
    const shown = Object.fromEntries(each);
    const silent = SHOW_TIME.filter((panel) => !(panel in shown));
    if (what === "time" && silent.length > 0) {
      throw new Error(`no change in ${silent}`);
    }
    report({
      metric: `a ${what} in focus, to the last of all open panels`,
      unit: "ms",
      value: round(percentile(latest, 0.5)),
      limit: 100,
      longest: round(Math.max(...latest)),
      main_thread: round(percentile(took[what], 0.5)),
      panels: shown,
      tasks,
    });
  }
} finally {
  await browser.close();
}
