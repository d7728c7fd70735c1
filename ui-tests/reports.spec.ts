// The sidebar's list of reports, and the card below a cell that has one.

import {
  CLIENT,
  expect,
  notebookWith,
  openSidebar,
  runCells,
  test,
} from "./fixtures";

test.use({ kernels: null, sessions: null });

const TASKS = 120;
const LOAD = "%load_ext daskscope";
const RUN = `
%%perfreport first.html --title "A long story"
_ = client.gather(client.map(abs, range(-${TASKS}, 0), pure=False))
`;
const AGAIN = RUN.replace("first.html", "second.html").replace(
  "A long story",
  "Second one",
);

const RECORD = `import daskscope
with daskscope.record(path="recorded.daskscope", title="Only recorded"):
    client.gather(client.map(abs, range(-5, 0), pure=False))`;

test(
  "reports of the library are listed, found, opened and deleted",
  { tag: "@all" },
  async ({ page }, info) => {
    await notebookWith(page, [CLIENT, LOAD, RECORD, RUN, AGAIN]);
    await runCells(page, 0, 1, 2, 3);
    const sidebar = await openSidebar(page);
    await sidebar.getByText("Reports", { exact: true }).click();
    const list = sidebar.getByRole("list", { name: "Reports" });
    const titled = (name: string) =>
      list.getByRole("listitem").filter({ hasText: name });
    await expect(titled("A long story")).toContainText(`${TASKS} tasks`);
    await runCells(page, 4);
    // Newest first, without anybody asking again.
    await expect(list.getByRole("listitem").first()).toContainText(
      "Second one",
    );
    await page.screenshot({ path: info.outputPath("sidebar.png") });

    await sidebar.getByRole("textbox", { name: "Search reports" }).fill("long");
    await expect(titled("Second one")).toHaveCount(0);
    await titled("A long story")
      .getByRole("button", { name: /^A long story/ })
      .press("Enter");
    const report = page.locator(".ds-lab-report");
    await expect(
      report.getByRole("heading", { name: "A long story" }),
    ).toBeVisible();
    await report.getByRole("tab", { name: "Task stream" }).click();
    const stream = report.getByRole("tabpanel", { name: "Task stream" });
    await expect(
      stream.getByText(`${TASKS} of ${TASKS} tasks`).first(),
    ).toBeVisible();

    await titled("A long story")
      .getByRole("button", { name: "Delete" })
      .click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: "Delete" })
      .click();
    await expect(titled("A long story")).toHaveCount(0);
    await sidebar.getByRole("textbox", { name: "Search reports" }).fill("");
    await expect(titled("Second one")).toBeVisible();
    await expect(titled("A long story")).toHaveCount(0);

    await expect(titled("Only recorded")).toContainText("recording");
    await titled("Only recorded")
      .getByRole("button", { name: /^Only recorded/ })
      .click();
    await expect(
      page
        .locator(".ds-lab-report:visible")
        .getByRole("heading", { name: "Only recorded" }),
    ).toBeVisible();
  },
);

test(
  "the card of a cell opens its report in a tab",
  { tag: "@all" },
  async ({ page }) => {
    const anew = RUN.replace("A long story", "Told again");
    await notebookWith(page, [CLIENT, LOAD, RUN, anew]);
    await runCells(page, 0, 1, 2);
    const links = page.getByRole("link", { name: "Open in a JupyterLab tab" });
    await links.click();
    const report = page.locator(".ds-lab-report");
    await expect(
      report.getByRole("heading", { name: "A long story" }),
    ).toBeVisible();
    await page.notebook.activate("story.ipynb");
    await runCells(page, 3);
    // The same file, written anew: its tab shows what is in it now.
    await links.last().click();
    await expect(
      report.getByRole("heading", { name: "Told again" }),
    ).toBeVisible();
    await expect(report).toHaveCount(1);
  },
);

const ELSEWHERE = RUN.replace("first.html", '"{elsewhere}/first.html"');

test(
  "a report that comes through a kernel has one tab, whichever kernel that is",
  { tag: "@all" },
  async ({ page }, info) => {
    await notebookWith(page, [
      `import tempfile\nelsewhere = tempfile.mkdtemp()\n${CLIENT}`,
      LOAD,
      ELSEWHERE,
    ]);
    await runCells(page, 0, 1, 2);
    const sidebar = await openSidebar(page);
    await sidebar.getByText("Reports", { exact: true }).click();
    const listed = sidebar.getByRole("button", { name: /^A long story/ });
    await listed.first().click();
    const report = page.locator(".ds-lab-report");
    const heading = report.getByRole("heading", { name: "A long story" });
    await expect(heading).toBeVisible();
    await page.sidebar.openTab("filebrowser");
    await notebookWith(page, ["import daskscope"], "other.ipynb");
    await openSidebar(page);
    await runCells(page, 0);
    await listed.first().click();
    await expect(heading).toBeVisible();
    await page.screenshot({ path: info.outputPath("once.png") });
    await expect(report).toHaveCount(1);
  },
);

const BELOW_THE_ROOT = `
import os
dask.config.set({"daskscope.library.path": os.path.abspath("library")})
`;

test(
  "a copied link opens the panels in a new page, at what was shown",
  { tag: "@all" },
  async ({ page, context }, info) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await notebookWith(page, [
      `import dask\n${BELOW_THE_ROOT}\n${CLIENT}`,
      LOAD,
      RUN,
    ]);
    await runCells(page, 0, 1, 2);
    const sidebar = await openSidebar(page);
    await sidebar.getByText("Reports", { exact: true }).click();
    const item = sidebar
      .getByRole("listitem")
      .filter({ hasText: "A long story" });
    await item.getByRole("button", { name: "Copy link" }).click();
    await expect(item.getByText("Copied")).toBeVisible();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    const opened = await context.newPage();
    await opened.goto(await copied());
    const report = opened.locator(".ds-lab-report");
    await expect(
      report.getByRole("heading", { name: "A long story" }),
    ).toBeVisible();
    expect(opened.url(), "a reload opens it no second time").not.toContain(
      "daskscope-report",
    );

    await report.getByRole("tab", { name: "Logs" }).click();
    await opened.screenshot({ path: info.outputPath("opened.png") });
    await report.getByRole("button", { name: "Copy link" }).click();
    await expect(report.getByText("Copied")).toBeVisible();
    const link = await opened.evaluate(() => navigator.clipboard.readText());
    expect(link).toMatch(/#tab=logs$/);
    await opened.goto("about:blank");
    await opened.goto(link);
    await expect(report.getByRole("tabpanel", { name: "Logs" })).toBeVisible();

    await opened.goto("about:blank");
    await opened.goto(link.replace(/daskscope-report=[^#]*/, "$&.exe"));
    const refused = opened.getByText(/^Nothing was opened: /);
    await expect(refused).toBeVisible();
    await opened.screenshot({ path: info.outputPath("refused.png") });
    await opened.close();
  },
);

const EMPTY = `
import dask, tempfile
dask.config.set({"daskscope.library.path": tempfile.mkdtemp()})
`;
const NOWHERE = `dask.config.set({"daskscope.library.path": "/dev/null/library"})`;

test(
  "the list says in words why it lists nothing",
  { tag: "@all" },
  async ({ page }) => {
    const sidebar = await openSidebar(page);
    await sidebar.getByText("Reports", { exact: true }).click();
    const section = sidebar.locator(".ds-side-reports");
    await expect(section).toContainText("No notebook is open");
    await page.sidebar.openTab("filebrowser");
    await notebookWith(page, [EMPTY, NOWHERE]);
    await openSidebar(page);
    await runCells(page, 0);
    await expect(section).toContainText("No report yet");
    await runCells(page, 1);
    await expect(section.getByRole("alert")).toContainText("cannot be used");
    await expect(section.getByRole("alert")).toContainText(
      "daskscope.library.path",
    );
    await page.sidebar.openTab("filebrowser");
    await notebookWith(page, ["1"], "bare.ipynb", "bare");
    await openSidebar(page);
    await expect(section).toContainText("Daskscope is not installed");
  },
);
