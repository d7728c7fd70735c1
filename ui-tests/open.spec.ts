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
} from "./fixtures";

test.use({ kernels: null, sessions: null, autoGoto: true });

const TASKS = 300;

const RECORD = `
import daskscope

def work(number):
    if number % 100 == 99:
        raise ValueError(f"no {number}")
    return number

with daskscope.record(client, "run.daskscope"):
    client.gather(client.map(work, range(${TASKS}), pure=False), errors="skip")
client.close()
`;

const REPORT = `
import daskscope

with daskscope.performance_report("my-dask-report.html", title="<b>Mine</b>"):
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

test("a recording opens with a double click", async ({ page }, info) => {
  await made(page, RECORD);
  await fileItem(page, "run.daskscope").dblclick();
  await expect(report(page)).toBeVisible();
  await expectAllTasks(report(page));
  await page.screenshot({ path: info.outputPath("recording.png") });
  const events = await openTab(report(page), "Errors and events");
  await expect(events.getByText("ValueError").first()).toBeVisible();
  await page.screenshot({ path: info.outputPath("errors.png") });
  expect(
    await page.evaluate(
      () => [...window.jupyterapp.serviceManager.sessions.running()].length,
    ),
  ).toBe(0);
});

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
    await expectAllTasks(report(page));
    // The layout is saved a moment after it changed.
    await expect
      .poll(() =>
        page.evaluate(async () => {
          const { workspaces } = window.jupyterapp
            .serviceManager as unknown as {
            workspaces: { list(): Promise<{ values: unknown[] }> };
          };
          const { values } = await workspaces.list();
          return JSON.stringify(values).includes("Dask report:");
        }),
      )
      .toBe(true);
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
