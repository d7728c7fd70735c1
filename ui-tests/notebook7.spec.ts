// Notebook 7, which the same server offers: one document a page, panels below or beside it.

import type { Locator, Page } from "@playwright/test";
import {
  CLIENT,
  dockPanel,
  expect,
  expectTasks,
  hasSubshells,
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

const LOADED = "%load_ext daskscope";
const REPORTED = `
%%perfreport run.html --open --title "Beside the notebook"
kept = client.gather(client.map(abs, range(30), pure=False))
`;

test(
  "a report opens in a page of its own in Notebook 7",
  { tag: "@all" },
  async ({ page, context, baseURL }, info) => {
    await notebookWith(page, [`${LOADED}\n${CLIENT.trim()}`, REPORTED]);
    const { tab, runBoth } = await inNotebook7(page, baseURL);
    const opens = context.waitForEvent("page");
    await runBoth();
    const opened = await opens;
    const report = opened.locator(".ds-lab-report");
    await expect(
      report.getByRole("heading", { name: "Beside the notebook" }),
    ).toBeVisible();
    await opened.screenshot({ path: info.outputPath("report.png") });
    await opened.close();
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

const SIX = `
import daskscope
from IPython.display import display

KINDS = ("Summary", "TaskStream", "Memory", "Events", "Logs", "System")
panels = [getattr(daskscope, kind)(layout={"height": "300px"}) for kind in KINDS]
display(*panels)
`;
const TWENTY_SECONDS = `
import logging, time

def slow(x):
    time.sleep(0.05)
    if x % 50 == 7:
        logging.getLogger("distributed.worker").warning("line %s", x)
    return x

futures = client.map(slow, range(1600), pure=False)
for step in range(40):
    client.log_event("story", f"step {step}")
    time.sleep(0.5)
for panel in panels:
    panel.close()
`;

test(
  "the six panels move inline while a cell is busy",
  { tag: "@all" },
  async ({ page, baseURL }, info) => {
    await notebookWith(page, [`${CLIENT.trim()}\n${SIX}`, TWENTY_SECONDS]);
    const { tab, cells, runBoth } = await inNotebook7(page, baseURL);
    await tab.setViewportSize({ width: 1400, height: 2300 });
    const panels = tab.locator(".ds-widget .ds-root");
    if (await hasSubshells(page)) {
      await runBoth();
    } else {
      // The kernel hears of the panels between cells only.
      await cells.nth(0).click();
      await tab.keyboard.press("Shift+Enter");
      await expect(panels.filter({ hasText: "Live" })).toHaveCount(6);
      await tab.keyboard.press("Shift+Enter");
    }
    await expect(panels).toHaveCount(6);
    for (const at of [0, 1, 2, 3, 4, 5]) {
      const panel = panels.nth(at);
      await panel.scrollIntoViewIfNeeded();
      const before = await panel.innerText();
      await expect
        .poll(() => panel.innerText(), { message: `panel ${at} moves` })
        .not.toBe(before);
    }
    await expectTasks(panels.nth(1), 50);
    await expect(panels.nth(3)).toContainText("step 1");
    await expect(panels.nth(4)).toContainText(/line \d+/);
    await tab.screenshot({ path: info.outputPath("six.png") });
    await expect(panels).toHaveCount(0);
    await tab.close();
  },
);
