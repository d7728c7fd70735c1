// Kernels restart and pages reload; a panel outlives both.

import {
  CLIENT,
  dockPanel,
  expect,
  expectTasks,
  notebookWith,
  openSidebar,
  reload,
  runCells,
  tasksShown,
  test,
} from "./fixtures";

const WORK = `
def inc(x):
    return x + 1

total = sum(client.gather(client.map(inc, range(count), pure=False)))
`;

// Galata's stand-in for the kernels' addresses loses restarts: use the real ones.
test.use({ kernels: null, sessions: null });
test.afterEach(async ({ page }) => {
  await page.evaluate(() =>
    window.jupyterapp.serviceManager.sessions.shutdownAll(),
  );
});

test("a panel goes on after the kernel has restarted", async ({ page }) => {
  await notebookWith(page, [CLIENT, "count = 40", WORK, "count = 15"]);
  const sidebar = await openSidebar(page);
  await sidebar.getByRole("button", { name: "Task stream" }).click();
  const panel = dockPanel(page);
  await runCells(page, 0, 1, 2);
  await expectTasks(panel, 40);

  await page.menu.clickMenuItem("Kernel>Restart Kernel…");
  await page
    .locator(".jp-Dialog")
    .getByText("Restart", { exact: true })
    .click();
  await expect(panel, "the picture is kept").toContainText("connection lost");
  expect(await tasksShown(panel)).toBe(40);

  await expect(sidebar, "the new kernel is found").toContainText(
    "no Dask client yet",
    { timeout: 60_000 },
  );
  await runCells(page, 0, 3, 2);
  await expect.poll(() => tasksShown(panel)).toBe(15);
});

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
  const sidebar = await openSidebar(page);
  await sidebar.getByRole("button", { name: "Task stream" }).click();
  const panel = dockPanel(page);
  await runCells(page, 0, 1, 2);
  await page.notebook.save();
  await expectTasks(panel, 60);
  await saved;

  await reload(page);
  await expect(panel).toHaveCount(1);
  await expectTasks(panel, 60);
  expect(await tasksShown(panel)).toBe(60);
});
