// The Chromium that all test files share; setup.ts starts it.

import {
  type Browser,
  type BrowserContext,
  chromium,
  type Page,
} from "@playwright/test";
import { afterAll, beforeAll, describe, inject } from "vitest";
import { noteWhatRemains } from "./remaining";

const shared = inject("shared");

/** Sees only the pages of the test file that runs. */
export let browser: Browser;
/** Addresses of the pages that setup.ts bundles. */
export const {
  panel: panelAddress,
  report: reportAddress,
  added: addedAddress,
} = shared ?? { panel: "", report: "", added: "" };

let context: BrowserContext;
/** Pages that earlier tests of this file are done with. */
const idle: Page[] = [];

/**
 * A page for one test, with nothing in it. A new page needs 0.4 s more of processor
 * time than one that was used before; a test that installs a clock needs a context of its own.
 */
export async function takePage(
  width: number,
  height: number,
  ownContext = false,
): Promise<Page> {
  const page = ownContext
    ? await browser.newPage()
    : (idle.pop() ?? (await context.newPage()));
  // Behind another page it would get one frame a second.
  await page.bringToFront();
  await page.setViewportSize({ width, height });
  return page;
}

/** Empties a page for the next test. */
export async function releasePage(page: Page): Promise<void> {
  page.removeAllListeners();
  if (page.context() !== context) return page.close();
  await page.goto("about:blank");
  await page.mouse.move(-1, -1);
  const asTheSystem = null;
  await page.emulateMedia({
    media: asTheSystem,
    colorScheme: asTheSystem,
    reducedMotion: asTheSystem,
  });
  idle.push(page);
}

/** Tests in a real browser; skipped where there is no Chromium. */
export function describeInBrowser(
  name: string,
  timeout_ms: number,
  tests: () => void,
): void {
  describe.skipIf(!shared)(name, { timeout: timeout_ms }, () => {
    beforeAll(async () => {
      browser = await chromium.connect(shared!.endpoint);
      context = await browser.newContext();
      idle.length = 0;
      await context.addInitScript(noteWhatRemains, "daskscope-harness"); // the folder of the pages
    }, 30_000);

    afterAll(() => browser?.close());

    tests();
  });
}
