// A notebook that was saved with a panel shows its picture wherever the widget cannot run.

import type { Page } from "@playwright/test";
import {
  CLIENT,
  expect,
  expectTasks,
  notebookWith,
  reload,
  runCells,
  SHOW,
  test,
} from "./fixtures";

const WORK = `
def inc(x):
    return x + 1

total = sum(client.gather(client.map(inc, range(100), pure=False)))
`;
const NAME = "story.ipynb";

interface Output {
  data: Record<string, string | undefined>;
  metadata: Record<string, unknown>;
}

/** The output of the cell that shows the panel, as the notebook in front would be saved now. */
const output = (page: Page): Promise<Output | undefined> =>
  page.evaluate(() => {
    const { currentWidget } = window.jupyterapp.shell;
    const { model } = currentWidget as unknown as {
      model: { toJSON(): { cells: { outputs: Output[] }[] } };
    };
    return model.toJSON().cells[1]!.outputs[0];
  });

/** Save and close the notebook, with its kernel, and open it again. */
async function reopen(page: Page, shouldStart: boolean): Promise<void> {
  await page.evaluate(async (start) => {
    const { commands, serviceManager, shell } = window.jupyterapp;
    const { context } = shell.currentWidget as unknown as {
      context: { path: string };
    };
    const { path } = context;
    await commands.execute("docmanager:save");
    await commands.execute("application:close");
    await serviceManager.sessions.shutdownAll();
    await commands.execute("docmanager:open", {
      path,
      factory: "Notebook",
      kernelPreference: { shouldStart: start, autoStartDefault: start },
    });
  }, shouldStart);
}

const picture = (page: Page) => page.locator("img.ds-saved-picture");

test("a reopened notebook shows the picture until the cell runs again", async ({
  page,
}, info) => {
  await notebookWith(page, [CLIENT, SHOW, WORK], NAME);
  await runCells(page, 0, 1);
  const panel = page.locator(".ds-widget");
  await expect(panel).toBeVisible();
  await panel.evaluate((node) => (node.dataset["made"] = "first"));
  await runCells(page, 2);
  await expectTasks(panel, 100);
  await expect
    .poll(async () => (await output(page))?.data["text/plain"])
    .toContain("100 of 100 tasks");
  const { data } = (await output(page))!;
  expect(Object.keys(data)).toContain("image/png");
  expect(JSON.stringify(await output(page)).length).toBeLessThan(20_000);
  // The updates left the widget alone.
  await expect(panel).toHaveAttribute("data-made", "first");
  await expect(picture(page)).toHaveCount(0);

  await reopen(page, false);
  await expect(picture(page)).toBeVisible();
  await page.screenshot({ path: info.outputPath("without-a-kernel.png") });
  await expect(page.getByText("Loading widget")).toHaveCount(0);

  await reopen(page, true);
  await expect
    .poll(() => page.getByText("Idle").count())
    .toBeGreaterThan(0);
  await expect(picture(page)).toBeVisible();
  await page.screenshot({ path: info.outputPath("fresh-kernel.png") });
  await expect(page.getByText("model not found")).toHaveCount(0);
  await runCells(page, 0, 1);
  await expect(panel).toBeVisible();
  await expect(picture(page)).toHaveCount(0);
});
