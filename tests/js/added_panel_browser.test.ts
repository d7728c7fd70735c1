// What CONTRIBUTING.md says of a new panel: nothing but its own lines shows it.

import { readFileSync } from "node:fs";
import { type Page } from "@playwright/test";
import { expect, it } from "vitest";
import { addedAddress, takePage, describeInBrowser } from "./harness/browser";

interface Golden {
  message: Record<string, unknown>;
  buffers: string[];
  table?: object;
}
declare global {
  interface Window {
    added: {
      declare(tables: Record<string, unknown>): void;
      live(welcome: Golden, said: readonly Golden[]): Promise<void>;
      report(base64: string): Promise<void>;
    };
  }
}

const FOLDER = "tests/contract";
const base64 = (name: string): string =>
  readFileSync(`${FOLDER}/${name}`, "base64");
const golden = (name: string): Golden => {
  const text = readFileSync(`${FOLDER}/kernel_${name}.json`, "utf-8");
  const entry = JSON.parse(text) as Golden;
  return { ...entry, buffers: entry.buffers.map(base64) };
};
const DECLARED = ["moods", "chatter", "pulse"] as const;
const messages = DECLARED.map((name) => golden(`declared_${name}`)).sort(
  (one, other) => Number(one.message["seq"]) - Number(other.message["seq"]),
);

async function open(): Promise<Page> {
  const page = await takePage(1280, 720);
  page.setDefaultTimeout(8_000);
  await page.goto(addedAddress);
  await page.waitForSelector("body[data-ready]");
  await page.evaluate(
    (tables) => window.added.declare(tables),
    Object.fromEntries(
      messages.map(({ message, table }) => [message["table"], table]),
    ),
  );
  return page;
}

const shown = (page: Page) => page.locator(".ds-chatter li").allInnerTexts();

describeInBrowser(
  "a panel and its tables that only a test declares",
  20_000,
  () => {
    it("are shown in a widget as the kernel sends their rows", async () => {
      const page = await open();
      const said = [...messages, golden("status")];
      await page.evaluate(
        ([welcome, ...all]) => window.added.live(welcome!, all),
        [golden("welcome"), ...said],
      );
      await page.getByText("80 beats").waitFor();
      expect(await shown(page)).toEqual([
        expect.stringMatching(/^bob: <script>/),
        expect.stringMatching(/^ada: <script>/),
        "60 beats",
        "80 beats",
      ]);
      await page.close();
    });

    it("are a tab of a report, with the rows of its recording", async () => {
      const page = await open();
      await page.evaluate(
        (file) => window.added.report(file),
        base64("files/declared.daskscope"),
      );
      await page.getByRole("tab", { name: "Chatter" }).click();
      await page.getByText("80 beats").waitFor();
      expect(await shown(page)).toHaveLength(4);
      await page.close();
    });
  },
);
