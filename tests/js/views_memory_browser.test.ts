// The panel Memory under a real mouse: what it draws, says and isolates.

import { expect, it } from "vitest";
import { describePanel, drag, open, page } from "./harness/panel";

const MEMORY = "panel=memory&scenario=live&at=20";
const GIB = 2 ** 30;

const status = () => page.locator(".ds-status").innerText();
const addressesOf = () =>
  page.evaluate(() =>
    window.harness.session.workers.value.map(({ address }) => address),
  );
const focus = () =>
  page.evaluate(() => {
    const { time, workers, prefixes } = window.harness.session.focus.value;
    return { time, workers, prefixes };
  });
const bars = () => page.locator(".ds-memory-bars li:not([aria-hidden])");

/** Of what it lacks nothing was measured: 0. */
interface Sample {
  readonly worker: string;
  readonly [measure: string]: number | string;
}

/** Samples of the cluster and its workers, each half a second from the run's start on. */
const fill = (samples: readonly (readonly Sample[])[]) =>
  page.evaluate((all) => {
    const { session } = window.harness;
    const columns = Object.keys(session.table("memory").value.columns);
    const rows = all.flatMap((samples, at) =>
      samples.map((sample) => ({
        ...Object.fromEntries(
          columns.map((name) => [
            name,
            sample[name.replace(/_(least|most)$/, "")] ?? 0,
          ]),
        ),
        time: session.origin.value + at / 2,
      })),
    );
    session.fill("memory", rows);
  }, samples);

describePanel("the panel Memory", () => {
  it("says the peak: when, on which worker, mostly of what", async () => {
    await open(MEMORY, 1100, 800);
    await expect
      .poll(status)
      .toMatch(/^peak 11\.\d of 16\.0 GiB at 17\.\d s, most on worker-1\s/);
    await page.evaluate((bytes) => {
      const { session } = window.harness;
      const time = session.origin.value;
      session.fill("held", [{ time, prefix: 0, bytes }]);
    }, 8 * GIB);
    await expect
      .poll(status)
      .toMatch(/ s, most on worker-1, mostly read-parquet\s/);
    // Of the time in focus.
    await page.evaluate(() => {
      const { session } = window.harness;
      const origin = session.origin.value;
      session.setFocus({ ...session.focus.value, time: [origin, origin + 5] });
    });
    await expect
      .poll(status)
      .toMatch(/^peak [2-5]\.\d of 16\.0 GiB at [45]\.\d s/);
  });

  it("isolates a worker and a prefix by a click, and counts only that", async () => {
    await open(MEMORY, 1100, 800);
    const [first] = await bars().locator("button").allInnerTexts();
    expect(first).toBe("worker-1");
    await page.getByRole("button", { name: "worker-2" }).click();
    await expect.poll(async () => (await focus()).workers.length).toBe(1);
    await expect
      .poll(status)
      .toMatch(/^peak 2\.\d+ of 4\.00 GiB at [\d.]+ s on worker-2\s/);
    await page.getByRole("button", { name: "rename" }).click();
    await expect.poll(async () => (await focus()).prefixes).toEqual(["rename"]);
    await page.getByRole("button", { name: "Prefixes" }).click();
    await page.keyboard.press("Escape");
    await expect.poll(status).toMatch(/of 16\.0 GiB/);
  });

  it("draws a spike of one sample at every zoom", async () => {
    await open(MEMORY, 1000, 900);
    const addresses = await addressesOf();
    const at = 23;
    await fill(
      Array.from({ length: 41 }, (_, row) => {
        const process = (row === at ? 3 : 1) * GIB;
        return [
          { worker: addresses[0]!, process },
          { worker: "", process },
        ];
      }),
    );
    await expect
      .poll(status)
      .toMatch(/^peak 3\.00 GiB at 11\.5 s on worker-0, mostly unmanaged/);
    for (const zoom of [0, -300, -300, 1500, 900]) {
      const plot = page.locator(".ds-time-hit").first();
      const box = (await plot.boundingBox())!;
      await page.mouse.move(box.x + box.width * (11.6 / 30), box.y + 60);
      if (zoom !== 0) {
        await page.keyboard.down("Control");
        await page.mouse.wheel(0, zoom);
        await page.keyboard.up("Control");
      }
      await page.mouse.move(2, 2);
      await page.waitForTimeout(400);
      // Pixels from above that have the colour of recent memory, in each column.
      const tops = await page.evaluate(() => {
        const plot = document.querySelector(".ds-time-hit")!;
        const canvas = plot.parentElement!.querySelector("canvas")!;
        const { width, height, data } = canvas
          .getContext("2d")!
          .getImageData(0, 0, canvas.width, canvas.height);
        const { offsetTop, offsetHeight } = plot as HTMLElement;
        const heights = new Set<number>();
        for (let x = 0; x < width; x++) {
          for (let y = 0; y < height; y++) {
            const at = 4 * (y * width + x);
            if (data[at + 2]! - data[at]! < 30) continue;
            const share = (offsetTop + offsetHeight - y) / offsetHeight;
            heights.add(Math.round(share * 20) / 20);
            break;
          }
        }
        return [...heights].sort((one, other) => one - other);
      });
      // Of an axis that ends at the least whole step above 3 GiB.
      expect(tops.at(-1), `after a wheel of ${zoom}`).toBeGreaterThan(0.7);
    }
  });

  it("moves its window by the overview", async () => {
    await open(MEMORY, 1000, 800);
    const strip = (await page.locator(".ds-run-overview").boundingBox())!;
    const y = strip.y + strip.height / 2;
    await drag([strip.x + strip.width - 12, y], [strip.x + strip.width / 2, y]);
    await expect
      .poll(() => page.locator(".ds-crumbs").innerText())
      .toMatch(/0\.0 – 15\.\d s/);
    await drag([strip.x + strip.width / 4, y], [strip.x + strip.width / 2, y]);
    await expect
      .poll(() => page.locator(".ds-crumbs").innerText())
      .toMatch(/7\.\d – 2\d\.\d s/);
    await page.mouse.dblclick(strip.x + 20, y);
    await expect
      .poll(() => page.locator(".ds-crumbs").innerText())
      .toBe("Whole run");
  });

  it("shows a band where there are many workers, and all of them if asked", async () => {
    await open(`${MEMORY}&workers=200&threads=1`, 1000, 900);
    await page.getByText("median of 200 workers").first().waitFor();
    expect(await bars().count()).toBe(8);
    await page.getByRole("button", { name: "Show all 200" }).click();
    expect(await bars().count()).toBe(200);
    await page.getByRole("combobox").selectOption("spilled");
    await page.getByText("Spilled memory by worker").waitFor();
  });

  it("shows unmanaged memory as one part where no agent samples", async () => {
    await open(MEMORY, 1000, 800);
    const [first, second] = await addressesOf();
    const sample = (worker: string, workers: number) => ({
      ...{ worker, process: 3 * workers * GIB },
      ...{ managed: workers * GIB, unmanaged: 2 * workers * GIB },
      ...{ unmanaged_old: NaN, unmanaged_recent: NaN, optimistic: NaN },
    });
    const all = [sample(first!, 1), sample(second!, 1), sample("", 2)];
    await fill(Array.from({ length: 41 }, () => all));
    await page.evaluate(() => {
      const { session } = window.harness;
      session.fill("held", []);
      session.notices.value = [
        {
          ...{ code: "plugins-refused", level: "warn", next: "" },
          text: "This scheduler refuses plugins.",
        },
      ];
    });
    await page.getByText("need Daskscope’s agent on the scheduler").waitFor();
    await expect
      .poll(status)
      .toMatch(
        /^peak 6\.00 GiB at [\d.]+ s, most on worker-\d, mostly unmanaged/,
      );
    expect(await bars().count()).toBe(2);
    expect(await bars().first().locator(".ds-bar").getAttribute("title")).toBe(
      "managed 1.00 GiB\nunmanaged 2.00 GiB\nspilled to disk 0 B",
    );
    const figures = page
      .getByRole("table", { name: /^All together/ })
      .locator("tbody tr");
    expect((await figures.allInnerTexts()).slice(0, 2)).toEqual([
      "managed\t2.00 GiB\t2.00 GiB\t2.00 GiB",
      "unmanaged\t4.00 GiB\t4.00 GiB\t4.00 GiB",
    ]);

    await page.evaluate(() => window.harness.session.fill("memory", []));
    await page.getByText("No memory samples yet").waitFor();
  });

  it("saves its charts as a picture", async () => {
    await open(MEMORY, 1000, 800);
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("button", { name: "PNG of the charts" }).click();
    await expect
      .poll(() => page.evaluate(() => window.harness.saved.length))
      .toBe(1);
    const saved = await page.evaluate(async () => {
      const { name, content } = window.harness.saved[0]!;
      const { width, height } = await createImageBitmap(content);
      return { name, width, height };
    });
    expect(saved.name).toMatch(/^memory-.*\.png$/);
    expect(saved.width).toBeGreaterThan(600);
    expect(saved.height).toBeGreaterThan(450);
  });
});
