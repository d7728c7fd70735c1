// One selection for Python and for every panel: whoever set it last, a brush holds.

import {
  CLIENT,
  expect,
  expectTasks,
  notebookWith,
  openTaskStream,
  runCells,
  test,
} from "./fixtures";

const WORK = `
import time
def wait(x):
    time.sleep(0.02)
_ = client.gather(client.map(wait, range(200), pure=False))
`;
const NONE = `
import daskscope
session = daskscope.connect(client)
session.focus = None
`;
const SAY = `
a, b = session.focus.time
print("selected:", b > a, session.focus.prefixes)
`;

test(
  "a brush selects time in Python too, whoever set the selection before",
  { tag: "@all" },
  async ({ page }) => {
    await notebookWith(page, [CLIENT, WORK, NONE, SAY, NONE]);
    const { panel } = await openTaskStream(page);
    await runCells(page, 0, 1);
    await expectTasks(panel, 200);
    const chip = panel.locator(".ds-chip");
    const area = (await panel.locator(".ds-hit").boundingBox())!;
    const [y, left] = [area.y + area.height / 2, area.x + area.width / 3];
    for (let time = 0; time < 3; time++) {
      await runCells(page, 2);
      await expect(chip).toHaveCount(0);
      await page.keyboard.down("Shift");
      await page.mouse.move(left, y);
      await page.mouse.down();
      await page.mouse.move(left + area.width / 3, y, { steps: 5 });
      await page.mouse.up();
      await page.keyboard.up("Shift");
      await expect(chip).toHaveCount(1);
      const output = page.locator(".jp-Cell").nth(3);
      // Hands are slower: the page tells the kernel a moment after the mouse is up.
      await expect(async () => {
        await runCells(page, 3);
        await expect(output).toContainText("selected: True ()", {
          timeout: 2_000,
        });
      }).toPass();
      await expect(chip, "nothing takes it back").toHaveCount(1);
    }
    await runCells(page, 4);
    await expect(chip).toHaveCount(0);
  },
);
