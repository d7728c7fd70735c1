import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const rest = vi.hoisted(() => ({ getKernelModel: vi.fn() }));
vi.mock("@jupyterlab/services", () => ({
  KernelAPI: rest,
  KernelMessage: { createMessage: (message: object) => message },
}));

const INFO = {
  language_info: { name: "python" },
  supported_features: ["kernel subshells"],
};

function kernel(info: Promise<unknown>) {
  return {
    id: "k",
    serverSettings: {},
    info,
    requestCreateSubshell: () => undefined,
    sendControlMessage: () => ({ done: Promise.resolve({ content: INFO }) }),
  } as never;
}

beforeEach(() => {
  vi.useFakeTimers();
  rest.getKernelModel.mockResolvedValue({ execution_state: "busy" });
});
afterEach(() => {
  vi.useRealTimers();
  vi.clearAllMocks();
});

describe("what a kernel can do", () => {
  it("is asked of the server only when the kernel does not say it itself", async () => {
    const { kernelFacts } = await import("../../js_src/homes/lab/subshell");
    const idle = await kernelFacts(kernel(Promise.resolve(INFO)));
    expect(idle).toEqual({ language: "python", subshells: true });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(rest.getKernelModel).not.toHaveBeenCalled();

    const busy = kernelFacts(kernel(new Promise(() => {})));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await busy).toEqual({ language: "python", subshells: true });
    expect(rest.getKernelModel).toHaveBeenCalledTimes(1);
  });
});
