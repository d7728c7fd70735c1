// How long after a task has finished its row is on the screen, while a cell is
// busy: once waiting for results, once computing in pure Python.

import {
  dockPanel,
  expect,
  expectTasks,
  notebookWith,
  openSidebar,
  startCell,
  test,
} from "../../../ui-tests/fixtures";

const LIMIT_MS = 400;
const TASKS = 2_000;

const CLUSTER = `
import time
from dask.distributed import Client, wait
client = Client(n_workers=2, threads_per_worker=2, dashboard_address=":0")

def work(i):
    time.sleep(0.02)
    return i
`;
const WAITS = `wait(client.map(work, range(${TASKS}), pure=False))`;
const COMPUTES = `
futures = client.map(work, range(${TASKS}), pure=False)
while not all(future.done() for future in futures):
    sum(i * i for i in range(100_000))
`;

interface Probe {
  latencies_ms: number[];
}

/** Note each row that comes, and when it has been drawn: two frames after. */
async function installProbe(): Promise<void> {
  const { page } = await daskscopeCopies()[0]!.code;
  const stores = page.stores as unknown as Map<string, Store>;
  interface Rows {
    rows: number;
    start: Float64Array;
    duration: Float32Array;
  }
  interface Store {
    model: { insert(batch: Rows): void };
    dataVersion: { subscribe(run: () => void): () => void };
  }
  const probe: Probe = { latencies_ms: [] };
  (window as unknown as { probe: Probe }).probe = probe;
  for (const store of stores.values()) {
    let arrived_s: number[] = [];
    const insert = store.model.insert.bind(store.model);
    store.model.insert = (batch) => {
      for (let i = 0; i < batch.rows; i++) {
        arrived_s.push(batch.start[i]! + batch.duration[i]!);
      }
      insert(batch);
    };
    store.dataVersion.subscribe(() => {
      const stops_s = arrived_s;
      arrived_s = [];
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          const now_ms = Date.now();
          for (const stop_s of stops_s) {
            probe.latencies_ms.push(now_ms - stop_s * 1000);
          }
        }),
      );
    });
  }
}

for (const [how, cell] of [
  ["waits", WAITS],
  ["computes", COMPUTES],
] as const) {
  test(`task finished to pixel while a cell ${how}`, async ({ page }) => {
    await notebookWith(page, [CLUSTER, cell]);
    await page.notebook.runCell(0);
    const sidebar = await openSidebar(page);
    await expect(sidebar).toContainText("2 workers");
    await sidebar.getByRole("button", { name: "Task stream" }).click();
    const panel = dockPanel(page);
    await expect(panel).toBeVisible();
    await expect(panel.locator(".ds-status")).toContainText("2 workers");
    await page.evaluate(installProbe);
    await startCell(page, 1);
    await expectTasks(panel, TASKS, 60_000);
    const measured = () =>
      page.evaluate(() =>
        (window as unknown as { probe: Probe }).probe.latencies_ms.sort(
          (a, b) => a - b,
        ),
      );
    // The count of tasks may be told before the last rows are on the screen.
    await expect
      .poll(async () => (await measured()).length)
      .toBeGreaterThanOrEqual(TASKS);
    const latencies_ms = await measured();
    for (const part of [0.5, 0.95, 1]) {
      const index = Math.ceil(latencies_ms.length * part) - 1;
      const figure = {
        bench: "latency",
        metric: `finished to pixel, p${part * 100}, cell ${how}`,
        value: Math.round(latencies_ms[index]!),
        unit: "ms",
        ...(part === 0.95 ? { limit: LIMIT_MS } : {}),
        rows: latencies_ms.length,
      };
      process.stdout.write(`${JSON.stringify(figure)}\n`);
    }
  });
}
