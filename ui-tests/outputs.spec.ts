// Outputs that nobody can see cost nothing, and come back right.

import type { Page } from "@playwright/test";
import {
  cellIsBusy,
  CLIENT,
  expect,
  expectTasks,
  notebookWith,
  reload,
  runCells,
  SHOW,
  startCell,
  tasksShown,
  test,
} from "./fixtures";

const COUNT = 300;
const WORK = `
import time

def slow(x):
    time.sleep(0.05)
    return x

total = sum(client.gather(client.map(slow, range(${COUNT}), pure=False)))
`;

interface Counting {
  /** How often any canvas of a panel was painted. */
  paints?: number;
}

/** Count what is painted, from the page's first script on. */
async function countPaints(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const counting = window as Counting;
    counting.paints = 0;
    const { prototype } = CanvasRenderingContext2D;
    for (const name of ["clearRect", "fillRect", "putImageData"] as const) {
      const paint = prototype[name] as (...args: unknown[]) => void;
      (prototype as unknown as Record<string, unknown>)[name] = function (
        this: CanvasRenderingContext2D,
        ...args: unknown[]
      ) {
        counting.paints! += 1;
        return paint.apply(this, args);
      };
    }
  });
}

const paints = (page: Page) =>
  page.evaluate(() => (window as Counting).paints!);

/** A command of JupyterLab's menu on the notebook in front. */
const command = (page: Page, name: string) =>
  page.evaluate(
    (id) => window.jupyterapp.commands.execute(id) as Promise<void>,
    `notebook:${name}`,
  );

function scrollTo(page: Page, where: "start" | "end"): Promise<void> {
  return page
    .locator(".jp-Notebook .jp-WindowedPanel-outer")
    .first()
    .evaluate((node, to) => {
      node.scrollTop = to === "end" ? node.scrollHeight : 0;
    }, where);
}

test.describe("an output that nobody can see", () => {
  test.use({ autoGoto: false });

  for (const how of ["scrolled out", "collapsed"] as const) {
    test(
      `is not drawn while it is ${how}, and comes back whole`,
      { tag: "@all" },
      async ({ page }) => {
        await countPaints(page);
        await page.goto();
        const rest = Array.from({ length: 30 }, () => "# line\n".repeat(8));
        await notebookWith(page, [CLIENT, SHOW, WORK, ...rest]);
        await runCells(page, 0, 1);
        const panel = page.locator(".ds-widget");
        // Without subshells a kernel hears of a panel only between cells.
        await expect(panel).toContainText("2 workers");
        await startCell(page, 2);
        await expectTasks(panel, 20);
        const drawn = await paints(page);
        await expect.poll(() => paints(page)).toBeGreaterThan(drawn);

        if (how === "collapsed") await command(page, "hide-all-cell-outputs");
        else await scrollTo(page, "end");
        await expect(panel).not.toBeInViewport();
        // A frame may be under way when the output goes out of sight.
        await page.evaluate(
          () =>
            new Promise((done) =>
              requestAnimationFrame(() => requestAnimationFrame(done)),
            ),
        );
        const hidden = await paints(page);
        await expect
          .poll(() => cellIsBusy(page, 2), { timeout: 60_000 })
          .toBe(false);
        expect(await paints(page), "paints while out of sight").toBe(hidden);

        if (how === "collapsed") {
          await command(page, "show-all-cell-outputs");
        } else {
          await scrollTo(page, "start");
        }
        await expect(panel).toBeInViewport();
        await expect.poll(() => tasksShown(panel)).toBe(COUNT);
        expect(await paints(page)).toBeGreaterThan(hidden);
      },
    );
  }
});

test(
  "an inline panel comes back with its data when the page is reloaded",
  { tag: "@all" },
  async ({ page }) => {
    await notebookWith(page, [CLIENT, SHOW, WORK]);
    await runCells(page, 0, 1, 2);
    const panel = page.locator(".ds-widget");
    await expectTasks(panel, COUNT);
    await page.notebook.save();
    await reload(page);
    await expect(panel).toBeVisible({ timeout: 60_000 });
    await expectTasks(panel, COUNT);
    expect(await tasksShown(panel)).toBe(COUNT);
  },
);
