// A recording that Python saved, in a real task stream of a real browser: without a kernel.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { goldenContent } from "./archive_files";
import { base85 } from "./base85";
import {
  describePanel,
  open,
  page,
  plot,
  plotBox,
  shown,
} from "./harness/panel";

const golden = goldenContent();
/** It erred, and everything of it has markup in it. */
const ERRED = golden.details[1]!;
const FILE = base85(readFileSync("tests/contract/files/small.daskscope"));

const twoFrames = () =>
  page.evaluate(
    () =>
      new Promise((done) =>
        requestAnimationFrame(() => requestAnimationFrame(done)),
      ),
  );

/** Put the pointer on whatever task runs at a time, in seconds of the run. */
async function hover(time: number): Promise<void> {
  const box = await plotBox();
  const [start, stop] = await shown();
  const x = box.x + ((time - start) / (stop - start)) * box.width;
  for (let y = box.y + 50; y < box.y + box.height; y += 6) {
    await page.mouse.move(x, y);
    await twoFrames();
    if ((await page.locator(".ds-card").count()) > 0) return;
  }
  throw new Error("no task is there");
}

describePanel("a recording in a file", () => {
  it("is shown as a kernel's session is, keys and tracebacks and all", async () => {
    await open("scenario=no-client&stored=1");
    await page.evaluate((text) => window.harness.openFile(text), FILE);
    const status = page.locator(".ds-status");
    await expect.poll(() => status.innerText()).toMatch(/^8 of 10 tasks/);

    const words = (text: string) => text.replace(/\s+/g, " ").trim();
    const key = words(ERRED.key);
    expect(key).toContain("<script>");
    await hover(1.06);
    const card = page.locator(".ds-card");
    await expect.poll(async () => words(await card.innerText())).toContain(key);

    await page.mouse.down();
    await page.mouse.up();
    const pinned = page.locator(".ds-pinned");
    await pinned.getByText("ValueError").waitFor();
    await pinned.locator(".ds-traceback").waitFor();
    expect(words(await pinned.innerText())).toContain(key);

    await plot().press("/");
    await page.keyboard.type("alert(");
    await page.getByText("8 of 8 keys searched").waitFor();
    const found = page.locator(".ds-search").getByText("2 tasks");
    await found.waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("1 of 2").waitFor();
    expect(await page.evaluate(() => window.injected)).toBeUndefined();
  });
});
