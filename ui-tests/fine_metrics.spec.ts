// Where the time went: functions and activities while a cell runs, and what it accounts for.

import type { Locator } from "@playwright/test";
import {
  dragTo,
  expect,
  notebookWith,
  openSidebar,
  runCells,
  startCell,
  testInOpenLab as test,
} from "./fixtures";

const CLUSTER = `
from dask.distributed import Client
client = Client(n_workers=2, threads_per_worker=2, dashboard_address=":0")
`;
/** Half of the time computes, half of it waits. */
const WORK = `
import time
from distributed.metrics import context_meter

def count(x):
    until = time.perf_counter() + 0.1
    while time.perf_counter() < until:
        pass
    context_meter.digest_metric("rows", 10, "rows")
    return x

def sleep(x):
    time.sleep(0.1)
    return x

counted = client.map(count, range(30), pure=False)
slept = client.map(sleep, range(30), pure=False)
client.gather(counted + slept)
time.sleep(3)
`;
const INLINE = `
import daskscope
daskscope.FineMetrics()
`;

test("the panel Fine performance metrics says where the time went, while a cell runs", async ({
  page,
}, info) => {
  await notebookWith(page, [CLUSTER, WORK, INLINE]);
  await runCells(page, 0);
  const sidebar = await openSidebar(page);
  await expect(sidebar).toContainText("2 workers");
  const dock = (await page.locator("#jp-main-dock-panel").boundingBox())!;
  const item = sidebar.locator('[data-panel="fine-metrics"]');
  await dragTo(page, item, dock.x + dock.width - 60, dock.y + dock.height / 2);
  const panel = page.locator('[id^="daskscope-fine-metrics-"] .ds-root');
  await expect(panel).toBeVisible();
  await startCell(page, 1);
  const title = panel.locator(".ds-fine-account h3");
  await expect(title).toContainText(/^Accounts for [\d.]+ m?s of [\d.]+ m?s$/);
  const before = await title.innerText();
  await expect.poll(() => title.innerText()).not.toBe(before);

  await panel.getByRole("button", { name: "By function" }).click();
  const bars = panel.locator('[aria-label="Execution by function"] li');
  await expect(bars).toHaveCount(2);
  // 30 tasks of 0.1 s each.
  const slept = bars.filter({ hasText: "sleep" });
  await expect(slept).toContainText(/[34]\.\d+ s/);
  await expect(bars.filter({ hasText: "count" })).toContainText(/[\d.]+ s/);

  // A metric of the user is a unit of its own.
  const unit = panel.locator("select");
  await unit.selectOption({ label: "Rows" });
  await expect(bars).toHaveCount(1);
  await unit.selectOption({ label: "Seconds" });
  await expect(panel.locator(".ds-fine-knowing")).toContainText(
    /sleep was [\d.]+ s off the CPU/,
  );
  await page.screenshot({ path: info.outputPath("fine-metrics.png") });

  // What is isolated here is so in every panel.
  const choose = async (from: Locator, name: string) => {
    await from.getByRole("button", { name: /^Functions/ }).click();
    const menu = from.locator(".ds-filter");
    await menu.getByRole("button", { name, exact: true }).click();
    await page.keyboard.press("Escape");
  };
  await choose(panel, "sleep");
  await expect(bars).toHaveCount(1);
  await sidebar.locator('[data-panel="task-stream"]').click();
  const stream = page.locator('[id^="daskscope-task-stream-"] .ds-root');
  const crumbs = stream.locator(".ds-crumbs").first();
  await expect(crumbs).toContainText("sleep");

  // So it is if it was chosen in a panel among the cells.
  await runCells(page, 2);
  const inline = page.locator(".ds-widget");
  await choose(inline, "sleep");
  await expect(crumbs).not.toContainText("sleep");
  await choose(inline, "count");
  await expect(crumbs).toContainText("count");
});
