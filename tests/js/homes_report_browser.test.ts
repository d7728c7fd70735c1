// A report as a reader meets it: from a file, offline, in a real browser.

import { buffer } from "node:stream/consumers";
import { expect, it } from "vitest";
import {
  describeReport,
  fragment,
  inTab,
  newPage,
  open,
  page,
  remaining,
  reportAddress,
  serveSandboxed,
  shownTab,
  tab,
} from "./harness/report";

const MADE_OF_A_CUT_ONE = {
  missing: [
    {
      code: "file-cut",
      level: "warn",
      text: "This was made of a truncated file.",
      next: "",
    },
  ],
};

describeReport("a report", () => {
  it("says what its summary knows before the recording is unpacked", async () => {
    await open("slow=1");
    await page.getByText("Taxi shuffle, p2p").waitFor();
    const figures = page.locator(".ds-figures");
    expect(await figures.innerText()).toContain("1,394");
    await page.getByText("Unpacking the recording …").waitFor();
    await page.evaluate(() => window.report.openNow());
    await page.locator(".ds-busy canvas").waitFor();
    expect(await page.getByText("static summary").count()).toBe(0);
  });

  it("leaves out a part of the summary that is wrong, says so, and shows the rest", async () => {
    const wrong = JSON.stringify({ versions: 7, code: null });
    await open(`summary=${encodeURIComponent(wrong)}`);
    await page
      .getByText("cannot be read and are left out: versions, code.")
      .waitFor();
    expect(await page.getByRole("heading", { name: "Versions" }).count()).toBe(
      0,
    );
    await page.getByRole("heading", { name: "Cluster" }).waitFor();
  });

  it("shows the recording also where nothing of the summary can be read @all", async () => {
    await open("summary=null");
    await page
      .getByText("The summary of this report cannot be read.")
      .waitFor();
    await page.getByRole("heading", { name: "dask-report" }).waitFor();
    await page.locator(".ds-busy canvas").waitFor();
    await tab("Task stream").click();
    await inTab().getByText("1,394 of 1,394 tasks").waitFor();
  });

  it("keeps the place of what is not unpacked yet, so that nothing moves @all", async () => {
    await open("slow=1");
    const code = page.getByRole("group", { name: "Code of the cell" });
    const before = await code.boundingBox();
    await page.evaluate(() => window.report.openNow());
    await page.locator(".ds-summary canvas").nth(1).waitFor();
    expect(await code.boundingBox()).toEqual(before);
  });

  it("says in a sentence that nothing ran, and of no cell that code is of one", async () => {
    const tasks = { captured: 0, kept: 0, erred: 0 };
    const query = encodeURIComponent(JSON.stringify({ tasks, source: "" }));
    await open(`slow=1&summary=${query}`);
    await page.getByText("No task finished or failed in this time.").waitFor();
    expect(await page.locator(".ds-busy canvas").count()).toBe(0);
    await page.getByRole("heading", { name: "Code", exact: true }).waitFor();
  });

  it("shows all of a tab that is chosen where it is narrow @all", async () => {
    await open("", "", 420);
    const row = page.getByRole("tablist");
    for (const name of ["System", "Summary"]) {
      await tab(name).press("Enter");
      const [shown, all] = [
        await tab(name).boundingBox(),
        await row.boundingBox(),
      ];
      expect(shown!.x).toBeGreaterThanOrEqual(all!.x);
      expect(shown!.x + shown!.width).toBeLessThanOrEqual(all!.x + all!.width);
    }
  });

  it("says why where the recording cannot be opened, in every tab @all", async () => {
    await open("broken=1");
    const why = /recording in this report cannot be opened/;
    for (const name of ["Summary", "Task stream", "Memory", "Logs", "System"]) {
      await tab(name).click();
      await inTab().getByRole("alert").getByText(why).waitFor();
    }
    expect(await page.getByText("Unpacking").count()).toBe(0);
  });

  it("says in every tab what is missing, and in none twice @all", async () => {
    await open("cut=1&bare=1");
    const refuses = /This scheduler refuses plugins/;
    const cut = /file is truncated/;
    for (const name of ["Summary", "Memory", "Logs", "System", "Task stream"]) {
      await tab(name).click();
      const banner = inTab().locator(".ds-banner");
      const status = inTab().locator(".ds-status");
      await banner.getByText(refuses).waitFor();
      await status.getByText(cut).waitFor();
      expect(await status.getByText(refuses).count()).toBe(0);
      expect(await banner.getByText(cut).count()).toBe(0);
    }
  });

  it.each([
    ["a file that was cut off", "cut=1", /file is truncated/],
    [
      "what was made of one",
      `summary=${encodeURIComponent(JSON.stringify(MADE_OF_A_CUT_ONE))}`,
      /made of a truncated file/,
    ],
  ])("never says of %s that nothing is lost", async (_, query, why) => {
    await open(query);
    await inTab().locator(".ds-banner").getByText(why).waitFor();
    await page
      .locator(".ds-figure")
      .getByText(/^incomplete, /)
      .waitFor();
    for (const name of ["Events", "Summary"]) {
      await tab(name).click();
      const all = await inTab().innerText();
      expect(all).not.toMatch(/nothing dropped|all kept|1,394 of 1,394/);
    }
  });

  it("says why there is no summary @all", async () => {
    const why = (text: string) => page.getByText(text).first().waitFor();
    await open("unsaid=1");
    await why("written without one.");
    await open("unsaid=1&cut=1");
    await why("summary is missing.");
    await open("unsaid=1&broken=1");
    await why("The recording in this report cannot be opened");
  });

  it("goes from tab to tab by keyboard", async () => {
    await open();
    await tab("Summary").focus();
    for (const [key, name] of [
      ["ArrowRight", "Task stream"],
      ["End", "System"],
      ["ArrowRight", "Summary"],
      ["ArrowLeft", "System"],
      ["Home", "Summary"],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(shownTab).toBe(name);
      const focused = await page.evaluate(
        () => document.activeElement?.textContent,
      );
      expect(focused).toBe(name);
    }
    const panel = page.getByRole("tabpanel");
    expect(await panel.count()).toBe(1);
    expect(await panel.getAttribute("aria-labelledby")).toBe("ds-tab-summary");
  });

  it("names its tables, and what can be scrolled by keyboard", async () => {
    await open("many=1");
    await page.getByRole("group", { name: "Code of the cell" }).waitFor();
    await page.getByRole("table", { name: "Versions" }).waitFor();
    await tab("Logs").click();
    await page.getByRole("table", { name: "Logs" }).waitFor();
    await tab("Errors").click();
    await page.getByRole("table", { name: "Events" }).waitFor();
    await page.locator(".ds-error-head").first().click();
    await page.getByRole("group", { name: "Traceback" }).waitFor();
  });

  it("counts errors on the tab also without a summary, and says what a cut-off file does not @all", async () => {
    const none = ["time", "key", "prefix", "worker", "exception", "traceback"];
    const errors = Object.fromEntries([...none, "task"].map((of) => [of, []]));
    const query = encodeURIComponent(JSON.stringify({ errors }));
    await open(`cut=1&summary=null&tables=${query}`, "tab=events");
    await page
      .getByRole("tab", { name: /^Errors and events ?1 error$/ })
      .waitFor();
    await page.getByText(/^1 task erred; .* truncated/).waitFor();
  });

  it("turns the pages of long lists, and says how much of them is shown", async () => {
    await open("many=1", "tab=logs");
    await page.getByText("20,000 lines, newest last").waitFor();
    const rows = page.locator(".ds-log tbody tr");
    expect(await rows.count()).toBe(100);
    await page.getByText("1 – 100 of 20,000").waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("101 – 200 of 20,000").waitFor();
    const previous = page.getByRole("button", { name: "Previous" });
    await previous.press("Enter");
    await page.getByText("1 – 100 of 20,000").waitFor();
    expect(await previous.getAttribute("aria-disabled")).toBe("true");
    await previous.press("Enter"); // who pressed it is still there
    expect(
      await previous.evaluate((button) => button === document.activeElement),
    ).toBe(true);
    await page.getByText("1 – 100 of 20,000").waitFor();
    await page.getByLabel("Level").selectOption("ERROR");
    await page.getByText("4,000 of 20,000 lines").waitFor();
    await page.getByText("1 – 100 of 4,000").waitFor();
    await page.getByLabel("Filter by text").fill("nothing like this");
    await page.getByText("No lines match the filter.").waitFor();
  });

  it("shows one kind of events", async () => {
    await open("many=1", "tab=events");
    const kinds = page.getByRole("group", { name: "Kinds of events" });
    const workers = kinds.getByRole("button", { name: /^Workers 9$/ });
    await workers.click();
    await page.getByText(/^9 of 5,009$/).waitFor();
    expect(await workers.getAttribute("aria-pressed")).toBe("true");
    await kinds.getByRole("button", { name: /^All 5,009$/ }).click();
    await page.getByText("5,009, newest last").waitFor();
  });

  it("shows a message as it was logged, by keyboard too, and again in words", async () => {
    const long = JSON.stringify({ action: "moved", note: "x".repeat(3_000) });
    const message = ['{"action": "moved", "n": 1}', '"plain text"', long];
    const rows = message.map((_, at) => at);
    const topic = rows.map(() => "all");
    const time = rows.map((at) => 1_790_000_000 + at);
    const events = { time, topic, message };
    const query = encodeURIComponent(JSON.stringify({ events }));
    await open(`tables=${query}`, "tab=events");
    const list = page.getByRole("table", { name: "Events" });
    const said = list.locator(".ds-mono");
    const saidOf = (at: number) => said.nth(at).innerText();
    await expect.poll(() => saidOf(0)).toMatch(/^moved · n 1/);
    expect(await saidOf(1)).toBe("plain text");
    await said.nth(0).getByRole("button", { name: "show raw" }).focus();
    await page.keyboard.press("Enter");
    expect(await saidOf(0)).toBe(`${message[0]} show in words`);
    await page.keyboard.press("Enter");
    expect(await saidOf(0)).toBe("moved · n 1 show raw");
    expect(await saidOf(2)).toMatch(/^moved · note x+… all 3,028 characters$/);
    await said.nth(2).getByRole("button").click();
    expect(await saidOf(2)).toBe(`${long} Show less`);
  });

  it("says what Dask takes for the disk @all", async () => {
    await open("");
    const bars = page.getByRole("list", { name: "Time by action" });
    const titleOf = (name: string) =>
      bars
        .getByRole("listitem")
        .filter({ hasText: name })
        .getAttribute("title");
    expect(await titleOf("Disk write")).toMatch(
      /^\d[\d,]* times?\nResults .* over 5 ms/,
    );
    expect(await titleOf("Transfer")).toMatch(/^\d[\d,]* times?$/);
    await tab("Task stream").click();
    const disk = page.locator(".ds-legend-entry", { hasText: "disk" });
    expect(await disk.getAttribute("title")).toMatch(
      /\nResults .*\nClick to isolate/,
    );
  });

  it("has a sentence in place of charts of a run between two samples @all", async () => {
    const time = [1_000];
    const system = { time, cpu: [3], memory: [9], loop_interval: [0.02] };
    const query = encodeURIComponent(JSON.stringify({ system }));
    await open(`tables=${query}`, "tab=system");
    await page.getByText(/no samples of the scheduler\./).waitFor();
    expect(await page.getByText("Scheduler: CPU").count()).toBe(0);
  });

  it("says why there are no samples and no logs", async () => {
    await open("bare=1", "tab=system");
    const why = inTab().locator(".ds-empty", { hasText: "refuses plugins" });
    await why.waitFor();
    await tab("Logs").click();
    await why.waitFor();
  });

  it("gives as the reason of an empty table neither what another lost nor merged names @all", async () => {
    const warn = (code: string, text: string) => ({
      ...{ code, level: "warn", text, next: "" },
    });
    const missing = [
      ...["errors", "events", "logs"].map((table) =>
        warn(`${table}-dropped`, `Some ${table} were dropped.`),
      ),
      warn("lanes-merged", "Some threads are merged."),
    ];
    const summary = encodeURIComponent(JSON.stringify({ missing }));
    await open(`bare=1&summary=${summary}`, "tab=system");
    for (const [name, said] of [
      ["System", /no samples\s*Recordings shorter/],
      ["Logs", /no log lines\s*Some logs were dropped\.$/],
    ] as const) {
      await tab(name).click();
      await inTab().locator(".ds-empty", { hasText: said }).waitFor();
    }
  });

  it("shows text that looks like markup as text, and stays in its width", async () => {
    await open("scenario=hostile", "", 400, 800);
    for (const name of [
      "Errors",
      "Memory",
      "Logs",
      "System",
      "Task stream",
      "Summary",
    ]) {
      await tab(name).click();
      await page.waitForFunction(
        () => !document.body.innerText.includes("Unpacking"),
      );
      const widths = await page.evaluate(() =>
        [
          ...document.querySelectorAll(
            ".ds-tabpanel:not([hidden]) :is(.ds-panel-body, .ds-root)",
          ),
        ].map((panel) => [panel.scrollWidth, panel.clientWidth]),
      );
      for (const [inside, outside] of widths) {
        expect(inside, name).toBeLessThanOrEqual(outside!);
      }
    }
    expect(await page.locator("img, .ds-root script").count()).toBe(0);
    expect(await page.evaluate(() => window.injected)).toBeUndefined();
    expect(await page.locator("h1").innerText()).toContain("<img src=x");
  });

  it("says in a sandbox what it may not do, and works otherwise", async () => {
    const server = await serveSandboxed();
    try {
      await newPage();
      await page.goto(
        `${server.address}/files/runs/dask-report.html?_xsrf=of-who-opened-it`,
      );
      await page.getByRole("button", { name: /^Recording/ }).click();
      await page.getByText(/daskscope extract dask-report\.html/).waitFor();
      await tab("Task stream").click();
      await inTab().getByText("1,394 of 1,394 tasks").waitFor();
      await expect.poll(fragment).toBe("#tab=task-stream");
      await page.evaluate(() => {
        // As where a server allows less than this browser does by itself.
        Object.defineProperty(navigator, "clipboard", { value: undefined });
        document.execCommand = () => false;
      });
      await page.getByRole("button", { name: /Copy link/ }).click();
      const link = page.getByLabel(/Copy this link/);
      expect(await link.inputValue()).toBe(
        `${server.address}/lab?daskscope-report=runs/dask-report.html#tab=task-stream`,
      );
      const selected = await link.evaluate((field) => {
        const { selectionStart, selectionEnd } = field as HTMLInputElement;
        return [selectionStart, selectionEnd];
      });
      expect(selected).toEqual([0, (await link.inputValue()).length]);
    } finally {
      await server.close();
    }
  });

  it("copies its link also where a page has no clipboard of its own, without what is secret @all", async () => {
    await open("name=a%20run.html&_xsrf=of-who-opened-it&token=secret");
    await page.evaluate(() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      addEventListener("copy", () => {
        document.body.title = String(getSelection());
      });
    });
    const button = page.getByRole("button", { name: "Copy link to this view" });
    await button.click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.locator("body").getAttribute("title")).toBe(
      `${reportAddress}?name=a+run.html#tab=summary`,
    );
    expect(await page.locator("textarea").count()).toBe(0);
  });

  it("shows a bounded part of a summary that somebody made up @all", async () => {
    const many = (one: object) => Array.from({ length: 3_000 }, () => one);
    const look = { code: "x", level: "warn", text: "is not here" };
    const summary = {
      needs_a_look: many({ ...look, title: "t", time: null }),
      missing: many(look),
      actions: many({ name: "compute", rows: 1, seconds: 1 }),
      by_prefix_action: many({ prefix: "rename", action: "a", seconds: 1 }),
      redacted: many({}).map(() => "code"),
      code: "x".repeat(30_000),
    };
    await open(`summary=${encodeURIComponent(JSON.stringify(summary))}`);
    await page.locator(".ds-busy canvas").waitFor();
    const elements = await page.evaluate(
      () => document.querySelectorAll("*").length,
    );
    expect(elements).toBeLessThan(3_000);
    const more = page.getByText(/\band 2,9\d\d more$/);
    expect(await more.count()).toBe(2);
    const times = page.getByRole("list", { name: "Time by action" });
    const button = page.getByRole("button", {
      name: /^Show the first [\d,]+$/,
    });
    await button.click();
    await times.getByRole("listitem").nth(100).waitFor();
    expect(await times.getByRole("listitem").count()).toBeLessThan(2_000);
    await page.getByText("Copy takes all 30,000 characters.").waitFor();
  });

  it.each([
    ["dask-report.html", "dask-report.daskscope"],
    ["run.daskscope", "run.daskscope"],
  ])("saves the recording of %s as %s", async (name, saved) => {
    await open(`name=${name}`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: /^Recording, 1\.10 MiB/ }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(saved);
  });

  it("saves the picture of its task stream, with no rule of the page in the way", async () => {
    await open("", "tab=task-stream");
    await inTab().getByText("1,394 of 1,394 tasks").waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.locator(".ds-menu-item", { hasText: "PNG" }).first().click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.png$/);
    const content = await buffer(await download.createReadStream());
    expect(content.length).toBeGreaterThan(10_000);
  });

  it("leaves nothing behind", async () => {
    await open();
    for (const name of ["Task stream", "Memory", "Errors", "Logs", "System"]) {
      await tab(name).click();
    }
    await page.locator(".ds-system canvas").first().waitFor();
    await page.evaluate(() => window.report.dispose());
    await expect.poll(remaining).toEqual([]);
    expect(await page.locator(".ds-root").count()).toBe(0);
    expect(await page.evaluate(() => window.report.session.watchers)).toBe(0);
  });
});
