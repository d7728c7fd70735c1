// The panel of Fine Performance Metrics with 2,000 functions of 12 activities each, and as many
// increments as a page keeps: how long a change of filter takes to the end of its work, and frames
// while the mouse moves, pans and scrolls.
//
//     node fine_metrics.mjs [functions] [tasks]
//
// PROFILE=<file> keeps a CPU profile of the filters, PICTURE=<file> a picture of each view.

import { writeFileSync } from "node:fs";
import { lateShare, onScreen } from "./frames.mjs";
import { nextFrame, panAndZoom, percentile } from "./mouse.mjs";
import { launched, open, pageOf, reporter, round } from "./pages.mjs";

const [functions = 2_000, tasks = 1_000_000] = process.argv
  .slice(2)
  .map(Number);
const WORKERS = 8;
const ROUNDS = 6;
const VIEWS = {
  time: "Over time",
  function: "By function",
  activity: "By activity",
  table: "Table",
};

const report = reporter("fine_metrics");
const browser = await launched();
try {
  const page = await open(browser, await pageOf("fine_metrics_page.ts"));
  const { increments } = await page.evaluate(
    ([tasks, workers, functions]) =>
      window.fineBench.open(tasks, workers, functions),
    [tasks, WORKERS, functions],
  );
  const session = await page.context().newCDPSession(page);
  // Of the main thread: other programs do not count.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const mainMs = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
  };
  const what = { functions, activities: 12, increments, tasks };

  /** Set a focus, or with a text press the button that has it; return what that took. */
  const changed = async (how) => {
    await page.evaluate(() => window.fineBench.settle());
    const before = await mainMs();
    const ms = await page.evaluate(
      (how) =>
        window.fineBench.work(() => {
          if (typeof how !== "string") return window.fineBench.focus(how);
          const all = [...document.querySelectorAll("button")];
          const found = all.find((one) => one.textContent.trim() === how);
          found.click();
        }),
      how,
    );
    return { ms, main_ms: (await mainMs()) - before };
  };
  const timeOf = (at) =>
    page.evaluate(
      (from) => window.fineBench.timeOf(from, from + 0.1),
      0.05 + (0.8 * at) / ROUNDS,
    );
  const chosen = async (at) => ({
    function: { prefixes: [`function-${(at * 37) % functions}`] },
    span: { spans: [`span-${at * 3}`] },
    cell: { cells: [`In [${1 + at * 3}]`] },
    time: { time: await timeOf(at) },
    all: {},
    unit: at % 2 === 0 ? "Count" : "Seconds",
  });
  const profile = process.env.PROFILE;
  if (profile) {
    await session.send("Profiler.enable");
    await session.send("Profiler.start");
  }
  for (const [view, name] of Object.entries(VIEWS)) {
    await page.getByRole("button", { name, exact: true }).click();
    const took = { activity: [] };
    for (let at = 0; at < ROUNDS; at++) {
      for (const [kind, how] of Object.entries(await chosen(at))) {
        (took[kind] ??= []).push(await changed(how));
      }
    }
    // Opening the menu is no filter; it stays open while activities are chosen.
    await page.getByRole("button", { name: /^Activities/ }).click();
    for (let at = 0; at < ROUNDS; at++) {
      took.activity.push(await changed(at % 2 === 0 ? "network" : "All"));
    }
    await page.keyboard.press("Escape");
    if (process.env.PICTURE) {
      await page.screenshot({ path: `${view}-${process.env.PICTURE}` });
    }
    const all = Object.values(took).flat();
    const by = (of) =>
      Object.fromEntries(
        Object.entries(took).map(([kind, some]) => [
          kind,
          round(Math.max(...some.map((one) => one[of]))),
        ]),
      );
    report({
      metric: `a change of filter, ${name.toLowerCase()}, to the end of its work, p95`,
      unit: "ms",
      value: round(
        percentile(
          all.map(({ ms }) => ms),
          0.95,
        ),
      ),
      limit: 50,
      median: round(
        percentile(
          all.map(({ ms }) => ms),
          0.5,
        ),
      ),
      longest_by_filter: by("ms"),
      main_thread_by_filter: by("main_ms"),
      changes: all.length,
      ...what,
    });
  }
  if (profile) {
    const taken = await session.send("Profiler.stop");
    writeFileSync(profile, JSON.stringify(taken.profile));
  }

  const frames = async (name, moves) => {
    await page.getByRole("button", { name, exact: true }).click();
    await page.evaluate(() => window.fineBench.settle());
    const at = await moves.at();
    await page.evaluate(() => window.noted.clear());
    const before = await mainMs();
    await moves.move(at);
    const { gaps, work } = await page.evaluate(() => {
      const { gaps, work } = window.noted;
      return { gaps, work };
    });
    const main_ms = (await mainMs()) - before;
    report({
      metric: `frame while ${moves.doing}, ${name.toLowerCase()}, p95, as seen on the screen`,
      unit: "ms",
      value: round(percentile(onScreen(gaps), 0.95)),
      limit: 16.7,
      as_measured: round(percentile(gaps, 0.95), 2),
      longest: round(Math.max(...gaps)),
      work: round(percentile(work.length > 0 ? work : [0], 0.95)),
      main_thread_mean: round(main_ms / gaps.length),
      frames: gaps.length,
      late: round(lateShare(gaps), 3),
      ...what,
    });
  };
  await frames(VIEWS.time, {
    doing: "panning and zooming",
    at: async () => {
      const plot = page.locator(".ds-time-plot").last();
      await plot.scrollIntoViewIfNeeded();
      const { x, y, width, height } = await plot.boundingBox();
      return [x + width / 2, y + height / 2];
    },
    move: (at) => panAndZoom(page, { at }),
  });
  await frames(VIEWS.time, {
    doing: "hovering",
    at: async () => page.locator(".ds-time-plot").last().boundingBox(),
    move: async ({ x, y, width, height }) => {
      for (let i = 0; i < 200; i++) {
        const part = (1 + Math.sin((i / 100) * 2 * Math.PI)) / 2;
        await page.mouse.move(x + part * width, y + height / 2);
        await nextFrame(page);
      }
    },
  });
  const rows = {
    at: async () => {
      const more = page.getByRole("button", { name: /^Show (all|the first)/ });
      if ((await more.count()) > 0) await more.first().click();
      const body = page.locator(".ds-panel-body");
      const { x, y, width, height } = await body.boundingBox();
      return [x + width / 3, y + height / 2];
    },
    doing: "hovering and scrolling",
    move: async ([x, y]) => {
      for (let i = 0; i < 200; i++) {
        await page.mouse.move(x + (i % 20) * 10, y + (i % 40) * 4);
        await page.mouse.wheel(0, i < 100 ? 60 : -60);
        await nextFrame(page);
      }
    },
  };
  await frames(VIEWS.function, rows);
} finally {
  await browser.close();
}
