// The panel of fine performance metrics under a real mouse: what it accounts for, draws,
// filters and sets in focus.

import { expect, it } from "vitest";
import { describePanel, drag, open, page } from "./harness/panel";

const PANEL = "panel=fine-metrics&scenario=live&at=29.1&metrics=1";

const text = (css: string) => page.locator(css).innerText();
const focus = () => page.evaluate(() => window.harness.session.focus.value);
const bars = (label: string) =>
  page.getByRole("list", { name: label }).locator("li");
const choose = (name: string) =>
  page.getByRole("button", { name, exact: true }).click();
const seconds = (words: string, of: RegExp): number =>
  Number(of.exec(words)?.[1] ?? NaN);

describePanel("the panel of fine performance metrics", () => {
  it("accounts for threads × time: running, idle and unaccounted add up", async () => {
    await open(PANEL, 1000, 760);
    await expect
      .poll(() => text(".ds-fine-account h3"))
      .toMatch(/^Accounts for 44\d\.\d s of 45\d\.\d s$/);
    const words = await text(".ds-fine-account");
    const [part, whole] = [/for ([\d.]+) s/, /of ([\d.]+) s/].map((of) =>
      seconds(words, of),
    );
    const running = seconds(words, /Running ([\d.]+) s/);
    const idle = seconds(words, /Idle ([\d.]+) s/);
    const unaccounted = seconds(words, /Unaccounted ([\d.]+) s/);
    expect(running + idle).toBeCloseTo(part!, 0);
    expect(running + idle + unaccounted).toBeCloseTo(whole!, 0);
    expect(words).toContain("Not counted: ");
    // Bars by cause are all of it, the heaviest first.
    const causes = await page
      .locator(".ds-idle-table tbody tr td:nth-child(3)")
      .allInnerTexts();
    const each = causes.map((cause) => Number(cause.replace(" s", "")));
    expect(each).toEqual([...each].sort((one, other) => other - one));
    expect(each.reduce((all, one) => all + one, 0)).toBeCloseTo(idle, 0);
    expect(await text(".ds-status")).toContain(
      "by time, function, span and cell",
    );
  });

  it("says what is worth knowing, and what to do", async () => {
    await open(PANEL, 1000, 760);
    const words = page.locator(".ds-fine-knowing");
    await expect
      .poll(() => words.innerText())
      .toMatch(/read-parquet was [\d.]+ s off the CPU\s+3\d % of its time/);
    expect(await words.innerText()).toMatch(
      /93 % of inputs came from memory\s+[\d,]+ of [\d,]+; the other \d+ were read from disk/,
    );
  });

  it("isolates a function in every panel, and an activity in this one", async () => {
    await open(PANEL, 1000, 760);
    await choose("By function");
    await expect.poll(() => bars("Execution by function").count()).toBe(7);
    await bars("Execution by function")
      .getByRole("button", { name: "rename" })
      .click();
    await expect.poll(async () => (await focus()).prefixes).toEqual(["rename"]);
    await expect.poll(() => bars("Execution by function").count()).toBe(1);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Activities/ }).click();
    await page.getByPlaceholder("Find activities").fill("disk read");
    await choose("disk read");
    await page.keyboard.press("Escape");
    await expect.poll(() => bars("Execution by function").count()).toBe(1);
    expect((await focus()).prefixes).toEqual([]);
    await page.getByRole("button", { name: "Activities: disk read" }).click();
    await choose("All");
    await expect.poll(() => bars("Execution by function").count()).toBe(7);
  });

  it("sets spans and cells in focus, and follows them", async () => {
    await open(PANEL, 1000, 760);
    await choose("By function");
    await page.getByRole("button", { name: /^Spans/ }).click();
    await choose("read");
    await expect.poll(async () => (await focus()).spans).toEqual(["span-7f3a"]);
    await expect.poll(() => bars("Execution by function").count()).toBe(4);
    await choose("All");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Cells/ }).click();
    await choose("In [7]");
    await expect.poll(async () => (await focus()).cells).toEqual(["In [7]"]);
  });

  it("takes the spans inside of a span with it", async () => {
    await open(PANEL, 1000, 760);
    await choose("By function");
    await page.evaluate(() => {
      const { session } = window.harness;
      session.spans.push({ id: "span-out", name: ["report"] });
      session.namesVersion.value += 1;
    });
    await page.getByRole("button", { name: "Spans: all 3" }).click();
    await choose("report");
    await expect
      .poll(async () => (await focus()).spans)
      .toEqual(["span-c01d", "span-out"]);
    await expect.poll(() => bars("Execution by function").count()).toBe(3);
    await page.getByRole("button", { name: "Spans: report" }).waitFor();
    await choose("report");
    await expect.poll(async () => (await focus()).spans).toEqual([]);
  });

  it("has nothing of a cell of which no task has ended @all", async () => {
    await open(PANEL, 1000, 760);
    await choose("By function");
    await expect.poll(() => bars("Execution by function").count()).toBe(7);
    await page.evaluate(() => {
      const { session } = window.harness;
      const now = session.now.value;
      const cell = { cell: "In [8]", time: now - 5 };
      session.fill("cells", [{ ...cell, stop: NaN, status: "running" }]);
      session.fill("computations", [
        { ...cell, computation: 99, stop: now - 4, graphs: 1, tasks: 8 },
      ]);
      session.setFocus({ ...session.focus.value, cells: ["In [8]"] });
    });
    await page.getByText("No metrics in seconds.").waitFor();
    expect(await bars("Execution by function").count()).toBe(0);
  });

  it("counts the tasks of what is selected, also none @all", async () => {
    await open(PANEL, 1000, 760);
    const tasks = () => text(".ds-status");
    await expect.poll(tasks).toMatch(/^([\d,]+)\s+of \1 tasks/);
    await page.evaluate(() => {
      const { session } = window.harness;
      session.setFocus({ ...session.focus.value, workers: ["nobody"] });
    });
    await expect.poll(tasks).toMatch(/^0\s+of [\d,]+ tasks/);
  });

  it("never shows what distributed makes up so that sums match", async () => {
    await open(PANEL, 1000, 760);
    await expect.poll(() => text(".ds-status")).toContain("11 activities");
    await page.getByRole("button", { name: "Activities: all 11" }).click();
    expect(await page.getByText("idle or other spans").count()).toBe(0);
  });

  it("gives an activity of a user a colour of its own @all", async () => {
    await open(PANEL, 1000, 760);
    await choose("By activity");
    const background = (name: string) =>
      bars("Execution by activity")
        .filter({ hasText: name })
        .locator(".ds-swatch")
        .evaluate((one) => getComputedStyle(one).backgroundColor);
    await page.getByText('("<b>mine</b>", 1)').waitFor();
    const own = await background("mine");
    expect(own).not.toBe("rgb(232, 232, 232)");
    expect(own).not.toBe("rgb(184, 184, 184)"); // no slot
    expect(own).not.toBe(await background("executor"));
  });

  it("says that a worker was lost with what it measured @all", async () => {
    await open(PANEL, 1000, 760);
    await page.evaluate(() => {
      const { session } = window.harness;
      const time = session.now.value - 5;
      session.fill("workers", [{ time, worker: "tcp://a", what: "removed" }]);
    });
    await page.getByText("Figures are lower bounds").waitFor();
  });

  it("shows sending and receiving apart, and what it does not know as text", async () => {
    await open(PANEL, 1000, 900);
    await choose("By activity");
    await expect.poll(() => bars("Receive data").count()).toBe(2);
    await expect.poll(() => bars("Send data").count()).toBe(1);
    await page.getByText('("<b>mine</b>", 1)').waitFor();
    expect(await page.locator(".ds-fine-main b").count()).toBe(0);
    await choose("Apples");
    await expect.poll(() => bars("Execution by activity").count()).toBe(1);
    expect(await bars("Receive data").count()).toBe(0);
    await choose("Bytes");
    await expect
      .poll(() => bars("Receive data").first().innerText())
      .toMatch(/network\s+[\d.]+ GiB\s+100\.0 %/);
  });

  it("selects a time in every panel by a brush, and counts that", async () => {
    await open(PANEL, 1000, 760);
    const plot = (await page.locator(".ds-time-hit").boundingBox())!;
    const y = plot.y + 100;
    await drag([plot.x + plot.width / 3, y], [plot.x + plot.width / 2, y]);
    await expect
      .poll(() => text(".ds-fine-account h3"))
      .toMatch(/^Accounts for \d\d\.\d s of \d\d\.\d s$/);
    const { time } = await focus();
    expect(time![1] - time![0]).toBeCloseTo(5, 0);
    await page.keyboard.press("Escape");
    await expect
      .poll(() => text(".ds-fine-account h3"))
      .toMatch(/of 4\d\d\.\d s$/);
  });

  it("says what a column consists of, where the pointer is @all", async () => {
    await open(PANEL, 1000, 760);
    const plot = (await page.locator(".ds-time-hit").boundingBox())!;
    const before = await page.locator(".ds-fine-chart").boundingBox();
    await page.mouse.move(plot.x + plot.width * 0.4, plot.y + 80);
    const card = page.locator(".ds-fine-card");
    await expect
      .poll(() => card.innerText())
      .toMatch(/^12\.\d\d s\s+16\.0 threads\s+thread CPU\s+9\.\d\d/);
    expect(await text(".ds-fine-main .ds-part-legend")).toContain("queued");
    const values = await card.locator("li > :last-child").allInnerTexts();
    const sum = values.reduce((all, value) => all + Number(value), 0);
    expect(sum).toBeGreaterThan(15);
    expect(sum).toBeLessThan(16.1);
    expect(await page.locator(".ds-fine-chart").boundingBox()).toEqual(before);
    await page.mouse.move(2, 2);
    await expect.poll(() => card.count()).toBe(0);
  });

  it("is a table that sorts", async () => {
    await open(PANEL, 1000, 760);
    await choose("Table");
    const cells = (column: number) =>
      page
        .locator(`[aria-label=Metrics] tbody td:nth-child(${column})`)
        .allInnerTexts();
    await expect.poll(async () => (await cells(2))[0]).toBe("read-parquet");
    expect((await cells(4))[0]).toBe("read");
    const values = (await cells(5)).map((value) => parseFloat(value));
    expect(values).toEqual([...values].sort((one, other) => other - one));
    await page.getByRole("button", { name: "Context" }).click();
    await expect.poll(async () => (await cells(1))[0]).toBe("execute");
    await page.getByRole("button", { name: "Context" }).click();
    await expect.poll(async () => (await cells(1))[0]).toBe("get-data");
  });

  it("keeps the order of functions while the run goes on @all", async () => {
    await open("panel=fine-metrics&scenario=live&at=3&metrics=1", 1000, 760);
    await choose("By function");
    const names = () => bars("Execution by function").allInnerTexts();
    await expect.poll(async () => (await names()).length).toBe(3);
    const order = async () => (await names()).map((one) => one.split("\n")[0]);
    const first = await order();
    await page.evaluate(() => window.harness.show(18));
    await expect.poll(async () => (await names()).length).toBeGreaterThan(3);
    expect((await order()).slice(0, 3)).toEqual(first);
  });

  it("says that there are no metrics, and why", async () => {
    await open("panel=fine-metrics&scenario=partly", 1000, 760);
    await page.evaluate(() => window.harness.session.fill("metrics", []));
    await page
      .getByText("Metrics need Daskscope’s agent on the scheduler.")
      .waitFor();
    await page.getByText("This scheduler refuses plugins").first().waitFor();
  });

  it("fits into 320 px", async () => {
    await open(`${PANEL}&theme=dark`, 320, 760);
    await page.locator(".ds-fine-bar").waitFor();
    const [inside, all] = await page
      .locator(".ds-panel-body")
      .evaluate((body) => [body.clientWidth, body.scrollWidth]);
    expect(all).toBe(inside);
    await page.getByLabel("Unit").selectOption("bytes");
    await page.getByText("bytes a second").waitFor();
  });

  it("saves its chart as a picture", async () => {
    await open(PANEL, 1000, 760);
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("button", { name: "PNG of the charts" }).click();
    await expect
      .poll(() => page.evaluate(() => window.harness.saved.length))
      .toBe(1);
    expect(await page.evaluate(() => window.harness.saved[0]!.name)).toMatch(
      /^fine-metrics-.*\.png$/,
    );
    await choose("By activity");
    await page.getByRole("button", { name: "Export" }).click();
    expect(await page.getByText("PNG of the charts").count()).toBe(0);
  });
});
