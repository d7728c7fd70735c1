// A report on paper: everything but its task stream, whichever tab was open.

import { expect, it } from "vitest";
import {
  describeReport,
  newPage,
  open,
  page,
  reportAddress,
} from "./harness/report";

const [DARK, WHITE] = [
  [33, 33, 33],
  [255, 255, 255],
];
/** Colours of the charts of the summary, at a corner that only their background fills. */
const corners = () => page.evaluate(() => window.report.corners("summary"));

describeReport("a report on paper", () => {
  it("puts all tables on paper, the summary first, and nothing to press", async () => {
    await open("many=1");
    await page.locator(".ds-summary canvas").nth(1).waitFor();
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.getByText("1,000 of 20,000 lines printed").waitFor();
    expect(await page.locator(".ds-log tbody tr").count()).toBe(1_000);
    await page.getByText("The scheduler, in the whole run").waitFor();
    await page
      .getByText(/ValueError cannot reindex/)
      .first()
      .waitFor();
    expect(await page.getByRole("tab").count()).toBe(0);
    expect(await page.getByRole("button", { name: /Copy link/ }).count()).toBe(
      0,
    );
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.emulateMedia({ media: "screen" });
    await expect.poll(() => page.getByRole("tabpanel").count()).toBe(1);
  });

  it("prints what is folded, cut or on another page of a list on the screen @all", async () => {
    const name = (at: number): string => `mean_combine-partial-of-zone-${at}`;
    const prefixes = Array.from({ length: 14 }, (_, at) => ({
      ...{ name: name(at), tasks: 1, seconds: 30 - at, erred: 0 },
    }));
    const exception = {
      ...{ type: "KeyError", text: "zone" },
      traceback: `Traceback (most recent call last):
  File "/tmp/ipykernel_1/7.py", line 4, in <module>
    total(trips)
  File "/opt/env/lib/python3.13/site-packages/pandas/core/frame.py", line 9, in library_frame
    return 1
KeyError: zone`,
    };
    const note = `${"x".repeat(900)} the end of it`;
    const events = {
      ...{ time: [1_790_000_000], topic: [`Client-${"9f".repeat(40)}`] },
      message: [JSON.stringify({ action: "moved", note })],
    };
    const query = (given: unknown): string =>
      encodeURIComponent(JSON.stringify(given));
    await open(
      `many=1&summary=${query({ prefixes, exception })}&tables=${query({ events })}`,
    );
    await page.getByText("Show all 14").waitFor();
    await page.waitForFunction(() =>
      ["errors", "events"].every((one) =>
        window.report.tablesAsked().includes(one),
      ),
    );
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.getByText("library_frame").waitFor();
    const bars = page.getByRole("list", { name: "Time by task prefix" });
    expect(await bars.getByRole("listitem").count()).toBe(14);
    const cut = bars.locator(".ds-prefix-name");
    expect(
      await cut.evaluateAll((all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth),
      ),
    ).toEqual([]);
    expect(await page.getByText("Show all 14").count()).toBe(0);
    await page.getByText(/the end of it$/).waitFor();
    await page.getByText(events.topic[0]!).waitFor();
    const about = page.locator(".ds-list .ds-list-about");
    expect(
      await about.evaluateAll((all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth),
      ),
    ).toEqual([]);

    // Each kind of error with its traceback and its tasks.
    const kinds = page.locator(".ds-error-group");
    expect(await kinds.count()).toBeGreaterThan(1);
    expect(await kinds.locator(".ds-traceback").count()).toBe(
      await kinds.count(),
    );
    const most = kinds.first();
    await most.getByText("super().reindex(").waitFor();
    await most.getByText(/^100 of 46\d tasks printed$/).waitFor();
    expect(await most.locator("tbody tr").count()).toBe(100);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.emulateMedia({ media: "screen" });
    await page.getByText("Show all 14").waitFor();
  });

  it("prints code as wide as paper is @all", async () => {
    await open("", "", 794, 1123);
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    const code = page.getByRole("group", { name: "Code of the cell" });
    await expect
      .poll(async () => (await code.boundingBox())!.width)
      .toBeGreaterThan(700);
  });

  it.each(["summary", "task-stream", "logs"])(
    "puts charts on paper dark on white for who reads it light on dark, opened at: %s @all",
    async (opened) => {
      await newPage();
      await page.emulateMedia({ colorScheme: "dark" });
      await page.goto(`${reportAddress}#tab=${opened}`);
      await page.locator(".ds-report.ds-dark").waitFor();
      if (opened === "summary")
        await expect.poll(corners).toEqual([DARK, DARK]);
      // What is not drawn when who listens has returned is not on paper.
      await page.waitForFunction(() =>
        window.report.tablesAsked().includes("system"),
      );
      const printed = await page.evaluate(async () => {
        dispatchEvent(new Event("beforeprint"));
        // All that is promised by then goes on first; no frame and no timer does.
        for (let turn = 0; turn < 100; turn++) await Promise.resolve();
        return (["summary", "system"] as const).map((one) =>
          window.report.corners(one),
        );
      });
      expect(printed).toEqual([Array(2).fill(WHITE), Array(5).fill(WHITE)]);
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      // Here there are frames, and in them charts become as wide as the style of paper says.
      await expect.poll(corners).toEqual([WHITE, WHITE]);
      const charts = page.locator(".ds-system canvas:visible");
      expect(await charts.count()).toBe(5);
      await page.emulateMedia({ media: "screen", colorScheme: "dark" });
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      if (opened === "summary")
        await expect.poll(corners).toEqual([DARK, DARK]);
    },
  );

  it("says on paper what is missing and what is selected, also with the task stream open @all", async () => {
    await open("cut=1", "tab=task-stream&prefixes=rename");
    await page.getByText("1,394 of 1,394 tasks").waitFor();
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    const summary = page.locator(".ds-tabpanel-of-summary");
    await summary.getByText(/file is truncated/).waitFor();
    await summary.locator(".ds-status b", { hasText: "1,394" }).waitFor();
    await summary.locator(".ds-chip", { hasText: "rename" }).waitFor();
    await summary.getByText(/whole run/).waitFor();
    const presses = page.getByRole("button", { name: /^Remove the filter/ });
    expect(await presses.count()).toBe(0);
  });

  it("draws charts as wide as paper is, and for the screen again", async () => {
    await open("", "", 1400, 900);
    const drawn = async () =>
      (await page.evaluate(() => window.report.widths()))[0]!;
    await expect.poll(async () => (await drawn())[0]).toBeGreaterThan(900);
    const [, onScreen] = await drawn();
    const onPaper = await page.evaluate(async () => {
      dispatchEvent(new Event("beforeprint"));
      for (let turn = 0; turn < 9; turn++) await Promise.resolve();
      return window.report.widths()[0]![0];
    });
    expect(onPaper).toBeGreaterThan(600);
    expect(onPaper).toBeLessThan(720);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await expect.poll(drawn).toEqual([onScreen, onScreen]);
  });
});
