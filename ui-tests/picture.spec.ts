// Takes the pictures of README and guide: panels beside the tour.
// `make picture` runs it; it is not one of the tests.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import type { Locator } from "@playwright/test";
import {
  cellIsBusy,
  dockPanel,
  dragTo,
  expect,
  expectTasks,
  openSidebar,
  runCells,
  startCell,
  test,
  currentFolder,
} from "./fixtures";

const ROOT = join(import.meta.dirname, "..");
const IMAGES = join(ROOT, "docs", "images");
/** Cells of the tour that have run by then, and the one that runs. */
const CELLS = [2, 4, 6];
const LAST_CELL = 8;
/** Those that the picture of memory needs, and the one with the plot. */
const MEMORY_CELLS = [2, 4, 8, 9];
const PLOT_CELL = 11;
/** So far into it there is something of everything to see. */
const TASKS = 5_780;

test.use({
  viewport: { width: 1440, height: 810 },
  deviceScaleFactor: 1.5,
});

async function openTour(page: IJupyterLabPageFixture): Promise<void> {
  const tour = readFileSync(join(ROOT, "examples", "tour.ipynb"), "utf8");
  const directory = await currentFolder(page);
  await page.contents.uploadContent(tour, "text", `${directory}/tour.ipynb`);
  await page.notebook.openByPath(`${directory}/tour.ipynb`);
  await page.notebook.activate("tour.ipynb");
}

/** Open the tour, and a panel of the sidebar at an edge of it. */
async function tourWith(
  page: IJupyterLabPageFixture,
  title: string,
  edge: "bottom" | "right",
): Promise<Locator> {
  await openTour(page);
  const sidebar = await openSidebar(page);
  const dock = (await page.locator("#jp-main-dock-panel").boundingBox())!;
  const item = sidebar.getByRole("button", { name: title });
  const [x, y] =
    edge === "bottom"
      ? [dock.width / 2, dock.height - 60]
      : [dock.width - 60, dock.height / 2];
  await dragTo(page, item, dock.x + x, dock.y + y);
  const panel = dockPanel(page);
  await expect(panel).toBeVisible();
  return panel;
}

test("the task stream", { tag: "@picture" }, async ({ page }) => {
  const panel = await tourWith(page, "Task stream", "bottom");
  await runCells(page, ...CELLS);
  await startCell(page, LAST_CELL);
  await expectTasks(panel, TASKS, 60_000);
  // The whole run, as one sees it after a look at the end of it.
  const plot = (await panel.locator(".ds-hit").boundingBox())!;
  await page.mouse.click(plot.x + 20, plot.y + plot.height - 4);
  await page.keyboard.press("f");
  await page.mouse.move(plot.x + plot.width + 30, plot.y + plot.height + 60);
  await expect
    .poll(() => panel.locator(".ds-card").isVisible(), { timeout: 5_000 })
    .toBe(false);
  expect(await cellIsBusy(page, LAST_CELL)).toBe(true);
  await page.screenshot({ path: join(IMAGES, "task-stream.png") });
});

test("memory", { tag: "@picture" }, async ({ page }) => {
  const panel = await tourWith(page, "Memory", "right");
  await page.sidebar.close("left");
  await runCells(page, ...MEMORY_CELLS, PLOT_CELL);
  const cell = page.locator(".jp-CodeCell", { hasText: "MemorySampler()" });
  await cell.evaluate((element) => element.scrollIntoView());
  await expect(cell.locator(".ds-memory-plot")).toBeVisible();
  await cell.evaluate((element) => element.scrollIntoView());
  await expect(panel.locator("canvas").first()).toBeVisible();
  await page.mouse.move(2, 2);
  await page.screenshot({ path: join(IMAGES, "memory.png") });
});

test("spans and cells", { tag: "@picture" }, async ({ page }) => {
  const panel = await tourWith(page, "Spans and cells", "bottom");
  await page.sidebar.close("left");
  await runCells(page, 2, 4, LAST_CELL);
  await expect(panel.locator(".ds-status")).toContainText("belong to a cell");
  const row = panel.locator(".ds-spans-span", { hasText: "array" });
  await row.click();
  await expect(panel.locator(".ds-spans-marked").first()).toBeVisible();
  await page.mouse.move(2, 2);
  await page.screenshot({ path: join(IMAGES, "spans.png") });
});

test("fine performance metrics", { tag: "@picture" }, async ({ page }) => {
  const panel = await tourWith(page, "Fine performance metrics", "right");
  await page.sidebar.close("left");
  await runCells(page, ...CELLS, LAST_CELL);
  await expect(panel.locator(".ds-fine-account h3")).toContainText(
    /^Accounts for [\d,.]+ s of [\d,.]+ s$/,
  );
  await expect(panel.locator("canvas").first()).toBeVisible();
  await page.mouse.move(2, 2);
  await page.screenshot({ path: join(IMAGES, "fine-metrics.png") });
});

test("the profile", { tag: "@picture" }, async ({ page }) => {
  const panel = await tourWith(page, "Profile", "bottom");
  await page.sidebar.close("left");
  await runCells(page, ...CELLS);
  await startCell(page, LAST_CELL);
  await expect(panel.locator(".ds-status")).toHaveText(/^[\d,]{5,} of /, {
    timeout: 60_000,
  });
  // The function that took most, at the top of the table.
  const table = panel.getByRole("table", { name: "Functions" });
  await table.locator("tbody button").first().click();
  await page.mouse.move(2, 2);
  await page.screenshot({ path: join(IMAGES, "profile.png") });
  await table.getByRole("button", { name: /^calibrate/ }).click();
  await panel.getByRole("button", { name: "Callers and callees" }).click();
  await expect(panel.locator(".ds-profile-sandwich")).toBeVisible();
  await panel.screenshot({ path: join(IMAGES, "profile-sandwich.png") });
});

/** The notebook beside the task stream, and four panels below them. */
async function openDashboard(page: IJupyterLabPageFixture): Promise<void> {
  await page.evaluate(async (below) => {
    const { jupyterapp } = window as unknown as { jupyterapp: Lab };
    const { commands, shell } = jupyterapp;
    const area = (one: Widget) => ({
      ...{ type: "tab-area", widgets: [one], currentIndex: 0 },
    });
    const split = (
      orientation: string,
      sizes: number[],
      children: object[],
    ) => ({
      ...{ type: "split-area", orientation, sizes, children },
    });
    const open = (panel: string) =>
      commands.execute("daskscope:open", { panel });
    const top = [shell.currentWidget!, await open("task-stream")].map(area);
    const bottom: object[] = [];
    for (const panel of below) bottom.push(area(await open(panel)));
    const main = split(
      "vertical",
      [0.54, 0.46],
      [
        split("horizontal", [0.3, 0.7], top),
        split("horizontal", [1, 1, 1, 1], bottom),
      ],
    );
    shell._dockPanel.restoreLayout({ main });
  }, BELOW);
}

type Widget = object;

/** What the picture uses of JupyterLab's application. */
interface Lab {
  readonly commands: {
    execute(id: string, args: object): Promise<Widget>;
  };
  readonly shell: {
    readonly currentWidget: Widget | null;
    readonly _dockPanel: { restoreLayout(layout: object): void };
  };
}

const BELOW = ["summary", "memory", "fine-metrics", "profile"];

test("the dashboard", { tag: "@picture" }, async ({ page }) => {
  test.setTimeout(300_000);
  await page.setViewportSize({ width: 1600, height: 1000 });
  await openTour(page);
  await page.sidebar.close("left");
  await openDashboard(page);
  await runCells(page, ...CELLS);
  await startCell(page, LAST_CELL);
  const panel = dockPanel(page).filter({ has: page.locator(".ds-stage") });
  await expectTasks(panel, TASKS, 120_000);
  const plot = (await panel.locator(".ds-hit").boundingBox())!;
  await page.mouse.click(plot.x + 20, plot.y + plot.height - 4);
  await page.keyboard.press("f");
  const y = plot.y + plot.height / 2;
  await page.keyboard.down("Shift");
  await page.mouse.move(plot.x + plot.width * 0.06, y);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width * 0.21, y, { steps: 8 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await expect(page.locator(".ds-chip")).toHaveCount(1 + BELOW.length);
  await expect(page.locator(".ds-flame canvas").first()).toBeVisible();
  const status = panel.locator(".ds-status");
  await expect(status).not.toContainText("not counted yet");
  await page.mouse.move(plot.x + plot.width * 0.74, plot.y + plot.height + 4);
  await page.screenshot({ path: join(IMAGES, "dashboard.png") });
});
