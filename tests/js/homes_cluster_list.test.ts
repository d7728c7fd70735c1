// @vitest-environment happy-dom
// What the sidebar says of the clients in the open notebooks.

import { signal } from "@preact/signals";
import { h, render } from "preact";
import { afterEach, describe, expect, it } from "vitest";
import { ClusterList } from "../../js_src/homes/lab/cluster_list";
import type { Notebook } from "../../js_src/homes/lab/notebooks";

type Props = Parameters<typeof ClusterList>[0];

/** A list of these notebooks, drawn. */
function listOf(open: readonly Notebook[], props: Partial<Props> = {}) {
  const notebooks = { open: signal(open) };
  render(h(ClusterList, { notebooks, looks: true, ...props }), document.body);
  return document.body;
}

afterEach(() => render(null, document.body));

describe("the sidebar without a client", () => {
  it("says how one appears", () => {
    expect(listOf([]).textContent).toContain(
      "Run Client() in one and it appears here.",
    );
  });

  it("promises nothing where looking for clients is switched off", () => {
    const text = listOf([], { looks: false }).textContent;
    expect(text).toBe(
      "Looking for clients is switched off in the settings. Open a panel to connect to the notebook in front.",
    );
  });
});
