// What travels to a page, and what the agent is asked and answers, with one panel, with four of
// other kinds beside it, and with seven more task streams: a page has one copy of the data.

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
const EIGHT = { rows: 1.01, bytes: 1.05, asked_per_s: 1.15 };
const FIVE = { asked_per_s: 1.2, answered_bytes: 1.2 };

const CLUSTER = `
import time
import daskscope
from dask.distributed import Client, wait
client = Client(n_workers=2, threads_per_worker=2, dashboard_address=":0")

def work(i):
    time.sleep(0.004)
    return i

def count_questions(dask_scheduler):
    """Count what the agent is asked and answers, on its way through the scheduler."""
    import pickle
    dask_scheduler.daskscope_asked = [0, 0]
    def counting(poll):
        def asked(*args, **kwargs):
            answer = poll(*args, **kwargs)
            dask_scheduler.daskscope_asked[0] += 1
            dask_scheduler.daskscope_asked[1] += len(pickle.dumps(answer))
            return answer
        return asked
    for name, handler in list(dask_scheduler.handlers.items()):
        if name.startswith("daskscope_") and name.endswith("_poll"):
            dask_scheduler.handlers[name] = counting(handler)

def questions(dask_scheduler):
    return list(dask_scheduler.daskscope_asked)
`;
const COUNT = `client.run_on_scheduler(count_questions)`;
const WORK = `
before, began = client.run_on_scheduler(questions), time.time()
wait(client.map(work, range(${TASKS}), pure=False))
after, ended = client.run_on_scheduler(questions), time.time()
print(f"asked {(after[0] - before[0]) / (ended - began):.2f} times a second,",
      f"answered {after[1] - before[1]} bytes")
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

test("many panels of a page cost what one costs", async ({ page }) => {
  const counted = countMessages(page);
  await notebookWith(page, [CLUSTER, COUNT, WORK, WORK, SHOW, WORK]);
  await runCells(page, 0);
  const sidebar = await openSidebar(page);
  // One below the other: the notebook keeps its width, and what it shows is seen.
  const open = (panel = "task-stream") =>
    page.evaluate(async (panel) => {
      const { commands, shell } = window.jupyterapp;
      const first = document.querySelector(
        ".jp-MainAreaWidget:has(.ds-lab-panel)",
      );
      const widget = await commands.execute("daskscope:open", {
        panel,
      });
      const ref = first?.id;
      if (ref) shell.add(widget, "main", { mode: "split-bottom", ref });
    }, panel);
  await open();
  await expect(dockPanel(page).first()).toContainText("2 workers");
  await expect(sidebar).toContainText("2 workers");

  const run = async (cell: number, tasks: number) => {
    const before = { ...counted };
    await runCells(page, cell);
    const panels = await page
      .locator(".ds-lab-panel, .ds-widget")
      .filter({ has: page.locator(".ds-hit") })
      .all();
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
    const said = (await output.textContent())!;
    return {
      bytes: counted.bytes - before.bytes,
      rows: counted.rows - before.rows,
      keys: counted.keys - before.keys,
      asked_per_s: Number(/asked ([\d.]+)/.exec(said)![1]),
      answered_bytes: Number(/answered (\d+)/.exec(said)![1]),
    };
  };
  await runCells(page, 1);
  const one = await run(2, TASKS);
  const kinds = ["summary", "events", "logs", "system"];
  for (const kind of kinds) await open(kind);
  await expect(page.locator(".ds-lab-panel")).toHaveCount(5);
  const five = await run(3, 2 * TASKS);
  await page.evaluate((kinds) => {
    for (const widget of [...window.jupyterapp.shell.widgets("main")]) {
      const made = kinds.some((kind) =>
        widget.id.startsWith(`daskscope-${kind}-`),
      );
      if (made) widget.close();
    }
  }, kinds);
  await expect(page.locator(".ds-lab-panel")).toHaveCount(1);
  await runCells(page, 4);
  await expect(page.locator(".ds-widget")).toHaveCount(4);
  for (let i = 0; i < 3; i++) await open();
  await expect(dockPanel(page)).toHaveCount(4);
  const eight = await run(5, 3 * TASKS);

  const report = (
    metric: string,
    value: number,
    limit: number,
    more: object,
  ): void => {
    const figure = {
      bench: "many_panels",
      metric,
      value: Number(value.toFixed(3)),
      unit: "ratio",
      limit,
      ...more,
      tasks: TASKS,
    };
    process.stdout.write(`${JSON.stringify(figure)}\n`);
  };
  for (const [metric, of] of [
    ["rows from kernel to page with eight panels to one", "rows"],
    ["bytes from kernel to page with eight panels to one", "bytes"],
    ["questions to the agent with eight panels to one", "asked_per_s"],
  ] as const) {
    const more = { one: one[of], eight: eight[of] };
    report(metric, eight[of] / one[of], EIGHT[of], more);
  }
  for (const [metric, of] of [
    ["questions to the agent with five panels to one", "asked_per_s"],
    ["bytes from the agent with five panels to one", "answered_bytes"],
  ] as const) {
    report(metric, five[of] / one[of], FIVE[of], {
      one: one[of],
      five: five[of],
    });
  }
});
