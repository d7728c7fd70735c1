// A report in a real browser, from a file, with the rules of its page.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { afterEach, expect } from "vitest";
import {
  describeInBrowser,
  releasePage,
  reportAddress,
  takePage,
} from "./browser";

export { reportAddress };
import type { Remaining } from "./remaining";
import type { HarnessSession } from "./session";

interface ReportHarness {
  session: HarnessSession;
  dispose(): void;
  /** Lets a recording be opened that waits for it. */
  openNow(): void;
  /** Tables that somebody who could see them has wanted. */
  tablesAsked(): readonly string[];
  /** Red, green and blue of the first pixel of each chart of a tab. */
  corners(tab: "summary" | "system"): number[][];
  /** Of each chart of the summary, as it is drawn and as it is shown. */
  widths(): [drawn: number, shown: number][];
}
declare global {
  interface Window {
    report: ReportHarness;
  }
}

/** The page of the test that runs. */
export let page: Page;
/** Errors of the page, violated rules among them. */
const troubles: string[] = [];
const requests: string[] = [];
const allowed = ["file:", "blob:"];

export function describeReport(name: string, tests: () => void): void {
  describeInBrowser(name, 20_000, () => {
    afterEach(async () => {
      await releasePage(page);
      expect(troubles.splice(0)).toEqual([]);
      const others = requests
        .splice(0)
        .filter((one) => !allowed.some((start) => one.startsWith(start)));
      expect(others).toEqual([]);
    });

    tests();
  });
}

export async function newPage(width = 1200, height = 800): Promise<void> {
  page = await takePage(width, height);
  page.setDefaultTimeout(8_000); // a test says where it waits
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(message.text());
  });
  page.on("request", (request) => requests.push(request.url()));
}

export async function open(
  query = "",
  fragment = "",
  width = 1200,
  height = 800,
): Promise<void> {
  await newPage(width, height);
  await page.goto(`${reportAddress}?${query}${fragment && `#${fragment}`}`);
  await page.waitForSelector("body[data-ready]");
}

/** As Jupyter serves what is below its `/files/`: of such a page nothing is trusted. */
export async function serveSandboxed(): Promise<{
  address: string;
  close(): Promise<void>;
}> {
  const html = await readFile(fileURLToPath(reportAddress));
  const server = createServer((request, response) => {
    const found = request.url?.startsWith("/files/") ?? false;
    response.writeHead(found ? 200 : 204, {
      "content-type": "text/html",
      "content-security-policy": "sandbox allow-scripts",
    });
    response.end(found ? html : undefined);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const own = `http://127.0.0.1:${port}`;
  allowed.push(`${own}/files/`, `${own}/favicon.ico`);
  return {
    address: own,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

/** What of a report goes on by itself. */
export const remaining = () =>
  page.evaluate(() => [
    ...((window as Remaining).daskscopePending?.values() ?? []),
  ]);

/** Seconds since the epoch at which the run of the report begins. */
export const origin = () =>
  page.evaluate(() => window.report.session.origin.value);

/** The same, before a test opens the report that it is about. */
export async function startOfRun(): Promise<number> {
  await open();
  const start = await origin();
  await releasePage(page);
  return start;
}

export const focus = () =>
  page.evaluate(() => window.report.session.focus.value);

export const fragment = () => page.evaluate(() => location.hash);

export const tab = (name: string) => page.getByRole("tab", { name });

/** The panel of the tab that is open. */
export const inTab = () => page.locator(".ds-tabpanel:not([hidden])");

export const shownTab = () =>
  page.locator("[role=tab][aria-selected=true]").innerText();
