// How the picture moves, and what follows the pointer.

import { expect, it } from "vitest";
import {
  describePanel,
  open,
  page,
  placeOf,
  plot,
  plotBox,
  shown,
  timeAt,
} from "./harness/panel";

describePanel("the picture of a task stream", () => {
  it("begins to move by one frame's share, however long it rested @all", async () => {
    await open("scenario=full");
    await plot().press("w");
    await shown();
    const box = await plotBox();
    await page.mouse.move(box.x + 400, box.y + 200);
    // Time under the resting pointer: what each frame made of it.
    await page.evaluate(() => {
      const { crosshair } = window.harness.session;
      const seen: number[] = [];
      Object.assign(window, { seen });
      crosshair.subscribe((time) => {
        if (time !== null) seen.push(time);
      });
    });
    const seen = () =>
      page.evaluate(() => (window as unknown as { seen: number[] }).seen);
    const { length } = await seen();
    await plot().press("a");
    await expect
      .poll(async () => (await seen()).length)
      .toBeGreaterThan(length);
    await page.evaluate(
      () =>
        new Promise((done) => {
          // No frame of a movement is asked for any more.
          let before = -1;
          const look = (): void => {
            const { seen } = window as unknown as { seen: number[] };
            if (seen.length === before) return done(null);
            before = seen.length;
            setTimeout(look, 500);
          };
          look();
        }),
    );
    const [from, first, ...rest] = await seen();
    const to = rest.at(-1)!;
    expect((first! - from!) / (to - from!)).toBeLessThan(0.35);
    expect((first! - from!) / (to - from!)).toBeGreaterThan(0.1);
  });

  it.each<[string, () => void]>([
    ["is closed", () => window.harness.dispose()],
    ["shows another session", () => (window.harness.shown.value = null)],
  ])("leaves no line under a resting pointer when it %s", async (_, leave) => {
    await open("scenario=full");
    const box = await plotBox();
    await timeAt(box.x + 400);
    const crosshair = () =>
      page.evaluate(() => window.harness.session.crosshair.value);
    expect(await crosshair()).not.toBeNull();
    await page.evaluate(leave);
    await expect.poll(crosshair).toBeNull();
  });

  it("asks for the key of a task only where the pointer rests", async () => {
    await open("scenario=full", 1200, 640, true);
    const at = await placeOf(40);
    await page.mouse.move(3, 3);
    await page.evaluate(() => {
      const { session } = window.harness;
      const asked: number[] = [];
      Object.assign(window, { asked });
      session.fetchKeys = (first) => {
        asked.push(first);
        return Promise.reject(new Error("busy"));
      };
      session.keys.clear();
    });
    const asked = () =>
      page.evaluate(() => (window as unknown as { asked: number[] }).asked);
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    const cards = new Set<string>();
    for (let x = at.x - 135; x <= at.x; x += 15) {
      await page.mouse.move(x, at.y);
      await page.clock.runFor(30);
      cards.add((await page.locator(".ds-card").allInnerTexts()).join());
    }
    expect(cards.size).toBeGreaterThan(5);
    expect(await asked()).toEqual([]);
    await page.clock.runFor(150);
    expect(await asked()).toEqual([40]);
  });

  it("is said to be of the workers that are there, isolated or not @all", async () => {
    await open("scenario=full");
    const workers = async () =>
      /on (\d+) workers?\./.exec(
        (await plot().getAttribute("aria-label"))!,
      )![1];
    expect(await workers()).toBe("4");
    await page.evaluate(() => {
      const { session } = window.harness;
      session.workers.value = session.workers.value.slice(1);
    });
    await expect.poll(workers).toBe("3");
  });
});
