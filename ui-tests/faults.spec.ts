// What may go wrong on a cluster, all of it seen by one panel.

import type { Locator, Page } from "@playwright/test";
import {
  expect,
  expectTasks,
  notebookWith,
  openTaskStream,
  runCells,
  tasksShown,
  test,
} from "./fixtures";

/** Would run at once, wherever it became markup. */
const MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>";
const EMOJI = "emoji 😀🏳️‍🌈";

const CLUSTER = `
import os, signal, time
from dask.distributed import Client, LocalCluster

cluster = LocalCluster(n_workers=0, threads_per_worker=1, dashboard_address=":0")
client = Client(cluster)

def slow(x):
    time.sleep(0.2)
    return x
`;
const SCALE = "cluster.scale(1); client.wait_for_workers(1)";
const STRANGE = `
keys = [${JSON.stringify(MARKUP)}, ${JSON.stringify(EMOJI)}, "k" * 10_000]
kept = client.gather([client.submit(slow, 1, key=key) for key in keys])
`;
/** The nanny brings another worker, at another address. */
const KILL = `
def workers(dask_scheduler):
    return set(dask_scheduler.workers)

before = client.run_on_scheduler(workers)
os.kill(*client.run(os.getpid).values(), signal.SIGKILL)
end = time.time() + 60
while not client.run_on_scheduler(workers) - before:
    assert time.time() < end
    time.sleep(0.1)
`;
const WORK = "kept = client.gather(client.map(slow, range(2), pure=False))";
const RESTART = "_ = client.restart()";
const CLOSE = "client.close(); cluster.close()";

/** Where the row of events is, below the lane of cells, and the first lane of tasks. */
const [EVENTS_PX, LANE_PX] = [53, 82];
/** A mark of the row of events reaches so far on each side. */
const STEP_PX = 4;

/** Move the pointer along a row of the plot until its card says this. */
async function pointAt(
  page: Page,
  panel: Locator,
  row_px: number,
  text: string,
): Promise<void> {
  const card = panel.locator(".ds-card", { hasText: text });
  await expect(async () => {
    const area = (await panel.locator(".ds-hit").boundingBox())!;
    for (let x = STEP_PX; x < area.width; x += STEP_PX) {
      await page.mouse.move(area.x + x, area.y + row_px);
      if (await card.isVisible()) return;
    }
    throw new Error(`nothing in this row says "${text}"`);
  }).toPass();
}

test(
  "a panel says what happens to a cluster, and goes on",
  { tag: "@all" },
  async ({ page }, info) => {
    const alerts: string[] = [];
    page.on("dialog", (dialog) => {
      alerts.push(dialog.message());
      void dialog.dismiss();
    });
    const shot = (name: string) =>
      page.screenshot({ path: info.outputPath(`${name}.png`) });
    const cells = [CLUSTER, SCALE, STRANGE, KILL, WORK, RESTART, CLOSE];
    await notebookWith(page, cells);
    const { sidebar, panel } = await openTaskStream(page);

    await runCells(page, 0);
    await expect(panel).toContainText("No workers yet");
    await expect(sidebar).toContainText("0 workers");
    await shot("no-workers");
    await runCells(page, 1);
    await expect(panel).toContainText("1 worker connected, nothing has run");

    await runCells(page, 2);
    await expectTasks(panel, 3);
    for (const key of [MARKUP, EMOJI, "(10,000 characters)"]) {
      await pointAt(page, panel, LANE_PX, key);
    }
    await shot("strange-keys");
    await expect(panel.locator("script, img")).toHaveCount(0);
    expect(alerts, "a key is text").toEqual([]);

    // The picture ends with the last task: what came after it is seen with the next.
    await runCells(page, 3, 4);
    await expectTasks(panel, 5);
    await pointAt(page, panel, EVENTS_PX, "worker-0 left");
    await shot("killed");
    await expect(panel.getByText("Live", { exact: true })).toBeVisible();
    await expect(panel).toContainText("1 worker");

    await runCells(page, 5, 4);
    await expectTasks(panel, 7);
    await pointAt(page, panel, EVENTS_PX, "restarted, all tasks forgotten");
    await shot("restarted");
    await expect(panel.getByText("Live", { exact: true })).toBeVisible();
    await expect(panel).toContainText("1 worker");

    await runCells(page, 6);
    await expect(panel.getByText("Stopped", { exact: true })).toBeVisible();
    await expect(panel).toContainText("The client was closed.");
    await expect(sidebar).toContainText("stopped");
    await shot("closed");
    expect(await tasksShown(panel), "the picture is kept").toBe(7);
    await expect(panel.getByRole("alert"), "no error is left").toHaveCount(0);
    expect(alerts).toEqual([]);
  },
);
