// What all benchmarks in a browser need: a browser without a GPU, pages with a panel of ours
// or a figure of Bokeh, and the same mouse in both.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { build } from "esbuild";
import { noteFrames } from "./frames.mjs";
import { panAndZoom } from "./mouse.mjs";

export const VIEWPORT = { width: 1600, height: 900 };
const here = import.meta.dirname;

export const round = (value, digits = 1) => Number(value.toFixed(digits));

/** Prints figures of a benchmark. */
export const reporter = (bench) => (figure) =>
  console.log(JSON.stringify({ bench, ...figure }));

export const launched = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
  });

export async function open(browser, html) {
  const page = await browser.newPage({ viewport: VIEWPORT });
  page.on("pageerror", (error) => {
    throw error;
  });
  const [doctype] = /^\s*<!doctype html>/i.exec(html);
  const script = `<script>(${noteFrames})()</script>`;
  await page.setContent(doctype + script + html.slice(doctype.length));
  return page;
}

/** Frames while panning and zooming: from one to the next, and the work in each. */
export async function gestures(page, how) {
  await page.evaluate(() => window.noted.clear());
  await panAndZoom(page, how);
  return page.evaluate(() => {
    const { gaps, active, work } = window.noted;
    return { gaps, active, work };
  });
}

/** A page of this folder with what it needs, in one piece. */
export async function pageOf(entry) {
  const bundle = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
  });
  const script = bundle.outputFiles[0].text;
  const style = await build({
    entryPoints: [join(here, "../../../style/panel.css")],
    bundle: true,
    write: false,
  });
  return `<!doctype html><meta charset="utf-8">
    <style>${style.outputFiles[0].text} body { margin: 0 }
    #place { width: ${VIEWPORT.width}px; height: ${VIEWPORT.height}px }</style>
    <body><div id="place"></div>
    <script>${script.replaceAll("</script", "<\\/script")}</script></body>`;
}

/** A page that a program of this folder writes, once Bokeh has drawn it. */
export async function peerPage(browser, program, args, input = "") {
  const folder = mkdtempSync(join(tmpdir(), "peer-"));
  try {
    const file = join(folder, "peer.html");
    // `make bench` puts the environment of the checkout first.
    const python = process.env.PYTHON ?? "python3";
    const made = spawnSync(python, [join(here, program), file, ...args], {
      input,
      stdio: ["pipe", "inherit", "inherit"],
    });
    if (made.status !== 0) throw new Error(`${program} failed`);
    const page = await open(browser, readFileSync(file, "utf8"));
    await page.waitForFunction(
      () => window.Bokeh?.documents?.[0]?.is_idle === true,
      null,
      { timeout: 120_000 },
    );
    return page;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
