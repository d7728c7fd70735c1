// What ties a panel to a notebook and to one of its clients.

import { signal } from "@preact/signals";
import { afterEach, describe, expect, it } from "vitest";
import { Binding } from "../../js_src/homes/lab/binding";
import type { KernelState } from "../../js_src/homes/lab/kernel_link";
import type { Notebooks } from "../../js_src/homes/lab/notebooks";
import { PROTOCOL } from "../../js_src/schema";
import { thePage } from "../../js_src/session/page";
import type { SessionEntry } from "../../js_src/link/wire";

const client = (id: string): SessionEntry => ({
  ...{ id, name: "LocalCluster", address: `tcp://h:${id}`, state: "live" },
  ...{ workers: 1, threads: 2, active: false },
});

/** A notebook whose kernel has two clients, once it is entered. */
function notebookWithTwo(path: string) {
  const state = signal<KernelState>({ kind: "no-kernel" });
  const sessions = signal<SessionEntry[]>([]);
  const channel = thePage().connect({ kind: "comm", send: () => {} });
  const enter = (): void => {
    const entries = [client(`${path} 1`), client(`${path} 2`)];
    channel.receive({
      ...{ type: "welcome", page: thePage().id, protocol: PROTOCOL },
      ...{ version: "0.1.0", kernel: path, subshells: true, resumed: false },
      sessions: entries,
    });
    const now = channel.state.peek();
    if (now.kind !== "open") throw new Error(now.kind);
    state.value = { kind: "open", link: now.link, recorder: true };
    sessions.value = entries;
  };
  const kernel = {
    ...{ state, sessions, use: () => () => {} },
    ...{ earlierKernels: signal<string[]>([]), died: signal(false) },
  };
  return { path: signal(path), name: path, kernel, channel, enter };
}

describe("a panel that was opened for a client", () => {
  const [front, other] = [notebookWithTwo("front"), notebookWithTwo("other")];
  const notebooks = {
    open: signal([front, other]),
    front: signal(front),
  } as unknown as Notebooks;
  let binding: Binding;
  afterEach(() => binding.dispose());

  it("shows that one, of its notebook, also when its kernel is entered later", () => {
    binding = new Binding(notebooks, "other", true, "other 1");
    expect(binding.shows("other 1"), "before it is found").toBe(true);
    expect(binding.session.value).toBeNull();
    front.enter();
    other.enter();
    expect(binding.session.value?.id).toBe("other 1");
    expect([binding.shows("other 1"), binding.shows("other 2")]).toEqual([
      ...[true, false],
    ]);
    expect(binding.chooser.value?.chosen).toBe("other 1");
  });

  it("is another's when a person chooses that in it", () => {
    binding = new Binding(notebooks, "other", true, "other 1");
    binding.chooser.value!.choose("other 2");
    expect([binding.shows("other 1"), binding.shows("other 2")]).toEqual([
      ...[false, true],
    ]);
  });

  it("offers the clients of the kernel before, and no samples of memory", () => {
    binding = new Binding(notebooks, "other", true, "other 1");
    const state = front.channel.state.peek();
    if (state.kind !== "open") throw new Error(state.kind);
    for (const id of ["front 1", "a MemorySampler"]) {
      thePage().session(state.link, id);
    }
    other.kernel.earlierKernels.value = ["front"];
    const offered = binding.chooser.value!.sessions.map(({ id }) => id);
    expect(offered).toContain("earlier:front front 1");
    expect(offered).not.toContain("earlier:front a MemorySampler");
  });
});
