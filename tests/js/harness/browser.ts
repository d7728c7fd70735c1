// The Chromium that all test files share; setup.ts starts it.

import { type Browser, chromium } from "@playwright/test";
import { afterAll, beforeAll, describe, inject } from "vitest";

const shared = inject("shared");

/** Sees only the pages of the test file that runs. */
export let browser: Browser;
/** Addresses of the pages that setup.ts bundles. */
export const {
  panel: panelAddress,
  report: reportAddress,
  added: addedAddress,
} = shared ?? { panel: "", report: "", added: "" };

/** Tests in a real browser; skipped where there is no Chromium. */
export function describeInBrowser(
  name: string,
  timeout_ms: number,
  tests: () => void,
): void {
  describe.skipIf(!shared)(name, { timeout: timeout_ms }, () => {
    beforeAll(async () => {
      browser = await chromium.connect(shared!.endpoint);
    }, 30_000);

    afterAll(() => browser?.close());

    tests();
  });
}
