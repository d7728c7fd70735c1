// The panel of the profile under a real mouse and keyboard: what it draws, counts and follows.

import { expect, it } from "vitest";
import { describePanel, drag, open, page } from "./harness/panel";

const PANEL = "panel=profile&scenario=live&at=29.1&profile=1";
const ROW_PX = 22;

const text = (css: string) => page.locator(css).innerText();
const focus = () => page.evaluate(() => window.harness.session.focus.value);
const choose = (name: string) =>
  page.getByRole("button", { name, exact: true }).click();
const graph = () => page.locator(".ds-flame-hit").first();
const status = () => text(".ds-status");

/** Points at a row, at a share of its width. */
async function point(row: number, share: number): Promise<string> {
  const { width } = (await graph().boundingBox())!;
  const position = { x: share * width, y: (row + 0.4) * ROW_PX };
  await graph().hover({ position });
  return text(".ds-card");
}

async function click(
  row: number,
  share: number,
  modifiers: "Shift"[] = [],
): Promise<void> {
  const { width } = (await graph().boundingBox())!;
  const position = { x: share * width, y: (row + 0.4) * ROW_PX };
  await graph().click({ position, modifiers });
}

const samples = async (): Promise<[number, number]> => {
  const found = /^([\d,]+) of ([\d,]+) samples?/.exec(await status());
  const [some, all] = [found?.[1], found?.[2]].map((count) =>
    Number(count?.replace(/,/g, "")),
  );
  return [some!, all!];
};

/** The colours of the graph. */
const fills = async (): Promise<Set<number>> => {
  const pixels = await page.evaluate(() => {
    const canvas =
      document.querySelector<HTMLCanvasElement>(".ds-flame canvas")!;
    const { width, height } = canvas;
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, width, height);
    const counts = new Map<number, number>();
    for (const pixel of new Uint32Array(data.buffer)) {
      counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
    }
    return [...counts].filter(([, count]) => count > 200).map(([one]) => one);
  });
  return new Set(pixels);
};

const counted = (scope: number) =>
  page.evaluate((wanted) => {
    const { columns } = window.harness.session.table("profile_counts").value;
    const sum = columns.count.reduce(
      (all, count, row) => all + (columns.scope[row] === wanted ? count : 0),
      0,
    );
    return Math.round(sum);
  }, scope);

describePanel("the panel of the profile", () => {
  it("counts all samples, and says a frame's part of them", async () => {
    await open(PANEL, 1200, 700);
    await expect.poll(samples).toEqual([await counted(0), await counted(0)]);
    expect(await point(0, 0.5)).toMatch(
      /^all workers\s+420\.7 s\s+total\s+420/,
    );
    const card = await point(4, 0.2);
    expect(card).toMatch(
      /^read_fragment\s+[\d.]+ s\s+total\s+[\d.]+ s, 3\d\.\d %/,
    );
    expect(card).toMatch(/self\s+[\d.]+ s, 1\.4 %/);
    expect(card).toContain("dask/io/parquet.py:71");
    await page.mouse.move(2, 2);
    await expect.poll(() => page.locator(".ds-card").count()).toBe(0);
  });

  it("zooms by a click, and goes back step by step", async () => {
    await open(PANEL, 1200, 700);
    await click(4, 0.2);
    await expect
      .poll(() => text(".ds-profile-crumbs"))
      .toMatch(/read_fragment\s*[\d.]+ s, 3\d/);
    expect(await text(".ds-profile-detail")).toMatch(
      /read_fragment\s+dask\/io\/parquet\.py, seen at line 71/,
    );
    // Its callee is as wide as the graph now.
    await expect.poll(() => point(5, 0.8)).toMatch(/^Fragment\.to_table/);
    await page.keyboard.press("Escape");
    await expect
      .poll(() => text(".ds-profile-crumbs"))
      .toMatch(/Task\.__call__/);
    for (let step = 0; step < 3; step++) await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".ds-profile-crumbs").count()).toBe(0);
    expect(await page.evaluate(() => window.harness.leaked)).toEqual([]);
  });

  it("goes from frame to frame by arrows, and zooms by Enter", async () => {
    await open(PANEL, 1200, 700);
    await graph().focus();
    const chosen = () => text(".ds-profile-detail-name");
    const press = (key: string) => page.keyboard.press(key);
    for (let step = 0; step < 4; step++) await press("ArrowDown");
    await expect.poll(chosen).toBe("read_fragment");
    await press("ArrowRight");
    await expect.poll(chosen).toBe("shuffle_transfer");
    await press("ArrowUp");
    await expect.poll(chosen).toBe("Task.__call__");
    await press("ArrowDown");
    await press("Enter");
    await expect.poll(() => text(".ds-profile-crumbs b")).toBe("read_fragment");
  });

  it("says which share matches a search, and steps through it", async () => {
    await open(PANEL, 1200, 700);
    await graph().focus();
    await page.keyboard.press("/");
    await page.keyboard.type("to_pandas");
    const found = page.locator(".ds-search-found");
    await expect.poll(() => found.innerText()).toMatch(/^1 match, 2\d %$/);
    await page.keyboard.press("Enter");
    await expect
      .poll(() => text(".ds-profile-detail-name"))
      .toBe("Table.to_pandas");
    await expect.poll(status).toMatch(/to_pandas in 2\d\.\d %/);
    // Also where it is folded into another frame.
    const share = await found.innerText();
    await choose("Collapse libraries");
    await expect
      .poll(() => found.innerText())
      .toBe(share.replace("1 match", "2 matches"));
  });

  it("shows callers above a function and what it calls below", async () => {
    await open(PANEL, 1200, 700);
    await page.locator(".ds-search input").fill("to_pandas");
    await page.locator(".ds-search input").press("Enter");
    await choose("Callers and callees");
    const words = page.locator(".ds-profile-sandwich");
    await expect.poll(() => words.innerText()).toMatch(/2 callers; itself/);
    const callees = page.locator(".ds-flame-hit").nth(1);
    await callees.hover({ position: { x: 40, y: ROW_PX * 1.4 } });
    await expect.poll(() => text(".ds-card")).toMatch(/^table_to_dataframe/);
    await page.keyboard.press("Escape");
    await expect.poll(() => words.count()).toBe(0);
  });

  it("leaves out what is hidden, and shows one function alone", async () => {
    await open(PANEL, 1200, 700);
    await click(4, 0.2, ["Shift"]);
    await choose("Hide");
    await expect
      .poll(() => text(".ds-profile-crumbs"))
      .toContain("without read_fragment");
    await expect.poll(() => point(4, 0.2)).toMatch(/^Fragment\.to_table/);
    await page.getByLabel("Show again: without read_fragment").click();
    await expect.poll(() => point(4, 0.2)).toMatch(/^read_fragment/);
    await click(4, 0.2, ["Shift"]);
    await choose("Root here");
    await expect.poll(() => point(1, 0.2)).toMatch(/^Fragment\.to_table/);
  });

  it("narrows by time, prefix and worker, and sets time in focus by a brush", async () => {
    await open(PANEL, 1200, 700);
    const plot = (await page.locator(".ds-time-hit").boundingBox())!;
    const y = plot.y + 20;
    await drag(
      [plot.x + plot.width / 3, y],
      [plot.x + (plot.width * 2) / 3, y],
    );
    await expect.poll(async () => (await focus()).time !== null).toBe(true);
    const { time } = await focus();
    expect(time![1] - time![0]).toBeCloseTo(10, 0);
    await expect
      .poll(async () => (await samples())[0] / (await samples())[1])
      .toBeCloseTo(0.34, 1);
    await page.keyboard.press("Escape");
    await expect.poll(async () => (await focus()).time).toBe(null);
    await page.evaluate(() => {
      const { session } = window.harness;
      session.setFocus({ ...session.focus.value, prefixes: ["rename"] });
    });
    await expect.poll(() => point(4, 0.9)).toMatch(/^totals/);
    const [some] = await samples();
    await page.evaluate(() => {
      const { session } = window.harness;
      const workers = session.workers.value
        .slice(0, 1)
        .map((one) => one.address);
      session.setFocus({ ...session.focus.value, workers });
    });
    await expect
      .poll(async () => (await samples())[0] / some)
      .toBeCloseTo(0.25, 1);
    await choose("Scheduler");
    await expect.poll(samples).toEqual([await counted(2), await counted(2)]);
  });

  it("shows a selected time at once: only zooming is animated", async () => {
    await open(PANEL, 1200, 700);
    await graph().waitFor();
    const shares = await page.evaluate(async () => {
      const { session } = window.harness;
      const { prototype } = CanvasRenderingContext2D;
      const native = prototype.fillRect;
      const shares: number[] = [];
      prototype.fillRect = function (x, y, width, height) {
        const isRoot = x === 0 && y === 0 && this.canvas.closest(".ds-flame");
        if (isRoot) shares.push(width / this.canvas.width);
        native.call(this, x, y, width, height);
      };
      const start = session.origin.value;
      const time: [number, number] = [start + 18, start + 28];
      session.setFocus({ ...session.focus.value, time });
      while (shares.length === 0) await new Promise(requestAnimationFrame);
      prototype.fillRect = native;
      return shares;
    });
    expect(Math.min(...shares)).toBeGreaterThan(0.99);
  });

  it("compares what is selected with the rest of the run", async () => {
    await open(PANEL, 1200, 760);
    await choose("Compare");
    await page.getByText("Drag over the time below").waitFor();
    await page.evaluate(() => {
      const { session } = window.harness;
      const start = session.origin.value;
      session.setFocus({
        ...session.focus.value,
        time: [start + 18, start + 28],
      });
    });
    const head = page.locator(".ds-profile-compare");
    await expect
      .poll(() => head.innerText())
      .toMatch(/A → B: \S+ [\d.]+ → [\d.]+ %, /);
    await expect
      .poll(() => point(4, 0.4))
      .toMatch(/A\s+[\d.]+ %\s+B\s+[\d.]+ %\s+B − A\s+[+−][\d.]+ %/);
    // The same work in both: nothing differs.
    await page.evaluate(() => {
      const { session } = window.harness;
      const start = session.origin.value;
      session.setFocus({
        ...session.focus.value,
        time: [start + 2, start + 8],
      });
    });
    await choose("Keep as A");
    await page.evaluate(() => {
      const { session } = window.harness;
      const start = session.origin.value;
      session.setFocus({
        ...session.focus.value,
        time: [start + 8, start + 14],
      });
    });
    await expect.poll(() => head.innerText()).toContain("A is 2.0 – 8.0 s");
    expect(await head.innerText()).toContain("No function differs");
  });

  it("compares with another recording, in seconds, and refuses what cannot be", async () => {
    await open(`${PANEL}&slower=1&other-at=29.1`, 1200, 760);
    await choose("Compare");
    const chooseOther = async () => {
      await choose("Another recording");
      await choose("Taxi shuffle, 13:47");
    };
    await chooseOther();
    const head = page.locator(".ds-profile-compare");
    await expect
      .poll(() => head.innerText())
      .toMatch(/^B took .* more\. Series\.map [\d.]+ s more/);
    // The threads of both are over time; the other recording is the line.
    expect(await text(".ds-profile-activity-name")).toContain("line: A");
    const line = await page.evaluate(() => {
      const css = ".ds-profile-activity canvas";
      const canvas = document.querySelector<HTMLCanvasElement>(css)!;
      const { width, height } = canvas;
      const ink = canvas.getContext("2d")!;
      const column = ink.getImageData(Math.round(width / 2), 0, 1, height);
      const dark = [...column.data].filter((_, at) => at % 4 === 0);
      return Math.min(...dark);
    });
    expect(line).toBeLessThan(100);
    // The other functions took as long as before.
    expect(await head.innerText()).toMatch(
      /B is this run \(.*A is Taxi shuffle/,
    );
    const table = page.locator(".ds-profile-table");
    const first = () => table.locator("tbody th").first().innerText();
    const differing = await first();
    await table.getByRole("button", { name: /^Function/ }).click();
    await expect.poll(first).toMatch(/^_concurrent_futures_thread\.run/);
    await table.getByRole("button", { name: /^B − A/ }).click();
    await expect.poll(first).toBe(differing);
    // What does not match a search is faded.
    const before = (await fills()).size;
    await page.locator(".ds-search input").fill("margin");
    await expect.poll(() => table.locator("tbody tr").count()).toBe(1);
    await expect.poll(async () => (await fills()).size).toBeGreaterThan(before);
    await page.locator(".ds-search input").press("Enter");
    await expect.poll(() => text(".ds-profile-detail-name")).toBe("add_margin");
    await page.locator(".ds-search input").fill("");
    await choose("add_margin a cell, line 9");
    await expect
      .poll(() => text(".ds-profile-detail"))
      .toMatch(/A\s+[\d.]+ s\s+B\s+[\d.]+ s\s+B − A\s+\+[\d.]+ s/);
    await choose("Percent");
    await expect.poll(() => head.innerText()).toContain("A → B: Series.map");
    await choose("Do not compare with Taxi shuffle, 13:47");
    await page.getByText("Drag over the time below").waitFor();
    await page.evaluate(() => window.harness.dispose());
    await page.close();
    await open(`${PANEL}&other-interval=0.02`, 1200, 760);
    await choose("Compare");
    await chooseOther();
    await page.getByText("20 ms in A and 10 ms in B").waitFor();
    const file = page.locator('input[type="file"]');
    await file.setInputFiles({
      name: "no-report.html",
      mimeType: "text/html",
      buffer: Buffer.from("<p>hello"),
    });
    await page.getByText("no-report.html cannot be read").waitFor();
  });

  it("is split by prefix and by worker", async () => {
    await open(PANEL, 1200, 700);
    const split = async (by: string) => {
      await choose("More of the graph");
      await choose(`Split by ${by}`);
      await page.keyboard.press("Escape");
    };
    const [before] = await samples();
    await split("prefix");
    await expect.poll(() => point(1, 0.1)).toMatch(/^groupby-chunk/);
    expect(await point(2, 0.1)).toMatch(/^_concurrent_futures_thread\.run/);
    expect(await point(5, 0.1)).toMatch(/^totals/);
    expect(await samples()).toEqual([before, before]);
    await split("worker");
    await expect.poll(() => point(1, 0.1)).toMatch(/^worker-0/);
    expect(await point(1, 0.9)).toMatch(/^worker-3/);
    await choose("Invert");
    await expect.poll(() => point(1, 0.01)).not.toMatch(/^worker/);
    // What nothing else called is not the function's own time.
    const card = await point(1, 0.01);
    expect(card).toMatch(/total/);
    expect(card).not.toMatch(/self/);
    await click(1, 0.01);
    const detail = () => text(".ds-profile-detail");
    await expect.poll(detail).toMatch(/Total/);
    expect(await detail()).not.toMatch(/Self/);
  });

  it("stands still while a frame is pinned, and goes on afterwards", async () => {
    await open("panel=profile&scenario=live&at=10&profile=1", 1200, 700);
    await click(4, 0.2, ["Shift"]);
    await expect.poll(status).toContain("the graph is pinned");
    const [before] = await samples();
    await page.mouse.move(2, 2);
    await page.evaluate(() => window.harness.show(20));
    await expect.poll(async () => (await samples())[1]).toBeGreaterThan(before);
    expect((await samples())[0]).toBe(before);
    await page.keyboard.press("Escape");
    await expect
      .poll(async () => (await samples())[0] === (await samples())[1])
      .toBe(true);
    // The frame that was zoomed to is the same one.
    await click(4, 0.2);
    // Also while the pointer rests on the graph, for however long.
    const [seen] = await samples();
    await page.evaluate(() => {
      const { setTimeout } = window;
      const at_once = (run: () => void) => setTimeout(run, 0);
      Object.assign(window, { setTimeout: at_once });
    });
    await point(4, 0.2);
    await page.evaluate(() => window.harness.show(29));
    await expect.poll(async () => (await samples())[1]).toBeGreaterThan(seen);
    expect((await samples())[0]).toBe(seen);
    await page.mouse.move(2, 2);
    await expect.poll(async () => (await samples())[0]).toBe(await counted(0));
    expect(await text(".ds-profile-crumbs b")).toBe("read_fragment");
  });

  it("says why there is nothing, and what to do", async () => {
    await open("panel=profile&scenario=live&at=0.5&profile=1", 700, 400);
    await page.getByText("No samples yet").waitFor();
    await page.evaluate(() => window.harness.dispose());
    await page.close();
    await open(`${PANEL}&compute=off&administrative=python-3.11`, 700, 400);
    await page.getByText("distributed.worker.profile.enabled: true").waitFor();
    await choose("Workers");
    await page.getByText("on Python 3.11").waitFor();
    await page.evaluate(() => window.harness.dispose());
    await page.close();
    await open(`${PANEL}&compute=refused`, 1200, 700);
    await expect.poll(status).toContain("without prefixes");
  });

  it("says how far behind the profile is", async () => {
    await open(PANEL, 1200, 700);
    await expect.poll(status).toContain("profile 0.1 s behind");
    await page.evaluate(() => {
      const { session } = window.harness;
      session.now.value += 30;
    });
    const fact = page.locator(".ds-fact.ds-warn");
    await expect.poll(() => fact.innerText()).toBe("profile 30.1 s behind");
  });

  it("fits into 320 px", async () => {
    await open(`${PANEL}&theme=dark`, 320, 640);
    await graph().waitFor();
    const [inside, all] = await page
      .locator(".ds-panel-body")
      .evaluate((body) => [body.clientWidth, body.scrollWidth]);
    expect(all).toBe(inside);
    await page.getByRole("button", { name: "More of the graph" }).click();
    await choose("Sandwich");
    await page.getByText("Choose a function").waitFor();
  });
});
