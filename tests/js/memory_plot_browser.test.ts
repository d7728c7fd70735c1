// The plot of a MemorySampler by mouse and keyboard, and while samples come.

import { expect, it } from "vitest";
import { describePanel, open, page } from "./harness/panel";

const PLOT = "panel=memory-plot&scenario=samples&inline=1";
const options = (chosen: object) =>
  `options=${encodeURIComponent(JSON.stringify(chosen))}`;
const hit = () => page.locator(".ds-time-hit");
const status = () => page.locator(".ds-status").innerText();
const card = () => page.locator(".ds-memory-card");
const show = (seconds?: number) =>
  page.evaluate(async (moment) => {
    window.harness.show(moment as number);
    for (let frame = 0; frame < 3; frame++) {
      await new Promise((done) => requestAnimationFrame(done));
    }
  }, seconds);

/** The shares of the plot where a colour is leftmost, rightmost and highest. */
const reachOf = (hex: string) =>
  page.locator(".ds-time-plot canvas").evaluate(
    (node, wanted) => {
      const canvas = node as HTMLCanvasElement;
      const { width, height } = canvas;
      const context = canvas.getContext("2d")!;
      const { data } = context.getImageData(0, 0, width, height);
      let [left, right, top] = [Infinity, -Infinity, Infinity];
      for (let at = 0; at < data.length; at += 4) {
        const pixel = (data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!;
        const x = (at / 4) % width;
        if (pixel !== wanted || x < 80) continue; // the tick of the mean
        left = Math.min(left, x);
        right = Math.max(right, x);
        top = Math.min(top, Math.floor(at / 4 / width));
      }
      return [left / width, right / width, top / height];
    },
    parseInt(hex, 16),
  );
const FIRST = "5a73de";

async function pointAt(share: number, height = 0.5): Promise<void> {
  const box = (await hit().boundingBox())!;
  await page.mouse.move(box.x + box.width * share, box.y + box.height * height);
}

describePanel("the plot of a MemorySampler", () => {
  it("says what to do while there are no samples", async () => {
    await open(`${PLOT}&labels=0`, 900, 440);
    await page.getByText("No samples yet").waitFor();
    expect(await page.locator(".ds-empty code").innerText()).toBe(
      'with ms.sample("label"): …',
    );
    expect(await page.locator(".ds-state, .ds-error").count()).toBe(0);
  });

  it("names runs, peaks and the limit in its status line, and is not alarming", async () => {
    await open(PLOT, 900, 440);
    await page.locator(".ds-legend-entry").nth(1).waitFor();
    expect(await status()).toMatch(
      /^2 runs\s*·\s*peak 14\.7 GiB in tasks shuffle\s*·\s*limit 16\.0 GiB\s*·\s*143 samples$/,
    );
    expect(await page.locator(".ds-state, .ds-banner").count()).toBe(0);
    expect(await page.locator(".ds-legend-detail").first().innerText()).toBe(
      "41.5 s · peak 14.7 GiB · mean 8.74 GiB",
    );
  });

  it("shows all values at the pointer, those of the workers where they are asked for", async () => {
    await open(`${PLOT}&${options({ align: true })}`, 900, 440);
    await pointAt(0.5);
    await card().waitFor();
    expect(await card().innerText()).toMatch(
      /^20\.75 s\s+tasks shuffle\s+1\d\.\d GiB\s+p2p shuffle\s+\d\.\d+ GiB$/,
    );
    await page.getByRole("button", { name: "Per worker" }).click();
    await pointAt(0.5);
    await expect
      .poll(() => card().innerText())
      .toMatch(/tasks shuffle\s+\d\.\d+ GiB\s+\d\.\d+ GiB – \d\.\d+ GiB/);
    await pointAt(0.9); // the second run was over
    await expect.poll(() => card().locator("tr").count()).toBe(1);
    await page.mouse.move(1, 1);
    await expect.poll(() => card().count()).toBe(0);
  });

  it("takes measure and alignment from Python, and only what it knows @all", async () => {
    const chosen = { align: true, measure: "unmanaged_old" };
    await open(`${PLOT}&${options(chosen)}`, 900, 440);
    const measure = page.getByLabel("Measure");
    expect(await measure.inputValue()).toBe("unmanaged_old");
    const pressed = page.locator(".ds-kinds [aria-pressed=true]");
    expect(await pressed.allInnerTexts()).toEqual(["Cluster", "Aligned"]);
    const before = await status();
    await measure.selectOption("process");
    await expect.poll(status).not.toBe(before);

    await page.evaluate(() => window.harness.dispose());
    await page.close();
    await open(`${PLOT}&${options({ measure: "<b>", align: "yes" })}`);
    expect(await page.getByLabel("Measure").inputValue()).toBe("process");
    expect(
      await page.locator(".ds-kinds [aria-pressed=true]").allInnerTexts(),
    ).toEqual(["Cluster", "One timeline"]);
  });

  it("begins all runs at the left edge where they are aligned", async () => {
    await open(`${PLOT}`, 900, 440);
    const GREEN = "3c8763";
    await expect
      .poll(async () => (await reachOf(GREEN))[0])
      .toBeGreaterThan(0.5);
    await page.getByRole("button", { name: "Aligned" }).click();
    await expect.poll(async () => (await reachOf(GREEN))[0]).toBeLessThan(0.12);
  });

  it("shows a label alone after a click, another with Shift, all after Escape", async () => {
    await open(`${PLOT}&labels=5`, 900, 440);
    const entry = (at: number) => page.locator(".ds-legend-entry").nth(at);
    await entry(1).click();
    await expect
      .poll(status)
      .toMatch(/^1 run\s·\speak 9\.70 GiB in p2p shuffle/);
    await entry(2).click({ modifiers: ["Shift"] });
    await expect.poll(status).toMatch(/^2 runs/);
    await page.locator(".ds-panel-body").focus();
    await page.keyboard.press("Escape");
    await expect.poll(status).toMatch(/^5 runs/);
    expect(await page.evaluate(() => window.harness.leaked)).toEqual([]);
  });

  it("zooms to what is dragged over, and by keyboard back to the whole", async () => {
    await open(PLOT, 900, 440);
    await pointAt(0.1);
    await page.mouse.down();
    await pointAt(0.2);
    await pointAt(0.3);
    await page.mouse.up();
    await expect.poll(status).toMatch(/shown: \d/);
    expect(
      await page.evaluate(() => window.harness.session.told),
      "no focus of a session is set",
    ).toEqual([]);
    await page.keyboard.press("d");
    await page.keyboard.press("s");
    await page.keyboard.press("f");
    await expect.poll(status).not.toMatch(/shown/);
    expect(await page.evaluate(() => window.harness.leaked)).toEqual([]);
  });

  it("has its figures as a table, which a screen reader finds at once", async () => {
    await open(PLOT, 900, 440);
    const table = page.getByRole("table");
    await expect
      .poll(() => table.locator("tbody tr").allInnerTexts())
      .toEqual([
        "tasks shuffle\t1.71 GiB\t8.74 GiB\t14.7 GiB\t41.5 s",
        "p2p shuffle\t1.69 GiB\t5.99 GiB\t9.70 GiB\t29.0 s",
      ]);
    const height = async () => (await table.boundingBox())!.height;
    const wrapped = page.locator(".ds-memory-figures");
    expect(await wrapped.count()).toBe(0);
    await page.locator(".ds-panel-body").focus();
    await page.keyboard.press("t");
    await wrapped.waitFor();
    expect(await height()).toBeGreaterThan(60);
  });

  it("says so where a measure was not sampled @all", async () => {
    await open(PLOT, 900, 440);
    await page.evaluate(() => {
      const { session } = window.harness;
      const measured = { label: "of distributed", measure: "managed" };
      session.fill("samples", [{ time: 1_795_010_551, ...measured }]);
    });
    await page
      .getByText("No samples of process memory, all workers together.")
      .waitFor();
    expect(await status()).toMatch(/^0 runs/);
    await page.getByLabel("Measure").selectOption("managed");
    await expect.poll(status).toMatch(/^1 run\s.\speak 0 B in of distributed/);
  });

  it("shows labels as text, never as markup", async () => {
    const label =
      "<img src=x onerror=injected=true><script>injected=true</script>";
    await open(`${PLOT}&labels=3&label=${encodeURIComponent(label)}`, 900, 440);
    const names = page.locator(".ds-legend-name");
    expect(await names.nth(2).innerText()).toBe(label);
    await pointAt(0.95);
    await expect.poll(() => card().innerText()).toContain(label.slice(0, 10));
    expect(await page.locator(".ds-root img, .ds-root script").count()).toBe(0);
    expect(await page.evaluate(() => window.injected)).toBeUndefined();
  });

  it("saves the picture and the samples", async () => {
    await open(PLOT, 900, 440);
    for (const name of [/^PNG/, /^CSV of samples/]) {
      await page.getByRole("button", { name: "Export" }).click();
      await page.getByRole("button", { name }).click();
    }
    await expect
      .poll(() => page.evaluate(() => window.harness.saved.length))
      .toBe(2);
    const saved = await page.evaluate(() =>
      Promise.all(
        window.harness.saved.map(async ({ name, content }) => {
          const bytes = new Uint8Array(await content.arrayBuffer());
          return { name, begin: String.fromCharCode(...bytes.slice(0, 70)) };
        }),
      ),
    );
    saved.sort((one, other) => one.name.localeCompare(other.name));
    expect(saved[0]!.name).toMatch(/^memory-plot-[\d-]+\.png$/);
    expect(saved[0]!.begin.slice(1, 4)).toBe("PNG");
    expect(saved[1]!.name).toMatch(/^samples-[\d-]+\.csv$/);
    expect(saved[1]!.begin).toMatch(/^time,step,label,measure,cluster,/);
  });

  it("grows to the right while samples come, on an axis that stays", async () => {
    await open(`${PLOT}&labels=1&at=5`, 900, 440);
    await expect.poll(() => page.locator(".ds-state").innerText()).toBe("Live");
    await expect.poll(async () => (await reachOf(FIRST))[1]).toBeGreaterThan(0);
    const ends: number[] = [];
    const places: unknown[] = [];
    for (const seconds of [8, 14, 21, 29]) {
      await show(seconds);
      const right = (await reachOf(FIRST))[1]!;
      expect(right).toBeGreaterThan(ends.at(-1) ?? 0);
      ends.push(right);
      places.push(await hit().boundingBox());
    }
    // 30 seconds all the time: each second is as wide as the others.
    const [a, b, c, d] = ends as [number, number, number, number];
    expect((b - a) / 6).toBeCloseTo((c - b) / 7, 2);
    expect((d - c) / 8).toBeCloseTo((c - b) / 7, 2);
    expect(new Set(places.map((one) => JSON.stringify(one))).size).toBe(1);
    await show();
    await expect.poll(() => page.locator(".ds-state").count()).toBe(0);
  });

  it("keeps what is zoomed to while samples come, and pauses @all", async () => {
    await open(`${PLOT}&labels=1&at=20`, 900, 440);
    await pointAt(0.1);
    await page.mouse.down();
    await pointAt(0.2);
    await pointAt(0.4);
    await page.mouse.up();
    await expect.poll(status).toMatch(/shown: \d/);
    const part = async () => /shown: [^·]+/.exec(await status())?.[0];
    const before = await part();
    await show(26);
    expect(await part()).toBe(before);
    await page.keyboard.press(" ");
    await page.getByText("Paused").waitFor();
    const counted = await status();
    await show(29);
    expect(await status()).toBe(counted);
    await page.keyboard.press(" ");
    await expect.poll(status).not.toBe(counted);
  });

  for (const width of [320, 480, 640, 880]) {
    it(`fits into ${width} pixels`, async () => {
      await open(`${PLOT}&labels=3&at=5`, width, 480);
      await page.locator(".ds-legend-entry").nth(2).waitFor();
      const outside = await page.evaluate(() => {
        const { right } = document
          .querySelector(".ds-root")!
          .getBoundingClientRect();
        return [
          ...document.querySelectorAll(".ds-root button, .ds-root select"),
        ]
          .filter((one) => one.getBoundingClientRect().right > right)
          .map((one) => one.textContent || one.getAttribute("aria-label"))
          .concat(
            [...document.querySelectorAll(".ds-toolbar-middle")]
              .filter((one) => one.scrollWidth > one.clientWidth)
              .map(() => "the middle of the toolbar"),
          );
      });
      expect(outside).toEqual([]);
      expect((await hit().boundingBox())!.height).toBeGreaterThan(120);
    });
  }
});
