// A panel goes with the notebook in front, until a person chooses what it shows.

import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import {
  CLIENT,
  choose,
  dockPanel,
  expect,
  notebookWith,
  openSidebar,
  openTaskStream,
  runCells,
  tasksShown,
  test,
} from "./fixtures";

const work = (count: number) => `
futures = client.map(abs, range(${count}), pure=False)
kept = client.gather(futures)
`;

test(
  "a panel follows the notebook in front, until a person chooses",
  { tag: "@all" },
  async ({ page }, info) => {
    await notebookWith(page, [CLIENT, work(15)], "second.ipynb");
    await notebookWith(page, [CLIENT, work(40)], "first.ipynb");
    const sidebar = await openSidebar(page);
    const clients = sidebar.locator(".ds-client");
    await runCells(page, 0);
    await expect(clients).toHaveCount(1); // from here on it is recorded
    await runCells(page, 1);
    const item = sidebar.getByRole("button", { name: "Task stream" });
    await item.click();
    const panel = dockPanel(page);
    const shown = () => tasksShown(panel.first());
    await expect.poll(shown).toBe(40);

    await page.notebook.activate("second.ipynb");
    // A notebook without a client has nothing better to show.
    expect(await shown()).toBe(40);
    await runCells(page, 0);
    await expect(clients).toHaveCount(2);
    await runCells(page, 1);
    await expect.poll(shown).toBe(15);
    await page.notebook.activate("first.ipynb");
    await expect.poll(shown).toBe(40);
    await item.click();
    await expect(panel, "it is there already").toHaveCount(1);

    await choose(panel, "second.ipynb");
    await expect.poll(shown).toBe(15);
    await page.notebook.activate("second.ipynb");
    await page.notebook.activate("first.ipynb");
    await panel.getByRole("button", { name: "Choose a client" }).click();
    await expect(panel).toContainText("the active notebook");
    await page.screenshot({ path: info.outputPath("chooser.png") });
    await page.keyboard.press("Escape");
    expect(await shown(), "what was chosen stays").toBe(15);

    await page.notebook.activate("first.ipynb");
    await item.click();
    await expect(panel, "the first notebook has no panel").toHaveCount(2);
    await expect.poll(() => tasksShown(panel.last())).toBe(40);
    await choose(panel.first(), "Follow the active notebook");
    await expect.poll(shown).toBe(40);
  },
);

/** Whether the kernel of the notebook in front has loaded daskscope. */
async function isEntered(page: IJupyterLabPageFixture): Promise<boolean> {
  await runCells(page, 0);
  const outputs = page.locator(".jp-NotebookPanel:visible .jp-OutputArea");
  return (await outputs.first().innerText()).includes("entered");
}

test(
  "the first client of a notebook that came to the front is recorded from its first task",
  { tag: "@all" },
  async ({ page }) => {
    const look = `import sys; print("entered" * ("daskscope.kernel" in sys.modules))`;
    await notebookWith(page, [look, CLIENT + work(30)], "second.ipynb");
    await notebookWith(page, [CLIENT], "first.ipynb");
    const { panel } = await openTaskStream(page);
    await runCells(page, 0);
    await expect(panel).toContainText("2 workers");
    await page.notebook.activate("second.ipynb");
    await expect.poll(() => isEntered(page)).toBe(true);
    await runCells(page, 1);
    await expect.poll(() => tasksShown(panel)).toBe(30);
  },
);
