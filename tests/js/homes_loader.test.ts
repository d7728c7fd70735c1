// @vitest-environment happy-dom
// What a widget's `_esm` does. The stories in ui-tests/one_copy.spec.ts run it in real pages.

import { deflateSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Code, CodeSlot, Widget } from "../../js_src/homes/code";
import { FakeModel } from "./fake_model";

const SLOT = Symbol.for("daskscope.code.source");
const page = globalThis as { [SLOT]?: CodeSlot; shown?: Code };
const shown: string[] = [];

/** A panel that writes into its element what it is. */
const panel = (name: string): Widget => ({
  initialize({ model }) {
    shown.push(`initialized ${name}`);
    model.send({ type: "hello" });
    return () => void shown.push(`closed ${name}`);
  },
  render({ el }) {
    el.textContent = name;
    return () => void shown.push(`removed ${name}`);
  },
});
const provided = (name: string): Code => ({
  widget: () => panel(name),
  page: {} as Code["page"],
});
/** As the real code does at its end. Node evaluates one text once: each is another. */
let scripts = 0;
const script = () => `// ${++scripts}
const slot = globalThis[Symbol.for("daskscope.code.source")];
slot.copies += 1;
slot.arrived(globalThis.shown);
`;

async function widget() {
  const { default: make } = await import("../../js_src/homes/loader");
  const model = new FakeModel();
  const { initialize, render } = make();
  const close = initialize({ model } as never);
  const view = () => {
    const el = document.createElement("div");
    return { el, remove: render({ model, el } as never) };
  };
  const bring = (text = script()) => {
    const packed = new Uint8Array(deflateSync(text));
    model.emit("msg:custom", { type: "code" }, [new DataView(packed.buffer)]);
  };
  return { model, close, view, bring, ...view() };
}

beforeEach(() => {
  delete page[SLOT];
  page.shown = provided("a panel");
  shown.length = 0;
  vi.resetModules();
});
afterEach(() => vi.useRealTimers());

describe("the loader of a widget", () => {
  it("takes the code that the page has, without asking the kernel", async () => {
    const { provideCode } = await import("../../js_src/homes/code");
    provideCode(provided("the page's"));
    const { model, el } = await widget();
    await vi.waitFor(() => expect(el.textContent).toBe("the page's"));
    expect(model.sent).toEqual([{ type: "hello" }]);
  });

  it("asks the kernel, and evaluates once for all widgets that wait", async () => {
    const [one, other] = [await widget(), await widget()];
    expect(one.model.sent).toEqual([{ type: "code" }]);
    expect(other.model.sent, "the other one has asked").toEqual([]);
    expect(one.el.textContent).toContain("Loading");
    other.bring();
    one.bring();
    for (const { el } of [one, other]) {
      await vi.waitFor(() => expect(el.textContent).toBe("a panel"));
    }
    expect(page[SLOT]!.copies).toBe(1);
    const later = await widget();
    await vi.waitFor(() => expect(later.el.textContent).toBe("a panel"));
    expect(later.model.sent).toEqual([{ type: "hello" }]);
    expect(page[SLOT]!.copies).toBe(1);
  });

  it("shows a panel as often as its host wants", async () => {
    const { el, remove, view, bring, close } = await widget();
    remove(); // before the code is there
    const second = view();
    bring();
    await vi.waitFor(() => expect(second.el.textContent).toBe("a panel"));
    expect(el.textContent).not.toBe("a panel");
    second.remove();
    const third = view();
    await vi.waitFor(() => expect(third.el.textContent).toBe("a panel"));
    close();
    expect(shown).toEqual([
      "initialized a panel",
      "removed a panel",
      "closed a panel",
    ]);
  });

  it("says what to do when the code does not come, and takes it later", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "Date"] });
    const { model, el, bring } = await widget();
    vi.advanceTimersByTime(19_999);
    expect(el.textContent).toContain("Loading");
    vi.advanceTimersByTime(1);
    expect(el.textContent).toContain("run this cell again");
    expect(model.sent.length, "it continues asking").toBeGreaterThan(5);
    vi.useRealTimers();
    bring();
    await vi.waitFor(() => expect(el.textContent).toBe("a panel"));
  });

  it("says that the page does not run the code", async () => {
    const { el, bring } = await widget();
    bring("throw new Error('forbidden')");
    await vi.waitFor(() => expect(el.textContent).toContain("forbidden"));
  });

  it("leaves nothing behind, with or without the code", async () => {
    const { model, close, bring, el, remove } = await widget();
    remove();
    close();
    expect(model.listening).toBe(0);
    bring();
    const other = await widget();
    other.bring();
    await vi.waitFor(() => expect(other.el.textContent).toBe("a panel"));
    expect(shown).toEqual(["initialized a panel"]);
    expect(el.textContent).not.toBe("a panel");
    other.close();
    expect(other.model.listening).toBe(0);
  });
});
