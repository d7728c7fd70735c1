// Canvases in a real browser: sizes, frames and pixels.

import type { Page } from "@playwright/test";
import { build } from "esbuild";
import { afterEach, beforeAll, expect, it } from "vitest";
import { browser, describeInBrowser } from "./harness/browser";
import type {} from "./render_browser_page";

const RED = "255,0,0";
const BLUE = "0,0,255";
const WHITE = "255,255,255";

describeInBrowser("a canvas in a browser", 30_000, () => {
  let script: string;
  let page: Page;
  const troubles: string[] = [];

  beforeAll(async () => {
    const bundle = await build({
      entryPoints: [`${import.meta.dirname}/render_browser_page.ts`],
      bundle: true,
      write: false,
      format: "iife",
    });
    script = bundle.outputFiles[0].text;
  }, 60_000);

  afterEach(async () => {
    await page.close();
    expect(troubles.splice(0)).toEqual([]);
  });

  async function open(deviceScaleFactor = 1): Promise<void> {
    page = await browser.newPage({
      viewport: { width: 300, height: 200 },
      deviceScaleFactor,
    });
    page.on("pageerror", (error) => troubles.push(String(error)));
    await page.setContent(
      `<body style="margin:0"><div id="place"
           style="position:relative;width:101px;height:50px"></div>`,
    );
    await page.addScriptTag({ content: script });
    await page.waitForFunction(() => window.page.drawn() > 0);
    await page.evaluate(() => window.page.frames(3));
  }

  const drawnAfter = async (change: () => void): Promise<number> => {
    const before = await page.evaluate(() => window.page.drawn());
    await page.evaluate(change);
    await page.evaluate(() => window.page.frames(4));
    return (await page.evaluate(() => window.page.drawn())) - before;
  };

  it.each([1, 1.5, 2])(
    "has a pixel for each of the screen at %f",
    async (ratio) => {
      await open(ratio);
      const size = await page.evaluate(() => window.page.size());
      expect(size.pixelRatio).toBe(ratio);
      expect(size.height).toBe(50 * ratio);
      expect(Math.abs(size.width - 101 * ratio)).toBeLessThan(1);
    },
  );

  it("shows the pixels that it was given", async () => {
    await open();
    const picture = await page.screenshot();
    const points: [number, number][] = [
      ...([
        [9, 12],
        [10, 12],
        [29, 12],
        [30, 12],
      ] as [number, number][]),
      ...([
        [20, 9],
        [20, 10],
        [20, 22],
        [20, 23],
      ] as [number, number][]),
      ...([
        [14, 25],
        [15, 29],
        [25, 25],
        [20, 30],
      ] as [number, number][]),
    ];
    const colours = await page.evaluate(
      ([png, where]) => window.page.coloursOfPng(png, where),
      [picture.toString("base64"), points] as const,
    );
    expect(colours).toEqual([
      ...[WHITE, RED, RED, WHITE],
      ...[WHITE, RED, WHITE, BLUE],
      ...[WHITE, BLUE, WHITE, WHITE],
    ]);
  });

  it("is drawn once a frame, however often it is asked for", async () => {
    await open();
    const drawn = await drawnAfter(() => {
      for (let i = 0; i < 100; i++) window.page.view.request();
    });
    expect(drawn).toBe(1);
  });

  it("is not drawn while it is hidden, and once when it is back", async () => {
    await open();
    await page.evaluate(() => {
      window.page.element.style.display = "none";
    });
    await page.waitForFunction(() => !window.page.view.visible);
    expect(await drawnAfter(() => window.page.view.request())).toBe(0);
    const before = await page.evaluate(() => window.page.drawn());
    await page.evaluate(() => {
      window.page.element.style.display = "";
    });
    await page.waitForFunction((n) => window.page.drawn() > n, before);
    expect(await page.evaluate(() => window.page.drawn())).toBe(before + 1);
  });

  it("is not drawn while it is scrolled away", async () => {
    await open();
    await page.evaluate(() => {
      document.body.style.height = "5000px";
      window.scrollTo(0, 3000);
    });
    await page.waitForFunction(() => !window.page.view.visible);
    expect(await drawnAfter(() => window.page.view.request())).toBe(0);
    const before = await page.evaluate(() => window.page.drawn());
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.waitForFunction((n) => window.page.drawn() > n, before);
  });

  it("is never blank while it changes its size", async () => {
    await open();
    const blanks = await page.evaluate(async () => {
      let blank = 0;
      for (let width = 110; width < 160; width += 5) {
        window.page.element.style.width = `${width}px`;
        await window.page.frames(1);
        // Between this frame's layout and the next frame it has been painted.
        await new Promise((resolve) => setTimeout(resolve));
        const { data } = window.page.view.context.getImageData(20, 12, 1, 1);
        if (data[0] !== 255 || data[1] !== 0) blank++;
      }
      return blank;
    });
    expect(blanks).toBe(0);
    const size = await page.evaluate(() => window.page.size());
    expect(size.width).toBe(155);
  });

  it("has a slow first picture in a frame of its own, and cannot be seen before", async () => {
    await open();
    const { times, before, after } = await page.evaluate(() =>
      window.page.mounted(3, 10),
    );
    expect(new Set(times).size).toBe(3);
    expect(before).toEqual(["hidden", "hidden", "hidden"]);
    expect(after).toEqual(["visible", "visible", "visible"]);
  });

  it("is gone after dispose, whoever asks for it", async () => {
    await open();
    const drawn = await drawnAfter(() => {
      window.page.view.request();
      window.page.view.dispose();
      window.page.view.request();
      window.page.element.style.width = "200px";
    });
    expect(drawn).toBe(0);
    expect(await page.locator("canvas").count()).toBe(0);
  });

  it("has room for the start of a text that is too long", async () => {
    await open();
    const text = await page.evaluate(() => [
      window.page.shortened("short", 500),
      window.page.shortened("a name that is far too long 🦆🦆🦆", 60),
      window.page.shortened("no room", 2),
    ]);
    expect(text[0]).toBe("short");
    expect(text[1]).toMatch(/^a name.*…$/);
    expect(text[2]).toBe("");
  });
});
