// A notebook that was saved with a panel shows its picture wherever the widget cannot run.

import type { Locator, Page } from "@playwright/test";
import {
  CLIENT,
  expect,
  expectTasks,
  notebookPath,
  notebookWith,
  reload,
  runCells,
  SHOW,
  test,
  testInOpenLab,
} from "./fixtures";

const WORK = `
def inc(x):
    return x + 1

total = sum(client.gather(client.map(inc, range(100), pure=False)))
`;
const NAME = "story.ipynb";
const VIEW = "application/vnd.jupyter.widget-view+json";
const PNG = "image/png";

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

const kernelIsIdle = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const { currentWidget } = window.jupyterapp.shell;
    const { sessionContext } = currentWidget as unknown as {
      sessionContext: { session: { kernel: { status: string } } | null };
    };
    return sessionContext.session?.kernel.status === "idle";
  });

/** Run the notebook up to its tasks, and wait for the picture of them. */
async function runToPicture(page: Page, panel: Locator): Promise<Output> {
  await runCells(page, 2);
  await expectTasks(panel, 100);
  await expect
    .poll(async () => (await output(page))?.data["text/plain"])
    .toContain("100 of 100 tasks");
  return (await output(page))!;
}

testInOpenLab(
  "a reopened notebook shows the picture until its cell runs again",
  async ({ page }, info) => {
    await notebookWith(page, [CLIENT, SHOW, WORK], NAME);
    await runCells(page, 0, 1);
    const panel = page.locator(".ds-widget");
    await expect(panel).toBeVisible();
    await panel.evaluate((node) => (node.dataset["made"] = "first"));
    const saved = await runToPicture(page, panel);
    expect(Object.keys(saved.data)).toEqual(
      expect.arrayContaining([PNG, VIEW, "text/plain"]),
    );
    expect(JSON.stringify(saved).length).toBeLessThanOrEqual(20_000);
    // The updates left the widget alone.
    await expect(panel).toHaveAttribute("data-made", "first");
    await expect(picture(page)).toHaveCount(0);

    await reopen(page, false);
    await expect(picture(page)).toBeVisible();
    await expect(page.getByText("Loading widget")).toHaveCount(0);
    await page.screenshot({ path: info.outputPath("without-a-kernel.png") });

    await reopen(page, true);
    await expect.poll(() => kernelIsIdle(page)).toBe(true);
    await expect(picture(page)).toBeVisible();
    await expect(page.getByText("model not found")).toHaveCount(0);
    await page.screenshot({ path: info.outputPath("fresh-kernel.png") });

    await runCells(page, 0, 1);
    await expect(panel).toBeVisible();
    await expect(picture(page)).toHaveCount(0);
    await page.screenshot({ path: info.outputPath("live-again.png") });
  },
);

test(
  "a notebook that is not trusted shows the picture, and a reloaded page the widget",
  { tag: "@all" },
  async ({ page }, info) => {
    await notebookWith(page, [CLIENT, SHOW, WORK], NAME);
    await runCells(page, 0, 1);
    const panel = page.locator(".ds-widget");
    await runToPicture(page, panel);
    await page.evaluate(() =>
      window.jupyterapp.commands.execute("docmanager:save"),
    );
    await reload(page);
    await expectTasks(panel, 100);
    await expect(picture(page)).toHaveCount(0);

    // Another text than the one that was signed.
    const path = await notebookPath(page);
    const content = await page.evaluate(async (from) => {
      const { contents } = window.jupyterapp.serviceManager;
      return JSON.stringify((await contents.get(from)).content);
    }, path);
    const text = content.replace("import daskscope", "import daskscope  #");
    const foreign = path.replace(NAME, "foreign.ipynb");
    await page.contents.uploadContent(text, "text", foreign);
    await page.evaluate(
      (to) =>
        window.jupyterapp.commands.execute("docmanager:open", {
          path: to,
          kernelPreference: { shouldStart: false },
        }),
      foreign,
    );
    const image = page.locator(
      ".jp-NotebookPanel:visible .jp-RenderedImage img",
    );
    await expect(image).toBeVisible();
    await page.screenshot({ path: info.outputPath("not-trusted.png") });
  },
);
