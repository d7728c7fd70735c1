// Panels find clients by themselves: hidden ones, several, and during a cell.

import type { Page } from "@playwright/test";
import {
  cellIsBusy,
  choose,
  CLIENT,
  dockPanel,
  expect,
  expectTasks,
  hasSubshells,
  notebookWith,
  openTaskStream,
  reload,
  runCells,
  startCell,
  tasksShown,
  test,
} from "./fixtures";

test.use({ kernels: null, sessions: null });

const SECOND = `
other = Client(processes=False, n_workers=1, threads_per_worker=1,
               dashboard_address=":0", set_as_default=False)
`;
const SLOW = `
import time

def slow(x):
    time.sleep(0.1)
    return x

total = sum(client.gather(client.map(slow, range(2000), pure=False)))
`;

/** End the cell of the kernel that runs. */
function interrupt(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const { kernels } = window.jupyterapp.serviceManager;
    const [model] = [...kernels.running()];
    const kernel = kernels.connectTo({ model: model!, handleComms: false });
    await kernel.interrupt();
    kernel.dispose();
  });
}

test(
  "a panel comes back during a cell when the page is reloaded",
  { tag: "@all" },
  async ({ page }) => {
    await notebookWith(page, [CLIENT, SLOW]);
    const saved = page.waitForRequest(
      (request) =>
        request.url().includes("/api/workspaces") &&
        request.method() === "PUT" &&
        (request.postData() ?? "").includes("daskscope-task-stream"),
    );
    const { panel } = await openTaskStream(page);
    await runCells(page, 0);
    await expect(panel).toContainText("2 workers");
    const subshells = await hasSubshells(page);
    await startCell(page, 1);
    await expectTasks(panel, 20);
    await saved;
    await reload(page);
    await expect(panel).toHaveCount(1);
    if (subshells) {
      await expectTasks(panel, 60, 45_000);
      expect(await tasksShown(panel), "the cell still runs").toBeLessThan(2000);
    } else {
      await expect(panel).toContainText("The kernel is busy");
    }
    await interrupt(page);
    await expect.poll(() => cellIsBusy(page, 1)).toBe(false);
    await expect(panel).toContainText("live");
  },
);

const LOADED = `import sys; print("loaded:", "daskscope" in sys.modules)`;

test(
  "a kernel that never imported daskscope is entered during its cell",
  { tag: "@all" },
  async ({ page }, info) => {
    await notebookWith(page, [CLIENT, LOADED, SLOW]);
    await runCells(page, 0, 1);
    const output = page.locator(".jp-Cell").nth(1);
    await expect(output).toContainText("loaded: False");
    const subshells = await hasSubshells(page);
    await startCell(page, 2);
    await expect.poll(() => cellIsBusy(page, 2)).toBe(true);
    const { sidebar, panel } = await openTaskStream(page);
    if (subshells) {
      await expect(sidebar).toContainText("2 workers");
      await expectTasks(panel, 40, 45_000);
    } else {
      await expect(panel).toContainText("The kernel is busy");
    }
    expect(await cellIsBusy(page, 2)).toBe(true);
    await page.screenshot({ path: info.outputPath("entered.png") });
    await interrupt(page);
    await expect.poll(() => cellIsBusy(page, 2)).toBe(false);
    await expect(sidebar).toContainText("2 workers");
    await expect(panel.getByText("Live", { exact: true })).toBeVisible();
  },
);

const BUSY = `
import time
kept = other.gather(other.map(lambda x: time.sleep(0.1), range(80), pure=False))
`;

test(
  "one sees which of two clients runs tasks",
  { tag: "@all" },
  async ({ page }, info) => {
    await notebookWith(page, [CLIENT, SECOND, BUSY]);
    const { sidebar, panel } = await openTaskStream(page);
    await runCells(page, 0, 1);
    const clients = sidebar.locator(".ds-client");
    await expect(clients).toHaveCount(2);
    await startCell(page, 2);
    await expect(clients.filter({ hasText: "running tasks" })).toHaveCount(1);
    await panel.getByRole("button", { name: "Choose a client" }).click();
    const items = panel.locator(".ds-chooser .ds-menu-item");
    await expect(items.filter({ hasText: "running tasks" })).toHaveCount(1);
    await page.screenshot({ path: info.outputPath("running.png") });
    await expect(items.filter({ hasText: "running tasks" })).toHaveCount(0);
    await expect(clients.filter({ hasText: "running tasks" })).toHaveCount(0);
  },
);

test(
  "a second client that is not the default can be chosen",
  { tag: "@all" },
  async ({ page }) => {
    await notebookWith(page, [
      CLIENT,
      SECOND,
      "kept = client.gather(client.map(abs, range(30), pure=False))",
      "kept = other.gather(other.map(abs, range(7), pure=False))",
    ]);
    const { sidebar, panel } = await openTaskStream(page);
    await runCells(page, 0, 1, 2, 3);
    await expect(sidebar.locator(".ds-client")).toHaveCount(2);
    await expectTasks(panel, 7);
    // Both are called LocalCluster: the ends of their addresses tell them apart.
    await choose(panel, /^LocalCluster inproc\/\d+/);
    await expect.poll(() => tasksShown(panel)).toBe(30);
    await choose(panel, /^LocalCluster inproc\/\d+/, 1);
    await expect.poll(() => tasksShown(panel)).toBe(7);

    // In the sidebar one finds the panel of a client, or has one made, by keyboard too.
    const [first, second] = [0, 1].map((at) =>
      sidebar.locator(".ds-client button").nth(at),
    );
    await second.click();
    await expect(dockPanel(page)).toHaveCount(1);
    await first.press("Enter");
    await expect(dockPanel(page)).toHaveCount(2);
    const shown = async () => [
      await tasksShown(dockPanel(page).nth(0)),
      await tasksShown(dockPanel(page).nth(1)),
    ];
    await expect
      .poll(async () => new Set(await shown()))
      .toEqual(new Set([7, 30]));
    await first.click();
    await expect(dockPanel(page)).toHaveCount(2);
  },
);
