// Kernels restart and pages reload; a panel outlives both.

import {
  CLIENT,
  choose,
  dockPanel,
  expect,
  expectTasks,
  notebookWith,
  openSidebar,
  reload,
  runCells,
  SHOW,
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

test("a panel goes on after the kernel has restarted", async ({
  page,
}, info) => {
  await notebookWith(page, [CLIENT, SHOW, "count = 40", WORK, "count = 15"]);
  const sidebar = await openSidebar(page);
  await sidebar.getByRole("button", { name: "Task stream" }).click();
  const panel = dockPanel(page);
  const inline = page.locator(".ds-widget");
  await runCells(page, 0, 1, 2, 3);
  await expectTasks(panel, 40);
  await expectTasks(inline, 40);

  await page.menu.clickMenuItem("Kernel>Restart Kernel…");
  await page
    .locator(".jp-Dialog")
    .getByText("Restart", { exact: true })
    .click();
  // At once: silence alone would be noticed after ten seconds.
  for (const shown of [panel, inline]) {
    await expect(shown).toContainText("connection lost", { timeout: 5_000 });
    expect(await tasksShown(shown), "the picture is kept").toBe(40);
  }
  await expect(inline).toContainText("The kernel has restarted or stopped");
  await expect(inline).toContainText("Run the cell again to connect.");

  await expect(panel, "the new kernel is found").toContainText(
    "no Dask client yet: the picture of the old kernel is kept",
    { timeout: 60_000 },
  );
  await expect(sidebar).toContainText("no Dask client yet");
  expect(await tasksShown(panel)).toBe(40);
  await page.screenshot({ path: info.outputPath("restarted.png") });
  await runCells(page, 0, 4, 3);
  await expect.poll(() => tasksShown(panel)).toBe(15);

  await choose(panel, /before/);
  await expect.poll(() => tasksShown(panel), "the old picture").toBe(40);
  await expect(panel).toContainText("This is of a kernel that has ended");
  await choose(panel, /live/);
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
