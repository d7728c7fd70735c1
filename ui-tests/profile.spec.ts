// What workers are doing, in which function: live while a cell runs, for a time, a function
// and a task.

import {
  expect,
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
/** Two functions of tasks, which both call one that is their own. */
const WORK = `
import time

def spin(seconds):
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass

def often(x):
    spin(0.1)

def seldom(x):
    spin(0.05)

futures = client.map(often, range(150), pure=False) + client.map(seldom, range(150), pure=False)
client.gather(futures)
time.sleep(3)
`;

test("the panel Profile shows functions while a cell runs, and what calls them", async ({
  page,
}, info) => {
  await notebookWith(page, [CLUSTER, WORK]);
  await runCells(page, 0);
  const sidebar = await openSidebar(page);
  await expect(sidebar).toContainText("2 workers");
  await sidebar.locator('[data-panel="profile"]').click();
  const panel = page.locator('[id^="daskscope-profile-"] .ds-root');
  await expect(panel).toBeVisible();
  await startCell(page, 1);

  // Live: samples come while the cell runs.
  const status = panel.locator(".ds-status");
  const samples = async (): Promise<number> => {
    const [, count = "0"] =
      /^([\d,]+) of [\d,]+ samples/.exec(await status.innerText()) ?? [];
    return Number(count.replace(/,/g, ""));
  };
  await expect.poll(samples, { timeout: 20_000 }).toBeGreaterThan(0);
  const first = await samples();
  await expect.poll(samples).toBeGreaterThan(first);

  // Nearly all of it is in one function.
  const search = panel.locator(".ds-search input");
  await search.fill("spin");
  const found = panel.locator(".ds-search-found");
  await expect(found).toHaveText(/^1 match, (9\d|100) %$/);

  // Of which both functions are callers.
  await search.press("Enter");
  await expect(panel.locator(".ds-profile-detail-name")).toHaveText("spin");
  await panel.getByRole("button", { name: "Callers and callees" }).click();
  const sandwich = panel.locator(".ds-profile-sandwich");
  await expect(sandwich).toContainText("2 callers");
  await page.screenshot({ path: info.outputPath("sandwich.png") });
  await panel.getByRole("button", { name: /^Flame/ }).click();
  await search.fill("");

  // A time that is brushed is so in every panel.
  const plot = (await panel.locator(".ds-time-hit").boundingBox())!;
  const y = plot.y + plot.height / 2;
  await page.mouse.move(plot.x + 4, y);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width / 2, y, { steps: 5 });
  await page.mouse.up();
  const chip = panel.locator(".ds-toolbar .ds-chip, .ds-tool-row .ds-chip");
  await expect(chip).toHaveCount(1);
  await expect(status).toHaveText(/^([\d,]+) of (?!\1 )[\d,]+ samples/);
  await chip.getByRole("button").click();

  // Reached by a click on a task: the profile of its function.
  await sidebar.locator('[data-panel="task-stream"]').click();
  const stream = page.locator('[id^="daskscope-task-stream-"] .ds-root');
  await stream.getByRole("button", { name: "seldom" }).first().click();
  await sidebar.locator('[data-panel="profile"]').click();
  await expect(chip).toContainText("seldom");
  await search.fill("often");
  await expect(found).toHaveText(/^0 matches/);
  await search.fill("seldom");
  await expect(found).toHaveText(/^1 match, (9\d|100) %$/);
  await page.screenshot({ path: info.outputPath("profile.png") });
});
