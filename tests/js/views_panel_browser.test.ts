// The task stream in a real browser, with a real mouse and keyboard. Skipped
// where there is no Chromium.

import { existsSync } from "node:fs";
import { chromium, type Browser, type Page } from "@playwright/test";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
// @ts-expect-error: a plain script, shared with the one that takes pictures
import { BROWSER, buildHarness } from "./harness/build.mjs";
import type { HarnessSession } from "./harness/session";

interface Harness {
  session: HarnessSession;
  shown: { value: HarnessSession | null };
  saved: { name: string; content: Blob }[];
  leaked: string[];
  live(): void;
  dispose(): void;
  remount(): void;
  setDark(on: boolean): void;
}
declare global {
  interface Window {
    harness: Harness;
    drawn: number;
    injected?: boolean;
  }
}

const launch = BROWSER as { executablePath: string; args: string[] };
const have = existsSync(launch.executablePath);

describe.skipIf(!have)(
  "the task stream in a browser",
  { timeout: 20_000 },
  () => {
    let browser: Browser;
    let address: string;
    let remove: () => Promise<void>;
    let page: Page;
    const troubles: string[] = [];

    beforeAll(async () => {
      const build = buildHarness as () => Promise<{
        address: string;
        remove: () => Promise<void>;
      }>;
      ({ address, remove } = await build());
      browser = await chromium.launch(launch);
    }, 30_000);

    afterAll(async () => {
      await browser?.close();
      await remove?.();
    });

    afterEach(async () => {
      await page.close();
      expect(troubles.splice(0)).toEqual([]);
    });

    async function open(
      hash: string,
      width = 1200,
      height = 640,
    ): Promise<void> {
      page = await browser.newPage({ viewport: { width, height } });
      page.on("pageerror", (error) => troubles.push(String(error)));
      page.on("console", (message) => {
        if (message.type() === "error") troubles.push(message.text());
      });
      await page.goto(`${address}#width=${width}&height=${height}&${hash}`);
      await page.waitForSelector("body[data-ready]");
    }

    const plot = () => page.locator(".ds-hit");

    async function plotBox() {
      const box = await plot().boundingBox();
      if (!box) throw new Error("there is no plot");
      return box;
    }

    /** Seconds of the run under a point of the plot. */
    async function timeAt(x: number, y = 200): Promise<number> {
      await page.mouse.move(x, y);
      return page.evaluate(() => {
        const { session } = window.harness;
        return (session.crosshair.value ?? NaN) - session.origin.value;
      });
    }

    /** The window in seconds of the run, when it has come to rest. */
    async function shown(): Promise<[number, number]> {
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
        before = now;
        await page.waitForTimeout(30);
      }
      return before;
    }

    async function drag(
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
    async function placeOf(task: number): Promise<{ x: number; y: number }> {
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

    async function lanePitch(): Promise<number> {
      const tops = await page
        .locator(".ds-worker")
        .evaluateAll((all) =>
          all.map((one) => one.getBoundingClientRect().top),
        );
      return ((tops[1] ?? 0) - (tops[0] ?? 0) - 10) / 4;
    }

    const erredTask = () =>
      page.evaluate(() => window.harness.session.errors.value[0]!.task);

    it("moves with the mouse, leaves live, and comes back with L", async () => {
      await open("scenario=full");
      const [start, stop] = await shown();
      const box = await plotBox();
      await page.mouse.move(box.x + 500, box.y + 200);
      await page.mouse.wheel(0, -600);
      const [zoomedStart, zoomedStop] = await shown();
      expect(zoomedStop - zoomedStart).toBeLessThan((stop - start) * 0.6);
      await drag([box.x + 300, box.y + 200], [box.x + 500, box.y + 200]);
      const [movedStart, movedStop] = await shown();
      expect(movedStart).toBeLessThan(zoomedStart);
      expect(movedStop - movedStart).toBeCloseTo(zoomedStop - zoomedStart, 3);
      await page.getByText("Go to now").waitFor();
      await plot().press("l");
      await page.getByText("Go to now").waitFor({ state: "detached" });
      const [, backStop] = await shown();
      expect(backStop).toBeGreaterThan(stop - 1);
      await plot().press("f");
      const whole = await shown();
      expect(whole[1] - whole[0]).toBeCloseTo(stop - start, 0);
    });

    it("keeps the time under the pointer in place while it zooms", async () => {
      await open("scenario=full");
      const box = await plotBox();
      // Away from live first: there the newest task stays in place.
      await plot().press("a");
      await shown();
      const x = box.x + box.width * 0.3;
      const before = await timeAt(x);
      await page.mouse.wheel(0, -300);
      await shown();
      expect(await timeAt(x)).toBeCloseTo(before, 1);
    });

    it("zooms and moves with every key that it names", async () => {
      await open("scenario=full");
      const width = async () => {
        const [start, stop] = await shown();
        return stop - start;
      };
      await plot().press("a");
      await page.mouse.move(2, 2);
      const whole = await width();
      await plot().press("w");
      const closer = await width();
      expect(closer).toBeLessThan(whole);
      await plot().press("ArrowDown");
      expect(await width()).toBeGreaterThan(closer);
      await plot().press("w");
      await plot().press("w");
      const [start] = await shown();
      await plot().press("d");
      const [later] = await shown();
      expect(later).toBeGreaterThan(start);
      await plot().press("ArrowLeft");
      expect((await shown())[0]).toBeLessThan(later);
    });

    it("says what a task is beside the pointer, and never over it", async () => {
      await open("scenario=full");
      const at = await placeOf(40);
      await page.mouse.move(at.x, at.y);
      const card = page.locator(".ds-card");
      await card.waitFor();
      await expect
        .poll(() => card.innerText())
        .toMatch(/Started[\s\S]*\+\d+\.\d{3} s[\s\S]*worker-\d · thread \d/);
      await expect
        .poll(() => card.innerText())
        .toMatch(/\('[a-z0-9-]+', \d+\)/);
      const covers = await card.evaluate((element, point) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        return (
          point.x >= left &&
          point.x <= right &&
          point.y >= top &&
          point.y <= bottom
        );
      }, at);
      expect(covers).toBe(false);
      await page.mouse.move(3, 3);
      await card.waitFor({ state: "detached" });
    });

    it("pins an erred task with its traceback, and Escape lets it go", async () => {
      await open("scenario=full");
      const at = await placeOf(await erredTask());
      await page.mouse.click(at.x, at.y);
      const pinned = page.locator(".ds-pinned");
      await pinned.getByText("ValueError").waitFor();
      await expect
        .poll(() => pinned.innerText())
        .toContain("cannot reindex on an axis with duplicate labels");
      expect(await pinned.innerText()).toContain(
        "g = part.reindex(region.index)",
      );
      expect(await pinned.innerText()).not.toContain("pandas/core/frame.py");
      await pinned.getByText("Show 2 library frames").click();
      expect(await pinned.innerText()).toContain("pandas/core/frame.py");
      await plot().press("Escape");
      await pinned.waitFor({ state: "detached" });
    });

    it("shows what it knows when the kernel cannot answer", async () => {
      await open("scenario=busy");
      const at = await placeOf(await erredTask());
      await page.mouse.click(at.x, at.y);
      const pinned = page.locator(".ds-pinned");
      await pinned.getByText("The kernel is busy").waitFor();
      const text = await pinned.innerText();
      expect(text).toContain("compute");
      expect(text).toContain("cannot reindex on an axis");
      expect(text).toContain("worker-2");
    });

    it("selects time for every panel with Shift and a drag", async () => {
      await open("scenario=full");
      const box = await plotBox();
      const from = await timeAt(box.x + 300);
      await drag([box.x + 300, box.y + 200], [box.x + 600, box.y + 200], true);
      const told = await page.evaluate(() => {
        const { session } = window.harness;
        return session.told.map(({ time }) =>
          time?.map((moment) => moment - session.origin.value),
        );
      });
      expect(told).toHaveLength(1);
      expect(told[0]?.[0]).toBeCloseTo(from, 1);
      await page.locator(".ds-chip").waitFor();
      const [start] = await shown();
      expect(start).toBeCloseTo(from, 1);
      await page.getByText("Whole run").click();
      await page.locator(".ds-chip").waitFor({ state: "detached" });
    });

    it("isolates what is clicked in the legend; Shift adds", async () => {
      await open("scenario=full");
      await page.getByRole("button", { name: "read-parquet" }).click();
      await page
        .getByRole("button", { name: "rename" })
        .click({ modifiers: ["Shift"] });
      const prefixes = await page.evaluate(
        () => window.harness.session.focus.value.prefixes,
      );
      expect(prefixes).toEqual(["read-parquet", "rename"]);
      await page.getByText("2 prefixes").waitFor();
      await plot().press("Escape");
      expect(
        await page.evaluate(() => window.harness.session.focus.value.prefixes),
      ).toEqual([]);
      await page.getByRole("button", { name: /^transfer/ }).click();
      await expect
        .poll(() =>
          page.evaluate(() => window.harness.session.model.filter !== null),
        )
        .toBe(true);
      await plot().press("Escape");
      await expect
        .poll(() => page.evaluate(() => window.harness.session.model.filter))
        .toBeNull();
    });

    it("shows only the lanes of a worker that is clicked", async () => {
      await open("scenario=full");
      await page.locator(".ds-worker", { hasText: "worker-2" }).click();
      await expect.poll(() => page.locator(".ds-worker").count()).toBe(1);
      await page.locator(".ds-chip", { hasText: "worker-2" }).waitFor();
    });

    it("finds keys, says how many it searched, and steps through them", async () => {
      await open("scenario=full");
      await plot().press("/");
      await page.keyboard.type("groupby-agg");
      await page.getByText("26 tasks").waitFor();
      await expect
        .poll(() => page.locator(".ds-status").innerText())
        .toMatch(/([\d,]+) of \1 keys searched/);
      await page.keyboard.press("Enter");
      await page.getByText("1 of 26").waitFor();
      await page
        .locator(".ds-pinned")
        .getByText("groupby-agg")
        .first()
        .waitFor();
      await page.keyboard.press("Shift+Enter");
      await page.getByText("26 of 26").waitFor();
      await page.keyboard.press("Escape");
      expect(await page.locator("input").inputValue()).toBe("");
      expect(
        await plot().evaluate((element) => element === document.activeElement),
      ).toBe(true);
    });

    it("lets no key reach the notebook around it", async () => {
      await open("scenario=full&inline=1", 900, 600);
      await plot().click({ position: { x: 400, y: 100 } });
      for (const key of [..."wasdfl zt?dd", "ArrowUp", "ArrowDown"]) {
        await page.keyboard.press(key === " " ? "Space" : key);
      }
      await page.keyboard.press("Escape");
      await page.keyboard.press("/");
      await page.keyboard.type("dd");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Escape");
      expect(await page.evaluate(() => window.harness.leaked)).toEqual([]);
      expect(
        await page
          .locator(".ds-root")
          .getAttribute("data-lm-suppress-shortcuts"),
      ).toBe("true");
    });

    it("leaves the plain wheel to the notebook until it is clicked", async () => {
      await open("scenario=full&inline=1", 900, 600);
      await page.addStyleTag({ content: "body { height: 3000px }" });
      const box = await plotBox();
      const before = await shown();
      await page.mouse.move(box.x + 300, box.y + 150);
      await page.mouse.wheel(0, 60);
      await page.getByText(/Click the plot, or hold/).waitFor();
      await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(60);
      await page.evaluate(() => window.scrollTo(0, 0));
      expect(await shown()).toEqual(before);
      await page.mouse.move(box.x + 300, box.y + 150);
      await page.keyboard.down("Control");
      await page.mouse.wheel(0, -300);
      await page.keyboard.up("Control");
      const [start, stop] = await shown();
      expect(stop - start).toBeLessThan(before[1] - before[0]);
      await page.mouse.click(box.x + 300, box.y + 30);
      await page.mouse.wheel(0, -300);
      const [nextStart, nextStop] = await shown();
      expect(nextStop - nextStart).toBeLessThan(stop - start);
      expect(await page.evaluate(() => window.scrollY)).toBe(0);
    });

    it("moves the window in the overview", async () => {
      await open("scenario=full");
      const overview = await page.locator(".ds-overview-hit").boundingBox();
      if (!overview) throw new Error("there is no overview");
      const y = overview.y + 20;
      // From the right edge of the window, which shows the whole run, inwards.
      await drag(
        [overview.x + overview.width - 2, y],
        [overview.x + overview.width / 2, y],
      );
      const [start, stop] = await shown();
      await drag(
        [overview.x + overview.width / 4, y],
        [overview.x + overview.width / 2, y],
      );
      const [movedStart, movedStop] = await shown();
      expect(movedStart).toBeGreaterThan(start + 1);
      expect(movedStop - movedStart).toBeCloseTo(stop - start, 1);
    });

    it("shows names as text, whatever is in them", async () => {
      await open("scenario=hostile");
      const at = await placeOf(3);
      await page.mouse.move(at.x, at.y);
      await page.locator(".ds-card").waitFor();
      await page.mouse.click(at.x, at.y);
      await page.locator(".ds-pinned").waitFor();
      await plot().press("t");
      await page.getByText("Tasks by prefix").waitFor();
      expect(await page.locator(".ds-root script, .ds-root img").count()).toBe(
        0,
      );
      expect(await page.locator(".ds-table").first().innerText()).toContain(
        "<script>alert(1)</script>",
      );
      const widths = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        window.innerWidth,
      ]);
      expect(widths[0]).toBeLessThanOrEqual(widths[1]!);
    });

    it("is not stretched by a clock that is hours off, and says so", async () => {
      await open("scenario=skew");
      const [start, stop] = await shown();
      expect(stop - start).toBeLessThan(60);
      await page.getByText(/rows lie outside the axis/).waitFor();
    });

    it("follows what arrives, and stands still while paused", async () => {
      await open("scenario=live");
      await page.evaluate(() => window.harness.live());
      const status = () => page.locator(".ds-status").innerText();
      await expect.poll(status, { timeout: 4000 }).toMatch(/^[1-9]\d* of/);
      await plot().press("Space");
      await page.getByText(/Paused at/).waitFor();
      const paused = /^([\d,]+) of/.exec(await status())?.[1];
      const held = await shown();
      await page.getByText(/arrived since you paused/).waitFor();
      expect(/^([\d,]+) of/.exec(await status())?.[1]).toBe(paused);
      expect(await shown()).toEqual(held);
      await page.getByRole("button", { name: "Resume" }).first().click();
      await page.getByText(/Paused at/).waitFor({ state: "detached" });
      await expect
        .poll(async () => (await shown())[1])
        .toBeGreaterThan(held[1]);
    });

    it("takes on the theme of the host at once", async () => {
      await open("scenario=full");
      const background = () =>
        page.evaluate(() => {
          const canvas =
            document.querySelector<HTMLCanvasElement>(".ds-plot canvas")!;
          const context = canvas.getContext("2d")!;
          return [...context.getImageData(2, 2, 1, 1).data.slice(0, 3)];
        });
      await expect.poll(background).toEqual([255, 255, 255]);
      await page.evaluate(() => window.harness.setDark(true));
      await expect.poll(background).toEqual([33, 33, 33]);
    });

    it("draws and asks for nothing while nobody can see it", async () => {
      await open("scenario=live");
      await page.evaluate(() => {
        window.drawn = 0;
        const put = CanvasRenderingContext2D.prototype.putImageData;
        CanvasRenderingContext2D.prototype.putImageData = function (
          this: CanvasRenderingContext2D,
          ...args: Parameters<typeof put>
        ) {
          window.drawn += 1;
          put.apply(this, args);
        } as typeof put;
        window.harness.live();
      });
      const drawn = () => page.evaluate(() => window.drawn);
      await expect.poll(drawn).toBeGreaterThan(3);
      await page.addStyleTag({ content: "#place { margin-top: 5000px }" });
      await expect
        .poll(() => page.evaluate(() => window.harness.session.visible))
        .toBe(false);
      const before = await drawn();
      const rows = () => page.evaluate(() => window.harness.session.model.rows);
      const had = await rows();
      await expect.poll(rows, { timeout: 4000 }).toBeGreaterThan(had + 20);
      expect(await drawn()).toBe(before);
      await page.evaluate(() => window.scrollTo(0, 5000));
      await expect.poll(drawn).toBeGreaterThan(before);
    });

    it("leaves nothing behind, and can be shown again", async () => {
      await open("scenario=full");
      await page.evaluate(() => window.harness.dispose());
      const left = await page.evaluate(() => ({
        elements: document.getElementById("place")!.childElementCount,
        watchers: window.harness.session.watchers,
        filter: window.harness.session.model.filter,
        menus: document.body.childElementCount,
      }));
      expect(left).toEqual({
        elements: 0,
        watchers: 0,
        filter: null,
        menus: 2,
      });
      await page.evaluate(() => window.harness.remount());
      await page.getByText("1,394 of 1,394 tasks").waitFor();
      const [start, stop] = await shown();
      expect(stop - start).toBeGreaterThan(30);
    });

    it("changes to another session and to none", async () => {
      await open("scenario=full");
      await page.evaluate(() => {
        window.harness.shown.value = null;
      });
      await page.getByText("Waiting for a Dask client").waitFor();
      await page.evaluate(() => {
        window.harness.shown.value = window.harness.session;
      });
      await page.getByText("1,394 of 1,394 tasks").waitFor();
    });

    it("saves the rows on the screen, all rows, and the picture", async () => {
      await open("scenario=hostile");
      for (const item of ["PNG", "CSV", "Data"]) {
        await page.getByRole("button", { name: "Export" }).click();
        await page.locator(".ds-menu-item", { hasText: item }).first().click();
        await page.locator(".ds-stage-note").waitFor();
      }
      await expect
        .poll(() => page.evaluate(() => window.harness.saved.length), {
          timeout: 5000,
        })
        .toBe(3);
      const saved = await page.evaluate(() =>
        Promise.all(
          window.harness.saved.map(async ({ name, content }) => ({
            name,
            type: content.type,
            size: content.size,
            text: content.type === "text/csv" ? await content.text() : "",
          })),
        ),
      );
      const csv = saved.filter(({ type }) => type === "text/csv");
      expect(saved.map(({ type }) => type).sort()).toEqual([
        "image/png",
        "text/csv",
        "text/csv",
      ]);
      expect(csv[0]!.text.split("\n")[0]).toBe(
        "start,duration,worker,thread,prefix,action,status,nbytes,span,task,key",
      );
      // A spreadsheet must not run what a key says.
      expect(csv[0]!.text).not.toMatch(/,=cmd/);
      expect(csv[0]!.text).toContain(",'=cmd");
      expect(
        saved.find(({ type }) => type === "image/png")!.size,
      ).toBeGreaterThan(10_000);
    });

    it("shows the time under the pointer of another panel", async () => {
      await open("scenario=full");
      const overlay = () =>
        page.evaluate(() => {
          const canvas =
            document.querySelector<HTMLCanvasElement>(".ds-overlay canvas")!;
          const { width, height } = canvas;
          const { data } = canvas
            .getContext("2d")!
            .getImageData(0, 0, width, height);
          return data.some((value) => value > 0);
        });
      await page.mouse.move(3, 3);
      await expect.poll(overlay).toBe(false);
      await page.evaluate(() => {
        const { session } = window.harness;
        session.crosshair.value = session.origin.value + 10;
      });
      await expect.poll(overlay).toBe(true);
    });

    it("says what is missing, and hides that when told", async () => {
      await open("scenario=partly");
      await page.getByRole("alert").getByText("refuses plugins").waitFor();
      expect(await page.locator(".ds-status").innerText()).toContain(
        "older ones dropped on the scheduler",
      );
      await page.getByRole("button", { name: "Hide this message" }).click();
      await page.getByRole("alert").waitFor({ state: "detached" });
      await expect
        .poll(() => page.locator(".ds-status").innerText())
        .toContain("refuses plugins");
    });

    it("shows a coarse picture until the tasks are here, and says so", async () => {
      await open("scenario=coarse");
      await page.getByText("1,394 on the way").waitFor();
      const [start, stop] = await shown();
      expect(stop - start).toBeGreaterThan(30);
    });

    it("says what a coarse stretch stands for, until its tasks are here", async () => {
      await open("scenario=coarse");
      await shown();
      const box = await plotBox();
      const card = page.locator(".ds-card");
      await page.mouse.move(box.x + box.width / 2, box.y + 120, { steps: 3 });
      await card.getByText("23 rows").waitFor();
      await expect
        .poll(() => card.innerText())
        .toMatch(/Mostly [\s\S]*Busy\s*\d+ %[\s\S]*on the way/);
      await page.evaluate(() => {
        const { session } = window.harness;
        session.model.markCovered(0, session.counts.peek().captured);
        session.dataVersion.value += 1;
      });
      await card.waitFor({ state: "detached" });
    });

    it("says how many threads were busy before workers left", async () => {
      await open("scenario=full");
      await page.getByText("Threads busy, of 16").waitFor();
      await page.evaluate(() => {
        const { workers } = window.harness.session;
        workers.value = workers.value.slice(0, 1);
      });
      await page.getByText("Threads, peak 16").waitFor();
    });

    it("keeps the picture when the connection is lost", async () => {
      await open("scenario=lost");
      await page.getByText("The connection was lost").waitFor();
      await page.getByText(/connection lost/).waitFor();
      const [start, stop] = await shown();
      expect(stop - start).toBeGreaterThan(10);
    });

    it("offers the choice between several clients", async () => {
      await open("scenario=chooser");
      await page.getByRole("button", { name: "Choose a client" }).click();
      await page.getByText("Gateway, team-prod").waitFor();
      await page.keyboard.press("Escape");
      await page.getByText("Gateway, team-prod").waitFor({ state: "detached" });
    });

    it("does not glide for those who want no motion", async () => {
      await open("scenario=full");
      await page.emulateMedia({ reducedMotion: "reduce" });
      await plot().press("a");
      await shown();
      const windows = await page.evaluate(async () => {
        const frame = document.querySelector<HTMLElement>(
          ".ds-overview-window",
        )!;
        const seen = new Set<string>();
        const hit = document.querySelector<HTMLElement>(".ds-hit")!;
        hit.dispatchEvent(
          new KeyboardEvent("keydown", { key: "w", bubbles: true }),
        );
        for (let at = 0; at < 20; at++) {
          seen.add(frame.style.transform);
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
        return seen.size;
      });
      expect(windows).toBeLessThanOrEqual(2);
    });

    it("fits into 320 pixels", async () => {
      await open("scenario=full", 320, 560);
      expect(await page.locator(".ds-worker-name").first().innerText()).toBe(
        "w0",
      );
      const over = await page.evaluate(() => {
        const root = document
          .querySelector(".ds-root")!
          .getBoundingClientRect();
        return [...document.querySelectorAll(".ds-toolbar *, .ds-row2 *")]
          .filter((element) => {
            const { right, width } = element.getBoundingClientRect();
            return width > 0 && right > root.right + 0.5;
          })
          .map((element) => element.className);
      });
      expect(over).toEqual([]);
      await page.evaluate(() => {
        const { session } = window.harness;
        const { value: origin } = session.origin;
        session.setFocus({
          time: [origin + 3, origin + 9],
          prefixes: ["read-parquet"],
          workers: session.workers.value.map((worker) => worker.address),
          spans: [],
        });
      });
      // The innermost filter can be reached beside three others.
      await page
        .getByRole("button", { name: "Remove the filter 4 workers" })
        .click();
      await page.getByRole("button", { name: "More" }).click();
      await page.getByText("Numbers as a table").click();
      await page.getByText("Tasks by prefix").waitFor();
    });
  },
);
