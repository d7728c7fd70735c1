import { signal } from "@preact/signals";
import { afterEach, describe, expect, it, vi } from "vitest";
import { NotebookKernel } from "../../js_src/homes/lab/kernel_link";
import type { Outcome } from "../../js_src/homes/lab/execute";

const kernel = vi.hoisted(() => ({
  outcome: { kind: "value", value: null } as Outcome | Promise<Outcome>,
  /** Call it when the kernel begins with the question. */
  begins: () => {},
  subshell: null as object | null,
  channel: { state: null as unknown },
  /** How each comm was closed: whether the connection was about to go. */
  closed: [] as (boolean | undefined)[],
}));
vi.mock("../../js_src/homes/lab/execute", () => ({
  evaluate: async (_: never, __: never, ___: never, onBegin: () => void) => {
    kernel.begins = onBegin;
    return kernel.outcome;
  },
}));
vi.mock("../../js_src/homes/lab/subshell", () => ({
  kernelFacts: async () => ({ language: "python", subshells: false }),
  openSubshell: async () => kernel.subshell,
  restarted: async () => {},
  isGone: ({ status }: { status: string }) => status === "restarting",
}));
vi.mock("../../js_src/homes/lab/comm_port", () => ({
  openComm: () => ({
    channel: kernel.channel,
    close: (leaving?: boolean) => kernel.closed.push(leaving),
  }),
}));

const connection = { isDisposed: false, status: "idle" };
let tellStatus = (_: unknown, __: string) => {};

function notebook(): NotebookKernel {
  const never = { connect: () => true, disconnect: () => true };
  return new NotebookKernel({
    kernelChanged: never,
    statusChanged: {
      connect: (slot: typeof tellStatus) => (tellStatus = slot),
      disconnect: () => true,
    },
    connectionStatusChanged: never,
    disposed: never,
    session: { kernel: connection },
  } as never);
}

function status(now: string): void {
  connection.status = now;
  tellStatus(null, now);
}

/** Entered some seconds ago; the kernel has not answered yet. */
async function slow(): Promise<NotebookKernel> {
  vi.useFakeTimers();
  kernel.outcome = new Promise<Outcome>(() => {});
  const entered = notebook();
  entered.use();
  await vi.advanceTimersByTimeAsync(0);
  return entered;
}

afterEach(() => {
  connection.status = "idle";
  kernel.subshell = null;
  vi.useRealTimers();
});

describe("a kernel that takes long to answer", () => {
  it("is busy until it begins with the question, then loads daskscope", async () => {
    const entered = await slow();
    expect(entered.state.value.kind).toBe("starting");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(entered.state.value.kind).toBe("busy");
    kernel.begins();
    expect(entered.state.value.kind).toBe("loading");
    entered.dispose();
  });

  it("is not called busy while it loads daskscope", async () => {
    const entered = await slow();
    kernel.begins();
    expect(entered.state.value.kind, "a moment").toBe("starting");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(entered.state.value.kind).toBe("loading");
    entered.dispose();
    kernel.begins();
    expect(entered.state.value.kind).toBe("no-kernel");
  });

  it("is never busy where it answers in a subshell", async () => {
    kernel.subshell = { id: "s", close: async () => {} };
    const entered = await slow();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(entered.state.value.kind).toBe("starting");
    kernel.begins();
    expect(entered.state.value.kind).toBe("loading");
    entered.dispose();
  });
});

describe("the way into a notebook's kernel", () => {
  it("tells a wrong setting from a broken installation", async () => {
    const wrong = "… has daskscope.recorder.enabled = 'no', …";
    for (const [name, code, next] of [
      ["BadSettingError", "bad-setting", /^$/],
      ["ImportError", "kernel-import", /^Repair its installation/],
    ] as const) {
      kernel.outcome = { kind: "raised", name, text: wrong };
      const entered = notebook();
      const stop = entered.use();
      await vi.waitFor(() =>
        expect(entered.state.value).toMatchObject({
          kind: "failed",
          problem: { code, text: expect.stringContaining(wrong) },
        }),
      );
      const state = entered.state.value;
      if (state.kind === "failed") expect(state.problem.next).toMatch(next);
      stop();
    }
  });

  it("says whether the recorder is on, as the kernel tells it", async () => {
    kernel.outcome = { kind: "value", value: null };
    const recorder = signal(false);
    const link = { kernelId: "k", sessions: signal([]), recorder };
    kernel.channel.state = signal({ kind: "open", link });
    const entered = notebook();
    const stop = entered.use();
    await vi.waitFor(() =>
      expect(entered.state.value).toMatchObject({ recorder: false }),
    );
    recorder.value = true;
    expect(entered.state.value).toMatchObject({ kind: "open", recorder: true });
    stop();
    recorder.value = false;
    expect(entered.state.value).toEqual({ kind: "no-kernel" });
  });
});

describe("a kernel that nobody holds", () => {
  it("is left as if its notebook were closed in the same moment", async () => {
    kernel.outcome = { kind: "value", value: null };
    const link = {
      kernelId: "k",
      sessions: signal([]),
      recorder: signal(true),
    };
    kernel.channel.state = signal({ kind: "open", link });
    const entered = notebook();
    const stop = entered.use();
    await vi.waitFor(() => expect(entered.state.value.kind).toBe("open"));
    kernel.closed.splice(0);
    stop();
    expect(kernel.closed).toEqual([true]);
  });

  it("is asked for Dask again after it has started anew", async () => {
    kernel.outcome = { kind: "value", value: true };
    const left = notebook();
    expect(await left.hasDask()).toBe(true);
    status("restarting");
    expect(left.starts.value).toBe(1);
    expect(await left.hasDask(), "between two kernels").toBe(false);
    status("idle");
    expect(await left.hasDask()).toBe(true);
    left.dispose();
  });
});
