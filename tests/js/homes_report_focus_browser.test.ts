// What is selected in a report: in its address, in all of its tabs, on the way to what
// stands out.

import { expect, it } from "vitest";
import {
  describeReport,
  focus,
  fragment,
  inTab,
  open,
  origin,
  page,
  shownTab,
  startOfRun,
  tab,
} from "./harness/report";

describeReport("what is selected in a report", () => {
  it("opens at the tab and with the focus that a link names", async () => {
    const start = await startOfRun();
    await open(
      "",
      `tab=task-stream&time=${start + 14.3}&time=${start + 21.3}&prefixes=shuffle-p2p`,
    );
    expect(await shownTab()).toBe("Task stream");
    await page.getByText("14.3 – 21.3 s").waitFor();
    await expect
      .poll(async () => (await focus()).prefixes)
      .toEqual(["shuffle-p2p"]);
    await page.getByText("1,394 tasks", { exact: false }).first().waitFor();
  });

  it("goes back and forward through tabs and selections", async () => {
    await open();
    await page.getByRole("button", { name: "rename" }).first().click();
    await expect.poll(fragment).toBe("#tab=summary&prefixes=rename");
    await tab("Logs").click();
    await expect.poll(fragment).toBe("#tab=logs&prefixes=rename");
    const steps = () => page.evaluate(() => history.length);
    const before = await steps();
    await page.goBack();
    await expect.poll(shownTab).toBe("Summary");
    await page.goBack();
    await expect.poll(async () => (await focus()).prefixes).toEqual([]);
    await page.goForward();
    await expect.poll(async () => (await focus()).prefixes).toEqual(["rename"]);
    expect(await steps()).toBe(before);
  });

  it("keeps a selection that an address can hardly say @all", async () => {
    await open();
    const start = await origin();
    const time: [number, number] = [start + 5, start + 5 + 3e-7];
    const workers = [
      "",
      ...Array.from({ length: 20_000 }, (_, at) => `w${at}`),
    ];
    const wanted = { time, prefixes: [""], workers, spans: [], cells: [] };
    await page.evaluate((chosen) => {
      window.report.session.setFocus(chosen);
      addEventListener("hashchange", () => (document.body.title = "told"), {
        once: true,
      });
    }, wanted);
    await page.locator("body[title=told]").waitFor();
    expect(await focus()).toEqual(wanted);
    await tab("Logs").click();
    await expect.poll(fragment).toMatch(/^#tab=logs&time=/);
    await page.goBack();
    await expect.poll(shownTab).toBe("Summary");
    expect((await focus()).prefixes).toEqual([""]);
  });

  it("keeps a selection that changes while the address is written @all", async () => {
    await open();
    await page.evaluate(() => {
      const select = (name: string): void =>
        window.report.session.setFocus({
          ...window.report.session.focus.value,
          prefixes: [name],
        });
      addEventListener("hashchange", () => select("shuffle-p2p"), {
        capture: true, // before the report hears of it
        once: true,
      });
      select("rename");
    });
    await expect.poll(fragment).toBe("#tab=summary&prefixes=shuffle-p2p");
    expect((await focus()).prefixes).toEqual(["shuffle-p2p"]);
  });

  it("lets a selection be taken back in every tab", async () => {
    await open();
    await page.getByRole("button", { name: "rename" }).first().click();
    await tab("Errors and events").click();
    await page.getByText("No errors match the filter.").waitFor();
    await page
      .getByRole("button", { name: "Remove the filter rename" })
      .click();
    await page.locator(".ds-error-head").waitFor();
  });

  it("isolates nothing by a name that stands for the rest @all", async () => {
    const one = { tasks: 1, seconds: 100, erred: 0 };
    const prefixes = ["rename", "(other)"].map((name) => ({ name, ...one }));
    await open(`summary=${encodeURIComponent(JSON.stringify({ prefixes }))}`);
    await page.locator(".ds-busy canvas").waitFor();
    const other = page.locator(".ds-prefix", { hasText: "(other)" });
    await expect.poll(() => other.count()).toBe(2);
    const isButton = (element: Element): boolean => element.matches("button");
    expect(await other.first().evaluate(isButton)).toBe(false);
    const rename = page.locator(".ds-prefix", { hasText: "rename" });
    expect(await rename.first().evaluate(isButton)).toBe(true);
  });

  it("leads from what needs a look to where it is shown", async () => {
    await open();
    const start = await origin();
    await page.getByRole("button", { name: "rename" }).first().click();
    const idle = page.locator(".ds-looks li", { hasText: "idle threads" });
    await idle.getByRole("button", { name: "Show" }).click();
    expect(await shownTab()).toBe("Task stream");
    const { time, prefixes } = await focus();
    expect(prefixes).toEqual(["rename"]); // what was selected meanwhile stays so
    expect(time![0] - start).toBeGreaterThan(15.5);
    expect(time![1] - start).toBeLessThan(18);
    const differs = page.locator(".ds-looks li", { hasText: "pandas differs" });
    expect(await differs.getByRole("button").count()).toBe(0);
  });

  it("shows an error that stands out without filtering anything", async () => {
    await open();
    const start = await origin();
    const error = page.locator(".ds-looks li", { hasText: "ValueError" });
    const show = () => error.getByRole("button", { name: "Show" }).click();
    await show();
    await page.locator(".ds-error-head").waitFor();
    expect((await focus()).time).toBeNull();
    await expect.poll(fragment).toBe("#tab=events");
    // A time that hides it is in the way; one that has it is not.
    for (const [time, left] of [
      [[start + 19, start + 20.5], true],
      [[start + 2, start + 4], false],
    ] as const) {
      await tab("Summary").click();
      await page.evaluate(
        ([from, to]) =>
          window.report.session.setFocus({
            ...window.report.session.focus.value,
            time: [from, to],
          }),
        time,
      );
      await show();
      await page.locator(".ds-error-head").waitFor();
      expect((await focus()).time !== null).toBe(left);
    }
  });

  it("says of what time the figures beside a chart are @all", async () => {
    await open("", "tab=summary");
    const words = page.locator(".ds-part-legend > .ds-quiet", {
      hasText: "peak",
    });
    await expect.poll(() => words.innerText()).toBe("peak");
    await page.evaluate(() => {
      const { session } = window.report;
      const from = session.origin.value;
      session.setFocus({ ...session.focus.value, time: [from + 2, from + 4] });
    });
    await expect
      .poll(() => words.innerText())
      .toBe("peak in the time selected");
  });

  it("shows where nothing ran before the first task of a short run @all", async () => {
    const query = "scale=0.01";
    await open(query);
    const first = await origin();
    await page.close();
    const [start, time] = [first - 20, [first - 20, first]];
    const idle = { code: "idle", level: "info", title: "20 s idle", text: "" };
    const needs_a_look = [{ ...idle, tab: "task-stream", time }];
    const summary = JSON.stringify({ start, needs_a_look });
    await open(`${query}&summary=${encodeURIComponent(summary)}`);
    await page.getByRole("button", { name: "Show" }).click();
    const crumbs = inTab().locator(".ds-crumbs");
    await expect.poll(() => crumbs.innerText()).toMatch(/0\.0 – 20\.0 s/);
    const shown = page.locator(".ds-overview-window");
    const share = async (): Promise<number> =>
      (await shown.boundingBox())!.width /
      (await page.locator(".ds-overview").boundingBox())!.width;
    // The time before the first task is a part of what is shown.
    await expect.poll(share).toBeGreaterThan(0.99);
    await crumbs.getByRole("button", { name: /^Remove/ }).click();
    await expect.poll(() => crumbs.innerText()).toBe("Whole run");
    await expect.poll(share).toBeGreaterThan(0.99);
    await page
      .getByText(/busy [12] %/)
      .first()
      .waitFor();
  });

  it("marks a time with the mouse on a chart, for all tabs", async () => {
    await open("", "tab=system");
    const plot = page.locator(".ds-time-hit").first();
    await plot.waitFor();
    const box = (await plot.boundingBox())!;
    const y = box.y + 20;
    await page.mouse.move(box.x + box.width * 0.25, y);
    await page
      .getByText(/^at \d/)
      .first()
      .waitFor();
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, y, { steps: 4 });
    await page.mouse.up();
    await page.getByText("The scheduler, in the time selected").waitFor();
    const range = (await focus()).time!;
    const extent = await page.evaluate(() =>
      window.report.session.model.extent()!,
    );
    const share = (range[1] - range[0]) / (extent.stop - extent.start);
    expect(share).toBeCloseTo(0.25, 1);
    await plot.dblclick({ position: { x: 30, y: 20 } });
    await page.getByText("The scheduler, in the whole run").waitFor();
  });

  it("shows of an error its key, its traceback and its place", async () => {
    await open("", "tab=events");
    await page.locator(".ds-error-head").click();
    const error = page.locator(".ds-one-error");
    await expect
      .poll(() => error.innerText())
      .toContain("groupby-chunk-5b1f0c9d");
    expect(await error.innerText()).toContain("cell, line 4");
    await error.getByRole("button", { name: "Show in task stream" }).click();
    await expect.poll(shownTab).toBe("Task stream");
    const known = await page.evaluate(() => {
      const { time, worker } =
        window.report.session.table("errors").value.columns;
      return { time: time[0]!, worker: worker[0]! };
    });
    const now = await focus();
    expect(now.workers).toEqual([known.worker]);
    expect(now.time![0]).toBeLessThan(known.time);
    expect(now.time![1]).toBeGreaterThan(known.time);
  });

  it("leads from an error to the time of its task also before its rows are here @all", async () => {
    const start = await startOfRun();
    const errors = {
      ...{ time: [start + 20], key: ["a"], prefix: ["rename"], worker: [""] },
      ...{ exception: ["ValueError('no')"], traceback: [""], task: [500_000] },
    };
    const query = encodeURIComponent(JSON.stringify({ errors }));
    await open(`tables=${query}`, "tab=events");
    await page.evaluate((begun) => {
      window.report.session.answer = (task) => ({
        ...{ task, key: "a", prefix: "rename", worker: "", thread: "" },
        ...{ nbytes: 0, span: [], status: "error", error: null },
        startstops: [
          { action: "transfer", start: begun + 3, stop: begun + 5 },
          { action: "compute", start: begun + 5, stop: begun + 20 },
        ],
      });
    }, start);
    await page.locator(".ds-error-head").click();
    await page.getByRole("button", { name: "Show in task stream" }).click();
    await expect.poll(shownTab).toBe("Task stream");
    expect((await focus()).time).toEqual([start + 3, start + 20]);
  });

  it("leads from an error of no worker to its moment, and from one of no time nowhere @all", async () => {
    const start = await startOfRun();
    const errors = {
      time: [start + 5, null],
      key: ["a", "b"],
      prefix: ["", ""],
      worker: ["", ""],
      exception: [
        "KilledWorker: 3 workers went away while they ran this task",
        "ValueError('no')",
      ],
      traceback: ["", ""],
      task: [-1, -1],
    };
    const query = encodeURIComponent(JSON.stringify({ errors }));
    await open(`tables=${query}`, "tab=events");
    const [killed, other] = [
      page.locator(".ds-error-group", { hasText: "KilledWorker 3 workers" }),
      page.locator(".ds-error-group", { hasText: "ValueError no" }),
    ];
    await other.locator(".ds-error-head").click();
    expect(await other.getByRole("button", { name: "Show in" }).count()).toBe(
      0,
    );
    expect(await other.locator("dd").allInnerTexts()).toEqual([
      ...["b", "–", "–", "–"],
    ]);
    await killed.locator(".ds-error-head").click();
    await killed.getByRole("button", { name: "Show in task stream" }).click();
    await expect.poll(shownTab).toBe("Task stream");
    const { time, workers } = await focus();
    expect(workers).toEqual([]);
    expect((time![0] + time![1]) / 2).toBeCloseTo(start + 5, 3);
  });
});
