// Takes pictures of the panel in its states, to be looked at:
//   node tests/js/harness/shots.mjs <folder> [name …]

import { chromium } from "@playwright/test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { BROWSER, buildHarness } from "./build.mjs";

const focus14 = async (page) =>
  page.evaluate(() => {
    const { session } = window.harness;
    const origin = session.origin.value;
    session.setFocus({
      ...session.focus.value,
      time: [origin + 14.3, origin + 21.3],
    });
  });
const hover = (x, y) => async (page) => {
  await page.mouse.move(x - 5, y);
  await page.mouse.move(x, y);
  await page.waitForTimeout(150);
};
const SHOTS = {
  light: { hash: "scenario=full", act: focus14 },
  "light-hover": {
    hash: "scenario=full",
    act: async (page) => {
      await focus14(page);
      await page.waitForTimeout(300);
      await hover(700, 215)(page);
    },
  },
  "light-pinned": { hash: "scenario=full", act: async (page) => pin(page) },
  "dark-pinned": {
    hash: "scenario=full&theme=dark",
    act: async (page) => pin(page),
  },
  whole: { hash: "scenario=full" },
  narrow: {
    hash: "scenario=full&width=420&height=600",
    size: [420, 600],
    act: async (page) => pin(page),
  },
  tiny: {
    hash: "scenario=full&width=320&height=560&theme=dark",
    size: [320, 560],
    act: async (page) => pin(page),
  },
  medium: { hash: "scenario=full&width=852&height=440", size: [852, 440] },
  n484: {
    hash: "scenario=full&width=484&height=350",
    size: [484, 350],
    act: async (page) => {
      await focus14(page);
      await page.waitForTimeout(200);
      await page.keyboard.press("Tab");
      await page.evaluate(() => document.querySelector(".ds-hit").focus());
      await page.keyboard.press(" ");
    },
  },
  lost: { hash: "scenario=lost&width=484&height=350", size: [484, 350] },
  restarted: {
    hash: "scenario=restarted&width=700&height=400",
    size: [700, 400],
  },
  "restarted-dark": {
    hash: "scenario=restarted&width=700&height=400&theme=dark",
    size: [700, 400],
  },
  "large-text": {
    hash: "scenario=full&font=18&width=1000&height=560",
    size: [1000, 560],
    act: async (page) => {
      await focus14(page);
      await page.waitForTimeout(300);
      await hover(600, 270)(page);
    },
  },
  "large-text-narrow": {
    hash: "scenario=full&font=18&theme=dark&width=420&height=560",
    size: [420, 560],
    act: focus14,
  },
  "small-text": {
    hash: "scenario=full&font=11&width=1000&height=440",
    size: [1000, 440],
    act: focus14,
  },
  partly: { hash: "scenario=partly&width=900&height=420", size: [900, 420] },
  "no-client": {
    hash: "scenario=no-client&width=484&height=350",
    size: [484, 350],
  },
  stopped: {
    hash: "scenario=stopped&width=484&height=350&theme=dark",
    size: [484, 350],
  },
  waiting: { hash: "scenario=waiting&width=700&height=350", size: [700, 350] },
  lanes64: { hash: "scenario=full&workers=16&threads=4&theme=dark" },
  lanes256: { hash: "scenario=full&workers=64&threads=4" },
  lanes2400: { hash: "scenario=full&workers=300&threads=8&scale=3" },
  crowded: {
    hash: "scenario=chooser&width=640&height=500",
    size: [640, 500],
    act: async (page) => {
      await page.evaluate(() => {
        const { session } = window.harness;
        const origin = session.origin.value;
        session.setFocus({
          time: [origin + 3, origin + 9],
          prefixes: ["read-parquet", "rename"],
          workers: session.workers.value.slice(0, 3).map((one) => one.address),
          spans: [],
          cells: [],
        });
      });
    },
  },
  "dark-hover": {
    hash: "scenario=full&theme=dark",
    act: async (page) => {
      await focus14(page);
      await page.waitForTimeout(300);
      await hover(900, 215)(page);
    },
  },
  coarse: { hash: "scenario=coarse" },
  "coarse-hover": { hash: "scenario=coarse", act: hover(700, 215) },
  left: {
    hash: "scenario=full",
    act: async (page) => {
      await page.evaluate(() => {
        const { session } = window.harness;
        session.workers.value = session.workers.value.slice(0, 1);
      });
      await page.waitForTimeout(300);
    },
  },
  one: {
    hash: "scenario=full&workers=1&threads=2&height=420",
    size: [1400, 420],
  },
  hostile: { hash: "scenario=hostile", act: hover(700, 215) },
  skew: { hash: "scenario=skew" },
  gap: { hash: "scenario=gap" },
  busy: { hash: "scenario=busy", act: async (page) => pin(page) },
  plain: {
    hash: "scenario=full&vars=none&theme=dark&inline=1&width=900",
    size: [900, 700],
  },
  chooser: {
    hash: "scenario=chooser&width=700&height=420",
    size: [700, 420],
    act: (page) => page.click(".ds-chooser button"),
  },
  "chooser-dark": {
    hash: "scenario=chooser&width=420&height=420&theme=dark",
    size: [420, 420],
    act: (page) => page.click(".ds-chooser button"),
  },
  live: {
    hash: "scenario=live",
    act: async (page) => {
      await page.evaluate(() => window.harness.live());
      await page.waitForTimeout(6000);
    },
  },
  isolated: {
    hash: "scenario=full",
    act: async (page) => {
      await focus14(page);
      await page.click("text=transfer >> nth=-1");
      await page.waitForTimeout(400);
    },
  },
  table: {
    hash: "scenario=full",
    act: async (page) => {
      await page.click(".ds-hit", { position: { x: 5, y: 5 } });
      await page.keyboard.press("t");
      await page.waitForTimeout(300);
    },
  },
  help: {
    hash: "scenario=full",
    act: async (page) => {
      await page.click(".ds-hit", { position: { x: 5, y: 5 } });
      await page.keyboard.press("?");
      await page.waitForTimeout(300);
    },
  },
  search: {
    hash: "scenario=full",
    act: async (page) => {
      await page.fill("input", "groupby-a");
      await page.waitForTimeout(600);
      await page.press("input", "Enter");
      await page.waitForTimeout(400);
    },
  },
  legend: {
    hash: "scenario=full&width=420&height=600",
    size: [420, 600],
    act: async (page) => {
      await page.click(".ds-legend-menu button");
      await page.waitForTimeout(200);
    },
  },
};

/** Where the mark of the first error is, in the window 14.3 – 21.3 s. */
async function errorMark(page) {
  await focus14(page);
  await page.waitForTimeout(400);
  return page.evaluate(() => {
    const hit = document.querySelector(".ds-hit").getBoundingClientRect();
    const { session } = window.harness;
    const time =
      session.table("errors").value.columns.time[0] - session.origin.value;
    return { x: hit.left + ((time - 14.3) / 7) * hit.width, y: hit.top + 33 };
  });
}

async function pin(page) {
  const { x, y } = await errorMark(page);
  await page.mouse.click(x, y);
  await page.mouse.move(5, 5);
  await page.waitForTimeout(300);
}

async function isolateSpan(page) {
  await pin(page);
  await page.click(".ds-pinned dd .ds-link");
  await page.mouse.move(5, 5);
}

const narrow = (scenario, act, theme = "light") => ({
  hash: `scenario=${scenario}&theme=${theme}&width=285&height=420`,
  size: [285, 420],
  act,
});
const table = async (page) => {
  await page.evaluate(() => document.querySelector(".ds-hit").focus());
  await page.keyboard.press("t");
  await page.waitForTimeout(300);
};
/** A panel other than the task stream, 20.9 s after the run began. */
const kind = (panel, size, more = "", act = undefined) => ({
  hash: `panel=${panel}&scenario=live&at=20.9&width=${size[0]}&height=${size[1]}&${more}`,
  ...{ size, act },
});
for (const panel of ["summary", "memory", "events", "logs", "system"]) {
  Object.assign(SHOTS, {
    [`${panel}-live`]: kind(panel, [1100, 800]),
    [`${panel}-live-dark`]: kind(panel, [1100, 800], "theme=dark"),
    [`${panel}-live-480`]: kind(panel, [470, 800], "theme=dark"),
    [`${panel}-live-320`]: kind(panel, [320, 800]),
    [`${panel}-live-many`]: kind(panel, [900, 700], "many=1"),
    [`${panel}-focus`]: kind(panel, [900, 800], "", focus14),
    [`${panel}-empty`]: {
      hash: `panel=${panel}&scenario=waiting&width=700&height=400`,
      size: [700, 400],
    },
    [`${panel}-no-client`]: {
      hash: `panel=${panel}&scenario=no-client&width=484&height=350`,
      size: [484, 350],
    },
    [`${panel}-lost`]: {
      hash: `panel=${panel}&scenario=lost&width=700&height=500`,
      size: [700, 500],
    },
    [`${panel}-inline`]: kind(panel, [900, 480], "inline=1"),
  });
}
Object.assign(SHOTS, {
  "memory-prefixes": kind("memory", [1400, 760], "theme=dark", async (page) => {
    await page.getByRole("button", { name: "Prefixes" }).click();
    await hover(500, 300)(page);
  }),
  "narrow-whole": narrow("full"),
  "narrow-focus": narrow("full", SHOTS.crowded.act, "dark"),
  "narrow-partly": narrow("partly"),
  "narrow-chooser": narrow("chooser", undefined, "dark"),
  "small-chooser": {
    hash: "scenario=chooser&width=360&height=420",
    size: [360, 420],
  },
  "narrow-lost": narrow("lost", undefined, "dark"),
  "narrow-restarted": narrow("restarted", undefined, "dark"),
  "narrow-pinned": narrow("full", pin),
  "narrow-table": narrow("full", table),
  "narrow-no-client": narrow("no-client"),
  "narrow-help": narrow("full", SHOTS.help.act, "dark"),
  "narrow-event": narrow("full", async (page) => {
    const { x, y } = await errorMark(page);
    await hover(x, y)(page);
  }),
  "wide-dark": {
    hash: "scenario=many&theme=dark&width=1600&height=800",
    size: [1600, 800],
    act: async (page) => pin(page),
  },
  "wide-table": {
    hash: "scenario=many&width=1600&height=800",
    size: [1600, 800],
    act: table,
  },
  "event-hover": {
    hash: "scenario=full",
    act: async (page) => {
      const { x, y } = await errorMark(page);
      await hover(x, y)(page);
    },
  },
  "events-hover": {
    hash: "scenario=gap&theme=dark",
    act: async (page) => {
      await page.waitForTimeout(300);
      await hover(243, 155)(page);
    },
  },
  short: {
    hash: "scenario=full&workers=4&threads=2&width=922&height=215",
    size: [922, 215],
  },
  "short-menu": {
    hash: "scenario=many&width=922&height=300",
    size: [922, 300],
    act: async (page) => {
      await page.click(".ds-legend-more button");
      await page.waitForTimeout(200);
    },
  },
  span: { hash: "scenario=full", act: async (page) => isolateSpan(page) },
  "span-dark": {
    hash: "scenario=full&width=420&height=600&theme=dark",
    size: [420, 600],
    act: async (page) => isolateSpan(page),
  },
  "narrow-search": {
    hash: "scenario=chooser&workers=24&threads=2&width=332&height=600",
    size: [332, 600],
    act: async (page) => {
      await page.evaluate(() => document.querySelector(".ds-hit").focus());
      await page.keyboard.press("/");
      await page.locator(".ds-search input").fill("rename");
      await page.waitForTimeout(400);
    },
  },
  "narrow-more": narrow("full", async (page) => {
    await page.click(".ds-menu-button[aria-label=More]");
  }),
  "legend-long": {
    hash: "scenario=many&width=900&height=500",
    size: [900, 500],
    act: async (page) => {
      await page.click(".ds-legend-more button");
      await page.waitForTimeout(200);
    },
  },
});

/** A profile, 29 s after the run began. */
const profile = (size, more = "", act = undefined) => ({
  hash: `panel=profile&scenario=live&at=29.1&profile=1&width=${size[0]}&height=${size[1]}&${more}`,
  ...{ size, act },
});
const flame = (x, y, options) => async (page) => {
  await page.waitForTimeout(200);
  await page
    .locator(".ds-flame-hit")
    .first()
    .click({ position: { x, y }, ...options });
  await page.waitForTimeout(300);
};
const flameHover = (x, y) => async (page) => {
  await page.waitForTimeout(200);
  await page.locator(".ds-flame-hit").first().hover({ position: { x, y } });
};
const twoRuns = async (page) => {
  const more = page.getByRole("button", { name: "More of the graph" });
  const mode = page.getByRole("button", { name: "Compare" });
  if (!(await mode.isVisible())) await more.click();
  await mode.click();
  await page.getByRole("button", { name: "Another recording" }).click();
  await page.getByRole("button", { name: "Taxi shuffle" }).click();
  await page.mouse.move(2, 2);
};
const shuffle = (size) => [size[0] * 0.5, 22 * 6 + 8];
Object.assign(SHOTS, {
  "profile-light": profile([1400, 700]),
  "profile-dark": profile([1400, 700], "theme=dark"),
  "profile-hover": profile([1400, 700], "", flameHover(300, 22 * 5 + 8)),
  "profile-zoom": profile([1400, 700], "theme=dark", flame(...shuffle([1000]))),
  "profile-search": profile([1400, 700], "", async (page) => {
    await page.locator(".ds-search input").fill("to_pandas");
    await flame(100, 22 * 6 + 8, { modifiers: ["Shift"] })(page);
  }),
  "profile-sandwich": profile([1000, 640], "", async (page) => {
    await flame(300, 22 * 5 + 8, { modifiers: ["Shift"] })(page);
    await page.keyboard.press("c");
  }),
  "profile-420": profile([420, 640], "theme=dark"),
  "profile-320": profile([320, 640]),
  "profile-420-pinned": profile([420, 640], "", flame(100, 18 * 5 + 8)),
  "profile-empty": {
    hash: "panel=profile&scenario=live&at=0.5&profile=1&width=700&height=400",
    size: [700, 400],
  },
  "profile-off": profile([700, 400], "compute=off"),
  "profile-311": profile([1000, 400], "administrative=python-3.11", (page) =>
    page.getByRole("button", { name: "Workers" }).first().click(),
  ),
  "profile-focus": profile([1000, 640], "", focus14),
  "profile-compare": profile([1200, 700], "", async (page) => {
    await focus14(page);
    await page.getByRole("button", { name: "Compare" }).click();
    await flameHover(600, 22 * 5 + 8)(page);
  }),
  "profile-two": profile([1200, 700], "slower=1&other-at=29.1", twoRuns),
  "profile-two-dark": profile(
    [1000, 640],
    "theme=dark&slower=1&other-at=29.1",
    twoRuns,
  ),
  "profile-two-420": profile([420, 640], "slower=1&other-at=29.1", twoRuns),
  "profile-refused": profile([1000, 500], "other-interval=0.02", twoRuns),
  "profile-split": profile([1200, 700], "", async (page) => {
    await page.getByRole("button", { name: "More of the graph" }).click();
    await page.getByRole("button", { name: "Split by prefix" }).click();
    await page.keyboard.press("Escape");
    await page.mouse.click(600, 5);
  }),
  "profile-compare-none": profile([1000, 500], "", (page) =>
    page.getByRole("button", { name: "Compare" }).click(),
  ),
  "profile-inline": profile([900, 480], "inline=1"),
});

const plot = (size, more = "", act = undefined) => ({
  hash: `panel=memory-plot&scenario=samples&inline=1&width=${size[0]}&height=${size[1]}&${more}`,
  ...{ size, act },
});
const perWorker = (page) => page.click("text=Per worker");
const PICTURE = [900, 440];
Object.assign(SHOTS, {
  "plot-light": plot(PICTURE, "options={%22align%22:true}", async (page) => {
    await perWorker(page);
    await hover(435, 215)(page);
  }),
  "plot-dark": plot(
    PICTURE,
    "theme=dark&options={%22align%22:true}",
    async (page) => {
      await perWorker(page);
      await hover(435, 215)(page);
    },
  ),
  "plot-cluster": plot(PICTURE),
  "plot-cluster-dark": plot(PICTURE, "theme=dark", hover(300, 250)),
  "plot-one": plot(PICTURE, "labels=1"),
  "plot-live": plot(PICTURE, "labels=1&at=17"),
  "plot-live-aligned": plot(
    PICTURE,
    "at=17&options={%22align%22:true}&theme=dark",
  ),
  "plot-empty": plot(PICTURE, "labels=0"),
  "plot-many": plot(
    PICTURE,
    "labels=16&options={%22align%22:true}",
    hover(300, 250),
  ),
  "plot-many-clock": plot(PICTURE, "labels=16&theme=dark"),
  "plot-six": plot(PICTURE, "labels=6&options={%22align%22:true}"),
  "plot-480": plot([480, 480], "options={%22align%22:true}", hover(300, 250)),
  "plot-470-dark": plot([470, 480], "theme=dark", perWorker),
  "plot-320": plot([320, 480], "options={%22align%22:true}", hover(200, 280)),
  "plot-320-dark": plot([320, 480], "theme=dark&labels=1"),
  "plot-table": plot(PICTURE, "options={%22align%22:true}", async (page) => {
    await page.click(".ds-icon-button[aria-label='Numbers as a table']");
  }),
  "plot-zoomed": plot(PICTURE, "", async (page) => {
    await page.mouse.move(300, 250);
    await page.mouse.down();
    await page.mouse.move(500, 250, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move(5, 5);
  }),
  "plot-isolated": plot(
    PICTURE,
    "labels=6&options={%22align%22:true}",
    (page) => page.click(".ds-legend-entry >> nth=1"),
  ),
  "plot-large-text": plot([900, 520], "font=18"),
});

const choose = (name) => (page) =>
  page.click(`.ds-spans-row:has-text("${name}")`);
const spans = (size, more, act) => ({
  hash: `panel=spans&repeat=2&width=${size[0]}&height=${size[1]}&${more}`,
  ...{ size, act },
});
Object.assign(SHOTS, {
  spans: spans([1080, 620], "scenario=cells", choose("total by region")),
  "spans-dark": spans([1080, 620], "scenario=cells&theme=dark", choose("[3]")),
  "spans-420": spans([420, 620], "scenario=cells", choose("read")),
  "spans-420-dark": spans([420, 620], "scenario=cells&theme=dark"),
  "spans-empty": spans([700, 300], "scenario=live&at=0"),
  "spans-live": spans([900, 500], "scenario=live&at=20"),
});

const [folder = "shots", ...names] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const harness = await buildHarness();
const browser = await chromium.launch(BROWSER);
try {
  for (const [name, shot] of Object.entries(SHOTS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const [width, height] = shot.size ?? [1400, 700];
    const page = await browser.newPage({ viewport: { width, height } });
    page.on("console", (message) =>
      console.log(name, message.type(), message.text()),
    );
    page.on("pageerror", (error) => console.log(name, "ERROR", error.stack));
    await page.goto(`${harness.address}#${shot.hash}`);
    await page.waitForSelector("body[data-ready]");
    await page.waitForTimeout(500);
    if (shot.act) await shot.act(page);
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await page.close();
  }
} finally {
  await browser.close();
  await harness.remove();
}
