// Kernels restart and pages reload; a panel outlives both.

import type { Page } from "@playwright/test";
import {
  choose,
  CLIENT,
  expect,
  expectTasks,
  notebookWith,
  openTaskStream,
  reload,
  runCells,
  SHOW,
  startCell,
  tasksShown,
  test,
} from "./fixtures";

const WORK = `
def inc(x):
    return x + 1

total = sum(client.gather(client.map(inc, range(count), pure=False)))
`;

/** How many sessions each page watches, as the kernel sees it. */
const WATCHED = `
from daskscope import kernel
print("watched:", [len(page.watched) for page in kernel._hub._pages.values()])
`;

/** Of each kernel the ways to it, and of each store how many panels show it. */
function shared(page: Page): Promise<{ ways: string[][]; panels: number[] }> {
  return page.evaluate(async () => {
    const { links, stores } = (await daskscopeCopies()[0]!.code).page;
    return {
      ways: [...links.values()].map(({ channels }) =>
        channels.map(({ port }) => port.kind).sort(),
      ),
      panels: [...stores.values()].map(
        ({ subscriptions }) => subscriptions.size,
      ),
    };
  });
}

// Galata's stand-in for the kernels' addresses loses restarts: use the real ones.
test.use({ kernels: null, sessions: null });

test("a panel goes on after the kernel has restarted", async ({
  page,
}, info) => {
  const cells = [CLIENT, SHOW, "count = 40", WORK, "count = 15", WATCHED];
  await notebookWith(page, cells);
  const { sidebar, panel } = await openTaskStream(page);
  const inline = page.locator(".ds-widget");
  await runCells(page, 0, 1, 2, 3);
  await expectTasks(panel, 40);
  await expectTasks(inline, 40);

  // The labextension and the widget evaluate two copies of our module, and the rows
  // travel and are kept once.
  await expect
    .poll(() => shared(page))
    .toEqual({ ways: [["comm", "widget"]], panels: [2] });
  await runCells(page, 5);
  const watched = page.locator(".jp-Cell").nth(5);
  await expect(watched).toContainText("watched: [1]");

  await page.menu.clickMenuItem("Kernel>Restart Kernel…");
  await page
    .locator(".jp-Dialog")
    .getByText("Restart", { exact: true })
    .click();
  // At once: silence alone would be noticed after ten seconds.
  await expect(panel).toContainText("connecting to the kernel", {
    timeout: 5_000,
  });
  await expect(inline).toContainText("not connected to a kernel", {
    timeout: 5_000,
  });
  await expect(inline).toContainText("The kernel has restarted or stopped");
  await expect(inline).toContainText("Run the cell again to connect.");
  for (const shown of [panel, inline]) {
    expect(await tasksShown(shown), "the picture is kept").toBe(40);
    await expect(shown.getByRole("alert"), "nothing is wrong").toHaveCount(0);
    await expect(shown).not.toContainText(/lost/i);
  }

  await expect(panel, "the new kernel is found").toContainText(
    "no Dask client yet; the last data of the old kernel is shown",
    { timeout: 60_000 },
  );
  await expect(panel.getByText("No client", { exact: true })).toBeVisible();
  await expect(panel.getByRole("alert")).toHaveCount(0);
  await expect(sidebar).toContainText("no Dask client yet");
  expect(await tasksShown(panel)).toBe(40);
  await page.screenshot({ path: info.outputPath("restarted.png") });
  await runCells(page, 0, 4, 3);
  await expect.poll(() => tasksShown(panel)).toBe(15);

  await choose(panel, /previous/);
  await expect.poll(() => tasksShown(panel), "the old picture").toBe(40);
  await expect(panel).toContainText("kernel has shut down");
  await choose(panel, /live/);
  await expect.poll(() => tasksShown(panel)).toBe(15);
});

test(
  "a panel says that its kernel died, and goes on with the next client",
  { tag: "@all" },
  async ({ page }, info) => {
    const die = "import os; os._exit(1)";
    await notebookWith(page, [CLIENT, "count = 40", WORK, die, "count = 15"]);
    const { panel } = await openTaskStream(page);
    await runCells(page, 0, 1, 2);
    await expectTasks(panel, 40);
    await startCell(page, 3);
    await expect(panel.getByRole("alert")).toContainText("The kernel died");
    await page.locator(".jp-Dialog").getByText("Ok", { exact: true }).click();
    await expect(panel.getByRole("alert")).toContainText("no Dask client yet");
    await expect(panel.getByText("Lost", { exact: true })).toBeVisible();
    expect(await tasksShown(panel), "the picture is kept").toBe(40);
    await page.screenshot({ path: info.outputPath("died.png") });
    await runCells(page, 0, 4, 2);
    await expect.poll(() => tasksShown(panel)).toBe(15);
    await expect(panel.getByRole("alert")).toHaveCount(0);
  },
);

test("a panel comes back with its data when the page is reloaded", async ({
  page,
}) => {
  await notebookWith(page, [CLIENT, "count = 60", WORK]);
  const saved = page.waitForRequest(
    (request) =>
      request.url().includes("/api/workspaces") &&
      request.method() === "PUT" &&
      (request.postData() ?? "").includes("story.ipynb") &&
      (request.postData() ?? "").includes("daskscope-task-stream"),
  );
  const { panel } = await openTaskStream(page);
  await runCells(page, 0, 1, 2);
  await page.notebook.save();
  await expectTasks(panel, 60);
  await saved;

  await reload(page);
  await expect(panel).toHaveCount(1);
  await expectTasks(panel, 60);
  expect(await tasksShown(panel)).toBe(60);
});
