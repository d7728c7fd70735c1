// What a task stream does under a real mouse and keyboard.

import { expect, it } from "vitest";
import {
  describePanel,
  drag,
  erredTask,
  open,
  page,
  placeOf,
  plot,
  plotBox,
  shown,
  timeAt,
} from "./harness/panel";

describePanel("the task stream by mouse and keyboard", () => {
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
    await expect.poll(() => card.innerText()).toMatch(/\('[a-z0-9-]+', \d+\)/);
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

  it("says beside the pointer why a task erred", async () => {
    await open("scenario=full");
    const at = await placeOf(await erredTask());
    await page.mouse.move(at.x, at.y);
    const said = page.locator(".ds-card-error");
    await said.getByText("ValueError").waitFor();
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

  it("selects time for every panel with Shift and a drag, and zooms to it with Z", async () => {
    await open("scenario=full");
    const whole = await shown();
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
    expect(await shown()).toEqual(whole);
    await plot().press("z");
    const [start] = await shown();
    expect(start).toBeCloseTo(from, 1);
    await page.getByText("Whole run").click();
    await page.locator(".ds-chip").waitFor({ state: "detached" });
  });

  it("moves to a selected time that is out of sight, and back", async () => {
    await open("scenario=full");
    const whole = await shown();
    const select = (time: [number, number] | null) =>
      page.evaluate((time) => {
        const { session } = window.harness;
        const origin = session.origin.value;
        session.setFocus({
          ...session.focus.value,
          time: time && [time[0] + origin, time[1] + origin],
        });
      }, time);
    await select([2, 2.01]);
    await expect.poll(async () => (await shown())[1]).toBeCloseTo(2.01, 3);
    await select(null);
    await expect.poll(async () => (await shown())[1]).toBeCloseTo(whole[1], 1);
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

  it("gives no figures of a selection that the kernel has not counted @all", async () => {
    await open("scenario=full");
    const legend = page.locator(".ds-legend-detail").first();
    const figures = await legend.innerText();
    await page.evaluate(() => {
      const { session } = window.harness;
      session.hearsFocus = false;
      const origin = session.origin.value;
      session.setFocus({
        ...session.focus.value,
        time: [origin + 3, origin + 9],
      });
    });
    const status = page.locator(".ds-status");
    await expect
      .poll(() => status.innerText())
      .toContain("selection not counted yet");
    expect(await status.innerText()).not.toMatch(/ selected| of \d+ erred/);
    expect(await legend.innerText()).toBe("…");
    await plot().press("t");
    const table = page.getByRole("table", { name: /^Tasks by prefix/ });
    expect(await table.locator("caption").innerText()).toBe(
      "Tasks by prefix, in the selection: not counted yet",
    );
    expect(await table.locator("tbody tr").count()).toBe(0);
    // The cell ends.
    await page.evaluate(() => {
      const { session } = window.harness;
      session.hearsFocus = true;
      session.setFocus(session.focus.value);
    });
    await expect.poll(() => status.innerText()).toMatch(/\d selected/);
    expect(await legend.innerText()).not.toBe(figures);
    expect(await table.locator("tbody tr").count()).toBeGreaterThan(0);
  });

  it("shows everything that narrows the view as a chip, and counts it", async () => {
    await open("scenario=full");
    const chips = () => page.locator(".ds-chip").allInnerTexts();
    const status = () => page.locator(".ds-status").innerText();
    const [erred, transfers] = await page.evaluate(() => {
      const { session } = window.harness;
      const at = session.actions.indexOf("transfer");
      const rows = session.totals.value.actions.find(
        ({ action }) => action === at,
      )!.rows;
      return [session.table("errors").value.rows, rows];
    });
    await page.getByRole("button", { name: /^erred/ }).click();
    await expect.poll(chips).toEqual(["erred"]);
    await expect.poll(status).toContain(`${erred} selected`);
    await page.locator(".ds-worker", { hasText: "worker-1" }).click();
    await expect.poll(chips).toEqual(["erred", "worker-1"]);
    await expect.poll(status).toMatch(/\b0 selected/);
    await page.getByLabel("Remove the filter worker-1").click();
    await page.getByRole("button", { name: /^transfer/ }).click();
    await expect.poll(status).toContain(`${transfers} × transfer selected`);
    // How many of them a prefix has, nobody counts.
    await page.getByRole("button", { name: /^rename/ }).click();
    await expect.poll(status).not.toContain("selected");
    await page.getByLabel("Remove the filter transfer").click();
    await expect.poll(chips).toEqual(["rename"]);
    await expect.poll(status).toContain("selected");
    await page.getByRole("button", { name: /^transfer/ }).click();
    await page.getByText("Whole run").click();
    await expect.poll(chips).toEqual([]);
    await expect.poll(status).not.toContain("selected");
  });

  it("shows only the lanes of a worker that is clicked", async () => {
    await open("scenario=full");
    await page.locator(".ds-worker", { hasText: "worker-2" }).click();
    await expect.poll(() => page.locator(".ds-worker").count()).toBe(1);
    await page.locator(".ds-chip", { hasText: "worker-2" }).waitFor();
  });

  it("shows above the lanes only what the isolated worker did @all", async () => {
    await open("scenario=full");
    const label = page.locator(".ds-overview-label");
    await expect.poll(() => label.innerText()).toBe("Threads busy, of 16");
    const errorAt = await page.evaluate(() => {
      const { session } = window.harness;
      return (
        session.table("errors").value.columns.time[0]! - session.origin.value
      );
    });
    const box = await plotBox();
    const [start, stop] = await shown();
    const x = box.x + ((errorAt - start) / (stop - start)) * box.width;
    const card = page.locator(".ds-card", { hasText: "ValueError" });
    const pointAtError = async () => {
      await page.mouse.move(x - 40, box.y + 200);
      await page.mouse.move(x, box.y + 33);
    };
    await pointAtError();
    await card.waitFor();
    // It was worker-2 that erred.
    await page.locator(".ds-worker", { hasText: "worker-1" }).click();
    await expect.poll(() => label.innerText()).toBe("Threads busy, of 4");
    await pointAtError();
    expect(await card.count()).toBe(0);
    await page.locator(".ds-worker", { hasText: "worker-1" }).click();
    await page.locator(".ds-worker", { hasText: "worker-2" }).click();
    await pointAtError();
    await card.waitFor();
  });

  it("resumes as it followed before the pause @all", async () => {
    await open("scenario=full");
    await plot().press("f");
    await plot().press(" ");
    await page.getByText("Paused at").waitFor();
    await plot().press("w");
    await page.locator(".ds-crumbs", { hasText: " – " }).waitFor();
    await page.locator(".ds-button", { hasText: "Resume" }).click();
    await page.locator(".ds-crumbs", { hasText: /^Whole run$/ }).waitFor();
    expect(await page.getByText("Go to now").count()).toBe(0);
  });

  it("gives the keys back to the plot after a click with the mouse", async () => {
    await open("scenario=full");
    const plotHasKeys = () =>
      expect
        .poll(() => plot().evaluate((it) => it === document.activeElement))
        .toBe(true);
    const button = (name: string | RegExp) =>
      page.getByRole("button", { name, exact: true });
    const list = page.locator(".ds-menu-list");
    await button("Fit the whole run").click();
    await plotHasKeys();
    await button(/^read-parquet/).click();
    await plotHasKeys();
    await page.locator(".ds-worker", { hasText: "worker-1" }).click();
    await plotHasKeys();
    await page.getByLabel("Remove the filter worker-1").click();
    await plotHasKeys();
    await button("Export").click();
    await list.locator(":focus").waitFor();
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
    await plotHasKeys();
    await button("Export").click();
    await list.locator("button").nth(1).click();
    await plotHasKeys();
    await button("Export").click();
    await button("Export").click();
    await list.waitFor({ state: "detached" });
    await plotHasKeys();
    await page.keyboard.press(" ");
    await page.getByText("Paused at").waitFor();
    expect(await list.count()).toBe(0);
  });

  it("leaves the keys on a button that was reached by keyboard @all", async () => {
    await open("scenario=full");
    const hasKeys = (name: string) =>
      expect
        .poll(() => page.evaluate(() => document.activeElement?.ariaLabel))
        .toBe(name);
    const button = (name: string) => page.getByRole("button", { name });
    await button("Fit the whole run").focus();
    await page.keyboard.press("Enter");
    await hasKeys("Fit the whole run");
    await button("Export").focus();
    await page.keyboard.press(" ");
    await page.locator(".ds-menu-list :focus").waitFor();
    await page.keyboard.press("Escape");
    await hasKeys("Export");
  });

  it("offers no pause where nothing comes any more @all", async () => {
    await open("scenario=full");
    const pause = page.getByRole("button", { name: "Pause" });
    const setState = (state: "live" | "stopped") =>
      page.evaluate((now) => {
        window.harness.session.state.value = now;
      }, state);
    await pause.waitFor();
    await setState("stopped");
    await pause.waitFor({ state: "detached" });
    await plot().press(" ");
    expect(await page.getByText("Paused at").count()).toBe(0);
    await setState("live");
    await plot().press(" ");
    await page.getByText("Paused at").waitFor();
    // What was paused before can be resumed.
    await setState("stopped");
    await page.locator(".ds-button", { hasText: "Resume" }).click();
    await page.getByText("Paused at").waitFor({ state: "detached" });
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
    await page.locator(".ds-pinned").getByText("groupby-agg").first().waitFor();
    await page.keyboard.press("Shift+Enter");
    await page.getByText("26 of 26").waitFor();
    await page.keyboard.press("Escape");
    expect(await page.locator("input").inputValue()).toBe("");
    expect(
      await plot().evaluate((element) => element === document.activeElement),
    ).toBe(true);
  });

  it("says so where the next match has no rows on this page @all", async () => {
    await open("scenario=full");
    await page.evaluate(() =>
      window.harness.session.addKeys(5_000, ["read-parquet-far-away"]),
    );
    await plot().press("/");
    await page.keyboard.type("far-away");
    const found = page.locator(".ds-search-found");
    await expect.poll(() => found.innerText()).toBe("1 task");
    await page.keyboard.press("Enter");
    await expect.poll(() => found.innerText()).toBe("1 of 1");
    await page
      .locator(".ds-stage-note")
      .getByText("This task is not on this page")
      .waitFor();
  });

  it.each([1200, 560])(
    "takes the letters right after `/` for the search, %i px wide",
    async (width) => {
      await open("scenario=full", width);
      const focused = await plot().evaluate(async (element) => {
        let frames = 0;
        requestAnimationFrame(() => frames++);
        const key = new KeyboardEvent("keydown", { key: "/", bubbles: true });
        element.dispatchEvent(key);
        for (let job = 0; job < 5; job++) await Promise.resolve();
        return frames === 0 ? document.activeElement?.tagName : "too late";
      });
      expect(focused).toBe("INPUT");
    },
  );

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
});
