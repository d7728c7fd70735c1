// A report opens from a disk and from a sandbox, asks nobody for anything, and takes
// no text for markup. No JupyterLab here: a browser and a file.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { decode } from "../js_src/archive/bytes";
import { base85 } from "../tests/js/base85";
import {
  expect,
  type Frame,
  type Locator,
  type Page,
  test as base,
} from "@playwright/test";

const TASKS = 400;

/** What Jupyter's `/files/` says of each HTML file. */
const SANDBOX = "sandbox allow-scripts";

interface Reports {
  /** Path of a report on the disk. */
  path(name: string): string;
  /** Address of a server that has them: alone, or within a frame. */
  served(name: string, inFrame?: boolean): string;
}

const test = base.extend<{ complaints: string[] }, { reports: Reports }>({
  reports: [
    async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), "daskscope-reports-"));
      const script = join(import.meta.dirname, "make_reports.py");
      const sources = ["py_src", "tests/py"].map((part) =>
        join(import.meta.dirname, "..", part),
      );
      const env = { ...process.env, PYTHONPATH: sources.join(delimiter) };
      execFileSync("python", [script, folder], { stdio: "inherit", env });
      const path = (name: string): string => join(folder, name);
      const server = await serve(path);
      const { port } = server.address() as AddressInfo;
      await use({
        path,
        served: (name, inFrame = false) =>
          `http://localhost:${port}/${inFrame ? "frame/" : ""}${name}`,
      });
      server.close();
      rmSync(folder, { recursive: true });
    },
    { scope: "worker", timeout: 120_000 },
  ],
  complaints: [
    async ({ context }, use) => {
      const complaints: string[] = [];
      context.on("page", (page) => {
        page.on("console", (message) => {
          if (["error", "warning"].includes(message.type())) {
            complaints.push(`${message.type()}: ${message.text()}`);
          }
        });
        page.on("pageerror", (error) => complaints.push(String(error)));
        page.on("dialog", (dialog) => {
          complaints.push(`dialog: ${dialog.message()}`);
          void dialog.dismiss();
        });
      });
      await use(complaints);
      expect(complaints, "nothing may complain").toEqual([]);
    },
    { auto: true },
  ],
});

function serve(path: (name: string) => string): Promise<Server> {
  const server = createServer((request, response) => {
    const [, place, name] = /^\/(frame\/)?([\w.]+)/.exec(request.url!)!;
    response.setHeader("Content-Type", "text/html");
    if (name === "favicon.ico") {
      response.end(); // browsers ask for it by themselves
    } else if (place) {
      response.end(`<iframe sandbox="allow-scripts" src="/${name}"
        style="width: 1300px; height: 800px; border: 0"></iframe>`);
    } else {
      response.setHeader("Content-Security-Policy", SANDBOX);
      response.end(readFileSync(path(name)));
    }
  });
  return new Promise((resolve) =>
    server.listen(0, "localhost", () => resolve(server)),
  );
}

/** Every address that is asked for, but the page's own. */
function requestsOf(page: Page): string[] {
  const requests: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (request.isNavigationRequest() || /^(data|blob):/.test(url)) return;
    if (!url.endsWith("/favicon.ico")) requests.push(url);
  });
  return requests;
}

function figuresOf(path: string): {
  tasks: { captured: number; erred: number };
  duration: number;
} {
  const text = readFileSync(path, "utf8");
  const [, json] = /id="daskscope-summary">(.*?)<\/script>/s.exec(text)!;
  return JSON.parse(json) as ReturnType<typeof figuresOf>;
}

const tab = (page: Page | Frame, name: string): Locator =>
  page.getByRole("tab", { name });

/** The whole report works: its figures, each tab, every task. */
async function expectReport(page: Page | Frame, path: string): Promise<void> {
  const { tasks } = figuresOf(path);
  expect(tasks).toMatchObject({ captured: TASKS, erred: TASKS / 100 });
  await expect(
    page.getByRole("heading", { name: "A run for the browser" }),
  ).toBeVisible();
  const summary = page.getByRole("tabpanel", { name: "Summary" });
  await expect(summary.getByText("ValueError in work")).toBeVisible();
  await expect(summary.getByText("client.map(work, …)")).toBeVisible();
  await expect(
    page.getByText(`${TASKS} of ${TASKS} tasks`).first(),
  ).toBeVisible();
  await tab(page, "Task stream").click();
  const stream = page.getByRole("tabpanel", { name: "Task stream" });
  await expect(
    stream.getByText(`${TASKS} of ${TASKS} tasks`).first(),
  ).toBeVisible();
  await tab(page, "Errors and events").click();
  const events = page.getByRole("tabpanel", { name: "Errors and events" });
  await expect(events.getByText("ValueError").first()).toBeVisible();
  await expect(events.getByText("mine", { exact: true })).toBeVisible();
  await tab(page, "Spans and cells").click();
  const spans = page.getByRole("tabpanel", { name: "Spans and cells" });
  await spans.locator("[aria-level]", { hasText: "a span" }).first().click();
  await tab(page, "Task stream").click();
  await expect(stream.locator(".ds-chip")).toContainText("a span");
  await tab(page, "Fine performance metrics").click();
  const metrics = page.getByRole("tabpanel", {
    name: "Fine performance metrics",
  });
  await metrics.getByRole("button", { name: "By function" }).click();
  await metrics.getByRole("list").getByRole("button", { name: "work" }).click();
  await tab(page, "Task stream").click();
  await expect(stream.locator(".ds-crumbs").first()).toContainText("work");
  for (const name of ["Memory", "Logs", "System", "Summary"]) {
    await tab(page, name).click();
    await expect(page.getByRole("tabpanel", { name })).toBeVisible();
  }
}

test(
  "a report opens from a disk, whole, and asks nobody for anything",
  { tag: "@all" },
  async ({ page, reports }, info) => {
    const requests = requestsOf(page);
    const path = reports.path("run.html");
    await page.goto(pathToFileURL(path).href);
    await expectReport(page, path);
    expect(requests).toEqual([]);
    await page.screenshot({ path: info.outputPath("report.png") });
  },
);

test(
  "a report works in the sandbox of Jupyter's files",
  { tag: "@all" },
  async ({ page, reports }) => {
    const requests = requestsOf(page);
    await page.goto(reports.served("run.html"));
    await expectReport(page, reports.path("run.html"));
    expect(requests).toEqual([]);
  },
);

test(
  "a report works in a sandboxed frame",
  { tag: "@all" },
  async ({ page, reports }) => {
    const requests = requestsOf(page);
    await page.goto(reports.served("run.html", true));
    await expect.poll(() => page.frames().length).toBe(2);
    await expectReport(page.frames()[1], reports.path("run.html"));
    expect(requests).toEqual([]);
  },
);

test(
  "texts of users are never markup, in any tab",
  { tag: "@all" },
  async ({ page, reports }, info) => {
    const requests = requestsOf(page);
    await page.goto(pathToFileURL(reports.path("hostile.html")).href);
    for (const name of [
      "Task stream",
      "Memory",
      "Fine performance metrics",
      "Spans and cells",
      "Profile",
      "Errors and events",
      "Logs",
      "System",
      "Summary",
    ]) {
      await tab(page, name).click();
      const panel = page.getByRole("tabpanel", { name });
      await expect(panel).toBeVisible();
      // What a tab decodes is there, so that it would have done its worst.
      await expect(panel).not.toBeEmpty();
      await page.screenshot({ path: info.outputPath(`${name}.png`) });
    }
    const summary = page.getByRole("tabpanel", { name: "Summary" });
    await expect(summary.getByText("40 of 40 tasks").first()).toBeVisible();
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
    await expect(page.locator("img[src='x']")).toHaveCount(0);
    expect(requests).toEqual([]);
  },
);

/** Where the parts of a report are that are there before its script has run. */
function seenFirst(): string[] {
  const parts = [
    ".ds-report-head h1",
    ".ds-tab[aria-selected=true]",
    ".ds-figure",
    ".ds-figure-value",
    ".ds-main",
    ".ds-side",
    ".ds-report-foot",
  ];
  return parts.flatMap((part) =>
    [...document.querySelectorAll<HTMLElement>(part)].map((element) => {
      const { x, y, width } = element.getBoundingClientRect();
      const [name] = element.innerText.split("\n");
      // Their text is hidden until the script has run.
      const words = /^\.ds-(main|side)$/.test(part) ? "" : name;
      return `${part} ${words} ${[x, y, width].map(Math.round).join(" ")}`;
    }),
  );
}

test(
  "what is seen first stays in its place when the script has run",
  { tag: "@all" },
  async ({ page, reports }) => {
    // Its listener comes before that of the page.
    await page.addInitScript(`document.addEventListener("DOMContentLoaded", () => {
      window.seenFirst = (${seenFirst.toString()})();
    });`);
    await page.goto(pathToFileURL(reports.path("run.html")).href);
    await expect(tab(page, "Task stream")).toBeVisible();
    const first = await page.evaluate("window.seenFirst");
    expect(first).toContainEqual(expect.stringMatching(/^.ds-figure Tasks /));
    expect(await page.evaluate(seenFirst)).toEqual(first);
  },
);

test(
  "a report whose script was changed does not run it, and says so",
  { tag: "@all" },
  async ({ page, reports, complaints }) => {
    const text = readFileSync(reports.path("run.html"), "utf8");
    const [, packed] = /id="daskscope-script">(.*?)</.exec(text)!;
    const script = inflateRawSync(decode(packed!));
    const changed = deflateRawSync(`window.hacked = 1; ${String(script)}`);
    const path = reports.path("changed.html");
    writeFileSync(
      path,
      text.replace(packed!, () => base85(changed)),
    );
    await page.goto(pathToFileURL(path).href);
    await expect(
      page.getByText("script of this report did not run"),
    ).toBeVisible();
    await expect(page.getByRole("row", { name: /^distributed/ })).toBeVisible();
    expect(await page.evaluate("'hacked' in window")).toBe(false);
    expect(complaints.splice(0).join()).toContain("Content Security Policy");
  },
);

test(
  "a report that was cut off shows what is whole",
  { tag: "@all" },
  async ({ page, reports }) => {
    const text = readFileSync(reports.path("run.html"), "utf8");
    const path = reports.path("cut.html");
    const [begin, packed] = /^(.* id="daskscope-recording">)(.*?)</s
      .exec(text)!
      .slice(1);
    const recording = Buffer.from(decode(packed!));
    const within = recording.indexOf("about.json") + 100;
    writeFileSync(path, `${begin}${base85(recording.subarray(0, within))}`);
    await page.goto(pathToFileURL(path).href);
    await expect(page.getByText("This file is truncated")).toBeVisible();
    await tab(page, "Task stream").click();
    const stream = page.getByRole("tabpanel", { name: "Task stream" });
    await expect(stream.getByText(`${TASKS} tasks`).first()).toBeVisible();
  },
);

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test(
    "the figures of a report can be read",
    { tag: "@all" },
    async ({ page, reports }, info) => {
      const path = reports.path("run.html");
      await page.goto(pathToFileURL(path).href);
      // Of its text Playwright says nothing, though it is shown.
      await expect(page.locator("noscript code")).toBeVisible();
      await expect(page.getByText("all kept, 4 erred")).toBeVisible();
      await expect(
        page.getByRole("row", { name: /^distributed/ }),
      ).toBeVisible();
      await page.screenshot({
        path: info.outputPath("without-scripts.png"),
        fullPage: true,
      });
    },
  );
});
