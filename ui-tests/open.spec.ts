// A recording and a report open in JupyterLab by a double click, without a kernel.

import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import type { Locator, Page } from "@playwright/test";
import {
  CLIENT,
  expect,
  notebookWith,
  reload,
  runCells,
  tasksShown,
  test,
  testInOpenLab,
  currentFolder,
} from "./fixtures";

test.use({ kernels: null, sessions: null, autoGoto: true });

const TASKS = 300;

const RECORD = `
import logging
import daskscope

def work(number):
    if number % 100 == 99:
        raise ValueError(f"no {number}")
    return number

with daskscope.record(client, "run.daskscope"):
    logging.getLogger("distributed.worker").warning("a line of the story")
    client.gather(client.map(work, range(${TASKS}), pure=False), errors="skip")
client.close()
`;

const REPORT = `
import logging
import daskscope

with daskscope.performance_report("my-dask-report.html", title="<b>Mine</b>"):
    logging.getLogger("distributed.worker").warning("a line of the story")
    client.gather(client.map(abs, range(-${TASKS}, 0), pure=False))
client.close()
`;

/** Make files with a kernel, then end it: what opens them has none. */
async function made(
  page: IJupyterLabPageFixture,
  source: string,
): Promise<void> {
  await notebookWith(page, [CLIENT, source]);
  await runCells(page, 0, 1);
  await page.evaluate(async () => {
    const app = window.jupyterapp;
    await app.serviceManager.sessions.shutdownAll();
    for (const widget of [...app.shell.widgets("main")]) widget.dispose();
    await app.commands.execute("filebrowser:refresh");
  });
}

const fileItem = (page: Page, name: string): Locator =>
  page.locator(".jp-DirListing-item", { hasText: name });

/** Where the files of a notebook are: not each Galata puts it into the folder of its test. */
const inFolder = async (
  page: IJupyterLabPageFixture,
  name: string,
): Promise<string> => `${await currentFolder(page)}/${name}`.replace(/^\//, "");

const report = (page: Page): Locator => page.locator(".ds-lab-report");

async function openTab(panel: Locator, name: string): Promise<Locator> {
  await panel.getByRole("tab", { name }).click();
  return panel.getByRole("tabpanel", { name });
}

async function expectAllTasks(panel: Locator): Promise<void> {
  const stream = await openTab(panel, "Task stream");
  await expect.poll(() => tasksShown(stream)).toBe(TASKS);
  await expect(
    stream.getByText(`${TASKS} of ${TASKS} tasks`).first(),
  ).toBeVisible();
}

/** Every tab has something of the run, and none is at a loss. */
async function expectAllPanels(
  panel: Locator,
  page: Page,
  path: (name: string) => string,
): Promise<void> {
  const said = {
    Summary: "Threads busy",
    "Task stream": `${TASKS} of ${TASKS} tasks`,
    "Fine performance metrics": "Accounts for",
    "Spans and cells": `${TASKS} of ${TASKS} tasks belong to a cell`,
    Memory: "Cluster",
    "Errors and events": "worker",
    Logs: "a line of the story",
    System: "Scheduler",
  };
  for (const [name, text] of Object.entries(said)) {
    const tab = await openTab(panel, name);
    await expect(tab.getByText(text).first()).toBeVisible();
    await page.screenshot({ path: path(`tab-${name}.png`) });
  }
}

testInOpenLab(
  "a recording opens with a double click",
  async ({ page }, info) => {
    await made(page, RECORD);
    await fileItem(page, "run.daskscope").dblclick();
    await expect(report(page)).toBeVisible();
    await expectAllTasks(report(page));
    await page.screenshot({ path: info.outputPath("recording.png") });
    const events = await openTab(report(page), "Errors and events");
    await expect(events.getByText("ValueError").first()).toBeVisible();
    await expectAllPanels(report(page), page, (name) => info.outputPath(name));
    // What one panel selects, the others show.
    const stream = report(page).getByRole("tabpanel", { name: "Task stream" });
    const spans = await openTab(report(page), "Spans and cells");
    await spans.locator("[aria-level]", { hasText: "[2]" }).first().click();
    await openTab(report(page), "Task stream");
    await expect(stream.locator(".ds-chip")).toContainText("In [2]");
    const metrics = await openTab(report(page), "Fine performance metrics");
    await metrics.getByRole("button", { name: "By function" }).click();
    await metrics
      .getByRole("list")
      .getByRole("button", { name: "work" })
      .click();
    await openTab(report(page), "Task stream");
    await expect(stream.locator(".ds-crumbs").first()).toContainText("work");
    expect(
      await page.evaluate(
        () => [...window.jupyterapp.serviceManager.sessions.running()].length,
      ),
    ).toBe(0);
  },
);

test(
  "a report opens with a double click, under its title, and survives a reload",
  { tag: "@all" },
  async ({ page }, info) => {
    await made(page, REPORT);
    await fileItem(page, "my-dask-report.html").dblclick();
    await expect(
      report(page).getByRole("heading", { name: "<b>Mine</b>" }),
    ).toBeVisible();
    const label = page.locator(".lm-TabBar-tab.lm-mod-current", {
      hasText: "<b>Mine</b>",
    });
    await expect(label).toBeVisible();
    await page.screenshot({ path: info.outputPath("report.png") });
    await expectAllPanels(report(page), page, (name) => info.outputPath(name));
    await expectLayout(page, /Dask report:/);
    await reload(page);
    await expect(
      report(page).getByRole("heading", { name: "<b>Mine</b>" }),
    ).toBeVisible();
    await expectAllTasks(report(page));
    await page.evaluate(() =>
      window.jupyterapp.commands.execute("apputils:change-theme", {
        theme: "JupyterLab Dark",
      }),
    );
    await openTab(report(page), "Summary");
    await page.screenshot({ path: info.outputPath("report-dark.png") });
  },
);

test(
  "a report under any name opens with a double click; other pages as ever",
  { tag: "@all" },
  async ({ page, problems }, info) => {
    await made(page, REPORT.replace("my-dask-report", "monday"));
    await page.contents.uploadContent(
      "<!doctype html><p>a page of mine</p>",
      "text",
      await inFolder(page, "mine.html"),
    );
    await page.filebrowser.refresh();
    const viewer = page.locator(".jp-HTMLViewer");
    const heading = report(page).getByRole("heading", {
      name: "<b>Mine</b>",
    });
    await fileItem(page, "monday.html").dblclick();
    await expect(heading).toBeVisible();
    await expect(viewer).toHaveCount(0);
    await fileItem(page, "mine.html").dblclick();
    await expect(viewer).toHaveCount(1);

    // Whoever asks for the other viewer has it, and the way to the panels.
    const monday = await inFolder(page, "monday.html");
    const choose = () =>
      page.evaluate(
        (path) =>
          window.jupyterapp.commands.execute("docmanager:open", {
            path,
            factory: "HTML Viewer",
          }),
        monday,
      );
    await choose();
    const button = page.getByRole("button", { name: "Open as Dask report" });
    await expect(button).toBeVisible();
    await expect(viewer).toHaveCount(2);
    await page.screenshot({ path: info.outputPath("viewer.png") });
    await button.click();
    await expect(heading).toBeVisible();
    await expect(viewer).toHaveCount(2);

    // Chosen once more while it is open, it is chosen no longer than that.
    const close = () =>
      page.evaluate(() =>
        window.jupyterapp.commands.execute("application:close"),
      );
    await close();
    await expect(heading).toHaveCount(0);
    await choose();
    await expect(button).toBeVisible();
    await close();
    await expect(viewer).toHaveCount(1);
    await fileItem(page, "monday.html").dblclick();
    await expect(heading).toBeVisible();
    await expect(viewer).toHaveCount(1);
    // The viewer lets no page run its scripts, and the browser says so.
    const refused = /sandboxed|Content Security Policy/;
    const others = problems.filter((text) => !refused.test(text));
    problems.splice(0, problems.length, ...others);
  },
);

/** The layout is saved a moment after it changed. */
function expectLayout(
  page: IJupyterLabPageFixture,
  pattern: RegExp,
): Promise<void> {
  return expect
    .poll(() =>
      page.evaluate(async () => {
        const { workspaces } = window.jupyterapp.serviceManager as unknown as {
          workspaces: { list(): Promise<{ values: unknown[] }> };
        };
        return JSON.stringify((await workspaces.list()).values);
      }),
    )
    .toMatch(pattern);
}

test(
  "a tab that was restored behind another fetches its report when it is shown",
  { tag: "@all" },
  async ({ page }) => {
    const copied = `${REPORT}\nimport shutil\nshutil.copy("my-dask-report.html", "b-dask-report.html")`;
    await made(page, copied);
    const shown = report(page)
      .getByRole("heading", { name: "<b>Mine</b>" })
      .filter({ visible: true });
    await fileItem(page, "my-dask-report.html").dblclick();
    await expect(shown).toBeVisible();
    await fileItem(page, "b-dask-report.html").dblclick();
    await expect(report(page)).toHaveCount(2);
    await expect(shown).toBeVisible();
    await expectLayout(page, /"current":"[^"]*\bb-dask-report\.html"/);
    const fetched: string[] = [];
    page.on("request", (request) => {
      const name = /\/files\/.*?([\w-]+\.html)/.exec(request.url())?.[1];
      if (name) fetched.push(name);
    });
    await reload(page);
    await expect(shown).toBeVisible();
    expect(fetched).toEqual(["b-dask-report.html"]);
    const behind = page.locator(".lm-DockPanel-tabBar .lm-TabBar-tab", {
      hasText: "my-dask-report.html",
    });
    await behind.click();
    await expect(behind).toHaveCount(0); // it has its title
    await expect(shown).toBeVisible();
    expect(fetched).toEqual(["b-dask-report.html", "my-dask-report.html"]);
  },
);

test(
  "an opened file is left as it is, and no copy of it is made",
  { tag: "@all" },
  async ({ page }) => {
    await made(page, REPORT);
    const path = await inFolder(page, "my-dask-report.html");
    const onServer = () =>
      page.evaluate(async (wanted) => {
        const { contents } = window.jupyterapp.serviceManager;
        const checkpoints = await contents.listCheckpoints(wanted);
        const { size, last_modified } = await contents.get(wanted, {
          content: false,
        });
        return { checkpoints, size, last_modified };
      }, path);
    const before = await onServer();
    expect(before).toMatchObject({ checkpoints: [] });
    await fileItem(page, "my-dask-report.html").dblclick();
    await expect(
      report(page).getByRole("heading", { name: "<b>Mine</b>" }),
    ).toBeVisible();
    await page.keyboard.press("Control+s");
    for (const command of ["docmanager:save", "docmanager:save-all"]) {
      await page.evaluate(
        (id) => window.jupyterapp.commands.execute(id),
        command,
      );
    }
    await expect(page.getByRole("dialog")).toHaveCount(0);
    expect(await onServer()).toEqual(before);

    void page.evaluate(() =>
      window.jupyterapp.commands.execute("docmanager:save-as"),
    );
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("duplicate it in the file browser");
    await dialog.getByRole("button", { name: "Ok" }).click();
    expect(await onServer()).toEqual(before);
  },
);

test(
  "files that are no recordings say so in their tab",
  { tag: "@all" },
  async ({ page, tmpPath }) => {
    await page.contents.uploadContent(
      "PK, but no zip",
      "text",
      `${tmpPath}/broken.daskscope`,
    );
    await page.contents.uploadContent(
      "<!doctype html><script>window.hacked = 1</script><p>mine</p>",
      "text",
      `${tmpPath}/dask-report.html`,
    );
    await page.filebrowser.refresh();
    for (const name of ["broken.daskscope", "dask-report.html"]) {
      await fileItem(page, name).dblclick();
      const alert = page.getByRole("alert").filter({ hasText: name });
      await expect(alert).toContainText(`${name} cannot be opened`);
      await expect(alert).toContainText("Only files that daskscope wrote");
    }
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  },
);
