// Starts one Chromium and bundles each page once, for all test files that run in a browser.

import { existsSync } from "node:fs";
import { chromium } from "@playwright/test";
import type { TestProject } from "vitest/node";
// @ts-expect-error: a plain script, shared with those that take pictures
import * as plain from "./build.mjs";

interface HarnessPage {
  address: string;
  remove(): Promise<void>;
}
const { BROWSER, buildAddedHarness, buildHarness, buildReportHarness } =
  plain as {
    BROWSER: { executablePath: string; args: string[] };
    buildAddedHarness(): Promise<HarnessPage>;
    buildHarness(): Promise<HarnessPage>;
    buildReportHarness(): Promise<HarnessPage>;
  };

/** What a test file needs to open a page. */
export interface Shared {
  /** Where Chromium listens. */
  endpoint: string;
  /** Addresses of the pages with a panel, with a report and with what only a test declares. */
  panel: string;
  report: string;
  added: string;
}
declare module "vitest" {
  interface ProvidedContext {
    /** `null` where there is no Chromium. */
    shared: Shared | null;
  }
}

export default async function setup(
  project: TestProject,
): Promise<() => Promise<void>> {
  if (!existsSync(BROWSER.executablePath)) {
    project.provide("shared", null);
    return () => Promise.resolve();
  }
  const [panel, report, added, server] = await Promise.all([
    buildHarness(),
    buildReportHarness(),
    buildAddedHarness(),
    chromium.launchServer(BROWSER),
  ]);
  project.provide("shared", {
    endpoint: server.wsEndpoint(),
    panel: panel.address,
    report: report.address,
    added: added.address,
  });
  return async () => {
    await server.close();
    await Promise.all([panel, report, added].map((page) => page.remove()));
  };
}
