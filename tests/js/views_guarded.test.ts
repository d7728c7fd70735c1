// @vitest-environment happy-dom
// What a panel says that could not be drawn.

import { signal } from "@preact/signals";
import { type ComponentChild, h, render } from "preact";
import {
  afterEach,
  beforeEach,
  describe,
  expect,
  it,
  type MockInstance,
  vi,
} from "vitest";
import { Guarded } from "../../js_src/panel/mount";

const broken = signal("");

function Drawn(props: { text: string }) {
  if (broken.value !== "") throw new RangeError(broken.value);
  return h("p", null, props.text);
}

const panel = (name: string, text: string) =>
  h(Guarded, { name, children: h(Drawn, { text }) });

function draw(...panels: ComponentChild[]) {
  render(h("main", null, ...panels), document.body);
}

let told: MockInstance<typeof console.error>;

beforeEach(() => {
  told = vi.spyOn(console, "error").mockImplementation(() => {});
});

afterEach(() => {
  render(null, document.body);
  broken.value = "";
  told.mockRestore();
});

const alerts = () => [...document.querySelectorAll("[role=alert]")];

describe("a panel that cannot be drawn", () => {
  it("says so in words, beside panels that can", async () => {
    broken.value = "<b>too deep</b>";
    const fine = h("p", { key: "fine" }, "the other one");
    draw(panel("Logs", "lines"), fine);
    await vi.waitFor(() => expect(alerts()).toHaveLength(1));
    const [alert] = alerts();
    expect(alert!.querySelector("h3")!.textContent).toBe(
      "Logs cannot be drawn",
    );
    expect(alert!.textContent).toContain("(RangeError: <b>too deep</b>)");
    expect(alert!.textContent).toContain("please report it");
    expect(alert!.querySelector("b")).toBeNull();
    expect(document.body.textContent).toContain("the other one");
  });

  it("leaves what was thrown in the console, once", async () => {
    broken.value = "too deep";
    draw(panel("Logs", "lines"));
    await vi.waitFor(() => expect(alerts()).toHaveLength(1));
    expect(told.mock.calls).toEqual([
      ["daskscope: Logs cannot be drawn", new RangeError("too deep")],
    ]);
  });

  it("says so when it broke while it was shown, and can be tried again", async () => {
    draw(panel("Logs", "lines"));
    expect(document.body.textContent).toBe("lines");
    broken.value = "x".repeat(10_000);
    await vi.waitFor(() => expect(alerts()).toHaveLength(1));
    expect(document.body.textContent.length).toBeLessThan(1_000);
    document.querySelector("button")!.click();
    await vi.waitFor(() => expect(alerts()).toHaveLength(1));
    broken.value = "";
    document.querySelector("button")!.click();
    await vi.waitFor(() => expect(document.body.textContent).toBe("lines"));
  });
});
