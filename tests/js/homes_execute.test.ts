import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { evaluate } from "../../js_src/homes/lab/execute";

vi.mock("@jupyterlab/services", () => ({
  KernelMessage: { createMessage: (message: object) => message },
}));

const VALUE = {
  status: "ok",
  user_expressions: {
    daskscope: {
      status: "ok",
      data: { "application/json": { value: 7 } },
    },
  },
};

/** A kernel that gives these answers, the last one again and again. */
function kernel(...contents: object[]) {
  const asked: object[] = [];
  return {
    asked,
    sendShellMessage(message: object) {
      asked.push(message);
      const content = contents[Math.min(asked.length, contents.length) - 1];
      return { done: Promise.resolve({ content }) };
    },
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("asks again when an interrupted cell took the question along", async () => {
  const interrupted = kernel({ status: "aborted" }, VALUE);
  const outcome = evaluate(interrupted as never, "3 + 4", null);
  await vi.runAllTimersAsync();
  expect(await outcome).toEqual({ kind: "value", value: 7 });
  expect(interrupted.asked).toHaveLength(2);
});

it("gives up a kernel that drops every question", async () => {
  const outcome = evaluate(kernel({ status: "aborted" }) as never, "1", null);
  await vi.runAllTimersAsync();
  expect(await outcome).toMatchObject({ kind: "raised", name: "aborted" });
});

it("says when the kernel begins with it, which may be after a cell", async () => {
  const future = { done: new Promise(() => {}), onIOPub: (_: object) => {} };
  const waiting = { sendShellMessage: () => future };
  const begins = vi.fn();
  void evaluate(waiting as never, "1", null, begins);
  future.onIOPub({ header: { msg_type: "execute_input" }, content: {} });
  expect(begins).not.toHaveBeenCalled();
  const status = (execution_state: string) =>
    future.onIOPub({
      header: { msg_type: "status" },
      content: { execution_state },
    });
  status("busy");
  status("idle");
  expect(begins).toHaveBeenCalledOnce();
});
