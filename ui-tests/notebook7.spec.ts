// Notebook 7, which the same server offers: one document a page, panels below or beside it.

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

const WORK = "kept = client.gather(client.map(abs, range(30), pure=False))";

test(
  "a panel opens below or beside a document of Notebook 7",
  { tag: "@all" },
  async ({ page, context, baseURL }, info) => {
    await notebookWith(page, [CLIENT, WORK]);
    const tab = await context.newPage();
    await tab.goto(`${baseURL}/notebooks/${await notebookPath(page)}`);
    const cells = tab.locator(".jp-Notebook .jp-CodeCell");
    await expect(cells).toHaveCount(2);
    await expect(tab.locator(".jp-NotebookPanel")).toContainText("Client");

    const palette = tab.locator(".lm-CommandPalette-input");
    const panel = dockPanel(tab);
    // A page that is still loading takes the focus away from its palette.
    await expect(async () => {
      await tab.keyboard.press("Control+Shift+C");
      await palette.fill("Daskscope: Task stream", { timeout: 2_000 });
      await palette.press("Enter", { timeout: 2_000 });
      await expect(panel).toBeVisible({ timeout: 5_000 });
    }).toPass();
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
  async ({ page, context, baseURL }, info) => {
    await notebookWith(page, [`${OUTSIDE.trim()}\n${CLIENT.trim()}`, REPORTED]);
    const tab = await context.newPage();
    await tab.goto(`${baseURL}/notebooks/${await notebookPath(page)}`);
    const cells = tab.locator(".jp-Notebook .jp-CodeCell");
    await expect(cells).toHaveCount(2);
    await cells.nth(0).click();
    await tab.keyboard.press("Shift+Enter");
    await tab.keyboard.press("Shift+Enter");
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
