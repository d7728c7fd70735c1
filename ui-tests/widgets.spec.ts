// A panel is an ordinary widget: it stands among others, and is watched and linked.

import type { Locator } from "@playwright/test";
import {
  CLIENT,
  expect,
  expectTasks,
  notebookWith,
  runCells,
  tasksShown,
  test,
} from "./fixtures";

const WORK = `
def inc(x):
    return x + 1

total = sum(client.gather(client.map(inc, range(100), pure=False)))
`;
/** The tab in the back is made without any size. */
const TABS = `
import daskscope, ipywidgets
panel = daskscope.TaskStream(client, layout={"height": "320px"})
words = ipywidgets.HTML("<p>in front</p>")
tabs = ipywidgets.Tab([words, panel], titles=["Words", "Stream"])
ipywidgets.VBox([ipywidgets.Button(description="Above"), tabs])
`;
const LINKED = `
name = ipywidgets.Text(description="session")
changes = []
panel.observe(lambda change: changes.append(change["new"]), "session")
link = ipywidgets.jslink((panel, "session"), (name, "value"))
name
`;
const AGAIN = `
with daskscope.connect(client):
    pass
again = daskscope.connect(client)
kept = client.gather(client.map(abs, range(7), pure=False))
panel.session = again.id
print("observed:", changes == [again.id])
`;

/** Whether the plot is as large as it seems, and somewhere not just background. */
function isPainted(panel: Locator): Promise<boolean> {
  return panel
    .locator(".ds-plot canvas")
    .first()
    .evaluate((node) => {
      const canvas = node as HTMLCanvasElement;
      const { width, height } = canvas;
      if (Math.abs(width - canvas.clientWidth * devicePixelRatio) > 1) {
        return false;
      }
      const { data } = canvas
        .getContext("2d")!
        .getImageData(0, 0, width, height);
      const pixels = new Uint32Array(data.buffer);
      return new Set(pixels).size > 3;
    });
}

test(
  "a panel in a tab that was hidden comes up whole, and again with what came meanwhile",
  { tag: "@all" },
  async ({ page }, info) => {
    await notebookWith(page, [CLIENT, TABS, WORK]);
    await runCells(page, 0, 1, 2);
    const panel = page.locator(".ds-widget");
    await expect(page.getByText("in front", { exact: true })).toBeVisible();
    await expect(panel).toBeHidden();

    const tab = (name: string) => page.getByRole("tab", { name }).click();
    await tab("Stream");
    await expectTasks(panel, 100);
    const root = (await panel.locator(".ds-root").boundingBox())!;
    const tabs = (await page.locator(".widget-tab").boundingBox())!;
    expect(root.width).toBeGreaterThan(tabs.width * 0.9);
    expect(root.height).toBeGreaterThan(300);
    expect(root.y + root.height).toBeLessThanOrEqual(tabs.y + tabs.height);
    await expect(panel.locator(".ds-worker-name")).toHaveCount(2);
    await expect.poll(() => isPainted(panel)).toBe(true);
    await page.screenshot({ path: info.outputPath("tab.png") });

    await tab("Words");
    await expect(panel).toBeHidden();
    await runCells(page, 2);
    await tab("Stream");
    await expect.poll(() => tasksShown(panel)).toBe(200);
    await expect.poll(() => isPainted(panel)).toBe(true);
  },
);

test(
  "a panel's session is observed in Python and linked to another widget in the page",
  { tag: "@all" },
  async ({ page }) => {
    await notebookWith(page, [CLIENT, TABS, LINKED, WORK, AGAIN]);
    await runCells(page, 0, 1, 2, 3);
    await page.getByRole("tab", { name: "Stream" }).click();
    const panel = page.locator(".ds-widget");
    await expectTasks(panel, 100);
    const linked = page.getByRole("textbox", { name: "session" });
    await expect(linked).not.toHaveValue("");
    const before = await linked.inputValue();

    await runCells(page, 4);
    await expect(page.locator(".jp-Cell").nth(4)).toContainText(
      "observed: True",
    );
    await expect(linked).not.toHaveValue(before);
    await expect.poll(() => tasksShown(panel)).toBe(7);
  },
);
