// A panel that has nothing to show says why, in the theme of the host.

import { expect, notebookWith, openTaskStream, test } from "./fixtures";

test(
  "a panel without a client says what to run, in both themes",
  { tag: "@all" },
  async ({ page }, info) => {
    await notebookWith(page, ["x = 1"]);
    const { panel } = await openTaskStream(page);
    await expect(panel).toContainText("No Dask client in this kernel yet");
    await expect(panel).toContainText("story.ipynb");
    await page.screenshot({ path: info.outputPath("no-client-light.png") });

    await page.theme.setDarkTheme();
    await expect(panel).toBeVisible();
    await page.screenshot({ path: info.outputPath("no-client-dark.png") });

    await panel.getByRole("button", { name: "Insert client code" }).click();
    await expect(page.locator(".jp-Notebook .jp-Cell")).toHaveCount(2);

    // The palette opens one, too.
    await page.keyboard.press("Control+Shift+C");
    await page.keyboard.type("Daskscope: Task stream");
    await page.keyboard.press("Enter");
    await expect(panel).toHaveCount(2);
    await expect(panel.last()).toContainText(
      "No Dask client in this kernel yet",
    );
  },
);
