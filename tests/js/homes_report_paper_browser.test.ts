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
    await page.getByText("Memory", { exact: true }).first().waitFor();
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.getByText("1 – 200 of 20,000").waitFor();
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

  it.each(["summary", "task-stream", "logs"])(
    "puts charts on paper dark on white for who reads it light on dark, opened at: %s",
    async (opened) => {
      await newPage();
      await page.emulateMedia({ colorScheme: "dark" });
      await page.goto(`${reportAddress()}#tab=${opened}`);
      await page.locator(".ds-report.ds-dark").waitFor();
      if (opened === "summary")
        await expect.poll(corners).toEqual([DARK, DARK]);
      // What is not drawn when who listens has returned is not on paper.
      await page.waitForFunction(() =>
        window.report.tablesAsked().includes("cluster"),
      );
      const printed = await page.evaluate(async () => {
        dispatchEvent(new Event("beforeprint"));
        for (let turn = 0; turn < 9; turn++) await Promise.resolve();
        return (["summary", "system"] as const).map((one) =>
          window.report.corners(one),
        );
      });
      expect(printed).toEqual([Array(2).fill(WHITE), Array(5).fill(WHITE)]);
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      expect(await corners()).toEqual([WHITE, WHITE]);
      const charts = page.locator(".ds-system canvas:visible");
      expect(await charts.count()).toBe(5);
      await page.emulateMedia({ media: "screen", colorScheme: "dark" });
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      if (opened === "summary")
        await expect.poll(corners).toEqual([DARK, DARK]);
    },
  );

  it("says on paper what is missing and what is selected, also with the task stream open", async () => {
    await open("cut=1", "tab=task-stream&prefixes=rename");
    await page.getByText("1,394 of 1,394 tasks").waitFor();
    const footer = page.locator(".ds-report-foot");
    expect(await footer.innerText()).not.toContain("1,394");
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await footer.getByText("1,394 tasks", { exact: true }).waitFor();
    await footer.getByText("not all are here").waitFor();
    await footer.getByText(/This file was cut off/).waitFor();
    const selected = page.locator(".ds-focus-row");
    await selected.getByText("rename").waitFor();
    await selected
      .getByText("The figures of the summary are of the whole run.")
      .waitFor();
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
