// What is written in a report stays whole: with larger letters, with long names and
// messages, and where there is little room.

import { expect, it } from "vitest";
import { describeReport, open, page, tab } from "./harness/report";

const enlarge = () =>
  page.evaluate(() =>
    document.documentElement.style.setProperty("--jp-ui-font-size1", "18px"),
  );

/** Charts of a tab on whose edges something is written, which then is cut. */
const writtenOnEdges = (of: string) =>
  page.locator(`${of} canvas`).evaluateAll((all) =>
    (all as HTMLCanvasElement[]).map((canvas) => {
      const context = canvas.getContext("2d")!;
      const { width, height } = canvas;
      const pixels = [
        ...context.getImageData(0, 0, 1, height).data,
        ...context.getImageData(0, 0, width, 1).data,
      ];
      return pixels.some((one) => one !== 255);
    }),
  );

describeReport("a report with larger letters", () => {
  it("gives the labels of its charts the room that they need", async () => {
    await open("", "tab=system", 1200, 1000);
    await page.getByRole("table").first().waitFor();
    const charts = await page.locator(".ds-system canvas").count();
    expect(charts).toBe(5);
    await enlarge();
    const whole = Array.from({ length: charts }, () => false);
    await expect
      .poll(() =>
        page
          .locator(".ds-time-hit")
          .first()
          .evaluate((hit) => parseFloat(getComputedStyle(hit).left)),
      )
      .toBeGreaterThan(70);
    await expect.poll(() => writtenOnEdges(".ds-system")).toEqual(whole);
    await tab("Summary").click();
    await page.locator(".ds-summary canvas").nth(1).waitFor();
    await expect
      .poll(() => writtenOnEdges(".ds-summary"))
      .toEqual([false, false]);
  });

  it("writes each figure of a bar on one line @all", async () => {
    await open();
    await page.locator(".ds-bars").first().waitFor();
    await enlarge();
    const lines = () =>
      page.locator(".ds-bar-share, .ds-bar-value").evaluateAll((all) =>
        all.map((one) => {
          const range = document.createRange();
          range.selectNodeContents(one);
          return range.getClientRects().length;
        }),
      );
    await expect.poll(async () => Math.max(...(await lines()))).toBe(1);
  });
});

describeReport("a report with long names", () => {
  const columns = (rows: Record<string, unknown>[]) =>
    Object.fromEntries(
      Object.keys(rows[0]!).map((name) => [name, rows.map((row) => row[name])]),
    );
  const openWith = (tables: Record<string, unknown>, width?: number) =>
    open(
      `tables=${encodeURIComponent(JSON.stringify(tables))}`,
      "tab=events",
      width,
    );

  it("keeps the ends of workers' names, which tell them apart @all", async () => {
    const host = "gpu-partition-node-with-a-very-long-name.cluster.example.org";
    const workers = [0, 1].map((at) => ({
      time: 1_795_010_552,
      worker: `tcp://10.4.9.${at}:4000`,
      name: `${host}-worker-${at}`,
      ...{ what: "added", detail: `${at + 4} threads` },
    }));
    await openWith({ workers: columns(workers) });
    const about = page.locator("td.ds-list-about", { hasText: "gpu-" });
    await expect
      .poll(() => about.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^gpu-.+….+-worker-0$/),
        expect.stringMatching(/^gpu-.+….+-worker-1$/),
      ]);
    expect(await about.first().getAttribute("title")).toBe(`${host}-worker-0`);
  });

  it("cuts a long message at the end of a line, and stands facts below each other @all", async () => {
    const errors = [2, 1, 1].flatMap((times, kind) =>
      Array.from({ length: times }, (_, at) => ({
        time: 1_795_010_560 + at,
        key: `key-${kind}-${at}`,
        prefix: kind === 1 ? "a-longer-prefix" : "inc",
        worker: "tcp://10.4.0.21:39411",
        exception: `ValueError(${JSON.stringify(`${kind} no `.repeat(kind === 0 ? 900 : 1))})`,
        ...{ traceback: "", task: -1 },
      })),
    );
    await openWith({ errors: columns(errors) });
    const words = page.locator(".ds-error-words");
    await expect.poll(() => words.count()).toBe(3);
    const { height, line } = await words.first().evaluate((one) => ({
      height: one.clientHeight,
      line: parseFloat(getComputedStyle(one).fontSize) * 1.3,
    }));
    expect(height / line).toBeCloseTo(Math.round(height / line), 1);
    for (const fact of [0, 1, 2, 3]) {
      const lefts = await page
        .locator(`.ds-error-facts > :nth-child(${fact + 1})`)
        .evaluateAll((all) =>
          all.map((one) => Math.round(one.getBoundingClientRect().left)),
        );
      expect(new Set(lefts).size, String(fact)).toBe(1);
    }
  });

  it.each([
    [640, false],
    [700, false],
    [800, false],
    [880, false],
    [900, true],
    [1180, true],
  ])(
    "cuts neither names nor times of errors at %i px, larger letters: %s @all",
    async (width, larger) => {
      const name = (of: string, at: number) =>
        `${of}-${"long-".repeat(9)}${at}`;
      const errors = Array.from({ length: 12 }, (_, at) => ({
        time: 1_795_010_560 + 3_700 + Math.floor(at / 2),
        key: `key-${at}`,
        ...{ prefix: name("prefix", at >> 1), worker: name("worker", at >> 1) },
        exception: `ValueError('no ${"more ".repeat(40)}${at >> 1}')`,
        ...{ traceback: "", task: -1 },
      }));
      await openWith({ errors: columns(errors) }, width);
      if (larger) await enlarge();
      const facts = page.locator(".ds-error-facts > *");
      await expect.poll(() => facts.count()).toBe(24);
      const cut = () =>
        facts.evaluateAll((all) =>
          all
            .filter((one) => one.scrollWidth > one.clientWidth)
            .map((one) => one.textContent),
        );
      await expect.poll(cut).toEqual([]);
      const panel = page.locator(".ds-panel-body.ds-events");
      expect(
        await panel.evaluate((one) => one.scrollWidth - one.clientWidth),
      ).toBe(0);
    },
  );

  it("begins everything at the same edge where it is narrow", async () => {
    await open("", "", 360);
    const left = (of: string) =>
      page.evaluate((selector) => {
        const range = document.createRange();
        range.selectNodeContents(document.querySelector(selector)!);
        return range.getBoundingClientRect().left;
      }, of);
    for (const of of ["h1", "[role=tab]", ".ds-figure dt", ".ds-busy h3"]) {
      await page.locator(of).first().waitFor();
      expect(await left(of), of).toBe(12);
    }
    const tools = await page
      .locator(".ds-report-tools button")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(tools).toHaveLength(2);
    expect(new Set(tools).size).toBe(1);
  });
});
