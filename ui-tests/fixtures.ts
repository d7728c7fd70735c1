// What every browser test uses: a page that fails the test when something of
// ours complains, and the few steps that all stories share.

import {
  expect,
  type IJupyterLabPageFixture,
  test as base,
} from "@jupyterlab/galata";
import type { Locator, Page } from "@playwright/test";
import { expectNothingLeft, watchRepeating } from "./leaks";
import { PORT_STEP } from "./ports";

/** Code of ours: the labextension, or a widget's module (loaded from a blob). */
const OURS = /daskscope|^blob:/i;

/** What JupyterLab throws by itself, without a line of ours on its way. */
const FAULTS_OF_LAB = [
  /_cellToolbarOverlapsContents/, // 4.2, when a notebook is closed
  /future for debug_request[^]*jlab_core/, // 4.2: its debugger asked at the end
  /reading 'observe'[^]*jlab_core/, // 4.6: a notebook is closed just after its cells changed
  /reading 'promise'[^]*jlab_core/, // 4.6: a toolbar that goes just after it came
  /reading 'kernel'[^]*jupyterlab-manager/, // ipywidgets: a notebook without a kernel
];

/** JupyterLab's warning about the time of a start: other tests run at the same time. */
const SLOW_MACHINE = /^Plugin \S+ .*took [\d.]+ms to activate/;

function watchForErrors(page: Page, problems: string[]): void {
  page.on("pageerror", (error) => {
    const text = error.stack ?? error.message;
    // Notebook 7 meets settings and commands of JupyterLab's that it does not know.
    const inNotebook7 =
      page.url().includes("/notebooks/") || text.includes("/static/notebook/");
    if (inNotebook7 && !OURS.test(text)) return;
    const isOfLab = FAULTS_OF_LAB.some((fault) => fault.test(text));
    if (isOfLab && !OURS.test(text)) return;
    problems.push(`exception: ${text}`);
  });
  page.on("console", (message) => {
    const source = message.location().url;
    const ours = OURS.test(source) || OURS.test(message.text());
    if (SLOW_MACHINE.test(message.text())) return;
    if (ours && ["error", "warning"].includes(message.type())) {
      problems.push(`console ${message.type()}: ${message.text()} (${source})`);
    }
  });
}

export const test = base.extend<{ problems: string[]; nothingLeft: void }>({
  baseURL: async ({ baseURL }, use, { parallelIndex }) => {
    const url = new URL(baseURL!);
    url.port = String(Number(url.port) + PORT_STEP * parallelIndex);
    await use(url.origin);
  },
  // Before the page goes anywhere, so that nothing is missed.
  problems: [
    async ({ context }, use) => {
      const problems: string[] = [];
      context.on("page", (page) => watchForErrors(page, problems));
      await watchRepeating(context);
      await use(problems);
      expect(problems, "nothing of ours may complain").toEqual([]);
    },
    { auto: true },
  ],
  nothingLeft: [
    async ({ page }, use, info) => {
      await use();
      try {
        if (info.status === info.expectedStatus) await expectNothingLeft(page);
      } finally {
        // Or the next test finds the kernels of this one.
        await page.evaluate(() =>
          window.jupyterapp.serviceManager.sessions.shutdownAll(),
        );
      }
    },
    { auto: true },
  ],
});
export { expect };

/** Two workers with two threads each, in the kernel's own process: quick to start. */
export const CLIENT = `
from dask.distributed import Client
client = Client(processes=False, n_workers=2, threads_per_worker=2, dashboard_address=":0")
`;

/** A panel as the output of a cell. */
export const SHOW = `
import daskscope
daskscope.TaskStream(client)
`;

/** A notebook with these cells, saved under a path that the test owns, and open. */
export async function notebookWith(
  page: IJupyterLabPageFixture,
  sources: string[],
  name = "story.ipynb",
  kernel = "python3",
): Promise<void> {
  const cells = sources.map((source, index) => ({
    cell_type: "code",
    execution_count: null,
    id: `cell-${index}`,
    metadata: {},
    outputs: [],
    source: source.trim(),
  }));
  const kernelspec = {
    display_name: kernel,
    language: "python",
    name: kernel,
  };
  const metadata = { kernelspec };
  const content = { cells, metadata, nbformat: 4, nbformat_minor: 5 };
  const directory = await page.filebrowser.getCurrentDirectory();
  const path = `${directory}/${name}`;
  await page.contents.uploadContent(JSON.stringify(content), "text", path);
  await page.notebook.openByPath(path);
  await page.notebook.activate(name);
}

/** Where the notebook in front really lies: not each Galata puts it below `tmpPath`. */
export function notebookPath(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { currentWidget } = window.jupyterapp.shell;
    return (currentWidget as unknown as { context: { path: string } }).context
      .path;
  });
}

interface NotebookWidget {
  isVisible: boolean;
  content: { activeCellIndex: number };
}

/** Run cells of the notebook in front one after the other, and wait for their ends. */
export function runCells(page: Page, ...indices: number[]): Promise<void> {
  return page.evaluate(async (wanted) => {
    const { shell, commands } = window.jupyterapp;
    const all = [...shell.widgets("main")] as unknown as NotebookWidget[];
    const notebook = all.find(
      ({ isVisible, content }) => isVisible && content?.activeCellIndex >= 0,
    );
    for (const index of wanted) {
      notebook!.content.activeCellIndex = index;
      await commands.execute("notebook:run-cell");
    }
  }, indices);
}

/** Start a cell without waiting for its end. */
export function startCell(page: Page, index: number): Promise<void> {
  return page.evaluate((wanted) => {
    const { shell, commands } = window.jupyterapp;
    const all = [...shell.widgets("main")] as unknown as NotebookWidget[];
    const notebook = all.find(
      ({ isVisible, content }) => isVisible && content?.activeCellIndex >= 0,
    );
    notebook!.content.activeCellIndex = wanted;
    void commands.execute("notebook:run-cell");
  }, index);
}

export function cellIsBusy(page: Page, index: number): Promise<boolean> {
  const prompt = page.locator(".jp-Notebook .jp-Cell .jp-InputPrompt");
  return prompt
    .nth(index)
    .textContent()
    .then((text) => text?.includes("*") ?? false);
}

/** Whether the kernel that runs, and is idle, can be entered during a cell. */
export function hasSubshells(page: Page): Promise<boolean> {
  return page.evaluate(async () => {
    const { kernels } = window.jupyterapp.serviceManager;
    const [model] = [...kernels.running()];
    const kernel = kernels.connectTo({ model: model!, handleComms: false });
    const info = (await kernel.info) as { supported_features?: string[] };
    kernel.dispose();
    // JupyterLab opens them from 4.4 on.
    if (typeof kernel.requestCreateSubshell !== "function") return false;
    return info.supported_features?.includes("kernel subshells") ?? false;
  });
}

export async function openSidebar(
  page: IJupyterLabPageFixture,
): Promise<Locator> {
  await page.sidebar.openTab("daskscope-sidebar");
  const sidebar = page.locator("#daskscope-sidebar");
  await expect(sidebar).toBeVisible();
  return sidebar;
}

/** The sidebar, and the panel that a click in it opens beside the notebook. */
export async function openTaskStream(
  page: IJupyterLabPageFixture,
): Promise<{ sidebar: Locator; panel: Locator }> {
  const sidebar = await openSidebar(page);
  await sidebar.getByRole("button", { name: "Task stream" }).click();
  return { sidebar, panel: dockPanel(page) };
}

/** Reload as a person does; Galata's own reload waits for the launcher. */
export async function reload(page: Page): Promise<void> {
  const loaded = page.waitForEvent("load");
  await page.evaluate(() => location.reload());
  await loaded;
}

/** Drag with the mouse, as a person does: press, move in steps, let go. */
export async function dragTo(
  page: Page,
  from: Locator,
  x: number,
  y: number,
): Promise<void> {
  const box = (await from.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(x, y, { steps: 12 });
  await page.mouse.up();
}

/** Move the pointer over the plot until it is on a task; returns the card beside it. */
export async function pointAtTask(
  page: Page,
  panel: Locator,
): Promise<Locator> {
  const area = (await panel.locator(".ds-hit").boundingBox())!;
  const card = panel.locator(".ds-card", { hasText: "Click to pin" });
  await expect(async () => {
    for (let y = 8; y < area.height / 2; y += 12) {
      for (const part of [0.3, 0.4, 0.5, 0.6]) {
        await page.mouse.move(area.x + area.width * part, area.y + y);
        if (await card.isVisible()) return;
      }
    }
    throw new Error("no task under the pointer yet");
  }).toPass();
  return card;
}

/** Choose in a panel's menu of clients and notebooks. */
export async function choose(
  panel: Locator,
  what: string | RegExp,
  nth = 0,
): Promise<void> {
  await panel.getByRole("button", { name: "Choose a client" }).click();
  const items = panel.locator(".ds-chooser .ds-menu-item");
  await items.filter({ hasText: what }).nth(nth).click();
}

/** The panels in the dock. */
export function dockPanel(page: Page): Locator {
  return page.locator(".ds-lab-panel");
}

/** How many tasks a panel says it shows: the bold figure of its status line. */
export async function tasksShown(panel: Locator): Promise<number> {
  const lead = panel.getByRole("status").locator("b").first();
  if ((await lead.count()) === 0) return 0;
  return Number(((await lead.textContent()) ?? "0").replaceAll(",", ""));
}

export function expectTasks(
  panel: Locator,
  atLeast: number,
  timeout = 30_000,
): Promise<void> {
  return expect
    .poll(() => tasksShown(panel), { timeout })
    .toBeGreaterThanOrEqual(atLeast);
}
