// A panel in a real browser, and what tests do with it by mouse and keyboard.

import type { Page } from "@playwright/test";
import { afterAll, afterEach, expect } from "vitest";
import type { EmptyState } from "../../../js_src/panel/host";
import {
  describeInBrowser,
  panelAddress,
  releasePage,
  takePage,
} from "./browser";
import type { Remaining } from "./remaining";
import type { HarnessSession } from "./session";

interface Harness {
  session: HarnessSession;
  shown: { value: HarnessSession | null };
  emptyState: { value: EmptyState | null };
  saved: { name: string; content: Blob }[];
  leaked: string[];
  live(): void;
  show(seconds: number): void;
  hide(hidden: boolean): void;
  openFile(text: string): Promise<void>;
  dispose(): void;
  remount(): void;
  remountDetached(): void;
  takeOut(): void;
  putBack(): void;
  setWidth(width_px: number): void;
  setDark(on: boolean): void;
}
declare global {
  interface Window {
    harness: Harness;
    drawn: number;
    injected?: boolean;
  }
}

/** The page of the test that runs. */
export let page: Page;
/** Errors of that page. */
let troubles: string[] = [];

/** Tests that share a browser; each opens a page of its own. */
export function describePanel(name: string, tests: () => void): void {
  describeInBrowser(name, 40_000, () => {
    const ends: Promise<string[]>[] = [];

    afterEach(async () => {
      await page.evaluate(() => window.harness.dispose());
      ends.push(end(page, troubles, expect.getState().currentTestName));
    });

    // Here and not after each test: what a panel said last stays for four seconds.
    afterAll(async () => {
      expect((await Promise.all(ends)).flat()).toEqual([]);
    });

    tests();
  });
}

/** Releases a page whose panel was disposed of; returns its errors and what did not end. */
async function end(
  page: Page,
  troubles: string[],
  test = "",
): Promise<string[]> {
  let left = await remaining(page);
  for (let tries = 0; left.length > 0 && tries < 60; tries++) {
    await page.waitForTimeout(100);
    left = await remaining(page);
  }
  await releasePage(page);
  return [...left, ...troubles].map((one) => `${test}: ${one}`);
}

/** What of a panel goes on by itself. Intervals are the harness's, which plays live runs. */
const remaining = (page: Page) =>
  page.evaluate(() =>
    [...((window as Remaining).daskscopePending?.values() ?? [])].filter(
      (one) => !one.startsWith("interval"),
    ),
  );

export async function open(
  hash: string,
  width = 1200,
  height = 640,
  ownContext = false,
): Promise<void> {
  page = await takePage(width, height, ownContext);
  const said: string[] = (troubles = []);
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") said.push(message.text());
  });
  await page.goto(`${panelAddress}#width=${width}&height=${height}&${hash}`);
  await page.waitForSelector("body[data-ready]");
}

export const plot = () => page.locator(".ds-hit");

export async function plotBox() {
  const box = await plot().boundingBox();
  if (!box) throw new Error("there is no plot");
  return box;
}

/** Seconds of the run under a point of the plot. */
export async function timeAt(x: number, y = 200): Promise<number> {
  await page.mouse.move(x, y);
  return page.evaluate(async () => {
    // The crosshair follows with the frame; before that it is where it was.
    await new Promise((done) =>
      requestAnimationFrame(() => requestAnimationFrame(done)),
    );
    const { session } = window.harness;
    return (session.crosshair.value ?? NaN) - session.origin.value;
  });
}

/** The window in seconds of the run, when it has come to rest. */
export async function shown(): Promise<[number, number]> {
  const box = await plotBox();
  let before: [number, number] = [NaN, NaN];
  for (let attempt = 0; attempt < 40; attempt++) {
    const left = await timeAt(box.x + 1, box.y + 5);
    const right = await timeAt(box.x + box.width - 2, box.y + 5);
    const now: [number, number] = [left, right];
    const still =
      Math.abs(now[0] - before[0]) < 1e-6 &&
      Math.abs(now[1] - before[1]) < 1e-6;
    if (still) return now;
    before = now; // frames went by for each of the two
  }
  return before;
}

export async function drag(
  from: [number, number],
  to: [number, number],
  shift = false,
): Promise<void> {
  await page.mouse.move(...from);
  if (shift) await page.keyboard.down("Shift");
  await page.mouse.down();
  await page.mouse.move((from[0] + to[0]) / 2, to[1], { steps: 3 });
  await page.mouse.move(...to, { steps: 3 });
  await page.mouse.up();
  if (shift) await page.keyboard.up("Shift");
}

/** Where a task is, in the coordinates of the page. */
export async function placeOf(task: number): Promise<{ x: number; y: number }> {
  const box = await plotBox();
  const [start, stop] = await shown();
  const found = await page.evaluate((wanted) => {
    const { session } = window.harness;
    for (let lane = 0; lane < session.model.laneCount; lane++) {
      const rows = session.model.ofTask(lane, wanted);
      const row = rows.find(({ action }) => action === 0);
      if (row) {
        const middle = row.start + row.duration / 2;
        return { lane, time: middle - session.origin.value };
      }
    }
    return null;
  }, task);
  if (!found) throw new Error("no such task");
  const x = box.x + ((found.time - start) / (stop - start)) * box.width;
  // 4 workers of 4 threads: lanes of 26 + 2 px, workers 10 px apart.
  const lane = found.lane;
  const pitch = await lanePitch();
  const y = box.y + 49 + lane * pitch + Math.floor(lane / 4) * 10 + 4;
  return { x, y };
}

export async function lanePitch(): Promise<number> {
  const tops = await page
    .locator(".ds-worker")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  return ((tops[1] ?? 0) - (tops[0] ?? 0) - 10) / 4;
}

export const erredTask = () =>
  page.evaluate(
    () => window.harness.session.table("errors").value.columns.task[0]!,
  );
