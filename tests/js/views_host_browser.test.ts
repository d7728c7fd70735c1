// How a task stream gets on with what is around it.

import { expect, it } from "vitest";
import {
  describePanel,
  open,
  page,
  plot,
  plotBox,
  shown,
} from "./harness/panel";

const LIGHT = [255, 255, 255];
const DARK = [33, 33, 33];

/** What the corners of the plot and of the overview are painted with. */
const backgrounds = () =>
  page.evaluate(() =>
    [".ds-plot canvas", ".ds-overview canvas"].map((where) => {
      const canvas = document.querySelector<HTMLCanvasElement>(where);
      const context = canvas?.getContext("2d");
      return context
        ? [...context.getImageData(2, 2, 1, 1).data.slice(0, 3)]
        : null;
    }),
  );

describePanel("the task stream in its surroundings", () => {
  it("lets no key reach the notebook around it", async () => {
    await open("scenario=full&inline=1", 900, 600);
    await plot().click({ position: { x: 400, y: 100 } });
    for (const key of [..."wasdfl zt?dd", "ArrowUp", "ArrowDown"]) {
      await page.keyboard.press(key === " " ? "Space" : key);
    }
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("dd");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    expect(await page.evaluate(() => window.harness.leaked)).toEqual([]);
    expect(
      await page.locator(".ds-root").getAttribute("data-lm-suppress-shortcuts"),
    ).toBe("true");
  });

  it("leaves the plain wheel to the notebook until it is clicked", async () => {
    await open("scenario=full&inline=1", 900, 600);
    await page.addStyleTag({ content: "body { height: 3000px }" });
    const box = await plotBox();
    const before = await shown();
    await page.mouse.move(box.x + 300, box.y + 150);
    await page.mouse.wheel(0, 60);
    await page.getByText(/Click the plot, or hold/).waitFor();
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(60);
    await page.evaluate(() => window.scrollTo(0, 0));
    expect(await shown()).toEqual(before);
    await page.mouse.move(box.x + 300, box.y + 150);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -300);
    await page.keyboard.up("Control");
    const [start, stop] = await shown();
    expect(stop - start).toBeLessThan(before[1] - before[0]);
    await page.mouse.click(box.x + 300, box.y + 30);
    await page.mouse.wheel(0, -300);
    const [nextStart, nextStop] = await shown();
    expect(nextStop - nextStart).toBeLessThan(stop - start);
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
  });

  it("takes on the theme of the host at once", async () => {
    await open("scenario=full");
    await expect.poll(backgrounds).toEqual([LIGHT, LIGHT]);
    await page.evaluate(() => window.harness.setDark(true));
    await expect.poll(backgrounds).toEqual([DARK, DARK]);
  });

  it("makes room for larger text as soon as the host has it @all", async () => {
    await open("scenario=full");
    const lanesTop = async () => {
      const gutter = (await page.locator(".ds-gutter").boundingBox())!;
      return gutter.y - (await plotBox()).y;
    };
    await expect.poll(lanesTop).toBe(49);
    await page.evaluate(() =>
      document.body.style.setProperty("--jp-ui-font-size1", "18px"),
    );
    await expect.poll(lanesTop).toBe(57);
  });

  it("is dark in a dark page, also if it was made before it was shown", async () => {
    await open("scenario=full&theme=dark");
    await page.evaluate(() => {
      window.harness.dispose();
      window.harness.remountDetached();
    });
    await page.getByText("1,394 of 1,394 tasks").waitFor();
    await expect.poll(backgrounds).toEqual([DARK, DARK]);
  });

  it("takes on a theme that changed while it was out of the page @all", async () => {
    await open("scenario=full", 1200, 640, true);
    await expect.poll(backgrounds).toEqual([LIGHT, LIGHT]);
    await page.clock.install();
    await page.evaluate(() => {
      window.harness.takeOut();
      window.harness.setDark(true);
    });
    // A page that is busy draws nothing for a while: the panel has to have
    // seen that it is out.
    await expect
      .poll(() => page.evaluate(() => window.harness.session.visible))
      .toBe(false);
    // Whatever listens to the page has looked for the last time before it is back.
    await page.clock.runFor(1000);
    await page.evaluate(() => window.harness.putBack());
    await expect.poll(backgrounds).toEqual([DARK, DARK]);
  });

  it("draws and asks for nothing while nobody can see it", async () => {
    await open("scenario=live");
    await page.evaluate(() => {
      window.drawn = 0;
      const put = CanvasRenderingContext2D.prototype.putImageData;
      CanvasRenderingContext2D.prototype.putImageData = function (
        this: CanvasRenderingContext2D,
        ...args: Parameters<typeof put>
      ) {
        window.drawn += 1;
        put.apply(this, args);
      } as typeof put;
      window.harness.live();
    });
    const drawn = () => page.evaluate(() => window.drawn);
    await expect.poll(drawn).toBeGreaterThan(3);
    await page.addStyleTag({ content: "#place { margin-top: 5000px }" });
    await expect
      .poll(() => page.evaluate(() => window.harness.session.visible))
      .toBe(false);
    const before = await drawn();
    const rows = () => page.evaluate(() => window.harness.session.model.rows);
    const had = await rows();
    await expect.poll(rows, { timeout: 4000 }).toBeGreaterThan(had + 20);
    expect(await drawn()).toBe(before);
    await page.evaluate(() => window.scrollTo(0, 5000));
    await expect.poll(drawn).toBeGreaterThan(before);
  });

  it("changes no word while nobody can see it, and is right when somebody does", async () => {
    await open("scenario=live");
    await page.evaluate(() => window.harness.live());
    const status = page.locator(".ds-status");
    await expect.poll(() => status.innerText()).toMatch(/^[1-9]\d* of/);
    await page.addStyleTag({ content: "#place { margin-top: 5000px }" });
    await expect
      .poll(() => page.evaluate(() => window.harness.session.visible))
      .toBe(false);
    const changed = await page.evaluate(async () => {
      let changes = 0;
      const seen = new MutationObserver((all) => (changes += all.length));
      const all = { subtree: true, childList: true, characterData: true };
      seen.observe(document.querySelector(".ds-root")!, {
        ...all,
        attributes: true,
      });
      const { session } = window.harness;
      const had = session.model.rows;
      while (session.model.rows < had + 40) {
        session.workers.value = session.workers.value.map((worker) => ({
          ...worker,
          process: worker.process + 1e8,
        }));
        await new Promise((done) => requestAnimationFrame(done));
      }
      return changes;
    });
    // What was about to be drawn when it left, at most.
    expect(changed).toBeLessThanOrEqual(10);
    await page.evaluate(() => window.scrollTo(0, 5000));
    const held = () =>
      page.evaluate(() => String(window.harness.session.counts.value.kept));
    await expect
      .poll(async () => (await status.innerText()).startsWith(await held()))
      .toBe(true);
  });

  it("leaves nothing behind, and can be shown again", async () => {
    await open("scenario=full");
    await page.evaluate(() => window.harness.dispose());
    const left = await page.evaluate(() => ({
      elements: document.getElementById("place")!.childElementCount,
      watchers: window.harness.session.watchers,
      filter: window.harness.session.model.filter,
      menus: document.body.childElementCount,
    }));
    expect(left).toEqual({
      elements: 0,
      watchers: 0,
      filter: null,
      menus: 2,
    });
    await page.evaluate(() => window.harness.remount());
    await page.getByText("1,394 of 1,394 tasks").waitFor();
    const [start, stop] = await shown();
    expect(stop - start).toBeGreaterThan(30);
  });

  it("changes to another session and to none", async () => {
    await open("scenario=full");
    await page.evaluate(() => {
      window.harness.shown.value = null;
    });
    await page.getByText("Waiting for a Dask client").waitFor();
    await page.evaluate(() => {
      window.harness.shown.value = window.harness.session;
    });
    await page.getByText("1,394 of 1,394 tasks").waitFor();
  });

  it("shows the time under the pointer of another panel", async () => {
    await open("scenario=full");
    const crosshair = page.locator(".ds-time-crosshair");
    await page.mouse.move(3, 3);
    await crosshair.waitFor({ state: "hidden" });
    await page.evaluate(() => {
      const { session } = window.harness;
      session.crosshair.value = session.origin.value + 10;
    });
    await crosshair.waitFor();
    const tag = page.locator(".ds-time-tag");
    expect(await tag.innerText()).toMatch(/^10(\.0+)? s$/);
  });

  it("offers the choice between several clients", async () => {
    await open("scenario=chooser");
    await page.getByRole("button", { name: "Choose a client" }).click();
    await page.getByText("Gateway, team-prod").waitFor();
    const busy = page.locator(".ds-menu-item", {
      has: page.locator(".ds-active"),
    });
    expect(await busy.allInnerTexts()).toEqual([
      expect.stringMatching(/SSHCluster[^]*running tasks/),
    ]);
    await page.keyboard.press("Escape");
    await page.getByText("Gateway, team-prod").waitFor({ state: "detached" });
  });

  it("keeps the menu open when the first rows arrive behind it @all", async () => {
    await open("scenario=chooser");
    const show = (there: boolean) =>
      page.evaluate((yes) => {
        const { harness } = window;
        harness.shown.value = yes ? harness.session : null;
      }, there);
    await show(false);
    await plot().waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Choose a client" }).click();
    await show(true);
    await plot().waitFor();
    expect(await page.locator(".ds-chooser .ds-menu-item").count()).toBe(3);
  });

  it("scrolls its help where that is higher than the panel @all", async () => {
    await open("scenario=full&inline=1", 900, 260);
    const before = await shown();
    await plot().press("?");
    const last = page.locator(".ds-help-note").last();
    const panel = (await page.locator(".ds-root").boundingBox())!;
    const bottom = async () => {
      const box = (await last.boundingBox())!;
      return box.y + box.height;
    };
    expect(await bottom()).toBeGreaterThan(panel.y + panel.height);
    await page.locator(".ds-help").press("End");
    await expect.poll(bottom).toBeLessThan(panel.y + panel.height);
    expect(await page.evaluate(() => window.harness.leaked)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await shown(), "the plot stayed where it was").toEqual(before);
  });

  it("does not glide for those who want no motion", async () => {
    await open("scenario=full");
    await page.emulateMedia({ reducedMotion: "reduce" });
    await plot().press("a");
    await shown();
    const windows = await page.evaluate(async () => {
      const frame = document.querySelector<HTMLElement>(".ds-overview-window")!;
      const seen = new Set<string>();
      const hit = document.querySelector<HTMLElement>(".ds-hit")!;
      hit.dispatchEvent(
        new KeyboardEvent("keydown", { key: "w", bubbles: true }),
      );
      for (let at = 0; at < 20; at++) {
        seen.add(frame.style.transform);
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      return seen.size;
    });
    expect(windows).toBeLessThanOrEqual(2);
  });

  it("fits into 320 pixels", async () => {
    await open("scenario=full", 320, 560);
    expect(await page.locator(".ds-worker-name").first().innerText()).toBe(
      "w0",
    );
    const over = await page.evaluate(() => {
      const root = document.querySelector(".ds-root")!.getBoundingClientRect();
      return [...document.querySelectorAll(".ds-toolbar *, .ds-tool-row *")]
        .filter((element) => {
          const { right, width } = element.getBoundingClientRect();
          return width > 0 && right > root.right + 0.5;
        })
        .map((element) => element.className);
    });
    expect(over).toEqual([]);
    await page.evaluate(() => {
      const { session } = window.harness;
      const { value: origin } = session.origin;
      session.setFocus({
        time: [origin + 3, origin + 9],
        prefixes: ["read-parquet"],
        workers: session.workers.value.map((worker) => worker.address),
        spans: [],
        cells: [],
      });
    });
    // The innermost filter can be reached beside three others.
    await page
      .getByRole("button", { name: "Remove the filter 4 workers" })
      .click();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByText("Numbers as a table").click();
    await page.getByText("Tasks by prefix").waitFor();
  });
});
