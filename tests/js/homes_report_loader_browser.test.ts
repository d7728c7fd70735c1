// The loader of a report in a real browser: it runs the one script that the policy of the
// page names, and says so where it cannot.

import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateRawSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { base85 } from "./base85";
import { describeReport, newPage, page } from "./harness/report";

declare global {
  interface Window {
    /** Directives of the policy that something violated. */
    violated: string[];
  }
}

const SCRIPT = `document.getElementById("daskscope-report").textContent = "ran ✓";`;
const DAMAGED = "The script of this report did not run";

let folder: string;
const addressOf = (name: string): string =>
  `${pathToFileURL(folder).href}/${name}`;

/** A page as Python writes it (report/html.py), with any script in the place of its own. */
function pageOf(loader: string, packed: Buffer): string {
  const hash = (text: string): string =>
    `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return `<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${hash(loader)} ${hash(SCRIPT)}">
<script type="application/octet-stream" id="daskscope-script">${base85(packed)}</script>
<main id="daskscope-report"><noscript>Scripts are off</noscript>
<div class="ds-tabpanel">static summary</div></main>
<script>${loader}</script>`;
}

/** Opens a page of its own: what it complains of is expected. */
async function opened(name: string, before = (): void => {}): Promise<Page> {
  await newPage();
  const other = await page.context().browser()!.newPage();
  await other.addInitScript(() => {
    window.violated = [];
    addEventListener("securitypolicyviolation", (event) => {
      window.violated.push(event.violatedDirective);
    });
  });
  await other.addInitScript(before);
  await other.goto(addressOf(name));
  return other;
}

const violated = (of: Page) => of.evaluate(() => window.violated);

describeReport("the loader of a report", () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "daskscope-loader-"));
    const { outputFiles } = await build({
      entryPoints: ["js_src/homes/report_loader.ts"],
      bundle: true,
      write: false,
      minify: true,
      format: "iife",
      target: "es2017",
    });
    const loader = outputFiles[0]!.text;
    const packed = deflateRawSync(SCRIPT);
    const files = {
      "whole.html": pageOf(loader, packed),
      "changed.html": pageOf(loader, deflateRawSync(`${SCRIPT};`)),
      "damaged.html": pageOf(loader, packed.subarray(0, -9)),
      "frame.html": `<iframe sandbox="allow-scripts" src="whole.html"></iframe>`,
    };
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(folder, name), text);
    }
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("runs the script from a file, and in a sandboxed frame", async () => {
    await newPage();
    await page.goto(addressOf("whole.html"));
    await page.getByText("ran ✓", { exact: true }).waitFor();
    await page.goto(addressOf("frame.html"));
    await page.frameLocator("iframe").getByText("ran ✓").waitFor();
  });

  it("says that another script than the policy names did not run", async () => {
    const other = await opened("changed.html#tab=logs");
    await other.getByText(DAMAGED).waitFor();
    expect(await violated(other)).toEqual(["script-src-elem"]);
    await other.getByText("static summary").waitFor();
  });

  it("says that a script that cannot be unpacked did not run", async () => {
    const other = await opened("damaged.html");
    await other.getByText(DAMAGED).waitFor();
    expect(await violated(other)).toEqual([]);
  });

  it("says that a browser which cannot unpack it is too old", async () => {
    const other = await opened("whole.html", () => {
      Reflect.deleteProperty(window, "DecompressionStream");
    });
    await other.getByText("This browser is too old").waitFor();
    await other.getByText("static summary").waitFor();
  });
});
