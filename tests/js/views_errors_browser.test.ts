// From an error to its task: by mouse over the row of events, by keyboard over
// the table.

import { expect, it } from "vitest";
import {
  describePanel,
  open,
  page,
  plot,
  plotBox,
  shown,
} from "./harness/panel";

const EVENTS_ROW_PX = 33;

/** Where the mark of the first error is, in the coordinates of the page. */
async function errorMark(): Promise<{ x: number; y: number }> {
  const box = await plotBox();
  const [start, stop] = await shown();
  const time = await page.evaluate(() => {
    const { session } = window.harness;
    return (
      session.table("errors").value.columns.time[0]! - session.origin.value
    );
  });
  const x = box.x + ((time - start) / (stop - start)) * box.width;
  return { x, y: box.y + EVENTS_ROW_PX };
}

describePanel("the errors of the task stream", () => {
  it("say what happened at their mark, and pin the task with a click", async () => {
    await open("scenario=full");
    const at = await errorMark();
    await page.mouse.move(at.x, at.y, { steps: 3 });
    const card = page.locator(".ds-card");
    await card.getByText("cannot reindex on an axis").waitFor();
    await expect
      .poll(() => card.innerText())
      .toMatch(/ValueError[\s\S]*\('groupby-chunk-\w+', \d+\)[\s\S]*worker-2/);
    const before = await shown();
    await page.mouse.click(at.x, at.y);
    const pinned = page.locator(".ds-pinned");
    await pinned.getByText("g = part.reindex(region.index)").waitFor();
    expect((await shown())[0]).toBeCloseTo(before[0], 1);
    await page.mouse.move(at.x + 80, at.y + 100, { steps: 3 });
    await expect.poll(() => card.getByText("Click to pin the").count()).toBe(0);
  });

  it("lead to all tasks of their prefix, and back", async () => {
    await open("scenario=full");
    const at = await errorMark();
    await page.mouse.click(at.x, at.y);
    const foot = page.locator(".ds-pinned-foot");
    const prefixes = () =>
      page.evaluate(() => window.harness.session.focus.value.prefixes);
    await foot.getByText("Only this prefix").click();
    await expect.poll(prefixes).toEqual(["groupby-chunk"]);
    await foot.getByText("All prefixes").click();
    await expect.poll(prefixes).toEqual([]);
    await foot.getByText("Only this prefix").waitFor();
  });

  it("say which workers spilled or left, too", async () => {
    await open("scenario=gap");
    const box = await plotBox();
    const [start, stop] = await shown();
    const x = box.x + ((3.2 - start) / (stop - start)) * box.width;
    await page.mouse.move(x, box.y + EVENTS_ROW_PX, { steps: 3 });
    await expect
      .poll(() => page.locator(".ds-card").innerText())
      .toMatch(/3 workers left[\s\S]*worker-0 left/);
    await page.mouse.click(x, box.y + EVENTS_ROW_PX);
    expect(await page.locator(".ds-pinned").count()).toBe(0);
  });

  it("are reached by keyboard through the table", async () => {
    await open("scenario=full");
    await plot().press("t");
    await page.locator(".ds-error-head").focus();
    await page.keyboard.press("Enter");
    await page.getByText("Show in task stream").focus();
    await page.keyboard.press("Enter");
    await page.locator(".ds-table-sheet").waitFor({ state: "detached" });
    await page
      .locator(".ds-pinned")
      .getByText("g = part.reindex(region.index)")
      .waitFor();
    await expect
      .poll(() =>
        plot().evaluate((element) => element === document.activeElement),
      )
      .toBe(true);
  });

  it("are told before all else in a low panel @all", async () => {
    await open("scenario=full", 900, 330);
    const at = await errorMark();
    await page.mouse.click(at.x, at.y);
    const pinned = page.locator(".ds-pinned-body");
    const line = pinned.getByText("g = part.reindex(region.index)");
    await line.waitFor();
    const below = (await line.boundingBox())!;
    const room = (await pinned.boundingBox())!;
    expect(below.y + below.height).toBeLessThan(room.y + room.height);
  });

  it("are pinned also while the page lacks the rows of the task @all", async () => {
    await open("scenario=coarse");
    await page.evaluate(() => {
      const { session } = window.harness;
      session.fill("errors", [
        {
          task: 3,
          prefix: 0,
          worker: session.lanes[0]!.worker,
          time: session.origin.value + 5,
          exception: "KeyError('gone')",
        },
      ]);
    });
    await shown();
    const at = await errorMark();
    await page.mouse.move(at.x, at.y, { steps: 3 });
    await page.locator(".ds-card").getByText("KeyError").waitFor();
    await page.mouse.click(at.x, at.y);
    await page
      .locator(".ds-pinned")
      .getByText("read-parquet")
      .first()
      .waitFor();
  });

  it("are shown at their moment, with as much around as before, when a task never started @all", async () => {
    await open("scenario=coarse");
    await page.evaluate(() => {
      const { session } = window.harness;
      const { answer } = session;
      session.answer = (task) => ({ ...answer!(task), startstops: [] });
      session.fill("errors", [
        {
          task: 3,
          prefix: 0,
          worker: "tcp://10.4.9.9:1",
          time: session.origin.value + 15,
          exception:
            "KilledWorker: 4 workers went away while they ran this task",
        },
      ]);
    });
    const [from, to] = await shown();
    await plot().press("w");
    const [start, stop] = await shown();
    expect(stop - start).toBeLessThan(to - from);
    await plot().press("t");
    await page.locator(".ds-error-head").click();
    // A list that has just opened may still take the focus to itself.
    await expect
      .poll(() =>
        page.evaluate(async () => {
          const find = () =>
            document.querySelector<HTMLElement>(".ds-one-error-tools button");
          find()?.focus();
          for (let frame = 0; frame < 3; frame++) {
            await new Promise(requestAnimationFrame);
          }
          return find() !== null && document.activeElement === find();
        }),
      )
      .toBe(true);
    await page.keyboard.press("Enter");
    const pinned = page.locator(".ds-pinned");
    await pinned.getByText("no start was reported").waitFor();
    expect(await pinned.getByText("Zoom to it").count()).toBe(0);
    expect(await pinned.getByText("Start to stop").count()).toBe(0);
    const [left, right] = await shown();
    expect(left).toBeLessThan(15);
    expect(right).toBeGreaterThan(15);
    expect(right - left).toBeGreaterThan((stop - start) / 2);
  });

  it("are copied with the key of the task and the whole traceback", async () => {
    await open("scenario=full");
    const at = await errorMark();
    await page.mouse.click(at.x, at.y);
    await page.evaluate(() => {
      navigator.clipboard.writeText = (text) => {
        document.title = JSON.stringify(text);
        return Promise.resolve();
      };
    });
    await page.getByText("Copy traceback").click();
    await page.getByText("Copied", { exact: true }).waitFor();
    const text = JSON.parse(await page.title()) as string;
    expect(text).toMatch(
      /^Task \('groupby-chunk-\w+', \d+\)\nTraceback \(most recent call last\):\n/,
    );
    expect(text).toContain("pandas/core/frame.py");
    expect(text).toMatch(
      /\nValueError: cannot reindex on an axis with duplicate labels\n$/,
    );
  });

  it("and other figures of the table follow a selection of time", async () => {
    await open("scenario=full");
    await page.evaluate(() => {
      const { session } = window.harness;
      const origin = session.origin.value;
      session.setFocus({ ...session.focus.value, time: [origin, origin + 5] });
    });
    await plot().press("t");
    await page.getByText("0 of 1 in the selection").waitFor();
    await page.evaluate(() => {
      const { session } = window.harness;
      session.setFocus({ ...session.focus.value, time: null });
    });
    await page.locator(".ds-error-head").waitFor();
  });

  it("are not all there when there were very many: the table says so, and the task @all", async () => {
    await open("scenario=full");
    await page.evaluate(() => {
      const { session } = window.harness;
      const answer = session.answer!;
      session.answer = (task) => ({ ...answer(task), error: null });
      session.counts.value = { ...session.counts.value, erred: 1_501 };
      session.table("errors").value = {
        ...session.table("errors").value,
        dropped: 1_500,
      };
    });
    await plot().press("t");
    await page
      .getByText("1; 1,500 more were dropped", { exact: true })
      .waitFor();
    await page.locator(".ds-error-head").click();
    await page.getByText("Show in task stream").click();
    const pinned = page.locator(".ds-pinned");
    await pinned.getByText("The traceback was dropped").waitFor();
    const badge = pinned.getByText("Erred", { exact: true });
    await badge.waitFor();
    const fill = () =>
      badge.evaluate((one) => getComputedStyle(one).backgroundColor);
    expect(await fill()).toBe("rgb(17, 17, 17)");
    await page.evaluate(() => window.harness.setDark(true));
    await expect.poll(fill).toBe("rgb(224, 224, 224)");
    await pinned.getByText("none, it erred").waitFor();
    await pinned.getByText("cannot reindex on an axis").waitFor();
  });

  it("show in a table that keeps its last column at 200 pixels @all", async () => {
    await open("scenario=full", 220, 420);
    await page.evaluate(() => window.harness.setWidth(200));
    await plot().press("t");
    const table = page.locator(".ds-table", { hasText: "Workers" });
    await table.getByText("running").first().waitFor();
    const right = await table
      .locator("td:last-child")
      .first()
      .evaluate((cell) => cell.getBoundingClientRect().right);
    expect(right).toBeLessThanOrEqual(200.5);
  });
});
