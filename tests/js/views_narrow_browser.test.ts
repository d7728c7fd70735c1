// What a task stream keeps readable where there is little room, and what it does
// when it is given more.

import { expect, it } from "vitest";
import { describePanel, open, page, plot } from "./harness/panel";

const visibleText = (selector: string) =>
  page.locator(selector).evaluateAll((all) =>
    all
      .filter((one) => {
        const box = one.getBoundingClientRect();
        const line = one.parentElement!.getBoundingClientRect();
        return box.width > 0 && box.right <= line.right + 0.5;
      })
      .map((one) => one.textContent),
  );

describePanel("the task stream where there is little room", () => {
  it("says the count and what erred at 285 pixels, uncut", async () => {
    await open("scenario=full", 285, 420);
    await expect
      .poll(() => visibleText(".ds-fact"))
      .toEqual(expect.arrayContaining(["1,394 of 1,394", "1 erred"]));
    await page.evaluate(() => window.harness.setWidth(1000));
    await expect
      .poll(() => visibleText(".ds-fact"))
      .toEqual(expect.arrayContaining(["1,394 of 1,394 tasks", "16 threads"]));
  });

  it("keeps all of the search field in the panel while it is open @all", async () => {
    await open("scenario=chooser", 640, 420);
    await plot().press("/");
    await page.locator(".ds-search input").fill("rename");
    await expect
      .poll(() => page.locator(".ds-search-found").innerText())
      .toMatch(/tasks/);
    for (const width of [640, 484, 332, 250]) {
      await page.evaluate((to) => window.harness.setWidth(to), width);
      const line = page.locator(".ds-toolbar");
      await expect
        .poll(async () => (await line.boundingBox())!.width)
        .toBe(width);
      for (const part of [
        ...[".ds-search input", ".ds-search-found"],
        ...[".ds-search .ds-chip-close", ".ds-tools > :last-child"],
      ]) {
        const box = (await page.locator(part).boundingBox())!;
        expect(box.x + box.width, part).toBeLessThanOrEqual(width);
        expect(box.width, part).toBeGreaterThanOrEqual(16);
      }
    }
    await page.locator(".ds-search input").press("Escape");
    const chosen = page.locator(".ds-chooser-name");
    await expect.poll(() => chosen.innerText()).toMatch(/^LocalCluster/);
    await page.evaluate(() => window.harness.setWidth(640));
    await page.getByRole("heading", { name: "Task stream" }).waitFor();
  });

  it("tells numbered workers apart where their names have little room @all", async () => {
    await open("scenario=full&workers=24&threads=2", 330, 600);
    const names = page.locator(".ds-worker-name");
    await expect.poll(() => names.count()).toBe(24);
    const cut = await names.evaluateAll((all) => ({
      different: new Set(all.map((one) => one.textContent)).size,
      hidden: all.filter((one) => one.scrollWidth > one.clientWidth).length,
    }));
    expect(cut).toEqual({ different: 24, hidden: 0 });
  });

  it("keeps the names of filters readable, below each other if need be", async () => {
    await open("scenario=full", 285, 420);
    await page.evaluate(() => {
      const { session } = window.harness;
      const origin = session.origin.value;
      session.setFocus({
        time: [origin + 3, origin + 9],
        prefixes: ["read-parquet", "rename"],
        workers: session.workers.value.slice(0, 3).map((one) => one.address),
        spans: [],
        cells: [],
      });
    });
    const chips = page.locator(".ds-chip");
    await expect.poll(() => chips.count()).toBe(3);
    const shown = await chips.evaluateAll((all) =>
      all.map((chip) => {
        const text = chip.querySelector(".ds-chip-text")!;
        const box = chip.getBoundingClientRect();
        const row = chip.closest(".ds-tool-row")!.getBoundingClientRect();
        const inside = box.right <= row.right && box.bottom <= row.bottom;
        return inside && text.clientWidth >= 40;
      }),
    );
    expect(shown).toEqual([true, true, true]);
  });

  it("keeps its plot when a filter gets a row of its own", async () => {
    await open("scenario=full", 548, 420);
    const drawn = await plot().elementHandle();
    await page.evaluate(() => {
      const { session } = window.harness;
      session.setFocus({ ...session.focus.value, prefixes: ["rename"] });
    });
    await page.locator(".ds-tool-row .ds-chip").waitFor();
    expect(await drawn!.evaluate((element) => element.isConnected)).toBe(true);
  });

  it("keeps the words of a notice readable beside its buttons @all", async () => {
    await open("scenario=partly", 285, 420);
    const alert = page.getByRole("alert");
    await alert.waitFor();
    const title = await alert
      .locator(".ds-banner-title")
      .evaluate((element) => element.clientWidth);
    expect(title).toBeGreaterThan(150);
    for (const button of await alert.locator("button").all()) {
      const box = await button.boundingBox();
      expect(box!.x + box!.width).toBeLessThanOrEqual(285);
    }
  });

  it("leaves the focus where it is when it becomes wider", async () => {
    await open("scenario=full", 1200, 420);
    await page.evaluate(() => window.harness.setWidth(420));
    await page.locator(".ds-search").waitFor({ state: "detached" });
    await plot().press("/");
    await page.locator(".ds-search input").press("Escape");
    await page.locator(".ds-search").waitFor({ state: "detached" });
    await plot().focus();
    await page.evaluate(() => window.harness.setWidth(1200));
    await page.locator(".ds-search").waitFor();
    expect(
      await plot().evaluate((element) => element === document.activeElement),
    ).toBe(true);
  });

  it("says when it shows a part of the run only, and goes back", async () => {
    await open("scenario=full", 1000, 500);
    const crumbs = page.locator(".ds-crumbs");
    await expect.poll(() => crumbs.innerText()).toBe("Whole run");
    await plot().press("a");
    await plot().press("w");
    await expect.poll(() => crumbs.innerText()).toMatch(/^Whole run\s*›\s*\d/);
    await crumbs.getByRole("button").click();
    await expect.poll(() => crumbs.innerText()).toBe("Whole run");
  });

  it("says that it shows the last of the run also beside a filter @all", async () => {
    await open("scenario=full&scale=4", 1000, 500);
    const crumbs = page.locator(".ds-crumbs");
    const last = /^Whole run\s*›\s*last 60\.0 s/;
    await expect.poll(() => crumbs.innerText()).toMatch(last);
    await page.locator(".ds-worker").first().click();
    await page.getByRole("button", { name: /^Remove the filter/ }).waitFor();
    expect(await crumbs.innerText()).toMatch(last);
  });

  it("cuts no word of its menu @all", async () => {
    for (const width of [420, 240]) {
      await open("scenario=full", width, 500);
      await page.getByRole("button", { name: "More" }).click();
      const cut = await page
        .locator(".ds-menu-list span")
        .evaluateAll((all) =>
          all
            .filter((one) => one.scrollWidth > one.clientWidth + 1)
            .map((one) => one.textContent),
        );
      expect(cut, String(width)).toEqual([]);
      if (width === 420) await page.close();
    }
  });

  it("names the client that is shown as far as it fits, and which of them it is @all", async () => {
    await open("scenario=chooser", 640, 420);
    const button = page.getByRole("button", { name: "Choose a client" });
    for (const width of [640, 470, 400, 330, 285]) {
      await page.evaluate((to) => window.harness.setWidth(to), width);
      const line = page.locator(".ds-toolbar");
      await expect
        .poll(async () => (await line.boundingBox())!.width)
        .toBe(width);
      expect(await button.innerText()).toMatch(/^LocalCluster/);
      const name = (await page.locator(".ds-chooser-name").boundingBox())!;
      expect(name.width, String(width)).toBeGreaterThan(50);
      expect(await visibleText(".ds-state")).toEqual(["Live"]);
      const last = (await page
        .locator(".ds-tools > :last-child")
        .boundingBox())!;
      expect(last.x + last.width, String(width)).toBeLessThanOrEqual(width);
    }
    expect(await button.getAttribute("title")).toContain("(1 of 3)");
  });

  it("names the first of the legend where that fits, and counts the others", async () => {
    await open("scenario=full", 320, 500);
    const legend = page.getByRole("button", { name: "Legend" });
    const swatches = legend.locator(".ds-swatch");
    await expect.poll(() => legend.innerText()).toMatch(/^read-parquet\s*\+9$/);
    expect(await swatches.count()).toBe(1);
    const crumb = page.locator(".ds-crumbs");
    expect(
      await crumb.evaluate((one) => one.scrollWidth - one.clientWidth),
    ).toBe(0);
    // Where filters stand beside it, colours say more in less room.
    await page.locator(".ds-worker").first().click();
    await expect.poll(() => legend.innerText()).toMatch(/^\+6$/);
    expect(await swatches.count()).toBe(4);
    await page.keyboard.press("Escape");
    await page.evaluate(() => window.harness.setWidth(240));
    await expect.poll(() => legend.innerText()).toMatch(/^\+6$/);
  });

  it("keeps the legend as long as it is, whatever a filter leaves @all", async () => {
    await open("scenario=full", 1200, 500);
    await page.evaluate(() => window.harness.setWidth(420));
    const legend = page.getByRole("button", { name: "Legend" });
    await expect.poll(() => legend.innerText()).toBe("10 in legend");
    await page.evaluate(() => {
      const { session } = window.harness;
      const origin = session.origin.value;
      session.setFocus({
        ...session.focus.value,
        time: [origin + 1, origin + 1.5],
      });
    });
    await legend.click();
    const entries = page.locator(".ds-legend-entry");
    await expect.poll(() => entries.count()).toBe(10);
    await expect.poll(() => entries.last().innerText()).toMatch(/0 tasks/);
    expect(await legend.innerText()).toBe("10 in legend");
  });

  it("keeps the way back to now whole at 240 pixels @all", async () => {
    await open("scenario=full", 300, 420);
    await plot().press("w");
    await plot().press("a");
    for (const width of [300, 270, 240]) {
      await page.evaluate((to) => window.harness.setWidth(to), width);
      const now = page.getByRole("button", { name: /^Now/ });
      const line = page.locator(".ds-toolbar-middle");
      await expect
        .poll(async () => {
          const [button, room] = [
            await now.boundingBox(),
            await line.boundingBox(),
          ];
          return room!.x + room!.width - (button!.x + button!.width);
        })
        .toBeGreaterThanOrEqual(0);
    }
  });

  it("has all words of a banner, and its buttons together, at 332 pixels @all", async () => {
    await open("scenario=lost", 332, 420);
    const next = page.locator(".ds-banner-next");
    await next.waitFor();
    expect(
      await next.evaluate((one) => one.scrollWidth - one.clientWidth),
    ).toBe(0);
    const tops = await page
      .locator(".ds-banner .ds-button")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(tops).toHaveLength(2);
    expect(new Set(tops).size).toBe(1);
  });

  it("has a legend with names in half a window, which stays when what is shown changes @all", async () => {
    await open("scenario=full", 532, 420);
    const entries = page.locator(".ds-legend > .ds-legend-entry");
    const names = await entries.allInnerTexts();
    expect(names).toContain("read-parquet");
    await plot().press("w");
    await plot().press("a");
    await page.getByRole("button", { name: /^Now/ }).waitFor();
    expect(await entries.allInnerTexts()).toEqual(names);
  });

  it("tells figures beside the names of the legend where all have room for them @all", async () => {
    await open("scenario=full", 1800, 300);
    const legend = page.locator(".ds-legend.ds-compact");
    const entry = legend.locator(".ds-legend-entry").first();
    /** How a width tells of an entry, once the line does not reach beyond it. */
    const at = async (width: number) => {
      await page.evaluate((to) => window.harness.setWidth(to), width);
      await expect
        .poll(async () => (await legend.boundingBox())!.width)
        .toBe(width);
      // The line is as wide at once; what it tells is drawn in the frames after it.
      await page.evaluate(
        () =>
          new Promise((done) =>
            requestAnimationFrame(() => requestAnimationFrame(done)),
          ),
      );
      await expect
        .poll(() =>
          legend.evaluate((line) => line.scrollWidth - line.clientWidth),
        )
        .toBe(0);
      return (await entry.innerText()).replace(/\s+/g, " ");
    };
    // How wide the words are is the matter of the machine's font.
    const told: string[] = [];
    for (let width = 1800; width >= 700; width -= 50) {
      const text = await at(width);
      if (told.at(-1) !== text) told.push(text);
    }
    expect(told).toEqual([
      ...["read-parquet 313 · 2 m 29 s", "read-parquet 313", "read-parquet"],
    ]);
  });

  it("lets the keyboard reach the end of a long legend", async () => {
    await open("scenario=many", 900, 400);
    await page.getByRole("button", { name: "The rest of the legend" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".ds-legend-list :focus").waitFor();
    await page.keyboard.press("End");
    const list = await page.locator(".ds-menu-list").boundingBox();
    const last = page.locator(".ds-menu-list .ds-legend-entry").last();
    await expect
      .poll(async () => {
        const box = await last.boundingBox();
        return box!.y + box!.height <= list!.y + list!.height;
      })
      .toBe(true);
    await page.keyboard.press("Enter");
    await expect.poll(() => last.getAttribute("aria-pressed")).toBe("true");
  });

  it("keeps menus inside the panel, and says what their entries do", async () => {
    const overhang = () =>
      page.locator(".ds-menu-list").evaluate((list) => {
        const box = list.getBoundingClientRect();
        const panel = list.closest(".ds-root")!.getBoundingClientRect();
        const sides = [panel.left - box.left, box.right - panel.right];
        return Math.max(...sides, box.bottom - panel.bottom);
      });
    await open("scenario=many", 920, 300);
    await page.getByRole("button", { name: "The rest of the legend" }).click();
    expect(await overhang()).toBeLessThan(0);
    await page.keyboard.press("Escape");
    await page.evaluate(() => window.harness.setWidth(250));
    await page.getByRole("button", { name: "More" }).click();
    expect(await overhang()).toBeLessThan(0);
    await page.getByRole("button", { name: "Export PNG" }).waitFor();
  });

  it("lets less of the status line stand where the host's letters are larger @all", async () => {
    await open("scenario=full", 900, 420);
    // How much room the words take is the matter of the machine's font.
    for (let width = 480; width < 900; width += 20) {
      await page.evaluate((to) => window.harness.setWidth(to), width);
      await page.evaluate(
        () =>
          new Promise((done) =>
            requestAnimationFrame(() => requestAnimationFrame(done)),
          ),
      );
      const facts = await visibleText(".ds-fact");
      if (facts.includes("live, 0.2 s behind")) break;
    }
    expect(await visibleText(".ds-fact")).toContain("live, 0.2 s behind");
    await page.evaluate(() => {
      document.body.style.setProperty("--jp-ui-font-size1", "19px");
    });
    await expect
      .poll(() => visibleText(".ds-fact"))
      .not.toContain("live, 0.2 s behind");
    const facts = page.locator(".ds-fact");
    expect(await visibleText(".ds-fact")).toHaveLength(await facts.count());
    expect(await visibleText(".ds-fact")).toContain("1 erred");
  });
});
