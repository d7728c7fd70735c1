// However many widgets a page shows, it has one copy of our code: the labextension's, or
// the one that the first widget brings where there is no labextension.

import type { Page } from "@playwright/test";
import {
  CLIENT,
  expect,
  expectTasks,
  hasSubshells,
  notebookPath,
  notebookWith,
  runCells,
  testInOpenLab as test,
} from "./fixtures";

const WORK = `_ = client.gather(client.map(abs, range(100), pure=False))`;
const TEN = `
import daskscope
for _ in range(10):
    display(daskscope.TaskStream(client, layout={"height": "200px"}))
`;

/** How often the page has evaluated the code of each build that is in it. */
const copiesIn = (page: Page): Promise<number[]> =>
  page.evaluate(() => daskscopeCopies().map(({ copies }) => copies));

/** How many style sheets have come with the code. */
const sheetsIn = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const ours = ({ cssRules }: CSSStyleSheet): boolean =>
      [...cssRules].some(({ cssText }) => cssText.startsWith(".ds-root"));
    return document.adoptedStyleSheets.filter(ours).length;
  });

/** How often the kernel has sent the code to a page. */
function countCode(page: Page): { times: number; bytes: number } {
  const counted = { times: 0, bytes: 0 };
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      const data = Buffer.from(payload).toString("latin1");
      if (!/"type": ?"code"/.test(data)) return;
      counted.times += 1;
      counted.bytes += data.length;
    }),
  );
  return counted;
}

test("ten widgets in JupyterLab use the labextension's copy of the code", async ({
  page,
}) => {
  const sent = countCode(page);
  await notebookWith(page, [CLIENT, TEN, WORK]);
  await runCells(page, 0, 1, 2);
  const panels = page.locator(".ds-widget");
  await expect(panels).toHaveCount(10);
  await panels.last().scrollIntoViewIfNeeded();
  await expectTasks(panels.last(), 100);
  expect(await copiesIn(page)).toEqual([1]);
  expect(await sheetsIn(page)).toBe(0);
  // Without subshells a kernel does not hear that the page has it before the cell ends.
  const most = (await hasSubshells(page)) ? 0 : 10;
  expect(sent.times, "copies that the kernel sends").toBeLessThanOrEqual(most);
});

/** Notebook 7 in a page whose configuration does not list our labextension. */
async function bareNotebook(page: Page, url: string): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.addInitScript(() => {
    const hide = new MutationObserver(() => {
      const config = document.getElementById("jupyter-config-data");
      if (!config?.nextElementSibling) return; // the parser is not past it
      hide.disconnect();
      const options = JSON.parse(config.textContent!) as {
        federated_extensions: { name: string }[];
      };
      options.federated_extensions = options.federated_extensions.filter(
        ({ name }) => name !== "daskscope",
      );
      config.textContent = JSON.stringify(options);
    });
    hide.observe(document, { childList: true, subtree: true });
  });
  await tab.goto(url);
  return tab;
}

/** As in kernels without subshells, pages are not heard before the end of the cell. */
const DEAF = `
import os, time
from daskscope import kernel
hears, said = kernel.receive, []
kernel.receive = lambda *what: said.append(what)
${TEN.trim()}
while not os.path.exists("go-on"):
    time.sleep(0.1)
kernel.receive = hears
for what in said:
    hears(*what)
`;

test("a page without the labextension gets the code also while a cell computes", async ({
  page,
  baseURL,
}, info) => {
  // At its end: ipywidgets keeps models that JupyterLab, beside it, has never shown.
  const CLOSE = "import ipywidgets; ipywidgets.Widget.close_all()";
  await notebookWith(page, [CLIENT, DEAF, WORK, CLOSE]);
  await runCells(page, 0);
  const path = await notebookPath(page);
  const tab = await bareNotebook(page, `${baseURL}/notebooks/${path}`);
  const sent = countCode(tab);
  const cells = tab.locator(".jp-Notebook .jp-CodeCell");
  await expect(cells).toHaveCount(4);
  await cells.nth(1).click();
  for (let i = 0; i < 2; i++) await tab.keyboard.press("Shift+Enter");
  const panels = tab.locator(".ds-widget .ds-root");
  await expect(panels).toHaveCount(10);
  await expect(panels.first()).toContainText("Connecting to the kernel");
  await expect(panels.first()).toHaveCSS("display", "flex");
  expect(sent.times, "a few times for each panel").toBeLessThanOrEqual(50);
  expect(sent.bytes / sent.times).toBeLessThan(210_000);

  const goOn = path.replace(/[^/]*$/, "go-on");
  await page.contents.uploadContent("", "text", goOn);
  await panels.last().scrollIntoViewIfNeeded();
  await expectTasks(panels.last(), 100);
  await tab.screenshot({ path: info.outputPath("bare.png") });
  expect(await copiesIn(tab)).toEqual([1]);
  expect(await sheetsIn(tab)).toBe(1);
  await cells.nth(3).click();
  await tab.keyboard.press("Shift+Enter");
  await expect(panels).toHaveCount(0);
  await tab.close();
});
