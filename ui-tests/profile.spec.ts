// What workers are doing, in which function: live while a cell runs, for a time, a function
// and a task.

import { pathToFileURL } from "node:url";
import type { Locator, Page } from "@playwright/test";
import {
  expect,
  notebookWith,
  openSidebar,
  pointAtTask,
  runCells,
  startCell,
  testInOpenLab as test,
} from "./fixtures";

const CLUSTER = `
from dask.distributed import Client
client = Client(n_workers=2, threads_per_worker=2, dashboard_address=":0")
`;
/** Two functions of tasks, which both call one that is their own. */
const FUNCTIONS = `
import time

def pause(seconds):
    time.sleep(seconds)

def often(x):
    pause(0.1)

def seldom(x):
    pause(0.05)

def work(number):
    futures = client.map(often, range(number), pure=False)
    futures += client.map(seldom, range(number), pure=False)
    client.gather(futures)
`;
const WORK = `${FUNCTIONS}
work(150)
time.sleep(3)
`;
const RECORDED = `${FUNCTIONS}
import os
import daskscope

with daskscope.record(client, "profile.daskscope"), daskscope.performance_report("profile.html"):
    work(60)
client.close()
print(os.path.abspath("profile.html"))
`;

const searchOf = (panel: Locator): Locator => panel.locator(".ds-search input");

/** Nearly all of it is in one function, which two others call. */
async function searchAndSandwich(panel: Locator): Promise<void> {
  const search = searchOf(panel);
  await search.fill("pause");
  await expect(panel.locator(".ds-search-found")).toHaveText(
    /^1 match, (9\d|100) %$/,
  );
  await search.press("Enter");
  await expect(panel.locator(".ds-profile-detail-name")).toHaveText("pause");
  await panel.getByRole("button", { name: "Callers and callees" }).click();
  const sandwich = panel.locator(".ds-profile-sandwich");
  await expect(sandwich).toContainText("2 callers");
}

/** Selects the first half of the time, and shows all again. */
async function brush(page: Page, panel: Locator): Promise<void> {
  const plot = (await panel.locator(".ds-time-hit").boundingBox())!;
  const y = plot.y + plot.height / 2;
  await page.mouse.move(plot.x + 4, y);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width / 2, y, { steps: 5 });
  await page.mouse.up();
  await expect(chipOf(panel)).toHaveCount(1);
  await expect(panel.locator(".ds-status")).toHaveText(
    /^([\d,]+) of (?!\1 )[\d,]+ samples/,
  );
  await chipOf(panel).getByRole("button").click();
}

const chipOf = (panel: Locator): Locator =>
  panel.locator(".ds-toolbar .ds-chip, .ds-tool-row .ds-chip");

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

  await searchAndSandwich(panel);
  await page.screenshot({ path: info.outputPath("sandwich.png") });
  await panel.getByRole("button", { name: /^Flame/ }).click();
  const search = searchOf(panel);
  await search.fill("");
  await brush(page, panel);

  // Reached by a click on a task: the profile of its function in its time.
  await sidebar.locator('[data-panel="task-stream"]').click();
  const stream = page.locator('[id^="daskscope-task-stream-"] .ds-root');
  await pointAtTask(page, stream);
  await page.mouse.down();
  await page.mouse.up();
  await stream.getByRole("button", { name: "Profile", exact: true }).click();
  await expect(chipOf(panel)).toHaveCount(2);
  await expect(chipOf(panel).last()).toContainText(/often|seldom/);
  await expect.poll(samples).toBeGreaterThan(0);
  await page.screenshot({ path: info.outputPath("profile.png") });
});

const ALL = { tag: "@all" };

test(
  "a report and a file show the same profile, and compare it",
  ALL,
  async ({ page, context }, info) => {
    await notebookWith(page, [CLUSTER, RECORDED]);
    await runCells(page, 0, 1);
    const printed = page.locator(".jp-OutputArea-output pre").last();
    const path = (await printed.innerText()).trim();
    await page.evaluate(() =>
      window.jupyterapp.commands.execute("filebrowser:refresh"),
    );

    const explore = async (on: Page, home: Locator): Promise<void> => {
      const tab = async (name: string): Promise<Locator> => {
        await home.getByRole("tab", { name }).click();
        return home.getByRole("tabpanel", { name });
      };
      let panel = await tab("Profile");
      await expect(panel.locator(".ds-status")).toHaveText(
        /^([\d,]{3,}) of \1 samples/,
      );
      await searchAndSandwich(panel);
      await searchOf(panel).fill("");
      await panel.getByRole("button", { name: /^Flame/ }).click();
      await brush(on, panel);
      // Event loops have samples, or it says why not.
      for (const scope of ["Workers", "Scheduler"]) {
        await panel.getByRole("button", { name: scope }).first().click();
        await expect(panel).toContainText(/[1-9] samples|on Python 3\.11/);
      }
      await panel.getByRole("button", { name: "Tasks" }).click();
      // The same run has no differences.
      await panel.getByRole("button", { name: "Compare" }).click();
      await panel
        .locator('input[type="file"]')
        .setInputFiles(path.replace(/html$/, "daskscope"));
      await expect(panel.locator(".ds-profile-compare")).toContainText(
        "No function differs",
      );
      await panel.getByRole("button", { name: /^Flame/ }).click();
      const stream = await tab("Task stream");
      await stream.getByRole("button", { name: "seldom" }).first().click();
      panel = await tab("Profile");
      await expect(chipOf(panel)).toContainText("seldom");
      await on.screenshot({
        path: info.outputPath(`${on === page ? "file" : "report"}.png`),
      });
    };

    const alone = await context.newPage();
    await alone.goto(pathToFileURL(path).href);
    await explore(alone, alone.locator("body"));
    await alone.close();
    await page
      .locator(".jp-DirListing-item", { hasText: "profile.daskscope" })
      .dblclick();
    await explore(page, page.locator(".ds-lab-report"));
  },
);
