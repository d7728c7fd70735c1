// A report on a host whose letters are larger than usual: what is written stays whole.

import { expect, it } from "vitest";
import { describeReport, open, page, tab } from "./harness/report";

const enlarge = () =>
  page.evaluate(() =>
    document.documentElement.style.setProperty("--jp-ui-font-size1", "18px"),
  );

/** Charts of a tab on whose edges something is written, which then is cut. */
const writtenOnEdges = (of: string) =>
  page.locator(`${of} canvas`).evaluateAll((all) =>
    (all as HTMLCanvasElement[]).map((canvas) => {
      const context = canvas.getContext("2d")!;
      const { width, height } = canvas;
      const pixels = [
        ...context.getImageData(0, 0, 1, height).data,
        ...context.getImageData(0, 0, width, 1).data,
      ];
      return pixels.some((one) => one !== 255);
    }),
  );

describeReport("a report with larger letters", () => {
  it("gives the labels of its charts the room that they need", async () => {
    await open("", "tab=system", 1200, 1000);
    await page.getByRole("table").first().waitFor();
    const charts = await page.locator(".ds-system canvas").count();
    expect(charts).toBe(5);
    await enlarge();
    const whole = Array.from({ length: charts }, () => false);
    await expect
      .poll(() =>
        page
          .locator(".ds-time-hit")
          .first()
          .evaluate((hit) => parseFloat(getComputedStyle(hit).left)),
      )
      .toBeGreaterThan(70);
    await expect.poll(() => writtenOnEdges(".ds-system")).toEqual(whole);
    await tab("Summary").click();
    await page.locator(".ds-summary canvas").nth(1).waitFor();
    await expect
      .poll(() => writtenOnEdges(".ds-summary"))
      .toEqual([false, false]);
  });
});
