// Takes pictures of a report in its states, to be looked at:
//   node tests/js/harness/report_shots.mjs <folder> [name …]

import { chromium } from "@playwright/test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { BROWSER, buildReportHarness } from "./build.mjs";

const WIDE = [1400, 860];
const NARROW = [400, 800];
const select = async (page) => {
  await page.evaluate(() => {
    const { session } = window.report;
    const origin = session.origin.value;
    session.setFocus({
      time: [origin + 14.3, origin + 21.3],
      prefixes: ["shuffle-p2p", "groupby-chunk"],
      workers: [session.workers.value[2].address],
      spans: [],
    });
  });
  await page.waitForTimeout(600);
};
const openError = async (page) => {
  await page.locator(".ds-error-head").first().click();
};
const shot = (tab, query = "", size = WIDE, act = undefined) => ({
  ...{ tab, query, size, act },
});
const dark = (one) => ({ ...one, scheme: "dark" });
const SHOTS = {
  summary: shot("summary"),
  "summary-dark": dark(shot("summary")),
  "summary-narrow": shot("summary", "", NARROW),
  "summary-medium": shot("summary", "", [800, 900]),
  "summary-wide": shot("summary", "", [1920, 1000]),
  "summary-selected": shot("summary", "", WIDE, select),
  "summary-slow": shot("summary", "slow=1"),
  "summary-broken": shot("summary", "broken=1"),
  "summary-hostile": shot("summary", "scenario=hostile"),
  "summary-raised": shot(
    "summary",
    `summary=${encodeURIComponent(
      JSON.stringify({
        cost: null,
        memory: null,
        versions: 7,
        exception: {
          type: "ValueError",
          text: "cannot reindex on an axis with duplicate labels",
          traceback:
            'Traceback (most recent call last):\n  File "/tmp/ipykernel_1/7.py", line 4, in <module>\n    out = total(trips)\nValueError: cannot reindex\n',
        },
      }),
    )}`,
  ),
  stream: shot("task-stream"),
  "stream-dark": dark(shot("task-stream", "", WIDE, select)),
  "stream-slow": shot("task-stream", "slow=1"),
  events: shot("events", "", WIDE, openError),
  "events-dark": dark(shot("events", "many=1")),
  "events-many": shot("events", "many=1", WIDE, openError),
  "events-narrow": shot("events", "many=1", NARROW),
  "events-hostile": shot("events", "scenario=hostile", WIDE, openError),
  logs: shot("logs", "many=1"),
  "logs-dark": dark(shot("logs", "")),
  "logs-narrow": shot("logs", "", NARROW),
  "logs-bare": shot("logs", "bare=1"),
  memory: shot("memory", "", [1400, 900]),
  "memory-narrow": shot("memory", "", NARROW),
  "memory-bare": shot("memory", "bare=1"),
  system: shot("system", "", [1400, 900]),
  "system-dark": dark(shot("system", "", WIDE, select)),
  "system-narrow": shot("system", "", NARROW),
  "system-bare": shot("system", "bare=1"),
  "system-hover": shot("system", "", WIDE, (page) => page.mouse.move(400, 200)),
};

const [folder = "shots", ...names] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const harness = await buildReportHarness();
const browser = await chromium.launch(BROWSER);
try {
  for (const [name, one] of Object.entries(SHOTS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const [width, height] = one.size;
    const page = await browser.newPage({
      viewport: { width, height },
      colorScheme: one.scheme ?? "light",
    });
    page.on("console", (message) =>
      console.log(name, message.type(), message.text()),
    );
    page.on("pageerror", (error) => console.log(name, "ERROR", error.stack));
    await page.goto(`${harness.address}?${one.query}#tab=${one.tab}`);
    await page.waitForSelector("body[data-ready]");
    await page.waitForTimeout(700);
    if (one.act) await one.act(page);
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await page.close();
  }
  for (const scheme of ["light", "dark"]) {
    const name = `print-${scheme}`;
    if (names.length > 0 && !names.includes(name)) continue;
    const page = await browser.newPage({
      viewport: { width: 794, height: 1123 },
      colorScheme: scheme,
    });
    await page.goto(`${harness.address}?many=1#tab=summary`);
    await page.waitForSelector("body[data-ready]");
    await page.waitForTimeout(2500);
    await page.emulateMedia({ media: "print", colorScheme: scheme });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.waitForTimeout(300);
    const clip = { x: 0, y: 0, width: 794, height: 2600 };
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path, clip, fullPage: true });
    await page.close();
  }
} finally {
  await browser.close();
  await harness.remove();
}
