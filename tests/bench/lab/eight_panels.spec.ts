// What travels to a page, and how often the agent is asked, with one panel and with
// eight, four in the dock and four in the notebook: a page has one copy of the data.

import type { Page } from "@playwright/test";
import {
  dockPanel,
  expect,
  expectTasks,
  notebookWith,
  openSidebar,
  runCells,
  test,
} from "../../../ui-tests/fixtures";

const TASKS = 4_000;
/** A run has a transfer more or less; how often was asked is a rate, with its noise. */
const LIMITS = { rows: 1.01, bytes: 1.05, asked_per_s: 1.15 };

const CLUSTER = `
import time
import daskscope
from dask.distributed import Client, wait
client = Client(n_workers=2, threads_per_worker=2, dashboard_address=":0")

def work(i):
    time.sleep(0.004)
    return i

def count_questions(dask_scheduler):
    """Count how often the agent is asked, on its way through the scheduler."""
    dask_scheduler.daskscope_asked = 0
    def counting(poll):
        def asked(*args, **kwargs):
            dask_scheduler.daskscope_asked += 1
            return poll(*args, **kwargs)
        return asked
    for name, handler in list(dask_scheduler.handlers.items()):
        if name.startswith("daskscope_") and name.endswith("_poll"):
            dask_scheduler.handlers[name] = counting(handler)

def questions(dask_scheduler):
    return dask_scheduler.daskscope_asked
`;
const COUNT = `client.run_on_scheduler(count_questions)`;
const WORK = `
before, began = client.run_on_scheduler(questions), time.time()
wait(client.map(work, range(${TASKS}), pure=False))
after, ended = client.run_on_scheduler(questions), time.time()
print(f"asked {(after - before) / (ended - began):.2f} times a second")
`;
const SHOW = `
from ipywidgets import VBox
VBox([daskscope.TaskStream(client) for _ in range(4)])
`;

interface Counted {
  /** Beside statuses, which come by the clock. */
  bytes: number;
  rows: number;
  keys: number;
}

/** What our messages bring to the page, over whichever comm. */
function countMessages(page: Page): Counted {
  const counted = { bytes: 0, rows: 0, keys: 0 };
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      const data = Buffer.from(payload).toString("latin1");
      if (!data.includes('"comm_msg"') || !data.includes('"page"')) return;
      const type = /"type": ?"(\w+)"/.exec(data)?.[1];
      if (type !== "status") counted.bytes += data.length;
      const rows = /"type": ?"batch".*?"rows": ?(\d+)/s.exec(data);
      if (rows) counted.rows += Number(rows[1]);
      const blocks = /"type": ?"keys".*?"blocks": ?(\[.*?\])/s.exec(data);
      if (blocks) {
        const all = JSON.parse(blocks[1]!) as { tasks: number }[];
        for (const { tasks } of all) counted.keys += tasks;
      }
    }),
  );
  return counted;
}

test("eight panels of a page cost what one costs", async ({ page }) => {
  const counted = countMessages(page);
  await notebookWith(page, [CLUSTER, COUNT, WORK, SHOW, WORK]);
  await runCells(page, 0);
  const sidebar = await openSidebar(page);
  // One below the other: the notebook keeps its width, and what it shows is seen.
  const open = () =>
    page.evaluate(async () => {
      const { commands, shell } = window.jupyterapp;
      const first = document.querySelector(
        ".jp-MainAreaWidget:has(.ds-lab-panel)",
      );
      const widget = await commands.execute("daskscope:open", {
        panel: "task-stream",
      });
      const ref = first?.id;
      if (ref) shell.add(widget, "main", { mode: "split-bottom", ref });
    });
  await open();
  await expect(dockPanel(page).first()).toContainText("2 workers");
  await expect(sidebar).toContainText("2 workers");

  const run = async (cell: number, tasks: number) => {
    const before = { ...counted };
    await runCells(page, cell);
    const panels = await page.locator(".ds-lab-panel, .ds-widget").all();
    for (const panel of panels) {
      await panel.scrollIntoViewIfNeeded();
      await expectTasks(panel, tasks, 60_000);
    }
    // They come when rows pause: a run has cost what it costs only with them.
    await expect
      .poll(() => counted.keys - before.keys, { timeout: 30_000 })
      .toBeGreaterThanOrEqual(TASKS);
    const output = page.locator(".jp-Cell").nth(cell);
    await expect(output).toContainText("times a second");
    const asked = /asked ([\d.]+)/.exec((await output.textContent())!)!;
    return {
      bytes: counted.bytes - before.bytes,
      rows: counted.rows - before.rows,
      keys: counted.keys - before.keys,
      asked_per_s: Number(asked[1]),
    };
  };
  await runCells(page, 1);
  const one = await run(2, TASKS);
  await runCells(page, 3);
  await expect(page.locator(".ds-widget")).toHaveCount(4);
  for (let i = 0; i < 3; i++) await open();
  await expect(dockPanel(page)).toHaveCount(4);
  const eight = await run(4, 2 * TASKS);

  for (const [metric, of] of [
    ["rows from kernel to page with eight panels to one", "rows"],
    ["bytes from kernel to page with eight panels to one", "bytes"],
    ["questions to the agent with eight panels to one", "asked_per_s"],
  ] as const) {
    const figure = {
      bench: "eight_panels",
      metric,
      value: Number((eight[of] / one[of]).toFixed(3)),
      unit: "ratio",
      limit: LIMITS[of],
      one: one[of],
      eight: eight[of],
      keys_one: one.keys,
      keys_eight: eight.keys,
      tasks: TASKS,
    };
    process.stdout.write(`${JSON.stringify(figure)}\n`);
  }
});
