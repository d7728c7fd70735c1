// The settings of the extension, as JupyterLab hands them over.

import { galata } from "@jupyterlab/galata";
import {
  CLIENT,
  expect,
  expectTasks,
  notebookWith,
  openSidebar,
  openTaskStream,
  runCells,
  test,
} from "./fixtures";

const LOADED = `import sys; print("loaded:", "daskscope" in sys.modules)`;
const WORK = "kept = client.gather(client.map(abs, range(30), pure=False))";

test.describe("with both settings off", () => {
  test.use({
    mockSettings: {
      ...galata.DEFAULT_SETTINGS,
      "daskscope:plugin": { detectClients: false, wheelZooms: false },
    },
  });

  test(
    "no kernel is entered before a panel asks, and the plain wheel does not zoom",
    { tag: "@all" },
    async ({ page }) => {
      await notebookWith(page, [CLIENT, LOADED, WORK]);
      const sidebar = await openSidebar(page);
      const off = "Detecting clients is off in the settings.";
      await expect(sidebar).toContainText(off);
      await runCells(page, 0, 1);
      const output = page.locator(".jp-Cell").nth(1);
      await expect(output).toContainText("loaded: False");
      await expect(sidebar).not.toContainText("2 workers");

      const { panel } = await openTaskStream(page);
      await expect(panel).toContainText("2 workers");
      await expect(sidebar).toContainText("2 workers");
      await expect(sidebar).not.toContainText(off);
      await runCells(page, 2);
      await expectTasks(panel, 30);
      const shown = panel.locator(".ds-crumbs");
      const plot = (await panel.locator(".ds-hit").boundingBox())!;
      await page.mouse.move(plot.x + plot.width / 2, plot.y + plot.height / 2);
      await page.mouse.wheel(0, -240);
      await expect(panel).toContainText("Click the plot, or hold");
      await expect(shown).toHaveText("Whole run");
      await page.keyboard.down("Control");
      await page.mouse.wheel(0, -240);
      await page.keyboard.up("Control");
      await expect(shown).not.toHaveText("Whole run");
    },
  );
});
