// A session that is closed stays in its panel, and nothing is wrong.

import {
  CLIENT,
  expect,
  expectTasks,
  notebookWith,
  openTaskStream,
  runCells,
  test,
} from "./fixtures";

test.use({ kernels: null, sessions: null });

const RUN = (tasks: number): string =>
  `_ = client.gather(client.map(abs, range(-${tasks}, 0), pure=False))`;
const CLOSE = "import daskscope; daskscope.connect(client).close()";
const AGAIN = "daskscope.connect(client)";

test(
  "a closed session is shown as stopped, and a new one of its client takes over",
  { tag: "@all" },
  async ({ page }) => {
    await notebookWith(page, [CLIENT, RUN(150), CLOSE, AGAIN, RUN(70)]);
    const { sidebar, panel } = await openTaskStream(page);
    await runCells(page, 0, 1);
    await expectTasks(panel, 150);
    await runCells(page, 2);
    await expect(panel.getByText("Stopped", { exact: true })).toBeVisible();
    await expect(sidebar.getByText("stopped")).toBeVisible();
    await expectTasks(panel, 150);
    await expect(panel.getByRole("alert")).toHaveCount(0);
    await runCells(page, 3, 4);
    await expect(panel.getByText("Live", { exact: true })).toBeVisible();
    await expectTasks(panel, 70);
    await expect(panel.getByRole("alert")).toHaveCount(0);
  },
);
