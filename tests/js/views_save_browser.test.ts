// What a person can take away from a task stream: rows and pictures.

import { expect, it } from "vitest";
import { describePanel, open, page, plot, plotBox } from "./harness/panel";

interface Failing {
  fail(error: Error): void;
}

async function saveCsv(): Promise<void> {
  await page.getByRole("button", { name: "Export" }).click();
  await page.locator(".ds-menu-item", { hasText: "CSV" }).first().click();
}

describePanel("a file that a task stream saves", () => {
  it("saves the rows on the screen, all rows, and the picture", async () => {
    await open("scenario=hostile");
    for (const item of ["PNG", "CSV", "CSV of all rows"]) {
      await page.getByRole("button", { name: "Export" }).click();
      await page.locator(".ds-menu-item", { hasText: item }).first().click();
      await page.locator(".ds-stage-note").waitFor();
    }
    await expect
      .poll(() => page.evaluate(() => window.harness.saved.length), {
        timeout: 5000,
      })
      .toBe(3);
    const saved = await page.evaluate(() =>
      Promise.all(
        window.harness.saved.map(async ({ name, content }) => ({
          name,
          type: content.type,
          size: content.size,
          text: content.type === "text/csv" ? await content.text() : "",
        })),
      ),
    );
    const csv = saved.filter(({ type }) => type === "text/csv");
    expect(saved.map(({ type }) => type).sort()).toEqual([
      "image/png",
      "text/csv",
      "text/csv",
    ]);
    expect(csv[0]!.text.split("\n")[0]).toBe(
      "start,start_from_origin,duration,worker,worker_name,thread,prefix,action,status,nbytes,span,task,key",
    );
    const origin = await page.evaluate(
      () => window.harness.session.origin.value,
    );
    const [start, fromOrigin] = csv[1]!.text
      .split("\n")[1]!
      .split(",")
      .map(Number);
    expect(fromOrigin).toBeCloseTo(start! - origin, 5);
    const workers = csv[1]!.text.matchAll(/,(tcp:\/\/[^,]+,[^,]*),/g);
    expect(new Set([...workers].map(([, pair]) => pair))).toEqual(
      new Set([
        ...["tcp://10.4.0.21:39411,worker-0", "tcp://10.4.0.22:39418,worker-1"],
        ...["tcp://10.4.0.23:39425,worker-2", "tcp://10.4.0.24:39432,worker-3"],
      ]),
    );
    // A spreadsheet must not run what a key says.
    expect(csv[0]!.text).not.toMatch(/,=cmd/);
    expect(csv[0]!.text).toContain(",'=cmd");
    expect(
      saved.find(({ type }) => type === "image/png")!.size,
    ).toBeGreaterThan(10_000);
  });

  it("is not said to be saved where the page may not do that @all", async () => {
    await open("scenario=full&refuses=1");
    await page.evaluate(() => {
      const told: string[] = [];
      Object.assign(window, { told });
      const note = () =>
        document.querySelector(".ds-stage-note")?.textContent ?? "";
      new MutationObserver(() => {
        if (note() !== told.at(-1)) told.push(note());
      }).observe(document.body, {
        ...{ subtree: true, childList: true, characterData: true },
      });
    });
    const told = () =>
      page.evaluate(() =>
        (window as unknown as { told: string[] }).told
          .splice(0)
          .filter(Boolean),
      );
    for (const item of ["PNG", "CSV"]) {
      await told();
      await page.getByRole("button", { name: "Export" }).click();
      await page.locator(".ds-menu-item", { hasText: item }).first().click();
      await page.evaluate(async () => {
        const { told } = window as unknown as { told: string[] };
        while (told.at(-1) !== "" || !told.includes("Saving …")) {
          await new Promise((done) => requestAnimationFrame(done));
        }
      });
      expect(await told()).toEqual(["Saving …"]);
    }
  });

  it("says of a saved file what is not in it @all", async () => {
    await open("scenario=coarse");
    await saveCsv();
    await page.getByText(/Saved 0 rows\. Up to 22,080 more /).waitFor();
  });

  it("says that it saves while the kernel is asked for keys, and which did not come @all", async () => {
    await open("scenario=live");
    await page.evaluate(() => {
      const { session } = window.harness;
      session.fetchKeys = () =>
        new Promise((_, fail) => {
          Object.assign(window, { fail });
        });
      window.harness.live();
    });
    await expect
      .poll(() => page.locator(".ds-status").innerText())
      .toMatch(/^[1-9]\d* of/);
    await plot().press("Space");
    const at = await page.getByText(/Paused at/).innerText();
    await page.getByText(/arrived since you paused/).waitFor();
    await plot().press("f");
    await saveCsv();
    await page.getByText("Saving …").waitFor();
    await page.waitForFunction(() => "fail" in window); // the kernel is asked a moment later
    await page.evaluate(() => (window as unknown as Failing).fail(new Error()));
    const note = page.locator(".ds-stage-note");
    await expect
      .poll(() => note.innerText())
      .toMatch(/^Saved \d+ rows, without the keys of \d+ tasks?, which/);
    const last = await page.evaluate(async () => {
      const { saved, session } = window.harness;
      const lines = (await saved[0]!.content.text()).trim().split("\n");
      const starts = lines.slice(1).map((line) => Number(line.split(",")[0]));
      return Math.max(...starts) - session.origin.value;
    });
    // As on the screen: nothing that came after the pause.
    expect(last).toBeLessThanOrEqual(Number(/[\d.]+/.exec(at)![0]) + 0.1);
  });

  it("writes into a picture only names of workers that are on the screen @all", async () => {
    await open("scenario=full&workers=64&threads=4", 900, 360);
    const gutter = page.locator(".ds-gutter");
    await gutter.hover();
    await page.mouse.wheel(0, 300);
    const first = () => page.locator(".ds-worker-name").first().innerText();
    await expect.poll(first).not.toBe("worker-0");
    await page.evaluate(() => {
      const names: [string, number][] = [];
      Object.assign(window, { names });
      const { prototype } = CanvasRenderingContext2D;
      const { fillText } = prototype;
      prototype.fillText = function (text, x, y) {
        if (!this.canvas.isConnected && text.startsWith("worker-")) {
          names.push([text, y]);
        }
        fillText.call(this, text, x, y);
      };
    });
    await page.getByRole("button", { name: "Export" }).click();
    await page.locator(".ds-menu-list button").first().click();
    await page.getByText("Saved the picture").waitFor();
    const names = await page.evaluate(
      () => (window as unknown as { names: [string, number][] }).names,
    );
    expect(names.map(([name]) => name)).toEqual(
      await page.locator(".ds-worker-name").allInnerTexts(),
    );
    const apart = names.slice(1).map(([, y], at) => y - names[at]![1]);
    expect(Math.min(...apart)).toBeGreaterThanOrEqual(15);
  });

  it("saves a picture that says what it is of, with all that is on the screen", async () => {
    await open("scenario=many", 900, 500);
    await page.evaluate(() => {
      const said: string[] = [];
      Object.assign(window, { said });
      const { prototype } = CanvasRenderingContext2D;
      const { fillText } = prototype;
      prototype.fillText = function (text, ...rest) {
        if (!this.canvas.isConnected) said.push(text);
        fillText.call(this, text, ...rest);
      };
    });
    await page.getByRole("button", { name: "Export" }).click();
    await page.locator(".ds-menu-list button").first().click();
    await page.getByText("Saved the picture").waitFor();
    const said = await page.evaluate(
      () => (window as unknown as { said: string[] }).said,
    );
    expect(said[0]).toBe("Task stream");
    expect(said[1]).toMatch(
      /^LocalCluster · \d+\.\d – \d+\.\d s · from 2026-\d\d-\d\d \d\d:\d\d:\d\d$/,
    );
    expect(said).toEqual(
      expect.arrayContaining(["transfer", "disk", "erred", "worker-0"]),
    );
    const status = await page.locator(".ds-status").innerText();
    const counted = /^[\d,]+ of [\d,]+/.exec(status)![0];
    expect(said.at(-1)).toContain(`${counted} tasks`);
  });

  it("saves with a picture what lies over the tasks: the selection", async () => {
    await open("scenario=full");
    const picture = () =>
      page.evaluate(async () => {
        const blob = window.harness.saved.at(-1)!.content;
        const { width, height } = await createImageBitmap(blob);
        const canvas = new OffscreenCanvas(width, height);
        const context = canvas.getContext("2d")!;
        context.drawImage(await createImageBitmap(blob), 0, 0);
        const { data } = context.getImageData(0, 0, width, height);
        const strong = (from: number, to: number): number => {
          let count = 0;
          for (let y = 200; y < height - 60; y++)
            for (let x = from; x < to; x++) {
              const at = 4 * (y * width + x);
              const [red, green, blue] = data.subarray(at, at + 3);
              const most = Math.max(red!, green!, blue!);
              if (most - Math.min(red!, green!, blue!) > 90) count += 1;
            }
          return count;
        };
        return [strong(150, 400), strong(600, 850)];
      });
    const save = async () => {
      await page.getByRole("button", { name: "Export" }).click();
      await page.locator(".ds-menu-list button").first().click();
      await page.getByText("Saved the picture").waitFor();
      return picture();
    };
    const before = await save();
    const box = await plotBox();
    await page.evaluate(() => {
      const { session } = window.harness;
      const { origin } = session;
      const time: [number, number] = [origin.value + 13, origin.value + 40];
      session.setFocus({ ...session.focus.value, time });
    });
    await plot().press("f");
    await expect
      .poll(() => page.locator(".ds-time-shade").first().boundingBox())
      .toMatchObject({ x: box.x });
    const [left, right] = await save();
    expect(left).toBeLessThan(before[0]! / 3);
    expect(right).toBeGreaterThan(before[1]! / 2);
  });
});
