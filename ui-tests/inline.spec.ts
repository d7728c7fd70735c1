// A panel inside a notebook leaves the notebook's keys and wheel alone.

import type { Locator, Page } from "@playwright/test";
import { SHORTCUTS } from "../js_src/panels/task_stream/keyboard";
import {
  CLIENT,
  expect,
  expectTasks,
  notebookWith,
  runCells,
  SHOW,
  testInOpenLab as test,
} from "./fixtures";

const WORK = `
def inc(x):
    return x + 1

total = sum(client.gather(client.map(inc, range(100), pure=False)))
`;
/** As Playwright calls what the help sheet names otherwise. */
const KEY_NAMES: Readonly<Record<string, string>> = {
  "←": "ArrowLeft",
  "→": "ArrowRight",
  "↑": "ArrowUp",
  "↓": "ArrowDown",
  "−": "-",
  PgUp: "PageUp",
  PgDn: "PageDown",
  Esc: "Escape",
};
/** What would delete, add, cut or run cells if the notebook heard it. */
const FOREIGN = ["d", "d", "x", "b", "a", "Delete", "Enter", "Shift+Enter"];

/** Every key that the help sheet names, in its keys or in its words. */
function keysOfHelp(): string[] {
  const named = SHORTCUTS.flatMap(({ keys, does }) => [
    ...keys,
    ...(does.match(/[←→↑↓+−]|Home|End|Shift\+Enter/g) ?? []),
  ]);
  const keys = named.map((name) => KEY_NAMES[name] ?? name);
  const letters = keys.filter((key) => /^[A-Z]$/.test(key));
  return [...keys, ...letters.map((key) => `Shift+${key}`)];
}

function focusInside(panel: Locator): Promise<boolean> {
  return panel.evaluate((node) => node.contains(document.activeElement));
}

/** The canvas's own background: how light it is, of 255. */
function lightness(panel: Locator): Promise<number> {
  return panel
    .locator(".ds-plot canvas")
    .first()
    .evaluate((canvas) => {
      const context = (canvas as HTMLCanvasElement).getContext("2d")!;
      return Math.max(...context.getImageData(2, 2, 1, 1).data.slice(0, 3));
    });
}

async function clickPlot(page: Page, panel: Locator): Promise<void> {
  await panel.scrollIntoViewIfNeeded();
  const place = (await panel.locator(".ds-hit").boundingBox())!;
  // Below the lanes: a click on a task pins it.
  await page.mouse.click(place.x + 3, place.y + place.height - 5);
}

test("no key and no plain wheel of an inline panel reaches the notebook", async ({
  page,
}, info) => {
  const rest = Array.from(
    { length: 12 },
    (_, i) => `# line\n`.repeat(6) + `${i}`,
  );
  await notebookWith(page, [CLIENT, SHOW, WORK, ...rest]);
  await runCells(page, 0, 1, 2);
  const panel = page.locator(".ds-widget");
  await expectTasks(panel, 100);
  const cells = page.locator(".jp-Notebook .jp-Cell");
  const before = await cells.count();
  const shown = panel.locator(".ds-crumbs");

  // The plain wheel scrolls the notebook; with Ctrl it zooms.
  await panel.scrollIntoViewIfNeeded();
  await page.screenshot({ path: info.outputPath("inline.png") });
  const scroller = page.locator(".jp-Notebook .jp-WindowedPanel-outer").first();
  const top = () => scroller.evaluate((node) => node.scrollTop);
  const plot = panel.locator(".ds-hit");
  const box = (await plot.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const start = await top();
  await page.mouse.wheel(0, 60);
  await expect.poll(top).toBeGreaterThan(start);
  await expect(panel).toContainText("Click the plot, or hold");
  await expect(shown).toHaveText("Whole run");
  const scrolled = await top();
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -240);
  await page.keyboard.up("Control");
  await expect(shown).not.toHaveText("Whole run");
  expect(await top()).toBe(scrolled);

  // Every shortcut stays in the panel, and so does the focus.
  await clickPlot(page, panel);
  for (const key of [...keysOfHelp(), ...FOREIGN]) {
    await page.keyboard.press(key);
    await page.keyboard.press("Escape");
    expect(await focusInside(panel), `focus after ${key}`).toBe(true);
    expect(await cells.count(), `cells after ${key}`).toBe(before);
  }
  const field = panel.getByLabel("Search key or prefix");
  await page.keyboard.press("/");
  await expect(field).toBeFocused();
  await page.keyboard.type("ddinc");
  await expect(field).toHaveValue("ddinc");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  expect(await focusInside(panel), "focus after a search").toBe(true);
  expect(await cells.count()).toBe(before);

  // They did something, each in its way.
  await clickPlot(page, panel);
  await page.keyboard.press("f");
  await expect(shown).toHaveText("Whole run");
  await page.keyboard.press("w");
  await expect(shown).not.toHaveText("Whole run");
  await page.keyboard.press("Home");
  await expect(shown).toHaveText("Whole run");
  await page.keyboard.press("?");
  await expect(panel.locator(".ds-help")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(panel.locator(".ds-help")).toBeHidden();
  await page.keyboard.press("t");
  await expect(panel.getByRole("table").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Space");
  await expect(panel.getByRole("button", { name: /^Resume/ })).toHaveCount(2);

  // Once it was clicked, the plain wheel is the plot's.
  await clickPlot(page, panel);
  const still = await top();
  await page.mouse.wheel(0, -240);
  await expect(shown).not.toHaveText("Whole run");
  expect(await top()).toBe(still);

  // The theme of the host counts for the pixels, too.
  const root = panel.locator(".ds-root");
  const colours = () =>
    root.evaluate((node) => {
      const { color, backgroundColor } = getComputedStyle(node);
      return [color, backgroundColor];
    });
  const [text, ground] = await colours();
  await expect.poll(() => lightness(panel)).toBe(255);
  await page.theme.setDarkTheme();
  await expect.poll(() => lightness(panel)).toBeLessThan(80);
  await expect(root).not.toHaveCSS("color", text!);
  await expect(root).not.toHaveCSS("background-color", ground!);
  await page.screenshot({ path: info.outputPath("inline-dark.png") });

  // Also for one that is made in a dark page.
  await panel.evaluate((node) => (node.dataset["made"] = "in the light"));
  await runCells(page, 1);
  await expect(page.locator(".ds-widget[data-made]")).toHaveCount(0);
  await expectTasks(panel, 100);
  await expect.poll(() => lightness(panel)).toBeLessThan(80);
  await page.theme.setLightTheme();
  await expect.poll(() => lightness(panel)).toBe(255);
  expect(await colours()).toEqual([text, ground]);
});
