import { signal } from "@preact/signals";
import { describe, expect, it, vi } from "vitest";
import { NotebookKernel } from "../../js_src/homes/lab/kernel_link";
import type { Outcome } from "../../js_src/homes/lab/execute";

const kernel = vi.hoisted(() => ({
  outcome: { kind: "value", value: null } as Outcome,
  channel: { state: null as unknown },
}));
vi.mock("../../js_src/homes/lab/execute", () => ({
  evaluate: async () => kernel.outcome,
}));
vi.mock("../../js_src/homes/lab/subshell", () => ({
  kernelFacts: async () => ({ language: "python", subshells: false }),
  openSubshell: async () => null,
}));
vi.mock("../../js_src/homes/lab/comm_port", () => ({
  openComm: () => ({ channel: kernel.channel, close: () => {} }),
}));

function notebook(): NotebookKernel {
  const never = { connect: () => true, disconnect: () => true };
  return new NotebookKernel({
    kernelChanged: never,
    statusChanged: never,
    connectionStatusChanged: never,
    disposed: never,
    session: { kernel: { isDisposed: false } },
  } as never);
}

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
