// The card below a cell with %%perfreport, in a real JupyterLab.

import {
  CLIENT,
  expect,
  notebookPath,
  notebookWith,
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
  await expect(tab.filter({ hasText: "a run.html" })).toBeVisible();
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
