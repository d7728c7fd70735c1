// The panel Spans and cells, and the lane of cells, under a real mouse.

import { expect, it } from "vitest";
import { describePanel, open, page } from "./harness/panel";

const SPANS = "panel=spans&scenario=cells&repeat=2";

const status = () => page.locator(".ds-status").innerText();
const rows = () => page.locator(".ds-spans-list [aria-level]");
const row = (name: string | RegExp) =>
  rows().filter({ has: page.getByText(name, { exact: true }) });
const focus = () =>
  page.evaluate(() => {
    const { cells, spans, prefixes } = window.harness.session.focus.value;
    return { cells, spans, prefixes };
  });
const NONE = { cells: [], spans: [], prefixes: [] };

describePanel("the panel Spans and cells", () => {
  it("says which cell each task belongs to, with figures that add up", async () => {
    await open(SPANS, 1080, 700);
    await expect
      .poll(status)
      .toMatch(
        /^2,814 of 2,814 tasks belong to a cell\s+·\s+4 cells\s+·\s+2 s/,
      );
    const figures = await row("groupby-chunk").first().innerText();
    expect(figures.split("\n").filter(Boolean)).toEqual([
      "groupby-chunk",
      "10.4 s",
      "214",
      "4.23 GiB",
    ]);
    const tasks = async (name: string) =>
      Number(
        (
          await row(name).first().locator(".ds-spans-figure").nth(1).innerText()
        ).replace(",", ""),
      );
    const [all, read, total] = [
      await tasks('with span("read"):'),
      await tasks("read"),
      await tasks("total by region"),
    ];
    expect([all, read, total]).toEqual([1394, 940, 454]);
    // In the order in which they began; those that sent no graph are there, too.
    const roots = page.locator(".ds-spans-root .ds-spans-badge");
    expect(await roots.allInnerTexts()).toEqual(["[1]", "[2]", "[3]", "[4]"]);
  });

  it("sets the focus by a click, and frees it by a second", async () => {
    await open(SPANS, 1080, 700);
    await row("total by region").first().click();
    const chosen = { ...NONE, cells: ["In [2]"], spans: ["span-c01d"] };
    await expect.poll(focus).toEqual(chosen);
    await page.locator(".ds-chip", { hasText: "In [2]" }).waitFor();
    const detail = page.locator(".ds-spans-detail");
    expect(await detail.innerText()).toMatch(
      /total by region span in In \[2\][^]*Tasks\s+454 done\s+Erred\s+1 task[^]*173\.3 s of threads\s+thread CPU\s+84\.1 s/,
    );
    await row("groupby-chunk").first().click();
    const one = { ...chosen, prefixes: ["groupby-chunk"] };
    await expect.poll(focus).toEqual(one);
    await row("groupby-chunk").first().click();
    await expect.poll(focus).toEqual(NONE);
    expect(await detail.count()).toBe(0);
    // By the keyboard.
    await page.locator(".ds-spans-list").focus();
    await page.keyboard.press("ArrowDown");
    await expect.poll(async () => (await focus()).cells).toEqual(["In [1]"]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => row("read-parquet").count()).toBe(1);
  });

  it("marks the lines of a span in the code of its cell", async () => {
    await open(SPANS, 1080, 700);
    await row("read").first().click();
    const marked = page.locator(".ds-spans-marked");
    expect(await marked.allInnerTexts()).toEqual([
      'with span("read"):',
      "    a = load()",
    ]);
  });

  it("groups by span, and finds what the code says", async () => {
    await open(SPANS, 1080, 700);
    await page.getByRole("button", { name: "By span" }).click();
    await expect.poll(() => row("read").innerText()).toContain("1,898");
    await page.getByRole("button", { name: "By cell" }).click();
    await page.getByPlaceholder("Search code or span").fill("fare.mean");
    await expect
      .poll(() => page.locator(".ds-spans-root").allInnerTexts())
      .toEqual([expect.stringContaining("trips.fare.mean().compute()")]);
    await page.getByPlaceholder("Search code or span").fill("nothing like it");
    await page.getByText("No cell or span matches").waitFor();
  });

  it("lists spans alone where there is no notebook, and says how to make one @all", async () => {
    await open(SPANS, 700, 500);
    await page.evaluate(() => {
      const { session } = window.harness;
      for (const name of ["cells", "computations"] as const) {
        session.fill(name, []);
      }
    });
    await expect.poll(() => page.getByText("By cell").count()).toBe(0);
    await expect.poll(status).toMatch(/^2,814 tasks\s/);
    expect(await row("total by region").count()).toBe(1);
    await open("panel=spans&scenario=live&at=0", 700, 500);
    await page.getByText('with distributed.span("load"):').waitFor();
  });

  it.each([320, 480, 700])(
    "fits into %d pixels, in the dark",
    async (width) => {
      await open(`${SPANS}&theme=dark`, width, 560);
      await row("read").first().click();
      await page.locator(".ds-spans-detail").waitFor();
      const wide = await page.evaluate(
        () => document.querySelector(".ds-root")!.scrollWidth,
      );
      expect(wide).toBeLessThanOrEqual(width);
      expect(await row("read").first().innerText()).toMatch(/read\s+17\.\d s/);
    },
  );

  it("draws only the rows in sight of 10,000 cells and of spans 50 deep", async () => {
    await open(SPANS, 1080, 600);
    await page.evaluate(() => {
      const { session } = window.harness;
      const origin = session.origin.value;
      const names = Array.from({ length: 50 }, (_, at) => `level ${at}`);
      const first = session.spans.length;
      names.forEach((_, at) => {
        session.spans.push({
          id: `deep-${at}`,
          name: names.slice(0, at + 1),
        });
      });
      session.namesVersion.value += 1;
      session.fill(
        "span_times",
        names.map((_, at) => ({
          span: first + at,
          parent: at === 0 ? 0 : first + at - 1,
          time: origin,
          start: origin + 1,
          stop: origin + 2,
          code: "",
        })),
      );
      session.fill(
        "cells",
        Array.from({ length: 10_000 }, (_, at) => ({
          cell: `In [${at + 1}]`,
          time: origin + at / 400,
          stop: origin + (at + 0.9) / 400,
          status: "ok",
          code: `step(${at})`,
          id: String(at),
        })),
      );
    });
    await expect.poll(status).toMatch(/10,000 cells/);
    expect(await rows().count()).toBeLessThan(40);
    const list = page.locator(".ds-spans-list");
    const count = async () => Number(await list.getAttribute("aria-rowcount"));
    await expect.poll(count).toBeGreaterThan(10_000);
    await list.evaluate((one) => (one.scrollTop = 24 * 9_000));
    await expect.poll(() => row("step(8990)").count()).toBe(1);
    expect(await rows().count()).toBeLessThan(40);
    await page.getByRole("button", { name: "By span" }).click();
    await expect.poll(count).toBeLessThan(100);
    await list.evaluate((one) => (one.scrollTop = 24 * 40));
    await expect.poll(() => row("level 49").count()).toBe(1);
  });
});

describePanel("the lane of cells", () => {
  const lane = () => page.locator(".ds-cells-hit").first();
  const at = async (seconds: number, whole: number) => {
    const box = (await lane().boundingBox())!;
    return [box.x + (seconds / whole) * box.width, box.y + 8] as const;
  };

  it("isolates a cell by a click in the task stream, and counts its tasks", async () => {
    await open("panel=task-stream&scenario=cells&repeat=2", 1080, 600);
    await page.keyboard.press("f"); // the whole run
    const box = (await lane().boundingBox())!;
    const [x, y] = [box.x + box.width * 0.2, box.y + 8];
    await page.mouse.move(x - 3, y);
    await page.mouse.move(x, y);
    const card = page.locator(".ds-card-layer .ds-card");
    await expect
      .poll(() => card.innerText())
      .toMatch(
        /^In \[2\]\s+29\.9 s[^]*Graph sent after\s+50 ms\s+Graph read in\s+200 ms[^]*Tasks\s+1,394 of 1,407 done/,
      );
    await page.mouse.click(x, y);
    await expect.poll(async () => (await focus()).cells).toEqual(["In [2]"]);
    await expect
      .poll(() =>
        page.evaluate(() => {
          const { model } = window.harness.session;
          model.work(100);
          const { filter } = model;
          let tasks = 0;
          for (let lane = 0; lane < model.laneCount; lane++) {
            for (const segment of model.track(lane, false)?.segments ?? []) {
              for (let row = 0; row < segment.rows; row++) {
                tasks += Number(filter!.matches(segment, row));
              }
            }
          }
          return tasks;
        }),
      )
      .toBe(1394);
    await page.waitForTimeout(600); // a double click is something else
    await page.mouse.click(x, y);
    await expect.poll(async () => (await focus()).cells).toEqual([]);
  });

  it.each(["system", "memory", "summary", "events"])(
    "is under the charts of the panel %s",
    async (panel) => {
      await open(`panel=${panel}&scenario=live&at=20`, 1000, 800);
      await page.locator(".ds-time-plot").first().waitFor();
      expect(await lane().count()).toBe(0);
      await page.evaluate(() => {
        const { session } = window.harness;
        const origin = session.origin.value;
        session.fill("cells", [
          {
            ...{ cell: "In [5]", code: "run()", id: "5", status: "running" },
            ...{ time: origin + 2, stop: NaN },
          },
        ]);
      });
      await lane().waitFor();
      await lane().scrollIntoViewIfNeeded();
      const [x, y] = await at(10, 30);
      await page.mouse.move(x - 3, y);
      await page.mouse.move(x, y);
      await page.getByText("In [5]").waitFor();
      await page.mouse.click(x, y);
      await expect.poll(async () => (await focus()).cells).toEqual(["In [5]"]);
    },
  );
});
