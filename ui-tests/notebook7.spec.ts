// Notebook 7, which the same server offers: one document a page, panels below or beside it.

import type { Locator, Page } from "@playwright/test";
import {
  CLIENT,
  dockPanel,
  expect,
  expectTasks,
  notebookPath,
  notebookWith,
  tasksShown,
  test,
} from "./fixtures";

/** Open the notebook of a page, which has two cells, in Notebook 7. */
async function inNotebook7(page: Page, baseURL: string | undefined) {
  const tab = await page.context().newPage();
  await tab.goto(`${baseURL}/notebooks/${await notebookPath(page)}`);
  const cells = tab.locator(".jp-Notebook .jp-CodeCell");
  await expect(cells).toHaveCount(2);
  const runBoth = async (): Promise<void> => {
    await cells.nth(0).click();
    await tab.keyboard.press("Shift+Enter");
    await tab.keyboard.press("Shift+Enter");
  };
  return { tab, cells, runBoth };
}

/** Choose a command in the palette, which shows something. */
async function command(tab: Page, name: string, shown: Locator): Promise<void> {
  const palette = tab.locator(".lm-CommandPalette-input");
  // A page that is still loading takes the focus away from its palette.
  await expect(async () => {
    await tab.keyboard.press("Control+Shift+C");
    await palette.fill(name, { timeout: 2_000 });
    await palette.press("Enter", { timeout: 2_000 });
    await expect(shown).toBeVisible({ timeout: 5_000 });
  }).toPass();
}

const WORK = "kept = client.gather(client.map(abs, range(30), pure=False))";

test(
  "a panel opens below or beside a document of Notebook 7",
  { tag: "@all" },
  async ({ page, baseURL }, info) => {
    await notebookWith(page, [CLIENT, WORK]);
    const { tab, cells } = await inNotebook7(page, baseURL);
    await expect(tab.locator(".jp-NotebookPanel")).toContainText("Client");

    const panel = dockPanel(tab);
    await command(tab, "Daskscope: Task stream", panel);
    const place = (await panel.boundingBox())!;
    const notebook = (await tab.locator(".jp-Notebook").boundingBox())!;
    const below = place.y > notebook.y + 100;
    const beside = place.x >= notebook.x + notebook.width - 1; // as in 7.2
    expect(below || beside, "it leaves the notebook free").toBe(true);
    await expect(panel).toContainText("No Dask client in this kernel yet");

    await cells.nth(0).click();
    await tab.keyboard.press("Shift+Enter");
    await expect(panel).toContainText("2 workers");
    await tab.keyboard.press("Shift+Enter");
    await expectTasks(panel, 30);
    expect(await tasksShown(panel)).toBe(30);
    await tab.screenshot({ path: info.outputPath("notebook7.png") });
    await tab.close();
  },
);

const OUTSIDE = `
%load_ext daskscope
import tempfile
outside = tempfile.mkdtemp()
`;
const REPORTED = `
%%perfreport "{outside}/run.html" --open --title "Beside the notebook"
kept = client.gather(client.map(abs, range(30), pure=False))
`;

test(
  "a report of the library opens once in Notebook 7, below or beside the notebook",
  { tag: "@all" },
  async ({ page, baseURL }, info) => {
    await notebookWith(page, [`${OUTSIDE.trim()}\n${CLIENT.trim()}`, REPORTED]);
    const { tab, runBoth } = await inNotebook7(page, baseURL);
    await runBoth();
    const report = tab.locator(".ds-lab-report");
    const heading = report.getByRole("heading", {
      name: "Beside the notebook",
    });
    await expect(heading).toBeVisible();
    const button = tab.getByRole("button", {
      name: "Open in a JupyterLab tab",
    });
    for (let times = 0; times < 2; times++) {
      await button.click();
      await expect(heading).toBeVisible();
    }
    await expect(report).toHaveCount(1);
    await tab.screenshot({ path: info.outputPath("report.png") });
    await tab.close();
  },
);

const LIBRARY_BELOW = `
%load_ext daskscope
import dask, os
dask.config.set({"daskscope.library.path": os.path.abspath("library")})
`;

test(
  "a link that is copied in Notebook 7 opens the report in JupyterLab",
  { tag: "@all" },
  async ({ page, context, baseURL }, info) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await notebookWith(page, [
      `${LIBRARY_BELOW.trim()}\n${CLIENT.trim()}`,
      `%%perfreport run.html --title "To be passed on"\n${WORK}`,
    ]);
    const { tab, runBoth } = await inNotebook7(page, baseURL);
    await runBoth();
    const sidebar = tab.locator("#daskscope-sidebar");
    await command(tab, "Show Daskscope", sidebar);
    await sidebar.getByText("Reports", { exact: true }).click();
    await sidebar.getByRole("button", { name: /^Copy link/ }).click();
    await expect(sidebar.getByText("Copied")).toBeVisible();
    await tab.screenshot({ path: info.outputPath("copied.png") });
    const link = await tab.evaluate(() => navigator.clipboard.readText());
    expect(new URL(link).origin).toBe(new URL(baseURL!).origin);
    const opened = await context.newPage();
    await opened.goto(link);
    await expect(
      opened
        .locator(".ds-lab-report")
        .getByRole("heading", { name: "To be passed on" }),
    ).toBeVisible();
    await opened.close();
    await tab.close();
  },
);
