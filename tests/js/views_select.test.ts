// @vitest-environment happy-dom
// A choice of what occurs in a table, however much that is.

import { h, render } from "preact";
import { afterEach, describe, expect, it } from "vitest";
import { Select } from "../../js_src/panel/filter_tools";

/** The options of a choice of so many, drawn. */
function optionsOf(count: number) {
  const options = Array.from({ length: count }, (_, i) => ({
    value: `${i}`,
    text: `source ${i}`,
  }));
  const props = { label: "Source", value: "0", options, onChange: () => {} };
  render(h(Select, props), document.body);
  return [...document.querySelectorAll("option")];
}

afterEach(() => render(null, document.body));

describe("a choice", () => {
  it("has all there is", () => {
    expect(optionsOf(3).map(({ text }) => text)).toEqual([
      ...["source 0", "source 1", "source 2"],
    ]);
    expect(optionsOf(1_000).at(-1)!.text).toBe("source 999");
  });

  it("has of very much the first, and says how much more there is", () => {
    const options = optionsOf(190_000);
    expect(options).toHaveLength(1_001);
    expect(options.at(-1)!.text).toBe("and 189,000 more");
    expect(options.at(-1)!.disabled).toBe(true);
  });
});
