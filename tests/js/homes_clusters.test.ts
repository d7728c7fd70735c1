import { signal } from "@preact/signals";
import { describe, expect, it, vi } from "vitest";
import { Clusters } from "../../js_src/homes/lab/clusters";
import { kernelRows } from "../../js_src/homes/lab/cluster_list";
import type { KernelState } from "../../js_src/homes/lab/kernel_link";
import type { Notebook, Notebooks } from "../../js_src/homes/lab/notebooks";
import type { SessionEntry } from "../../js_src/link/wire";

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
      rows.map(({ notebooks, path, sessions }) => [
        notebooks,
        path,
        sessions.map(({ id }) => id),
      ]),
    ).toEqual([
      ["a.ipynb, b.ipynb", "b.ipynb", ["s1"]],
      ["c.ipynb", "c.ipynb", ["s2"]],
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

/** Two notebooks with kernels that count who holds them; the first is in front. */
function twoNotebooks() {
  const made = (dask: boolean) => {
    const kernel = {
      starts: signal(0),
      users: 0,
      dask,
      hasDask: async () => kernel.dask,
      use() {
        kernel.users++;
        return () => void kernel.users--;
      },
    };
    const panel = { sessionContext: { ready: Promise.resolve() } };
    return { kernel, panel };
  };
  const [front, behind] = [made(false), made(true)];
  let ran = (_: unknown) => {};
  const clusters = new Clusters(
    {
      open: signal([front, behind]),
      front: signal(front),
      onRan: (listener: typeof ran) => {
        ran = listener;
        return () => {};
      },
    } as unknown as Notebooks,
    signal(true),
    signal(true),
  );
  const runCell = () => ran(behind);
  return { front: front.kernel, behind: behind.kernel, clusters, runCell };
}

describe("a kernel that starts again", () => {
  it("is left alone until it has loaded Dask, unless it is in front", async () => {
    const { front, behind, clusters, runCell } = twoNotebooks();
    await vi.waitFor(() => expect([front.users, behind.users]).toEqual([1, 1]));
    front.starts.value++;
    behind.dask = false;
    behind.starts.value++;
    expect([front.users, behind.users]).toEqual([1, 0]);
    const asked = vi.spyOn(behind, "hasDask");
    runCell();
    await vi.waitFor(() => expect(asked).toHaveResolvedWith(false));
    expect(behind.users).toBe(0);
    behind.dask = true;
    runCell();
    await vi.waitFor(() => expect(behind.users).toBe(1));
    behind.starts.value++;
    expect(behind.users, "once more").toBe(0);
    clusters.dispose();
    expect([front.users, behind.users]).toEqual([0, 0]);
  });
});
