// Every panel of the sidebar, open beside a notebook, moves while a workload runs.

import {
  expect,
  expectTasks,
  notebookWith,
  openSidebar,
  runCells,
  startCell,
  test,
} from "./fixtures";

const CLUSTER = `
from dask.distributed import Client
client = Client(n_workers=2, threads_per_worker=2, dashboard_address=":0")
`;
const WORK = `
import logging, time

def slow(x):
    time.sleep(0.05)
    if x % 100 == 7:
        logging.getLogger("distributed.worker").warning("line %s", x)
    return x

futures = client.map(slow, range(1200), pure=False)
for step in range(30):
    client.log_event("story", f"step {step}")
    time.sleep(0.5)
total = sum(client.gather(futures))
`;

test("the five panels of the sidebar move while a cell is busy", async ({
  page,
}) => {
  await notebookWith(page, [CLUSTER, WORK]);
  await runCells(page, 0);
  const sidebar = await openSidebar(page);
  await expect(sidebar).toContainText("2 workers");
  const kinds = ["summary", "task-stream", "events", "logs", "system"];
  const panels = new Map<string, ReturnType<typeof page.locator>>();
  for (const kind of kinds) {
    await sidebar.locator(`[data-panel="${kind}"]`).click();
    const panel = page.locator(`[id^="daskscope-${kind}-"] .ds-root`);
    await expect(panel).toBeVisible();
    panels.set(kind, panel);
  }
  await startCell(page, 1);
  await expectTasks(panels.get("task-stream")!, 50);
  for (const kind of kinds) {
    const panel = panels.get(kind)!;
    const before = await panel.innerText();
    await expect
      .poll(() => panel.innerText(), { message: `${kind} moves` })
      .not.toBe(before);
  }
  await expect(panels.get("events")!).toContainText("step 1");
  await expect(panels.get("logs")!).toContainText(/line \d+/);
});
