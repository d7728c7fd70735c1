// Every panel of the sidebar, open beside a notebook, moves while a workload runs.

import type { Locator, Page } from "@playwright/test";
import {
  endLoop,
  expect,
  expectTasks,
  hasSubshells,
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
const WORK = `
import itertools, logging, os, time

def slow(x):
    time.sleep(0.05)
    if x == 7:
        logging.getLogger("distributed.worker").warning("line %s", x)
    return x

for step in itertools.count():
    client.log_event("story", f"step {step}")
    client.gather(client.map(slow, range(40), pure=False))
    if os.path.exists("seen"):
        break
`;

/** What a panel shows beside its toolbar and status line, which move by themselves. */
async function bodyOf(panel: Locator): Promise<string> {
  const body = panel.locator(".ds-panel-body, .ds-stage").first();
  const texts = await body.innerText();
  const pictures = await body
    .locator("canvas")
    .evaluateAll((all) =>
      all.map((canvas) => (canvas as HTMLCanvasElement).toDataURL()),
    );
  return [texts, ...pictures].join("\n");
}

/** While the run goes on. */
async function zoomAndBack(page: Page, panel: Locator): Promise<void> {
  const chart = panel.locator(".ds-time-hit").first();
  await chart.hover({ position: { x: 60, y: 30 } });
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -400);
  await page.keyboard.up("Control");
  const crumbs = panel.locator(".ds-crumbs");
  await expect(crumbs).toHaveText(/›(last \d|\d.* – \d)/);
  await expect(panel).toContainText("The scheduler, in the time shown");
  await panel.getByRole("button", { name: "Show the whole run" }).click();
  await expect(panel).toContainText("The scheduler, in the whole run");
}

test("the seven panels of the sidebar move while a cell is busy", async ({
  page,
}) => {
  await notebookWith(page, [CLUSTER, WORK]);
  await runCells(page, 0);
  const sidebar = await openSidebar(page);
  await expect(sidebar).toContainText("2 workers");
  const kinds = [
    "summary",
    "task-stream",
    "spans",
    "memory",
    "events",
    "logs",
    "system",
  ];
  // Opens it, or shows its tab: there is no room for all beside each other.
  const show = async (kind: string): Promise<Locator> => {
    await sidebar.locator(`[data-panel="${kind}"]`).click();
    const panel = page.locator(`[id^="daskscope-${kind}-"] .ds-root`);
    await expect(panel).toBeVisible();
    return panel;
  };
  for (const kind of kinds) await show(kind);
  // Without subshells a kernel does not hear which panels come to the front during a cell.
  const subshells = await hasSubshells(page);
  const live = subshells ? kinds : ["logs", "system"];
  await startCell(page, 1);
  if (subshells) await expectTasks(await show("task-stream"), 50);
  for (const kind of live) {
    const panel = await show(kind);
    const before = await bodyOf(panel);
    await expect
      .poll(() => bodyOf(panel), { message: `${kind} moves` })
      .not.toBe(before);
  }
  await zoomAndBack(page, await show("system"));
  if (subshells) await expect(await show("events")).toContainText("step 1");
  await expect(await show("logs")).toContainText(/line \d+/);
  await endLoop(page);
});
