import { signal } from "@preact/signals";
import type { Widget } from "@lumino/widgets";
import { describe, expect, it } from "vitest";
import {
  chooseSession,
  distinctNames,
  listChoices,
} from "../../js_src/homes/lab/choices";
import { besideLargest } from "../../js_src/homes/lab/dock";
import { badSetting } from "../../js_src/homes/empty_states";
import {
  closedNotebookState,
  emptyStateFor,
  pictureKept,
} from "../../js_src/homes/lab/empty_state";
import type { KernelState } from "../../js_src/homes/lab/kernel_link";
import type { SessionStore } from "../../js_src/session/session";
import type { SessionEntry } from "../../js_src/link/wire";

function entry(
  id: string,
  state: SessionEntry["state"] = "live",
): SessionEntry {
  const none = { address: "", workers: 0, threads: 0, active: false };
  return { ...none, id, name: id, state };
}

describe("which session a panel shows", () => {
  const choose = (
    sessions: readonly SessionEntry[],
    current: string | null,
    wanted: string | null,
    beforeLoss: readonly string[] = ["a", "b", "c"],
  ) => chooseSession(sessions, current, wanted, new Set(beforeLoss));

  it("is none while there is none", () => {
    expect(choose([], null, null)).toBeNull();
  });

  it("is the newest living one", () => {
    const sessions = [entry("a"), entry("b"), entry("c", "stopped")];
    expect(choose(sessions, null, null)).toBe("b");
  });

  it("stays while it lives, although a newer one comes", () => {
    expect(choose([entry("a"), entry("b")], "a", null)).toBe("a");
  });

  it("moves on when it has stopped", () => {
    const sessions = [entry("a", "stopped"), entry("b")];
    expect(choose(sessions, "a", null)).toBe("b");
  });

  it("stays while its scheduler is lost, for that may come back", () => {
    const [lost, beside] = [entry("a", "lost"), entry("b")];
    expect(choose([lost, beside], "a", null)).toBe("a");
    expect(choose([beside, lost], "a", null)).toBe("a");
    expect(choose([lost, beside], null, null), "a new panel").toBe("b");
    expect(choose([beside, lost], null, null), "a new panel").toBe("b");
  });

  it("is one that began after the scheduler was lost, at once", () => {
    const sessions = [entry("a", "lost"), entry("b"), entry("c", "waiting")];
    expect(choose(sessions, "a", null, ["a", "b"])).toBe("c");
    expect(choose(sessions, "a", "a", ["a", "b"]), "chosen").toBe("a");
    const gone = [entry("a", "lost"), entry("b"), entry("c", "stopped")];
    expect(choose(gone, "a", null, ["a", "b"])).toBe("a");
  });

  it("stays when it has stopped and nothing else lives", () => {
    const sessions = [entry("a", "stopped"), entry("b", "lost")];
    expect(choose(sessions, "a", null)).toBe("a");
  });

  it("is what a person chose, even a stopped one, while it exists", () => {
    const sessions = [entry("a", "stopped"), entry("b")];
    expect(choose(sessions, "b", "a")).toBe("a");
    expect(choose(sessions, null, "gone")).toBe("b");
  });
});

describe("a panel without a session", () => {
  const actions = { insertClientCode() {}, retry() {}, reload() {} };
  const states: KernelState[] = [
    { kind: "no-kernel" },
    { kind: "starting" },
    { kind: "busy" },
    { kind: "loading" },
    { kind: "other-language", language: "R" },
    { kind: "missing" },
    { kind: "failed", problem: { code: "x", text: "It broke.", next: "Do." } },
    { kind: "open", link: null as never, recorder: true },
  ];

  it.each(states)("says what happened and the next step: $kind", (state) => {
    const shown = emptyStateFor(state, "tour.ipynb", actions);
    expect(shown.title).not.toBe("");
    expect(shown.text).toMatch(/[.!]$/);
    expect(shown.status).toBeTruthy();
  });

  it("says how to install daskscope in the kernel's environment", () => {
    const shown = emptyStateFor({ kind: "missing" }, "tour.ipynb", actions);
    expect(shown.text).toContain("%pip install daskscope");
  });

  it("calls the list of the sidebar a list where that waits", () => {
    for (const state of states) {
      const [name, list] = ["tour.ipynb", "this list"] as const;
      const { text } = emptyStateFor(state, name, actions, list);
      // Of one that waits for a client the list shows what it has.
      if (state.kind !== "open") expect(text).not.toContain("panel");
    }
  });

  it("does not promise that a client is recorded where the recorder is off", () => {
    const kernel: KernelState = {
      kind: "open",
      link: null as never,
      recorder: false,
    };
    const shown = emptyStateFor(kernel, "tour.ipynb", actions);
    expect(shown.title).toBe("The recorder is off in this kernel");
    expect(shown.text).toContain("daskscope.recorder.enabled");
    expect(shown.text).toContain("daskscope.connect(client)");
    expect(pictureKept(shown, kernel, false).title).toBe(shown.title);
  });

  it("says which setting is wrong, and of no installation", () => {
    const problem = badSetting("… has daskscope.recorder.enabled = 'no', …");
    const shown = emptyStateFor(
      { kind: "failed", problem },
      "a.ipynb",
      actions,
    );
    expect(shown.title).toContain("setting");
    expect(shown.text).toContain("daskscope.recorder.enabled = 'no'");
    expect(shown.actions?.[0]?.label).toBe("Try again");
  });

  it("offers to reload when the versions differ", () => {
    const problem = {
      code: "version-mismatch",
      text: "Old.",
      next: "Upgrade.",
    };
    const shown = emptyStateFor(
      { kind: "failed", problem },
      "a.ipynb",
      actions,
    );
    expect(shown.actions?.[0]?.label).toBe("Reload");
  });

  it("names the notebook that has to be opened", () => {
    expect(closedNotebookState("a/tour.ipynb").title).toContain("a/tour.ipynb");
  });

  it("names no notebook where there is none", () => {
    const shown = emptyStateFor({ kind: "no-kernel" }, null, actions);
    expect(shown.text).toContain("Client()");
  });
});

describe("a panel whose kernel has restarted", () => {
  const actions = { insertClientCode() {}, retry() {}, reload() {} };
  const kept = (kernel: KernelState, died = false) =>
    pictureKept(emptyStateFor(kernel, "tour.ipynb", actions), kernel, died);

  it("says that the picture stays until the next client", () => {
    const shown = kept({ kind: "open", link: null as never, recorder: true });
    expect(shown.title).toContain("new kernel");
    expect(shown.status).toMatch(/last data of the old kernel/);
    expect(shown.actions?.[0]?.label).toBe("Insert client code");
  });

  it("says what it waits for before that", () => {
    expect(kept({ kind: "missing" }).text).toContain("%pip install daskscope");
    expect(kept({ kind: "starting" }).status).toMatch(/^Connecting/);
  });

  it("is no trouble, unless the kernel died or cannot be reached", () => {
    const open: KernelState = {
      kind: "open",
      link: null as never,
      recorder: true,
    };
    const problem = { code: "x", text: "It broke.", next: "Do." };
    expect(kept(open).trouble).toBeFalsy();
    expect(kept({ kind: "starting" }).trouble).toBeFalsy();
    expect(kept({ kind: "missing" }).trouble).toBeFalsy();
    expect(kept({ kind: "failed", problem }).trouble).toBe(true);
    expect(kept(open, true)).toMatchObject({
      trouble: true,
      title: expect.stringContaining("The kernel died"),
    });
    expect(kept({ kind: "starting" }, true).trouble).toBe(true);
  });
});

describe("what a panel can show instead", () => {
  const named = (id: string, name: string, address: string): SessionEntry => ({
    ...entry(id),
    name,
    address,
  });
  const store = {
    id: "old",
    kernelId: "k0",
    info: signal({ id: "old", name: "LocalCluster", address: "tcp://h:1" }),
    counts: signal({ kept: 40 }),
  } as unknown as SessionStore;

  it("tells clusters of one name apart by the ends of their addresses", () => {
    const names = distinctNames([
      named("a", "LocalCluster", "tcp://127.0.0.1:8786"),
      named("b", "LocalCluster", "inproc://10.0.0.1/77/1"),
      named("e", "LocalCluster", "inproc://10.0.0.1/78/1"),
      named("c", "SSHCluster", "tcp://127.0.0.1:8787"),
      named("d", "", "tcp://127.0.0.1:8788"),
    ]);
    expect([...names.values()]).toEqual([
      "LocalCluster :8786",
      "LocalCluster inproc/77/1",
      "LocalCluster inproc/78/1",
      "SSHCluster",
      "Client",
    ]);
  });

  it("says more of an address while clients would look alike", () => {
    const entries = [
      named("a", "", "tcp://a:8786"),
      named("b", "", "tcp://b:8786"),
      named("c", "", "tls://c:8786"),
      named("d", "", "tcp://c:8786"),
      named("e", "", "tcp://a:9999"),
      named("f", "", "tcp://a:9999"),
      named("g", "Far", "tcp://g:8786"),
    ];
    const names = [
      ...["Client tcp://a:8786", "Client tcp://b:8786"],
      ...["Client tls://c:8786", "Client tcp://c:8786"],
      ...["Client :9999", "Client :9999"], // two of one scheduler are alike
    ];
    expect([...distinctNames(entries).values()]).toEqual([...names, "Far"]);
    const list = listChoices(entries, [], [], [], false);
    expect(list.map(({ name }) => name)).toEqual([...names, "Far :8786"]);
  });

  it("tells a client from that of the previous kernel", () => {
    const now = named("s", "LocalCluster", "tcp://other:1");
    const list = listChoices([now], [], [store], [], false);
    expect(list.map(({ name }) => name)).toEqual([
      "LocalCluster tcp://other:1",
      "LocalCluster tcp://h:1",
    ]);
  });

  it("is the kernel's sessions, those of kernels before, and other notebooks", () => {
    const other = { path: "a/b.ipynb", name: "b.ipynb", inFront: true };
    const list = listChoices([entry("s")], [], [store], [other], true);
    expect(list.map(({ name, detail }) => [name, detail])).toEqual([
      ["s", "live · 0 workers"],
      ["LocalCluster :1", "of the previous kernel, 40 tasks kept"],
      ["b.ipynb", "the active notebook"],
      ["Follow the active notebook", ""],
    ]);
    expect(list.map(({ target }) => target.kind)).toEqual([
      "session",
      "earlier",
      "notebook",
      "follow",
    ]);
    expect(list[2]!.target).toMatchObject({ path: "a/b.ipynb" });
  });

  it("is each notebook once, however many views of it are open", () => {
    const view = { path: "a/b.ipynb", name: "b.ipynb", inFront: false };
    const other = { ...view, path: "b.ipynb" };
    const inFront = { ...view, inFront: true };
    const list = listChoices([], [], [], [view, other, inFront], false);
    expect(list.map(({ id, detail }) => [id, detail])).toEqual([
      ["notebook:a/b.ipynb", "the active notebook"],
      ["notebook:b.ipynb", "another notebook"],
    ]);
  });

  it("says what became of each session", () => {
    const held = {
      ...store,
      id: "b",
      counts: signal({ kept: 1 }),
    } as unknown as SessionStore;
    const list = listChoices(
      [
        { ...named("a", "LocalCluster", "tcp://h:1"), workers: 1 },
        { ...named("d", "LocalCluster", "tcp://h:4"), active: true },
        { ...named("b", "LocalCluster", "tcp://h:2"), state: "stopped" },
        { ...named("c", "LocalCluster", "inproc://h/7/3"), state: "lost" },
      ],
      [held],
      [],
      [],
      false,
    );
    expect(list.map(({ name, detail }) => [name, detail])).toEqual([
      ["LocalCluster :1", "live · 1 worker"],
      ["LocalCluster :4", "live · 0 workers · running tasks"],
      ["LocalCluster :2", "stopped, 1 task kept"],
      ["LocalCluster inproc/7/3", "lost"],
    ]);
  });

  it("marks the clients whose tasks run", () => {
    const busy = { ...entry("b"), active: true };
    const list = listChoices([entry("a"), busy], [], [store], [], false);
    expect(list.map(({ active }) => active ?? false)).toEqual([
      ...[false, true, false],
    ]);
  });
});

describe("where the next panel goes", () => {
  const panel = (id: string, width: number, height: number, isVisible = true) =>
    ({
      ...{ id, isVisible },
      node: { clientWidth: width, clientHeight: height },
    }) as Widget;

  it.each([
    [[panel("a", 900, 500), panel("b", 2000, 900, false)], "split-right", "a"],
    [[panel("a", 500, 300), panel("b", 500, 700)], "split-bottom", "b"],
    [[panel("a", 700, 350), panel("b", 700, 360)], "tab-after", "b"],
    [[panel("a", 400, 500)], "tab-after", "a"],
  ] as const)("is where it has room: %#", (panels, mode, ref) => {
    expect(besideLargest([...panels])).toEqual({ mode, ref });
  });

  it("is beside the notebook while there is none", () => {
    expect(besideLargest([])).toBeNull();
  });
});
