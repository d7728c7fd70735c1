// Charts over time under a real mouse and keyboard: one window for all of a panel.

import { expect, it } from "vitest";
import { describePanel, drag, open, page } from "./harness/panel";

const SYSTEM = "panel=system&scenario=live&at=20";

const hit = (chart = 0) => page.locator(".ds-time-hit").nth(chart);

async function boxOf(chart = 0) {
  await hit(chart).scrollIntoViewIfNeeded();
  return (await hit(chart).boundingBox())!;
}

/** A point of a chart, by its share of the width. */
async function at(share: number, chart = 0): Promise<[number, number]> {
  const box = await boxOf(chart);
  return [box.x + box.width * share, box.y + box.height / 2];
}

async function timeAt(share: number, chart = 0): Promise<number> {
  await page.mouse.move(...(await at(share, chart)));
  return page.evaluate(async () => {
    await new Promise((done) =>
      requestAnimationFrame(() => requestAnimationFrame(done)),
    );
    const { crosshair, origin } = window.harness.session;
    return crosshair.value! - origin.value;
  });
}

/** What a chart shows, in seconds of the run, when it has come to rest. */
async function shown(chart = 0): Promise<[number, number]> {
  for (let before = "", tries = 0; tries < 40; tries++) {
    const now = [await timeAt(0.25, chart), await timeAt(0.75, chart)];
    const said = now.map((time) => time.toFixed(4)).join();
    const half = (now[1]! - now[0]!) / 2;
    if (said === before) return [now[0]! - half, now[1]! + half];
    before = said;
  }
  throw new Error("the charts never come to rest");
}

const widthOf = ([start, stop]: [number, number]) => stop - start;

async function wheel(px: number, key?: "Control" | "Shift"): Promise<void> {
  if (key) await page.keyboard.down(key);
  await page.mouse.wheel(0, px);
  if (key) await page.keyboard.up(key);
}

const focused = () =>
  page.evaluate(() => {
    const { focus, origin } = window.harness.session;
    return focus.value.time?.map((time) => time - origin.value) ?? null;
  });
const scrolled = () =>
  page.locator(".ds-panel-body").evaluate(({ scrollTop }) => scrollTop);
const crumbs = () => page.locator(".ds-crumbs").innerText();

describePanel("the charts of a panel", () => {
  it("zoom at the pointer and move together, and come back to the whole run", async () => {
    await open(SYSTEM, 1000, 700);
    await hit(4).waitFor();
    expect(widthOf(await shown())).toBeCloseTo(30, 0);
    const before = await timeAt(0.3);
    await wheel(-500, "Control");
    const zoomed = await shown();
    expect(widthOf(zoomed)).toBeLessThan(20);
    expect(await timeAt(0.3)).toBeCloseTo(before, 1);
    for (const chart of [1, 2, 3, 4]) {
      const other = await shown(chart);
      expect(other[0]).toBeCloseTo(zoomed[0], 1);
      expect(other[1]).toBeCloseTo(zoomed[1], 1);
    }
    await expect.poll(crumbs).toMatch(/^Whole run\s*›\s*[\d.]+ – [\d.]+ s$/);
    await page.getByText("The scheduler, in the time shown").waitFor();

    await drag(await at(0.4), await at(0.6));
    const moved = await shown(3);
    expect(moved[0]).toBeLessThan(zoomed[0] - 0.5);
    expect(widthOf(moved)).toBeCloseTo(widthOf(zoomed), 1);
    expect(await focused()).toBeNull();
    await timeAt(0.5);
    await wheel(200, "Shift");
    expect((await shown())[0]).toBeGreaterThan(moved[0]);

    await page.getByRole("button", { name: "Show the whole run" }).click();
    expect(widthOf(await shown())).toBeCloseTo(30, 0);
    await expect.poll(crumbs).toBe("Whole run");
    await page.getByText("The scheduler, in the whole run").waitFor();
  });

  it("select time with a drag while whole, and with Shift once zoomed", async () => {
    await open(SYSTEM, 1000, 700);
    await drag(await at(0.2), await at(0.4));
    await expect.poll(async () => (await focused())?.[0]).toBeCloseTo(6, 0);
    expect((await focused())![1]).toBeCloseTo(12, 0);
    expect(widthOf(await shown())).toBeCloseTo(30, 0);
    await page.mouse.move(...(await at(0.5)));
    await wheel(-500, "Control");
    const zoomed = await shown();
    await drag(await at(0.2), await at(0.6), true);
    const share = (part: number) => zoomed[0] + widthOf(zoomed) * part;
    await expect
      .poll(async () => (await focused())?.[0])
      .toBeCloseTo(share(0.2), 1);
    expect((await focused())![1]).toBeCloseTo(share(0.6), 1);
    expect(await shown()).toEqual(zoomed);
    // First back to the whole run, then to no selection.
    await page.mouse.dblclick(...(await at(0.5)));
    expect(widthOf(await shown())).toBeCloseTo(30, 0);
    expect(await focused()).not.toBeNull();
    await page.mouse.dblclick(...(await at(0.5)));
    await expect.poll(focused).toBeNull();
  });

  it("leave the plain wheel to a body that scrolls until they are clicked @all", async () => {
    await open(SYSTEM, 700, 400);
    const whole = await shown();
    await timeAt(0.5);
    await wheel(60);
    await expect.poll(scrolled).toBe(60);
    expect(await shown()).toEqual(whole);
    // Who only selects goes on scrolling.
    await drag(await at(0.3), await at(0.5));
    const before = await scrolled();
    await wheel(60);
    await expect.poll(scrolled).not.toBe(before);
    await page.mouse.click(...(await at(0.5)));
    const place = await scrolled();
    await wheel(-300);
    expect(widthOf(await shown())).toBeLessThan(25);
    expect(await scrolled()).toBe(place);
    await page.locator(".ds-part-head").first().click();
    const zoomed = await shown();
    await wheel(40);
    await expect.poll(scrolled).not.toBe(place);
    expect(await shown()).toEqual(zoomed);
  });

  it("zoom with the plain wheel where nothing scrolls @all", async () => {
    await open(SYSTEM, 1400, 1400);
    await timeAt(0.5);
    await wheel(-300);
    expect(widthOf(await shown())).toBeLessThan(25);
  });

  it("zoom, move, fit and follow by keyboard", async () => {
    await open(SYSTEM, 1000, 700);
    await page.locator(".ds-panel-body").focus();
    await page.mouse.move(2, 2);
    await page.keyboard.press("w");
    const closer = await shown();
    expect(widthOf(closer)).toBeLessThan(21);
    await page.keyboard.press("a");
    const earlier = await shown();
    expect(earlier[0]).toBeLessThan(closer[0]);
    await page.keyboard.press("Shift+D");
    expect((await shown())[0]).toBeGreaterThan(earlier[0]);
    await page.keyboard.press("l");
    await expect.poll(crumbs).toMatch(/last [\d.]+ s/);
    await page.evaluate(() => window.harness.show(28));
    await expect.poll(async () => (await shown())[1]).toBeGreaterThan(28);
    await page.keyboard.press("f");
    expect(widthOf(await shown())).toBeCloseTo(30, 0);
    // Arrows scroll the body, and zoom where a chart was clicked.
    await page.keyboard.press("ArrowUp");
    expect(widthOf(await shown())).toBeCloseTo(30, 0);
    await page.mouse.click(...(await at(0.5)));
    await page.keyboard.press("ArrowUp");
    expect(widthOf(await shown())).toBeLessThan(21);
  });

  it("let no key reach the notebook around them", async () => {
    await open(`${SYSTEM}&inline=1`, 900, 500);
    await page.mouse.click(...(await at(0.5)));
    for (const key of [..."wasdflz", "ArrowUp", "Home", "End", "Escape"]) {
      await page.keyboard.press(key);
    }
    expect(await page.evaluate(() => window.harness.leaked)).toEqual([]);
  });

  it("draw the greatest value in each column of pixels at every zoom", async () => {
    await open(SYSTEM, 1000, 900);
    await page.evaluate(() => {
      const { session } = window.harness;
      const { value: start } = session.origin;
      // Noise with peaks, 50 a second: more than there are pixels.
      const rows = Array.from({ length: 900 }, (_, row) => ({
        time: start + 1 + row / 50,
        cpu: 10 + ((row * 7919) % 13) + ((row * 31) % 97 === 0 ? 70 : 0),
      }));
      const columns = Object.keys(
        session.table("system").value.columns,
      ) as string[];
      session.fill(
        "system",
        rows.map((row) =>
          Object.fromEntries(
            columns.map((column) => [
              column,
              column === "time"
                ? row.time
                : column.startsWith("cpu")
                  ? row.cpu
                  : NaN,
            ]),
          ),
        ),
      );
    });
    for (const zoom of [0, -400, -400, -600]) {
      await timeAt(0.43);
      if (zoom !== 0) await wheel(zoom, "Control");
      const [start, stop] = await shown();
      const off = await page.evaluate(
        ([from, to]) => {
          const { session } = window.harness;
          const { time, cpu } = session.table("system").value.columns;
          const canvas =
            document.querySelector<HTMLCanvasElement>(".ds-system canvas")!;
          const plot = document.querySelector<HTMLElement>(".ds-time-hit")!;
          const { width, height, data } = canvas
            .getContext("2d")!
            .getImageData(0, 0, canvas.width, canvas.height);
          const left = plot.offsetLeft;
          // The first pixel from above that has the colour of the line, which is blue.
          const topOf = (x: number): number => {
            for (let y = plot.offsetTop - 2; y < height; y++) {
              const at = 4 * (y * width + x);
              if (data[at + 2]! - data[at]! > 60) return y;
            }
            return Infinity;
          };
          const most = new Map<number, number>();
          for (let row = 0; row < time.length; row++) {
            const share =
              (time[row]! - session.origin.value - from!) / (to! - from!);
            const x = Math.floor(left + share * plot.offsetWidth);
            if (!(share > 0.02 && share < 0.98)) continue;
            most.set(x, Math.max(most.get(x) ?? 0, cpu[row]!));
          }
          // Only what is above its neighbours: a line falls no faster than it can.
          const peaks = [...most].filter(([x, value]) =>
            [-3, -2, -1, 1, 2, 3].every(
              (by) => (most.get(x + by) ?? 0) <= value,
            ),
          );
          const scale = (value: number): number =>
            plot.offsetTop + plot.offsetHeight * (1 - value / 100);
          return peaks
            .map(([x, value]) => ({
              value,
              off: Math.min(
                ...[-1, 0, 1].map((by) =>
                  Math.abs(topOf(x + by) + 1 - scale(value)),
                ),
              ),
            }))
            .concat({ value: 0, off: peaks.length > 3 ? 0 : 99 });
        },
        [start, stop],
      );
      expect(off.filter((one) => !(one.off < 3))).toEqual([]);
    }
  });
});
