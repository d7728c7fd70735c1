// What keys do where something lies over the plot or beside it, and while there is
// nothing to show.

import { expect, it } from "vitest";
import {
  describePanel,
  erredTask,
  open,
  page,
  placeOf,
  plot,
  plotBox,
  shown,
} from "./harness/panel";

const scrolled = (selector: string) =>
  page.locator(selector).evaluate((element) => element.scrollTop);

const paused = () => page.getByText("Paused at").count();

describePanel("the keys of a task stream", () => {
  it.each([
    ["T", ".ds-table-scroll"],
    ["?", ".ds-help"],
  ])(
    "scroll what %s lays over the plot, not the plot @all",
    async (key, sheet) => {
      await open("scenario=full", 900, 330);
      const before = await shown();
      await plot().press(key);
      await page.locator(sheet).waitFor();
      await expect
        .poll(() =>
          page
            .locator(sheet)
            .evaluate((element) => element === document.activeElement),
        )
        .toBe(true);
      let top = 0;
      for (const down of ["ArrowDown", "PageDown", "End"]) {
        await page.keyboard.press(down);
        await expect.poll(() => scrolled(sheet)).toBeGreaterThan(top);
        top = await scrolled(sheet);
      }
      await page.keyboard.press("Home");
      await expect.poll(() => scrolled(sheet)).toBe(0);
      await page.keyboard.press("Space");
      await expect.poll(() => scrolled(sheet)).toBeGreaterThan(0);
      await page.keyboard.press("ArrowLeft");
      expect(await paused()).toBe(0);
      await page.keyboard.press(key);
      await page.locator(sheet).waitFor({ state: "detached" });
      expect(await shown()).toEqual(before);
    },
  );

  it("scroll the pinned task that has the focus", async () => {
    await open("scenario=full", 900, 330);
    const at = await placeOf(await erredTask());
    await page.mouse.click(at.x, at.y);
    await page.getByText("Show 2 library frames").click();
    const before = await shown();
    await page.locator(".ds-traceback").focus();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("End");
    await expect.poll(() => scrolled(".ds-pinned-body")).toBeGreaterThan(0);
    await page.keyboard.press("Space");
    expect(await paused()).toBe(0);
    expect(await shown()).toEqual(before);
  });

  it("zoom to a pinned task whose clock went back @all", async () => {
    await open("scenario=full");
    const time = await page.evaluate(() => {
      const { session } = window.harness;
      const start = session.origin.value + 32;
      const one = { rows: 1, start: Float64Array.of(start) };
      session.addRows(
        {
          ...one,
          duration: Float32Array.of(-0.4),
          lane: Uint16Array.of(15),
          prefix: Uint16Array.of(0),
          action: Uint8Array.of(0),
          status: Uint8Array.of(0),
          nbytes: Float32Array.of(0),
          span: Uint16Array.of(0),
          task: Uint32Array.of(9_999),
          computation: Uint16Array.of(0),
        },
        9_999,
        1,
      );
      return start - session.origin.value;
    });
    const box = await plotBox();
    const [from, to] = await shown();
    const x = box.x + ((time - from) / (to - from)) * box.width;
    await page.mouse.click(x, (await placeOf(9_999)).y);
    await page
      .locator(".ds-pinned")
      .getByText("read-parquet")
      .first()
      .waitFor();
    await plot().press("z");
    const [start, stop] = await shown();
    expect(start).toBeLessThan(time - 0.4);
    expect(stop).toBeGreaterThan(time);
    expect(stop - start).toBeCloseTo(2, 1);
  });

  it("move nothing before the first task, so that a run is followed from its start @all", async () => {
    await open("scenario=live");
    await page.locator(".ds-root").focus();
    for (const key of ["a", "d", "ArrowLeft", "w", "z"]) {
      await page.keyboard.press(key);
    }
    await page.evaluate(() => window.harness.live());
    await page.getByRole("button", { name: "Pause" }).waitFor();
    expect(await page.getByText("Go to now").count()).toBe(0);
    await plot().press(" ");
    const [start, stop] = await shown();
    expect(start).toBeGreaterThan(-1);
    expect(stop).toBeGreaterThan(0);
    expect(stop).toBeLessThan(60);
  });
});
