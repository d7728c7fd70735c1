// The story that the product is about: drag a panel out, watch a busy kernel.

import {
  cellIsBusy,
  dockPanel,
  dragTo,
  endLoop,
  expect,
  expectTasks,
  hasSubshells,
  notebookWith,
  runCells,
  openSidebar,
  pointAtTask,
  startCell,
  tasksShown,
  testInOpenLab as test,
} from "./fixtures";

const CLUSTER = `
from dask.distributed import Client
client = Client(n_workers=2, threads_per_worker=2, dashboard_address=":0")
`;
const WORK = `
import os, time

def slow(x):
    time.sleep(0.05)
    return x

count = 0
while not os.path.exists("seen"):
    client.gather(client.map(slow, range(100), pure=False))
    count += 100
count
`;

test("a panel dragged out of the sidebar shows every task while the cell is busy", async ({
  page,
}, info) => {
  await notebookWith(page, [CLUSTER, WORK]);
  await runCells(page, 0);
  const sidebar = await openSidebar(page);
  await expect(sidebar).toContainText("2 workers");

  const dock = (await page.locator("#jp-main-dock-panel").boundingBox())!;
  const item = sidebar.getByRole("button", { name: "Task stream" });
  const bottom = dock.y + dock.height - 60;
  await dragTo(page, item, dock.x + dock.width / 2, bottom);
  const panel = dockPanel(page);
  await expect(panel).toBeVisible();
  const tab = page.locator(".lm-DockPanel-tabBar .lm-TabBar-tab[data-id]");
  await expect(tab.filter({ hasText: "Task stream" })).toHaveCount(1);
  const place = (await panel.boundingBox())!;
  expect(place.y, "dropped at the lower edge").toBeGreaterThan(
    dock.y + dock.height / 3,
  );

  // The notebook is still what the menus act on.
  await page.menu.open("Run");
  const runAll = page.locator('.lm-Menu-item[data-command="runmenu:run-all"]');
  await expect(runAll).not.toHaveClass(/lm-mod-disabled/);
  await page.menu.closeAll();

  const subshells = await hasSubshells(page);
  await startCell(page, 1);
  await expectTasks(panel, 50);
  expect(await cellIsBusy(page, 1)).toBe(true);
  const early = await tasksShown(panel);
  await expectTasks(panel, early + 50);
  expect(await cellIsBusy(page, 1)).toBe(true);

  // It zooms and pans, which ends the following …
  const plot = panel.locator(".ds-hit");
  const area = (await plot.boundingBox())!;
  await page.mouse.move(area.x + area.width * 0.4, area.y + 40);
  await page.mouse.wheel(0, -200);
  await page.mouse.wheel(-200, 0);
  await expect(panel.locator(".ds-go")).toBeVisible();

  // … a click makes its keys its own …
  await page.mouse.click(area.x + 20, area.y + area.height - 4);
  await expect(plot).toBeFocused();
  await page.keyboard.press("f");
  await expect(panel.locator(".ds-go")).toBeHidden();

  // … and a card names the task under the pointer, until the stream has moved on.
  await expect(async () => {
    const card = await pointAtTask(page, panel);
    const soon = { timeout: 5_000 };
    await expect(card).toContainText(/slow-[0-9a-f]{8}/, soon);
    // 50 ms, with an integer as its result.
    await expect(card.locator(".ds-card-value")).toHaveText(
      /^([5-9]\d|\d{3}) ms$|^\d\.\d\d s$/,
      soon,
    );
    const result = card.locator("dt:text-is('Result') + dd");
    await expect(result).toHaveText("28 B", soon);
  }).toPass();
  await page.screenshot({ path: info.outputPath("busy.png") });
  expect(await cellIsBusy(page, 1)).toBe(true);

  // A search answers from what this page has. With a subshell the kernel is asked for
  // the keys that are not here; without one it hears of that after the cell.
  await plot.press("/");
  await page.keyboard.type("slow");
  const found = panel.locator(".ds-search-found");
  await expect(found).toHaveText(/^(1 prefix|[\d,]+ tasks)$/);
  const searched = subshells ? /^[1-9][\d,]* of / : /^\d[\d,]* of /;
  await expect(found).toHaveAttribute("title", searched);
  await page.screenshot({ path: info.outputPath("found.png") });
  expect(await cellIsBusy(page, 1)).toBe(true);
  await page.keyboard.press("Escape");
  await expect(found).toHaveCount(0);

  await endLoop(page);
  const output = page.locator(".jp-OutputArea-output pre");
  const count = Number(await output.last().textContent());
  await expectTasks(panel, count);
  expect(await tasksShown(panel)).toBe(count);
  await page.screenshot({ path: info.outputPath("complete.png") });
});
