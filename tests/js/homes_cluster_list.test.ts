// @vitest-environment happy-dom
// What the sidebar says of the clients in the open notebooks.

import { signal } from "@preact/signals";
import { h, render } from "preact";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ClusterList } from "../../js_src/homes/lab/cluster_list";
import type { Notebook } from "../../js_src/homes/lab/notebooks";
import type { SessionEntry } from "../../js_src/link/wire";

type Props = Parameters<typeof ClusterList>[0];

/** A list of these notebooks, drawn. */
function listOf(open: readonly Notebook[], props: Partial<Props> = {}) {
  const notebooks = { open: signal(open) };
  const openClient = () => {};
  const all = { notebooks, detects: true, openClient, ...props };
  render(h(ClusterList, all), document.body);
  return document.body;
}

afterEach(() => render(null, document.body));

describe("the sidebar without a client", () => {
  it("says how one appears", () => {
    expect(listOf([]).textContent).toContain("Client()");
  });

  it("promises nothing where looking for clients is switched off", () => {
    const text = listOf([], { detects: false }).textContent;
    expect(text).toContain("settings");
    expect(text).not.toContain("Client()");
  });
});

describe("the clients in the sidebar", () => {
  const client = (id: string, name: string): SessionEntry => ({
    ...{ id, name, address: `tcp://h:${id}`, state: "live" },
    ...{ workers: 2, threads: 4, active: false },
  });
  const notebook = (path: string, sessions: SessionEntry[]) =>
    ({
      path: signal(path),
      name: path.split("/").at(-1),
      kernel: { id: path, sessions: signal(sessions), state: signal({}) },
    }) as unknown as Notebook;

  it("are buttons, each of its own notebook and session", () => {
    const openClient = vi.fn();
    const open = [
      notebook("a/first.ipynb", [client("1", "Left"), client("2", "Right")]),
      notebook("second.ipynb", [client("3", "Far")]),
    ];
    const buttons = [
      ...listOf(open, { openClient }).querySelectorAll("button"),
    ];
    expect(buttons.map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^Left.*first\.ipynb.*2 workers/),
      expect.stringMatching(/^Right/),
      expect.stringMatching(/^Far.*second\.ipynb/),
    ]);
    for (const button of buttons) button.click();
    expect(openClient.mock.calls).toEqual([
      ["a/first.ipynb", "1"],
      ["a/first.ipynb", "2"],
      ["second.ipynb", "3"],
    ]);
  });
});
