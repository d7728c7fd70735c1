// Kernels that are not as one would wish: without daskscope, with an asynchronous
// client, with a scheduler that dies and comes back.

import {
  cellIsBusy,
  CLIENT,
  expect,
  expectTasks,
  notebookWith,
  openTaskStream,
  pointAtTask,
  runCells,
  startCell,
  tasksShown,
  test,
  currentFolder,
} from "./fixtures";

const SOURCES = `${import.meta.dirname}/../py_src`;

test(
  "a panel says how to install daskscope where the kernel lacks it, then starts",
  { tag: "@all" },
  async ({ page }, info) => {
    const install = `import sys; sys.path.insert(0, ${JSON.stringify(SOURCES)})`;
    const cells = [
      CLIENT,
      install,
      "kept = client.gather(client.map(abs, [1]))",
    ];
    await notebookWith(page, cells, "story.ipynb", "bare");
    const { panel } = await openTaskStream(page);
    await runCells(page, 0);
    await expect(panel).toContainText("not installed in this kernel");
    await expect(panel).toContainText("%pip install daskscope");
    await page.screenshot({ path: info.outputPath("missing.png") });
    // As good as an installation: the next look finds it, without a restart.
    await runCells(page, 1);
    await expect(panel).toContainText("2 workers");
    await runCells(page, 2);
    await expectTasks(panel, 1);
  },
);

const ASYNC_CLIENT = `
from dask.distributed import Client
client = await Client(asynchronous=True, processes=False, n_workers=1,
                      threads_per_worker=2, dashboard_address=":0")
`;
const ASYNC_WORK = `
import time

def slow(x):
    time.sleep(0.05)
    return x

results = await client.gather(client.map(slow, range(600), pure=False))
`;

test(
  "an asynchronous client is watched while its cell awaits",
  { tag: "@all" },
  async ({ page }) => {
    await notebookWith(page, [ASYNC_CLIENT, ASYNC_WORK]);
    const { sidebar, panel } = await openTaskStream(page);
    await runCells(page, 0);
    await expect(sidebar).toContainText("1 worker");
    await startCell(page, 1);
    await expectTasks(panel, 30);
    expect(await cellIsBusy(page, 1)).toBe(true);
    await expectTasks(panel, 600, 60_000);
  },
);

const SCHEDULER = `
import subprocess, sys
from dask.distributed import Client

def dask(kind, *arguments):
    command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--no-dashboard"]
    return subprocess.Popen([*command, *arguments], stderr=subprocess.DEVNULL)

def start(port):
    scheduler = dask("scheduler", "--host=127.0.0.1", f"--port={port}", "--no-show")
    worker = dask("worker", f"tcp://127.0.0.1:{port}", "--nthreads=2", "--no-nanny",
                  "--memory-limit=0", "--death-timeout=60")
    return scheduler, worker

import socket
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
scheduler, worker = start(port)
`;
const SYNC_CLIENT = `
client = Client(f"tcp://127.0.0.1:{port}", timeout=60)
client.wait_for_workers(1)
`;
const REMOTE_ASYNC_CLIENT = `
client = await Client(f"tcp://127.0.0.1:{port}", timeout=60, asynchronous=True)
await client.wait_for_workers(1)
`;
/** Blocks the thread on which an asynchronous client lives, until the test says go. */
const BLOCK = `
import asyncio, time
from pathlib import Path

def slow(x):
    time.sleep(0.05)
    return x

futures = client.map(slow, range(400), pure=False)
await asyncio.sleep(0.5)  # so they are sent
while not Path("go.txt").exists():
    time.sleep(0.05)
`;
const ASYNC_STOP = "await client.close(); scheduler.kill(); worker.kill()";

test(
  "a panel goes on answering while a cell blocks the thread of an asynchronous client",
  { tag: "@all" },
  async ({ page }, info) => {
    const cells = [SCHEDULER, REMOTE_ASYNC_CLIENT, BLOCK, ASYNC_STOP];
    await notebookWith(page, cells);
    const directory = await currentFolder(page);
    const { sidebar, panel } = await openTaskStream(page);
    await runCells(page, 0, 1);
    await expect(sidebar).toContainText("1 worker");
    await startCell(page, 2);
    await expectTasks(panel, 30);
    const early = await tasksShown(panel);
    await expectTasks(panel, early + 30);

    const plot = (await panel.locator(".ds-hit").boundingBox())!;
    await page.mouse.move(plot.x + plot.width / 2, plot.y + plot.height - 20);
    await page.mouse.wheel(0, -200);
    await expect(panel.locator(".ds-crumbs")).not.toHaveText("Whole run");
    await page.mouse.wheel(-300, 0);
    await expect(panel.locator(".ds-go")).toBeVisible();
    await page.mouse.move(plot.x + plot.width / 2, plot.y + 5);
    await page.keyboard.press("f");
    const card = await pointAtTask(page, panel);
    await expect(card).toContainText(/slow-[0-9a-f]{8}/);
    await page.screenshot({ path: info.outputPath("blocked.png") });
    await panel.getByRole("button", { name: "Search key or prefix" }).click();
    await page.keyboard.type("slow");
    await expect(panel.locator(".ds-search-found")).toHaveText(/prefix|task/);
    await expectTasks(panel, 400, 60_000);
    expect(await cellIsBusy(page, 2)).toBe(true);

    await page.contents.uploadContent("", "text", `${directory}/go.txt`);
    await expect.poll(() => cellIsBusy(page, 2)).toBe(false);
    expect(await tasksShown(panel)).toBe(400);
    await runCells(page, 3);
  },
);

const KILL = `
scheduler.kill(); worker.kill()
scheduler.wait(), worker.wait()
`;
const START = `
scheduler, worker = start(port)
import time
end = time.time() + 60
while not (client.status == "running" and client.scheduler_info()["workers"]):
    assert time.time() < end, client.status
    time.sleep(0.1)
`;
const WORK = "kept = client.gather(client.map(abs, range(25), pure=False))";
const STOP = "client.close(); scheduler.kill(); worker.kill()";

test(
  "a panel survives a scheduler that is killed and started again",
  { tag: "@all" },
  async ({ page }, info) => {
    await notebookWith(page, [
      SCHEDULER + SYNC_CLIENT,
      WORK,
      KILL,
      START,
      WORK,
      STOP,
    ]);
    const { sidebar, panel } = await openTaskStream(page);
    await runCells(page, 0);
    await expect(sidebar).toContainText("1 worker");
    await runCells(page, 1);
    await expectTasks(panel, 25);
    await runCells(page, 2);
    await expect(panel).toContainText(
      /waiting for the scheduler|does not answer/,
    );
    expect(await tasksShown(panel), "the picture is kept").toBe(25);
    await page.screenshot({ path: info.outputPath("scheduler-gone.png") });
    await runCells(page, 3);
    // What finishes before the new scheduler has an agent is in the gap.
    await expect(panel).toContainText("live");
    await runCells(page, 4);
    await expectTasks(panel, 50);
    await page.screenshot({ path: info.outputPath("scheduler-back.png") });
    await runCells(page, 5);
  },
);
