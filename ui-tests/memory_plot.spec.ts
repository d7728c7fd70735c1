// What `ms.plot()` shows moves while the block that is sampled runs, in the same cell. Without
// subshells the kernel hears of a plot between cells only: there it is shown in an earlier one.

import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import type { Locator, Page, TestInfo } from "@playwright/test";
import {
  cellIsBusy,
  CLIENT,
  endLoop,
  expect,
  hasSubshells,
  notebookPath,
  notebookWith,
  runCells,
  startCell,
  testInOpenLab as test,
} from "./fixtures";

const MAKE = `${CLIENT}
import daskscope, os, time
from IPython.display import display

ms = daskscope.MemorySampler()
plot = ms.plot(layout={"height": "360px"})
shown = False
`;
const SHOW = `
display(plot)
shown = True
`;
const SHOW_AND_SAMPLE = `
if not shown:
    display(plot)
with ms.sample("growing <b>list</b>", interval=0.1):
    kept = []
    while not os.path.exists("seen"):
        kept.append(bytearray(3_000_000))
        time.sleep(0.2)
`;
const CLOSE = `
for plot in list(ms._plots):
    plot.close()
client.close()
`;

/** How many samples its status line counts. */
const samplesIn = (plot: Locator): Promise<number> =>
  plot
    .locator(".ds-status")
    .innerText()
    .then((text) => Number(/([\d,]+) samples?/.exec(text)?.[1] ?? 0));

/** The share of the canvas, from its left edge, that the first line reaches. */
const reachOf = (plot: Locator): Promise<number> =>
  plot
    .locator(".ds-time-plot canvas")
    .first()
    .evaluate((node) => {
      const canvas = node as HTMLCanvasElement;
      const { data } = canvas
        .getContext("2d")!
        .getImageData(0, 0, canvas.width, canvas.height);
      let last = 0;
      for (let at = 0; at < data.length; at += 4) {
        const is = [0x5a, 0x73, 0xde].every((c, i) => c === data[at + i]);
        if (is) last = Math.max(last, (at / 4) % canvas.width);
      }
      return last / canvas.width;
    });

async function expectItGrows(
  page: Page,
  lab: IJupyterLabPageFixture,
  isBusy: () => Promise<boolean>,
  info: TestInfo,
): Promise<void> {
  const plot = page.locator(".ds-widget .ds-root");
  await expect.poll(() => samplesIn(plot)).toBeGreaterThan(5);
  const early = { samples: await samplesIn(plot), reach: await reachOf(plot) };
  await expect.poll(() => samplesIn(plot)).toBeGreaterThan(early.samples + 15);
  expect(await reachOf(plot)).toBeGreaterThan(early.reach);
  await expect(plot.locator(".ds-state")).toHaveText("Live");
  await page.screenshot({ path: info.outputPath("live.png") });
  expect(await isBusy(), "the cell that samples still runs").toBe(true);

  await endLoop(lab);
  await expect.poll(isBusy).toBe(false);
  await expect(plot.locator(".ds-state")).toHaveCount(0);
  await expect(plot.locator(".ds-legend-name")).toHaveText(
    "growing <b>list</b>",
  );
  await expect(plot.locator(".ds-status")).toContainText(
    /1 run.+peak [\d.]+ [KMG]iB in growing.+limit/,
  );
  await page.screenshot({ path: info.outputPath("ended.png") });
}

test("ms.plot() grows in the busy cell that samples", async ({
  page,
}, info) => {
  await notebookWith(page, [MAKE, SHOW, SHOW_AND_SAMPLE, CLOSE]);
  await runCells(page, 0);
  if (!(await hasSubshells(page))) {
    await runCells(page, 1);
    await expect(page.locator(".ds-widget .ds-root")).toBeVisible();
  }
  await startCell(page, 2);
  await expectItGrows(page, page, () => cellIsBusy(page, 2), info);
  await runCells(page, 3);
});

test(
  "ms.plot() grows in the busy cell that samples, in Notebook 7",
  { tag: "@all" },
  async ({ page, baseURL }, info) => {
    await notebookWith(page, [MAKE, SHOW, SHOW_AND_SAMPLE, CLOSE]);
    const tab = await page.context().newPage();
    await tab.goto(`${baseURL}/notebooks/${await notebookPath(page)}`);
    const cells = tab.locator(".jp-Notebook .jp-CodeCell");
    await expect(cells).toHaveCount(4);
    const prompt = (at: number) => cells.nth(at).locator(".jp-InputPrompt");
    // Before that, a cell that is run asks for a kernel.
    await expect(
      tab.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]'),
    ).toBeVisible();
    await cells.nth(0).click();
    await tab.keyboard.press("Shift+Enter");
    await expect(prompt(0)).toHaveText("[1]:");
    if (await hasSubshells(page)) {
      await cells.nth(2).click();
    } else {
      await tab.keyboard.press("Shift+Enter");
      await expect(tab.locator(".ds-widget .ds-root")).toBeVisible();
    }
    await tab.keyboard.press("Shift+Enter");
    const isBusy = async (): Promise<boolean> =>
      (await prompt(2).innerText()).includes("*");
    await expectItGrows(tab, page, isBusy, info);
    await tab.keyboard.press("Shift+Enter");
    await expect(prompt(3)).not.toHaveText(/^\[[ *]?\]:$/);
    await tab.close();
  },
);
