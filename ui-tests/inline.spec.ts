// A panel inside a notebook leaves the notebook's keys and wheel alone.

import {
  CLIENT,
  expect,
  expectTasks,
  notebookWith,
  runCells,
  test,
} from "./fixtures";

const WORK = `
def inc(x):
    return x + 1

total = sum(client.gather(client.map(inc, range(100), pure=False)))
`;
const SHOW = `
import daskscope
daskscope.TaskStream(client)
`;
/** Every shortcut of the panel, and what would delete or add cells outside of it. */
const KEYS = [
  ..."wasdWASDlfdd",
  "x",
  "b",
  "a",
  "ArrowLeft",
  "ArrowRight",
  "ArrowUp",
  "ArrowDown",
  "Escape",
  "Delete",
  "Enter",
  "Shift+Enter",
];

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
  await panel.scrollIntoViewIfNeeded();
  await page.screenshot({ path: info.outputPath("inline.png") });

  const scroller = page.locator(".jp-Notebook .jp-WindowedPanel-outer").first();
  const top = () => scroller.evaluate((node) => node.scrollTop);
  const box = (await panel.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const start = await top();
  await page.mouse.wheel(0, 120);
  await expect.poll(top).toBeGreaterThan(start);

  await panel.scrollIntoViewIfNeeded();
  const place = (await panel.locator("canvas").last().boundingBox())!;
  await page.mouse.click(place.x + place.width / 2, place.y + place.height / 2);
  for (const key of KEYS) await page.keyboard.press(key);
  await page.keyboard.press("/");
  await page.keyboard.type("ddinc");
  await page.keyboard.press("Escape");
  expect(await cells.count()).toBe(before);
});
