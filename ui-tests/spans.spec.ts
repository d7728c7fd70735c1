// A user finds out which cell took how long, looks at its tasks, and goes back to it.

import type { Locator } from "@playwright/test";
import {
  dockPanel,
  dragTo,
  expect,
  notebookWith,
  openSidebar,
  runCells,
  testInOpenLab as test,
} from "./fixtures";

const CLIENT = `
import daskscope  # so that it records from the first task on
from dask.distributed import Client, span, wait
client = Client(n_workers=2, threads_per_worker=2, dashboard_address=":0")
`;
const LOAD = `
import time

def load(x):
    time.sleep(0.02)
    return x

with span("loading"):
    wait(client.map(load, range(60), pure=False));
`;
const CLEAN = `
def clean(x):
    time.sleep(0.02)
    return x

wait(client.map(clean, range(40), pure=False));
`;

const INLINE = "daskscope.Spans()";

test("a click on a cell shows its tasks, and its number goes to it", async ({
  page,
}, info) => {
  await notebookWith(page, [CLIENT, LOAD, CLEAN, INLINE]);
  await runCells(page, 0);
  const sidebar = await openSidebar(page);
  await expect(sidebar).toContainText("2 workers");
  await sidebar.locator('[data-panel="task-stream"]').click();
  const dock = (await page.locator("#jp-main-dock-panel").boundingBox())!;
  const item = sidebar.locator('[data-panel="spans"]');
  await dragTo(page, item, dock.x + dock.width / 4, dock.y + dock.height - 60);
  const spans = page.locator('[id^="daskscope-spans-"] .ds-root');
  await expect(spans).toBeVisible();
  await runCells(page, 1, 2);
  const rowOf = (panel: Locator, name: string) =>
    panel.locator("[aria-level]").filter({ hasText: name }).first();
  const row = (name: string) => rowOf(spans, name);

  await expect(spans.locator(".ds-status")).toContainText(
    "100 of 100 tasks belong to a cell",
  );
  await expect(row("[2]")).toContainText("60");
  await expect(row("[3]")).toContainText("40");
  await expect(row("loading")).toContainText("60");

  await row("[3]").click();
  await expect(spans.locator(".ds-chip")).toContainText("In [3]");
  await expect(spans.locator(".ds-spans-detail")).toContainText(
    "40 of 40 done",
  );
  const stream = page.locator('[id^="daskscope-task-stream-"] .ds-root');
  await expect(stream.locator(".ds-chip")).toContainText("In [3]");
  await expect(stream.locator(".ds-status")).toContainText("40 selected");
  await stream.locator(".ds-chip-close").click();
  await expect(stream.locator(".ds-status")).not.toContainText("selected");

  // The first cells are long over: the lane has all of the run.
  await stream.locator(".ds-hit").focus();
  await page.keyboard.press("f");
  const lane = stream.locator(".ds-cells-hit");
  const active = () =>
    page.evaluate(
      () =>
        document.querySelector(".jp-Notebook .jp-mod-active .jp-InputArea")
          ?.textContent ?? "",
    );
  await page.locator(".jp-Notebook .jp-CodeCell").first().click();
  await expect.poll(active).toContain("Client(n_workers=2");
  const { width } = (await lane.boundingBox())!;
  const card = stream.locator(".ds-card-layer .ds-card");
  await expect
    .poll(async () => {
      // Where it is depends on how long each cell took.
      for (let x = width - 4; x > 0; x -= 8) {
        await lane.hover({ position: { x, y: 6 } });
        const shown = await card.allInnerTexts();
        if (!shown.join().startsWith("In [2]")) continue;
        await lane.dblclick({ position: { x, y: 6 } });
        return active();
      }
      return "";
    })
    .toContain('span("loading")');

  // Inline it is the same panel: in what it selects, and in where it goes.
  await runCells(page, 3);
  const inline = page.locator(".ds-widget");
  await rowOf(inline, "[3]").click();
  await expect(stream.locator(".ds-chip")).toContainText("In [3]");
  await rowOf(inline, "[2]").getByRole("button", { name: "[2]" }).click();
  await expect.poll(active).toContain('span("loading")');
  await expect(stream.locator(".ds-status")).toContainText("40 selected");
  await page.screenshot({ path: info.outputPath("spans.png") });
  await expect(dockPanel(page).first()).toBeVisible();
});
