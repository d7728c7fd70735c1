// Two browser tabs on one notebook: each gets everything, neither disturbs the other.

import {
  CLIENT,
  expect,
  expectTasks,
  notebookPath,
  notebookWith,
  runCells,
  SHOW,
  tasksShown,
  testInOpenLab as test,
} from "./fixtures";

const WORK = `
def inc(x):
    return x + 1

total = sum(client.gather(client.map(inc, range(2000), pure=False)))
`;

test(
  "two tabs on one notebook both show every task",
  { tag: "@all" },
  async ({ page, context, baseURL }) => {
    await notebookWith(page, [CLIENT, SHOW, WORK]);
    await runCells(page, 0, 1);
    await page.notebook.save();
    const first = page.locator(".ds-widget");
    await expect(first).toBeVisible();

    const tab = await context.newPage();
    await tab.goto(
      `${baseURL}/lab/workspaces/second/tree/${await notebookPath(page)}`,
    );
    const second = tab.locator(".ds-widget");
    await expect(second).toBeVisible();

    await page.bringToFront();
    await runCells(page, 2);
    await expectTasks(first, 2000);
    expect(await tasksShown(first)).toBe(2000);
    await tab.bringToFront();
    await expectTasks(second, 2000);
    expect(await tasksShown(second)).toBe(2000);
    await tab.close();
  },
);
