// What every browser test uses: a page that fails the test when something of
// ours complains, and the few steps that all stories share.

import {
  expect,
  galata,
  type IJupyterLabPageFixture,
  test as base,
} from "@jupyterlab/galata";
import type { ConsoleMessage, Locator, Page, WebError } from "@playwright/test";
import { expectNothingLeft, watchRepeating } from "./leaks";
import { PORTS } from "./ports";

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

const addressOf = (parallelIndex: number): string =>
  `http://localhost:${PORTS[parallelIndex]}`;

/** What an error of a page says of ours, or nothing. */
function complaintOf(error: Error, url: string): string[] {
  const text = error.stack ?? error.message;
  // Notebook 7 meets settings and commands of JupyterLab's that it does not know.
  const inNotebook7 =
    url.includes("/notebooks/") || text.includes("/static/notebook/");
  const isOfLab = inNotebook7 || FAULTS_OF_LAB.some((one) => one.test(text));
  return isOfLab && !OURS.test(text) ? [] : [`exception: ${text}`];
}

/** The same for a message on the console. */
function warningIn(message: ConsoleMessage): string[] {
  const source = message.location().url;
  const ours = OURS.test(source) || OURS.test(message.text());
  if (SLOW_MACHINE.test(message.text()) || !ours) return [];
  return ["error", "warning"].includes(message.type())
    ? [`console ${message.type()}: ${message.text()} (${source})`]
    : [];
}

/** Stories with a JupyterLab that is loaded for them, as those need that reload it. */
export const test = base.extend<{ problems: string[]; nothingLeft: void }>({
  baseURL: async ({}, use, { parallelIndex }) => use(addressOf(parallelIndex)),
  context: async ({ context }, use) => {
    await watchRepeating(context);
    await use(context);
  },
  problems: [
    async ({ context }, use) => {
      const problems: string[] = [];
      const onError = (event: WebError): void =>
        void problems.push(
          ...complaintOf(event.error(), event.page()?.url() ?? ""),
        );
      const onMessage = (message: ConsoleMessage): void =>
        void problems.push(...warningIn(message));
      context.on("weberror", onError).on("console", onMessage);
      await use(problems);
      context.off("weberror", onError).off("console", onMessage);
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

/** The file browser's folder: Galata reads it from breadcrumbs that JupyterLab 4.2 does not have. */
export function currentFolder(page: Page): Promise<string> {
  return page.evaluate(() => {
    const left = [...window.jupyterapp.shell.widgets("left")];
    const browser = left.find(({ id }) => id === "filebrowser");
    return (browser as unknown as { model: { path: string } }).model.path;
  });
}

async function openFolder(page: Page, folder: string): Promise<void> {
  await page.evaluate(async (path) => {
    const { commands } = window.jupyterapp;
    await commands.execute("filebrowser:go-to-path", { path });
  }, folder);
  await expect.poll(() => currentFolder(page)).toBe(folder);
}

async function launcherIsThere(page: Page): Promise<void> {
  await page.locator("#jupyterlab-splash").waitFor({ state: "detached" });
  await page.locator(".jp-Launcher").waitFor();
}

/**
 * Stories in a JupyterLab that is loaded once for all of them. Each has a folder, a notebook and
 * a kernel of its own, and leaves nothing open.
 */
export const testInOpenLab = test.extend<
  object,
  { lab: IJupyterLabPageFixture }
>({
  lab: [
    async ({ browser }, use, { parallelIndex, project }) => {
      const { viewport } = project.use;
      const context = await browser.newContext({ viewport });
      await watchRepeating(context);
      const lab = await galata.initTestPage(
        "/lab",
        false,
        addressOf(parallelIndex),
        true,
        galata.DEFAULT_SETTINGS,
        true,
        true,
        await context.newPage(),
        null,
        null,
        "",
        launcherIsThere,
      );
      await lab.goto("?reset");
      await use(lab);
      await context.close();
    },
    { scope: "worker" },
  ],
  context: async ({ lab }, use) => use(lab.context()),
  page: async ({ lab, tmpPath }, use) => {
    await lab.bringToFront();
    await lab.sidebar.openTab("filebrowser");
    await openFolder(lab, tmpPath);
    await use(lab);
    // Before Galata deletes the folder: JupyterLab opens a dialog if it is in a missing one.
    await openFolder(lab, "");
  },
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
  const directory = await currentFolder(page);
  const path = `${directory}/${name}`;
  await page.contents.uploadContent(JSON.stringify(content), "text", path);
  await page.evaluate(async (at) => {
    const options = { path: at, factory: "Notebook" };
    await window.jupyterapp.commands.execute("docmanager:open", options);
  }, path);
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

/** End the loops of cells that run until there is a file `seen` beside their notebook. */
export async function endLoop(page: IJupyterLabPageFixture): Promise<void> {
  const folder = await currentFolder(page);
  await page.contents.uploadContent("", "text", `${folder}/seen`);
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
    await kernels.refreshRunning();
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
