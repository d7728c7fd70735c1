// The memory of a cluster: which worker held how much, of what, while a cell runs.

import {
  endLoop,
  expect,
  notebookWith,
  openSidebar,
  runCells,
  startCell,
  testInOpenLab as test,
} from "./fixtures";

const CLUSTER = `
from dask.distributed import Client
client = Client(n_workers=2, threads_per_worker=1, memory_limit="1 GiB", dashboard_address=":0")
`;
/** 240 MB of results, which stay until the story has seen them. */
const WORK = `
import os, time

def load(x):
    time.sleep(0.2)
    return b"x" * 8_000_000

futures = client.map(load, range(30), pure=False)
client.gather(client.map(len, futures))
while not os.path.exists("seen"):
    time.sleep(0.1)
del futures
`;

test("the panel Memory says who held most, of what, while a cell is busy", async ({
  page,
}, info) => {
  await notebookWith(page, [CLUSTER, WORK]);
  await runCells(page, 0);
  const sidebar = await openSidebar(page);
  await expect(sidebar).toContainText("2 workers");
  await sidebar.locator('[data-panel="memory"]').click();
  const panel = page.locator('[id^="daskscope-memory-"] .ds-root');
  await expect(
    panel.locator(".ds-memory-bars li:not([aria-hidden])"),
  ).toHaveCount(2);
  const picture = () =>
    panel
      .locator("canvas")
      .evaluateAll((all) =>
        all.map((one) => (one as HTMLCanvasElement).toDataURL()).join(),
      );
  await startCell(page, 1);
  const before = await picture();
  const load = panel.getByRole("button", { name: "load" });
  await expect(load).toBeVisible();
  const held = panel.locator("li", {
    has: page.getByRole("button", { name: "load" }),
  });
  await expect(held).toContainText(/2\d\d MiB/);
  const status = panel.locator(".ds-status");
  await expect(status).toContainText(
    /^peak \d+(\.\d+)? of 2\.00 GiB at [\d.]+ s, most on worker-[01], mostly (load|unmanaged)/,
  );
  await expect.poll(picture).not.toBe(before);
  await page.screenshot({ path: info.outputPath("memory.png") });

  // A worker that is isolated here is so in every panel.
  await panel.getByRole("button", { name: "worker-0" }).click();
  await expect(panel.locator(".ds-crumbs")).toContainText("worker-0");
  await expect(status).toContainText(/of 1\.00 GiB at [\d.]+ s on worker-0/);
  await page.keyboard.press("Escape");
  await expect(status).toContainText("of 2.00 GiB");
  // What is released goes.
  await endLoop(page);
  await expect(panel).toContainText("No results in memory");
});
