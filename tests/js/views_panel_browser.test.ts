// What a task stream says of its data, in a real browser.

import { expect, it } from "vitest";
import {
  describePanel,
  open,
  page,
  placeOf,
  plot,
  plotBox,
  shown,
} from "./harness/panel";

describePanel("the task stream in a browser", () => {
  it("shows names as text, whatever is in them", async () => {
    await open("scenario=hostile");
    const at = await placeOf(3);
    await page.mouse.move(at.x, at.y);
    await page.locator(".ds-card").waitFor();
    await page.mouse.click(at.x, at.y);
    await page.locator(".ds-pinned").waitFor();
    await plot().press("t");
    await page.getByText("Tasks by prefix").waitFor();
    expect(await page.locator(".ds-root script, .ds-root img").count()).toBe(0);
    expect(await page.locator(".ds-table").first().innerText()).toContain(
      "<script>alert(1)</script>",
    );
    const widths = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      window.innerWidth,
    ]);
    expect(widths[0]).toBeLessThanOrEqual(widths[1]!);
  });

  it("says what its numbers are of, in colours and units of one kind", async () => {
    await open("scenario=full");
    await plot().press("w"); // zooming counts nothing anew
    await plot().press("t");
    const table = page.getByRole("table", { name: "Tasks by prefix" });
    const caption = table.locator("caption");
    await expect
      .poll(() => caption.innerText())
      .toBe("Tasks by prefix, of the whole run");
    const rows = table.locator("tbody tr");
    expect(await rows.first().innerText()).toMatch(/148\.8 s/);
    const times = await rows.locator("td:nth-child(3)").allInnerTexts();
    expect(times.at(-1)).toBe("0.2 s");
    expect(await rows.locator(".ds-swatch").count()).toBe(await rows.count());
    await page.evaluate(() => {
      const { session } = window.harness;
      const origin = session.origin.value;
      session.setFocus({
        ...session.focus.value,
        time: [origin + 3, origin + 9],
      });
    });
    await expect
      .poll(() => caption.innerText())
      .toBe("Tasks by prefix, in the selection");
    // Of what lies inside: as many seconds as tasks computed then.
    const [, tasks, time, mean] = await rows
      .first()
      .locator("td")
      .allInnerTexts();
    expect(await table.getByText("Mean inside").count()).toBe(1);
    const mean_ms = (parseFloat(time!) / Number(tasks)) * 1000;
    expect(mean).toBe(`${Math.round(mean_ms)} ms`);
  });

  it("looks the same in an output of JupyterLab, which styles lists of terms", async () => {
    await open("scenario=full&inline=1");
    await page.addStyleTag({
      content: `
        .output dl, .output dt, .output dd { display: block }
        .output dt { font-weight: bold; float: left; width: 20% }`,
    });
    await page.evaluate(() => document.body.classList.add("output"));
    const at = await placeOf(3);
    await page.mouse.click(at.x, at.y);
    const facts = page.locator(".ds-pinned .ds-facts");
    await facts.waitFor();
    const looks = await facts.evaluate((list) => {
      const term = getComputedStyle(list.querySelector("dt")!);
      return [getComputedStyle(list).display, term.fontWeight];
    });
    expect(looks).toEqual(["grid", "400"]);
  });

  it("is not stretched by a clock that is hours off, and says so", async () => {
    await open("scenario=skew");
    const [start, stop] = await shown();
    expect(stop - start).toBeLessThan(60);
    await page.getByText(/rows outside the axis/).waitFor();
  });

  it("follows what arrives, and stands still while paused", async () => {
    await open("scenario=live");
    await page.evaluate(() => window.harness.live());
    const status = () => page.locator(".ds-status").innerText();
    await expect.poll(status, { timeout: 4000 }).toMatch(/^[1-9]\d* of/);
    await plot().press("Space");
    await page.getByText(/Paused at/).waitFor();
    const paused = /^([\d,]+) of/.exec(await status())?.[1];
    const held = await shown();
    await page.getByText(/arrived since you paused/).waitFor();
    expect(/^([\d,]+) of/.exec(await status())?.[1]).toBe(paused);
    expect(await shown()).toEqual(held);
    await page.getByRole("button", { name: "Resume" }).first().click();
    await page.getByText(/Paused at/).waitFor({ state: "detached" });
    await expect.poll(async () => (await shown())[1]).toBeGreaterThan(held[1]);
  });

  it("promises no detail to a page that is full @all", async () => {
    await open("scenario=coarse");
    await shown();
    const full = {
      code: "page-full",
      level: "info" as const,
      text: "This page loads no more history.",
      next: "",
    };
    await page.evaluate((notice) => {
      window.harness.session.notices.value = [notice];
    }, full);
    const status = page.locator(".ds-status");
    await expect
      .poll(() => status.innerText())
      .toContain("1,394 without details");
    const box = await plotBox();
    const card = page.locator(".ds-card");
    await page.mouse.move(box.x + box.width / 2, box.y + 120, { steps: 3 });
    await card.getByText("Details of these tasks are not loaded").waitFor();
  });

  it("says what is missing, and hides that when told", async () => {
    await open("scenario=partly");
    await page.getByRole("alert").getByText("refuses plugins").waitFor();
    expect(await page.locator(".ds-status").innerText()).toContain(
      "older ones dropped on the scheduler",
    );
    await page.getByRole("button", { name: "Hide this message" }).click();
    await page.getByRole("alert").waitFor({ state: "detached" });
    await expect
      .poll(() => page.locator(".ds-status").innerText())
      .toContain("refuses plugins");
  });

  it("shows a coarse picture until the tasks are here, and says so", async () => {
    await open("scenario=coarse");
    await page.getByText("1,394 loading").waitFor();
    const [start, stop] = await shown();
    expect(stop - start).toBeGreaterThan(30);
  });

  it("says what a preview block summarizes, until its tasks are here", async () => {
    await open("scenario=coarse");
    await shown();
    const box = await plotBox();
    const card = page.locator(".ds-card");
    await page.mouse.move(box.x + box.width / 2, box.y + 120, { steps: 3 });
    await card.getByText("23 rows").waitFor();
    await expect
      .poll(() => card.innerText())
      .toMatch(/Mostly [\s\S]*Busy\s*(< )?\d+ %[\s\S]*loading/);
    let x_px = box.x + box.width / 4;
    await expect
      .poll(async () => {
        await page.mouse.move((x_px += box.width / 150), box.y + 120);
        return card.innerText();
      })
      .toMatch(/Busy\s*< 1 %/); // as in the gutter: not idle
    await page.evaluate(() => {
      const { session } = window.harness;
      session.model.markCovered(0, session.counts.peek().captured);
      session.dataVersion.value += 1;
    });
    await card.waitFor({ state: "detached" });
  });

  it("says how many threads were busy before workers left @all", async () => {
    await open("scenario=full");
    await page.getByText("Threads busy, of 16").waitFor();
    await page.evaluate(() => {
      const { workers } = window.harness.session;
      workers.value = workers.value.slice(0, 1);
    });
    await page.getByText("Threads, peak 16").waitFor();
    await page.evaluate(() => {
      window.harness.session.workers.value = [];
    });
    const status = page.locator(".ds-status");
    await expect
      .poll(() => status.innerText())
      .toMatch(/0 workers[\s·]*0 threads/);
    await page.getByText("Threads, peak 16").waitFor();
  });

  it("says that no thread was busy with what a search does not find @all", async () => {
    await open("scenario=full");
    await page.getByText("Threads busy, of 16").waitFor();
    await page.locator(".ds-search input").fill("nothing-is-called-so");
    await page.getByText("Threads, peak 0").waitFor();
    await page.locator(".ds-search input").fill("");
    await page.getByText("Threads busy, of 16").waitFor();
  });

  it("says of its figures that they are of more than the errors that are isolated @all", async () => {
    await open("scenario=full");
    await page.locator(".ds-status").getByText("1 erred").click();
    await page.getByText("1 selected").waitFor();
    await plot().press("t");
    for (const table of ["Tasks by prefix", "Time by action"]) {
      const caption = `${table}, of the whole run, not of “erred” alone`;
      await page.getByText(caption, { exact: true }).waitFor();
    }
  });

  it("has the names of workers that left before it was opened @all", async () => {
    await open("scenario=full");
    await page.evaluate(() => {
      const { harness } = window;
      const { lanes, workers } = harness.session;
      const { worker } = lanes[0]!;
      const left = { time: 0, worker, what: "removed", detail: "" };
      workers.value = [];
      harness.session.fill("workers", [{ ...left, name: "worker-77" }]);
      harness.dispose();
      harness.remount();
    });
    await page.locator(".ds-worker-name").getByText("worker-77").waitFor();
  });

  it("keeps the picture when the connection is lost", async () => {
    await open("scenario=lost");
    await page.getByText("The connection was lost").waitFor();
    await page.getByText(/connection lost/).waitFor();
    const [start, stop] = await shown();
    expect(stop - start).toBeGreaterThan(10);
  });

  it("shows each trouble in the banner until it is hidden, the gravest first", async () => {
    await open("scenario=full");
    const say = (lost: number) =>
      page.evaluate((count) => {
        const next = "Next step";
        window.harness.session.notices.value = [
          { code: "slow", level: "warn", text: "It is slow", next },
          { code: "lost", level: "error", text: `${count} were lost`, next },
          { code: "off", level: "error", text: "It is off", next },
        ];
      }, lost);
    const banner = page.locator(".ds-banner");
    const hide = () => banner.getByRole("button", { name: "Hide" }).click();
    await say(3);
    await banner.getByText("3 were lost").waitFor();
    await hide();
    await banner.getByText("It is off").waitFor();
    // More of what was hidden is nothing new.
    await say(4);
    await banner.getByText("It is off").waitFor();
    await hide();
    await banner.getByText("It is slow").waitFor();
    await hide();
    await banner.waitFor({ state: "detached" });
    // Another session is another matter.
    await page.evaluate(() => {
      const { shown, session } = window.harness;
      shown.value = null;
      shown.value = session;
    });
    await banner.getByText("4 were lost").waitFor();
  });

  it("raises no alarm where the kernel was restarted", async () => {
    await open("scenario=restarted");
    await page.getByText("No Dask client in the new kernel yet").waitFor();
    await page.getByText("No client", { exact: true }).waitFor();
    const status = await page.locator(".ds-status").innerText();
    expect(status).toContain("last data of the old kernel");
    expect(status).not.toContain("lost");
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.getByText(/ · spilling/).waitFor();
    const alarms = ".ds-error, .ds-warn, .ds-state-lost";
    expect(await page.locator(alarms).count()).toBe(0);
    await page.evaluate(() => {
      const { emptyState } = window.harness;
      emptyState.value = { ...emptyState.value!, trouble: true };
    });
    await page.getByRole("alert").waitFor();
    await page.getByText("Lost", { exact: true }).waitFor();
  });

  it("gives a prefix that came too late for a colour one where it is isolated @all", async () => {
    await open("scenario=many");
    const late = 26;
    const name = await page.evaluate((prefix) => {
      const { session } = window.harness;
      session.setFocus({
        ...session.focus.value,
        prefixes: [session.prefixes[prefix]!],
      });
      return session.prefixes[prefix]!;
    }, late);
    const at = await placeOf(late);
    const backgroundOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).backgroundColor);
    await page.mouse.move(at.x, at.y);
    const card = await backgroundOf(".ds-card .ds-swatch");
    const plotted = await page.evaluate(({ x, y }) => {
      const canvas =
        document.querySelector<HTMLCanvasElement>(".ds-plot canvas")!;
      const { left, top } = canvas.getBoundingClientRect();
      const { data } = canvas
        .getContext("2d")!
        .getImageData(x - left, y - top, 1, 1);
      return `rgb(${data[0]}, ${data[1]}, ${data[2]})`;
    }, at);
    await page.mouse.click(at.x, at.y);
    const pinned = await backgroundOf(".ds-pinned-head .ds-swatch");
    await page.getByRole("button", { name: "The rest of the legend" }).click();
    const legend = await backgroundOf(
      `.ds-legend-entry:has-text("${name}") .ds-swatch`,
    );
    expect(plotted).not.toBe("rgb(184, 184, 184)");
    expect({ card, pinned, legend }).toEqual({
      ...{ card: plotted, pinned: plotted, legend: plotted },
    });
  });
});
