import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { kernelRows } from "../../js_src/homes/lab/kernel_rows";
import type { KernelState } from "../../js_src/homes/lab/kernel_link";
import type { Notebook } from "../../js_src/homes/lab/notebooks";
import type { SessionEntry } from "../../js_src/wire";

const CLIENT: SessionEntry = {
  ...{ id: "s1", name: "LocalCluster", address: "tcp://h:1", state: "live" },
  ...{ workers: 1, threads: 2, active: false },
};

function notebook(
  path: string,
  kernelId: string | null,
  sessions: readonly SessionEntry[] = [],
  state: KernelState = { kind: "no-kernel" },
): Notebook {
  return {
    path: signal(path),
    name: path,
    kernel: {
      id: kernelId,
      sessions: signal(sessions),
      state: signal(state),
    },
  } as unknown as Notebook;
}

describe("the clusters of the sidebar", () => {
  it("are listed once for each kernel, however many notebooks share it", () => {
    const rows = kernelRows([
      notebook("a.ipynb", "k1"),
      notebook("b.ipynb", "k1", [CLIENT]),
      notebook("b.ipynb", "k1", [CLIENT]), // a second view of it
      notebook("c.ipynb", "k2", [{ ...CLIENT, id: "s2" }]),
    ]);
    expect(
      rows.map(({ notebooks, sessions }) => [
        notebooks,
        sessions.map(({ id }) => id),
      ]),
    ).toEqual([
      ["a.ipynb, b.ipynb", ["s1"]],
      ["c.ipynb", ["s2"]],
    ]);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(2);
  });

  it("have a sentence where a kernel has no client, and none where nobody looked", () => {
    const rows = kernelRows([
      notebook("a.ipynb", "k1", [], { kind: "missing" }),
      notebook("b.ipynb", "k2"),
      notebook("c.ipynb", null),
      notebook("a.ipynb", "k1"),
    ]);
    expect(rows.map(({ notebooks, note }) => [notebooks, note])).toEqual([
      ["a.ipynb", "daskscope is not installed in its environment"],
    ]);
  });
});
