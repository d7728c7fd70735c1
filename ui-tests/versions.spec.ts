// The sidebar's part and the kernel's package come from two environments.

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

const NEWER = `
from daskscope.stream import hub, sender
hub.installed_version = sender.installed_version = lambda: "99.0"
`;
const RUN = `_ = client.gather(client.map(abs, range(-150, 0), pure=False))`;

test(
  "a panel of another version works, and says which side to upgrade",
  { tag: "@all" },
  async ({ page }, info) => {
    await notebookWith(page, [NEWER, CLIENT, RUN]);
    await runCells(page, 0, 1);
    const { panel } = await openTaskStream(page);
    await runCells(page, 2);
    await expectTasks(panel, 150);
    await expect(panel.getByRole("alert")).toHaveCount(0);
    const notice = panel.getByText("is older than the kernel's 99.0");
    await expect(notice).toBeVisible();
    await page.screenshot({ path: info.outputPath("versions.png") });
    await info.attach("versions", { path: info.outputPath("versions.png") });
  },
);
