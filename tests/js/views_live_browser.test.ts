// Panels of lists, charts and figures while a run goes on.

import { expect, it } from "vitest";
import { describePanel, open, page } from "./harness/panel";

const show = (seconds: number) =>
  page.evaluate(async (moment) => {
    window.harness.show(moment);
    // A component is drawn in the frame after that of its signals.
    for (let frame = 0; frame < 3; frame++) {
      await new Promise((done) => requestAnimationFrame(done));
    }
  }, seconds);
const body = () => page.locator(".ds-panel-body");
const scrollBy = (px: number) =>
  body().evaluate(async (node, by) => {
    node.scrollBy(0, by);
    await new Promise((done) => requestAnimationFrame(done));
  }, px);
const fromEnd = () =>
  body().evaluate((node) =>
    Math.round(node.scrollHeight - node.scrollTop - node.clientHeight),
  );
const times = () => page.locator(".ds-list-time").allInnerTexts();
const newer = () => page.getByRole("button", { name: /^[\d,]+ newer$/ });

describePanel("a live panel", () => {
  it("follows its list while its end is in sight, and else keeps what is read", async () => {
    await open("panel=logs&scenario=live&many=1&at=3", 700, 500);
    await page.locator(".ds-log tbody tr").nth(99).waitFor();
    await expect.poll(fromEnd).toBeLessThan(9);
    const last = async () => parseFloat((await times()).at(-1)!);
    expect(await last()).toBeCloseTo(3, 1);
    await show(5);
    await expect.poll(last).toBeCloseTo(5, 1);
    await expect.poll(fromEnd).toBeLessThan(9);
    expect(await newer().count()).toBe(0);

    await scrollBy(-400);
    const read = await times();
    const place = await body().evaluate(({ scrollTop }) => scrollTop);
    await show(7);
    await newer().waitFor();
    expect(await times()).toEqual(read);
    expect(await body().evaluate(({ scrollTop }) => scrollTop)).toBe(place);
    await newer().click();
    await expect.poll(last).toBeCloseTo(7, 1);
    await expect.poll(fromEnd).toBeLessThan(9);
    expect(await newer().count()).toBe(0);
  });

  it("leaves errors in their places when others come", async () => {
    await open("panel=events&scenario=live&many=1&at=4", 800, 600);
    const kinds = page.locator(".ds-error-words");
    await kinds.first().waitFor();
    const before = await kinds.allInnerTexts();
    const read = await times();
    await show(9);
    await newer().waitFor();
    expect((await kinds.allInnerTexts()).slice(0, before.length)).toEqual(
      before,
    );
    expect(await times()).toEqual(read);
    expect(await body().evaluate(({ scrollTop }) => scrollTop)).toBe(0);
  });

  it("says how far a computation is, with every figure in its place", async () => {
    await open("panel=summary&scenario=live&at=19", 1100, 700);
    const title = page.locator(".ds-answer-title");
    await expect.poll(() => title.innerText()).toMatch(/^Running, about \d+ s/);
    const boxes = () =>
      page
        .locator(".ds-figure, .ds-progress tr, .ds-busy")
        .evaluateAll((all) =>
          all.map((one) => one.getBoundingClientRect().toJSON() as object),
        );
    const before = await boxes();
    const done = page.locator(".ds-progress tfoot td").nth(1);
    const said = await done.innerText();
    await show(23);
    await expect.poll(() => done.innerText()).not.toBe(said);
    expect(await boxes()).toEqual(before);
    await show(60);
    await expect.poll(() => title.innerText()).toBe("Failed: ValueError");
  });

  it("adds up in each row, and shows the colours of the task stream", async () => {
    await open("panel=summary&scenario=live&at=20.9", 1000, 700);
    const rows = page.locator(".ds-progress :is(tbody, tfoot) tr");
    await expect.poll(() => rows.count()).toBe(8);
    for (const row of await rows.all()) {
      const [, done, running, waiting, erred] = await row
        .locator("td")
        .allInnerTexts();
      const [ended, total] = done!.split(" of ").map(toNumber);
      const others = [running, waiting, erred].map(toNumber);
      expect(others.reduce((sum, one) => sum! + one!, ended)).toBe(total);
    }
    const swatch = page.locator(".ds-progress .ds-swatch").first();
    const colour = await swatch.evaluate(
      (one) => getComputedStyle(one).backgroundColor,
    );
    expect(colour).toBe("rgb(90, 115, 222)"); // of read-parquet
  });

  it("has an axis that grows in steps, with the time to come in another colour", async () => {
    await open("panel=system&scenario=live&at=20", 700, 500);
    const hit = page.locator(".ds-time-hit").first();
    await hit.waitFor();
    const timeAt = async (share: number): Promise<number> => {
      const box = (await hit.boundingBox())!;
      await page.mouse.move(box.x + box.width * share, box.y + 20);
      return page.evaluate(() => {
        const { crosshair, origin } = window.harness.session;
        return crosshair.value! - origin.value;
      });
    };
    await expect.poll(() => timeAt(0.5)).toBeCloseTo(15, 0);
    await show(29.9);
    expect(await timeAt(0.5)).toBeCloseTo(15, 0);
    await show(31);
    await expect.poll(() => timeAt(0.5)).toBeCloseTo(30, 0);
    const pixels = await page
      .locator(".ds-system canvas")
      .first()
      .evaluate((node) => {
        const canvas = node as HTMLCanvasElement;
        const context = canvas.getContext("2d")!;
        return [0.3, 0.9].map((share) => [
          ...context
            .getImageData(canvas.width * share, canvas.height * 0.12, 1, 1)
            .data.slice(0, 3),
        ]);
      });
    expect(pixels[0]).not.toEqual(pixels[1]);
  });

  it.each([
    ...["summary", "memory", "fine-metrics", "profile"],
    ...["events", "logs", "system"],
  ])(
    "draws nothing while it is hidden, and all that came when it is shown: %s",
    async (kind) => {
      await open(
        `panel=${kind}&scenario=live&at=10&metrics=1&profile=1`,
        800,
        600,
      );
      await page
        .locator(".ds-time-plot, .ds-part, .ds-table")
        .first()
        .waitFor();
      await page.evaluate(() => window.harness.hide(true));
      await expect
        .poll(() => page.evaluate(() => window.harness.session.visible))
        .toBe(false);
      const status = page.locator(".ds-status");
      const said = await status.evaluate((node) => node.textContent);
      await page.evaluate(() => {
        window.drawn = 0;
        const root = document.querySelector(".ds-root")!;
        new MutationObserver((all) => (window.drawn += all.length)).observe(
          root,
          { subtree: true, childList: true, characterData: true },
        );
      });
      await show(22);
      expect(await page.evaluate(() => window.drawn)).toBe(0);
      await page.evaluate(() => window.harness.hide(false));
      await expect
        .poll(() => status.evaluate((node) => node.textContent))
        .not.toBe(said);
    },
  );

  it("keeps what it shows while it is paused, and takes all that came then", async () => {
    await open("panel=summary&scenario=live&at=12", 1000, 700);
    const done = page.locator(".ds-progress tfoot td").nth(1);
    const said = await done.innerText();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused at 12.0 s").waitFor();
    await show(18);
    expect(await done.innerText()).toBe(said);
    await page.getByText("paused, still recording").waitFor();
    await page.keyboard.press("Space");
    await expect.poll(() => done.innerText()).not.toBe(said);
  });

  it("saves each of its tables, with names in place of indexes", async () => {
    await open("panel=events&scenario=live&at=25", 800, 600);
    await page.getByRole("button", { name: "Export" }).click();
    const items = page.locator(".ds-menu-item-name");
    expect(await items.allInnerTexts()).toEqual([
      ...["CSV of errors", "CSV of events", "CSV of workers"],
      "PNG of the charts",
    ]);
    await items.getByText("CSV of errors").click();
    const saved = await page.evaluate(async () => {
      const [{ name, content }] = window.harness.saved as [
        { name: string; content: Blob },
      ];
      return [name, await content.text()] as const;
    });
    expect(saved[0]).toMatch(/^errors-.*\.csv$/);
    const [header, first] = saved[1].split("\n");
    expect(header).toBe("time,key,prefix,worker,exception,traceback,task");
    expect(first).toContain(",groupby-chunk,");
  });

  it("lets no key reach the notebook around it, and scrolls by keys", async () => {
    await open("panel=logs&scenario=live&many=1&at=3&inline=1", 700, 400);
    await body().click();
    for (const key of ["d", "d", "ArrowUp", "PageUp", "?", "Escape"]) {
      await page.keyboard.press(key);
    }
    await expect.poll(fromEnd).toBeGreaterThan(50);
    await page.keyboard.press("/");
    await page.keyboard.type("dd");
    await expect
      .poll(() => page.locator(".ds-search input").inputValue())
      .toBe("dd");
    expect(await page.evaluate(() => window.harness.leaked)).toEqual([]);
  });

  it("shows why it is empty, and the next step", async () => {
    await open("panel=events&scenario=no-client", 600, 400);
    await page.getByText("No Dask client in this kernel yet").waitFor();
    await page.getByRole("button", { name: "Insert client code" }).waitFor();
  });

  it("keeps what there was when the connection is lost, and says so @all", async () => {
    await open("panel=logs&scenario=live&at=9", 700, 400);
    const rows = await times();
    await page.evaluate(() => {
      window.harness.session.state.value = "lost";
    });
    await page.getByText("The connection was lost").waitFor();
    await page.getByText("connection lost", { exact: true }).waitFor();
    expect(await times()).toEqual(rows);
  });

  it("goes on when some rows of a table cannot be read @all", async () => {
    await open("panel=logs&scenario=live&at=9", 700, 400);
    const rows = await times();
    await page.evaluate(() => {
      const table = window.harness.session.table("logs");
      const problem = { code: "bad-rows", text: "Rows are wrong.", next: "" };
      table.value = { ...table.value, problem };
    });
    expect(await times()).toEqual(rows);
  });
});

/** `1,211`, or nothing. */
const toNumber = (text: string | undefined): number =>
  text === "–" ? 0 : Number(text!.replace(/,/g, ""));
