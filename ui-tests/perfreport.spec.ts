// The card below a cell with %%perfreport, in a real JupyterLab.

import {
  CLIENT,
  expect,
  notebookPath,
  notebookWith,
  openSidebar,
  reload,
  runCells,
  test,
} from "./fixtures";

const REPORTED = `
%%perfreport "a run.html" --title "<b>Seven</b> tasks"
total = client.gather(client.map(abs, range(7)))
6 * 7
`;

test("the card of a report opens it in JupyterLab @all", async ({ page }) => {
  await notebookWith(page, [`%load_ext daskscope\n${CLIENT.trim()}`, REPORTED]);
  await runCells(page, 0, 1);
  const outputs = page.locator(".jp-Notebook .jp-CodeCell").nth(1);
  await expect(outputs).toContainText("Performance Report Available at: /");
  await expect(outputs.locator(".jp-OutputArea-executeResult")).toHaveText(
    /42/,
  );

  const card = outputs.locator(".daskscope-report-card");
  await expect(card).toContainText("<b>Seven</b> tasks");
  await expect(card).toContainText("7 tasks");
  const folder = (await notebookPath(page)).replace(/[^/]*$/, "");
  const inBrowser = card.getByRole("link", { name: "Open in the browser" });
  await expect(inBrowser).toHaveAttribute(
    "href",
    new RegExp(`/files/.*a%20run\\.html$`),
  );
  const served = await page.request.get(
    (await inBrowser.getAttribute("href")) ?? "",
  );
  expect(served.ok()).toBe(true);

  await card.getByRole("link", { name: "Open in a JupyterLab tab" }).click();
  const tab = page.locator(
    ".lm-DockPanel-tabBar .lm-TabBar-tab.lm-mod-current",
  );
  await expect(tab.filter({ hasText: "<b>Seven</b> tasks" })).toBeVisible();
  const opened = await page.evaluate(() => {
    const { currentWidget } = window.jupyterapp.shell;
    return (currentWidget as unknown as { context: { path: string } }).context
      .path;
  });
  expect(opened).toBe(`${folder}a run.html`);
  expect(page.context().pages(), "no page of the browser's own").toHaveLength(
    1,
  );
});

test("the printed address opens the report in a new page, and so does a link of its own page @all", async ({
  page,
  context,
}) => {
  await notebookWith(page, [`%load_ext daskscope\n${CLIENT.trim()}`, REPORTED]);
  await runCells(page, 0, 1);
  const outputs = page.locator(".jp-Notebook .jp-CodeCell").nth(1);
  const printed = outputs.getByText(/Performance Report Available at: \//);
  const [, url = ""] = /at: (\S+)/.exec(await printed.innerText()) ?? [];
  const pasted = await context.newPage();
  await pasted.goto(new URL(url, page.url()).href);
  const report = pasted.locator(".ds-lab-report");
  const title = { name: "<b>Seven</b> tasks" };
  await expect(report.getByRole("heading", title)).toBeVisible();

  const [own] = await Promise.all([
    context.waitForEvent("page"),
    outputs.getByRole("link", { name: "Open in the browser" }).click(),
  ]);
  await own.getByRole("tab", { name: "Logs" }).click();
  await expect(own).toHaveURL(/#tab=logs$/);
  await own.evaluate(() => {
    // Then the link is shown, to be copied by hand.
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    document.execCommand = () => false;
  });
  await own.getByRole("button", { name: "Copy link" }).click();
  const link = await own.getByLabel(/Copy this link/).inputValue();
  await pasted.goto("about:blank");
  await pasted.goto(link);
  await expect(report.getByRole("tabpanel", { name: "Logs" })).toBeVisible();
  await Promise.all([own.close(), pasted.close()]);
});

const NEW_LAB_PAGE = "no page of the browser's own";
const TITLED = (name: string) => `
%%perfreport ${name} --open --title "Opened at once"
total = client.gather(client.map(abs, range(7)))
`;
const ELSEWHERE = TITLED('"{outside}/run.html"');
const OUTSIDE = `
import tempfile
outside = tempfile.mkdtemp()
`;

test("--open opens the report in JupyterLab, and once @all", async ({
  page,
}) => {
  const setUp = `%load_ext daskscope\n${CLIENT.trim()}`;
  await notebookWith(page, [setUp, TITLED("run.html")]);
  await runCells(page, 0, 1);
  const report = page.locator(".ds-lab-report");
  await expect(
    report.getByRole("heading", { name: "Opened at once" }),
  ).toBeVisible();
  expect(page.context().pages(), NEW_LAB_PAGE).toHaveLength(1);
  const layoutWithoutIt = page.waitForRequest((request) => {
    if (!request.url().includes("/api/workspaces")) return false;
    const saved = request.postDataJSON() as {
      data: Record<string, unknown>;
    } | null;
    const layout = JSON.stringify(saved?.data["layout-restorer:data"] ?? "");
    return layout.includes("story.ipynb") && !layout.includes("run.html");
  });
  await page.evaluate(() => window.jupyterapp.shell.currentWidget!.dispose());
  await page.notebook.activate("story.ipynb");
  await page.notebook.save();
  await layoutWithoutIt;
  await reload(page);
  const card = page.locator(".daskscope-report-card");
  await expect(card).toContainText("Opened at once");
  await expect(page.getByText("Python 3 (ipykernel) | Idle")).toBeVisible();
  await expect(report, "what the notebook kept opens nothing").toHaveCount(0);
});

test("a report outside of the server's root opens from the sidebar @all", async ({
  page,
}, info) => {
  const setUp = `%load_ext daskscope\n${CLIENT.trim()}\n${OUTSIDE}`;
  await notebookWith(page, [setUp, ELSEWHERE]);
  await runCells(page, 0, 1);
  const card = page.locator(".daskscope-report-card");
  await expect(card).toContainText("/run.html");
  await expect(card.getByRole("link")).toHaveCount(0);
  await expect(page.getByText(/from the sidebar, under Reports/)).toBeVisible();
  await page.screenshot({ path: info.outputPath("card.png") });
  const sidebar = await openSidebar(page);
  await sidebar.getByText("Reports", { exact: true }).click();
  await sidebar
    .getByRole("button", { name: /^Opened at once/ })
    .first()
    .click();
  const report = page.locator(".ds-lab-report");
  await expect(
    report.getByRole("heading", { name: "Opened at once" }),
  ).toBeVisible();
  await report.getByRole("tab", { name: "Task stream" }).click();
  const stream = report.getByRole("tabpanel", { name: "Task stream" });
  await expect(stream.getByText("7 of 7 tasks").first()).toBeVisible();
  await page.screenshot({ path: info.outputPath("opened.png") });
});
