// The inline panel in a host that is not Jupyter: everything that it needs comes
// through anywidget alone.

import { expect, test } from "@playwright/test";

test("a marimo notebook shows every task", async ({ page }, info) => {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    const about = `${message.text()} ${message.location().url}`;
    if (message.type() === "error" && /daskscope|blob:/.test(about)) {
      problems.push(about);
    }
  });
  await page.goto("/");
  const status = page.getByRole("status").filter({ hasText: "tasks" });
  await expect(status).toContainText("300 of 300 tasks", { timeout: 60_000 });
  await expect(status).toContainText("2 workers");
  // marimo shows outputs below shadow roots: the styles have to reach them.
  await expect(page.locator(".ds-root")).toHaveCSS("display", "flex");

  // Keys and mouse reach the panel, too.
  const panel = page.locator(".ds-root");
  const { x, y, width, height } = (await panel.boundingBox())!;
  await page.mouse.click(x + width / 2, y + height / 2);
  await page.keyboard.press("t");
  const numbers = panel.getByRole("table", { name: "Tasks by prefix" });
  await expect(numbers).toContainText("lambda");
  await expect(numbers).toContainText("300");
  await page.screenshot({ path: info.outputPath("marimo.png") });
  expect(problems).toEqual([]);
});
