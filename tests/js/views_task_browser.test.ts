// What the hover card and the pinned card say of one task that waited for a transfer.

import { expect, it } from "vitest";
import { formatBytes, formatDuration } from "../../js_src/base/format";
import { ACTION_COLOURS } from "../../js_src/base/palette";
import { describePanel, erredTask, open, page, placeOf } from "./harness/panel";

interface Part {
  action: string;
  start: number;
  duration: number;
  nbytes: number;
}

/** The first task that has a transfer, with its starts and stops in order. */
const taskWithTransfer = () =>
  page.evaluate(() => {
    const { session } = window.harness;
    const { model, actions } = session;
    const erred = session.table("errors").value.columns.task[0];
    for (let task = 0; task < 2_000; task++) {
      for (let lane = 0; lane < model.laneCount; lane++) {
        const parts: Part[] = model.ofTask(lane, task).map((row) => ({
          action: actions[row.action]!,
          start: row.start,
          duration: row.duration,
          nbytes: row.nbytes,
        }));
        const transfers = parts.filter(({ action }) => action === "transfer");
        if (transfers.length > 0 && task !== erred) return { task, parts };
      }
    }
    throw new Error("no task has a transfer");
  });

/** `rgb(1, 2, 3)`, as the browser tells a colour. */
const asRgb = (css: string) =>
  page.evaluate((colour) => {
    const element = document.createElement("i");
    element.style.background = colour;
    document.body.append(element);
    const { backgroundColor } = getComputedStyle(element);
    element.remove();
    return backgroundColor;
  }, css);

describePanel("one task in the task stream", () => {
  it("shows a key that comes after the kernel was too busy to answer", async () => {
    await open("scenario=full");
    const task = await erredTask();
    const at = await placeOf(task);
    await page.evaluate(() => window.harness.session.keys.clear());
    await page.mouse.move(at.x, at.y);
    await page.getByText("key not loaded yet").waitFor();
    await page.evaluate(async (first) => {
      await window.harness.session.addKeys(first, ["late-key"]);
    }, task);
    await page.getByText("late-key").waitFor();
    expect(await page.getByText("key not loaded yet").count()).toBe(0);
  });

  it("has its duration, its bytes and its transfer beside the pointer", async () => {
    await open("scenario=full");
    const { task, parts } = await taskWithTransfer();
    const at = await placeOf(task);
    await page.mouse.move(at.x, at.y);
    const card = page.locator(".ds-card");
    const compute = parts.find(({ action }) => action === "compute")!;
    const transfer = parts.find(({ action }) => action === "transfer")!;
    const fact = (name: string) =>
      card.locator(`dt:text-is("${name}") + dd`).innerText();
    await expect
      .poll(() => card.locator(".ds-card-value").innerText())
      .toBe(formatDuration(compute.duration));
    expect(await fact("Result")).toBe(formatBytes(compute.nbytes));
    expect(await fact("Transfer")).toBe(formatDuration(transfer.duration));
  });

  it.each([
    ["as the kernel tells them", "full"],
    ["as the page has them, where the kernel cannot answer", "busy"],
  ])("lists every start and stop when it is pinned: %s", async (_, name) => {
    await open(`scenario=${name}`);
    const { task, parts } = await taskWithTransfer();
    const at = await placeOf(task);
    await page.mouse.click(at.x, at.y);
    const section = page.locator(".ds-pinned section", {
      hasText: "Start to stop",
    });
    const note = page.getByText("Loading details");
    await note.waitFor({ state: "detached" });
    const start = Math.min(...parts.map((part) => part.start));
    const stop = Math.max(...parts.map((part) => part.start + part.duration));
    expect(await section.locator("h4").innerText()).toMatch(
      new RegExp(`^Start to stop, ${formatDuration(stop - start)}$`, "i"),
    );
    const lines = await section
      .locator("li")
      .evaluateAll((all) =>
        all.map((line) => [...line.children].map((part) => part.textContent)),
      );
    expect(lines).toEqual(
      parts.map(({ action, duration }) => [
        ...["", action, formatDuration(duration)],
      ]),
    );

    // The bars lie where the parts were, in the colours of their actions.
    const bars = await section.locator(".ds-startstops").evaluate((strip) => {
      const whole = strip.getBoundingClientRect();
      return [...strip.children].map((bar) => {
        const { left, width } = bar.getBoundingClientRect();
        return {
          from: (left - whole.left) / whole.width,
          share: width / whole.width,
          colour: getComputedStyle(bar).backgroundColor,
        };
      });
    });
    const red = await asRgb(ACTION_COLOURS.transfer.light);
    expect(bars).toHaveLength(parts.length);
    parts.forEach((part, at) => {
      const { from, share, colour } = bars[at]!;
      expect(from).toBeCloseTo((part.start - start) / (stop - start), 1);
      expect(share).toBeCloseTo(part.duration / (stop - start), 1);
      expect(colour === red).toBe(part.action === "transfer");
    });
  });

  it("shows only the rows of its span after a click on that, and all again", async () => {
    await open("scenario=full");
    const at = await placeOf(await erredTask());
    await page.mouse.click(at.x, at.y);
    const name = "report › total by region";
    const span = page.locator(".ds-pinned").getByRole("button", { name });
    expect(await span.getAttribute("aria-pressed")).toBe("false");
    await span.click();
    const chip = page.locator(".ds-chip", { hasText: name });
    await chip.waitFor();
    const rows = await page.evaluate(() => {
      const { focus, model, spans } = window.harness.session;
      const id = focus.value.spans[0];
      let [within, lit, odd] = [0, 0, 0];
      for (let lane = 0; lane < model.laneCount; lane++) {
        model.forEachVisible(lane, -Infinity, Infinity, 0, (row) => {
          const columns = Object.fromEntries(
            Object.entries(row).map(([key, value]) => [key, [value]]),
          );
          const inside = spans[row.span]!.id === id;
          const shown = model.filter!.matches(columns as never, 0);
          within += Number(inside);
          lit += Number(shown);
          odd += Number(inside !== shown);
        });
      }
      return { within, lit, odd };
    });
    expect(rows.within).toBeGreaterThan(0);
    expect(rows).toEqual({ ...rows, lit: rows.within, odd: 0 });
    const status = page.locator(".ds-status");
    await expect.poll(() => status.innerText()).toMatch(/[1-9]\d* selected/);
    expect(await span.getAttribute("aria-pressed")).toBe("true");
    await page.getByLabel(`Remove the filter ${name}`).click();
    await chip.waitFor({ state: "detached" });
    expect(await span.getAttribute("aria-pressed")).toBe("false");
    expect(
      await page.evaluate(() => window.harness.session.model.filter),
    ).toBeNull();
  });
});
