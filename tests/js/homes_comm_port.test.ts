import { beforeEach, describe, expect, it, vi } from "vitest";
import { openComm } from "../../js_src/homes/lab/comm_port";

interface Sent {
  msgType: string;
  content: { comm_id?: string; subshell_id?: string };
}
vi.mock("@jupyterlab/services", () => ({
  KernelMessage: { createMessage: (message: Sent) => message },
}));

/** A connection to a kernel: what goes over it, and the connections made of it. */
class Connection {
  readonly sent: string[] = [];
  readonly clones: Connection[] = [];
  readonly isDisposed = false;
  status = "idle";
  disposed = 0;

  createComm() {
    const note = (what: string) => this.sent.push(what);
    return {
      commId: "c",
      isDisposed: false,
      open: () => note("comm_open"),
      send: () => note("comm_msg"),
      close: () => note("comm_close"),
      dispose: () => note("dispose"),
    };
  }

  sendShellMessage({ msgType }: Sent) {
    this.sent.push(msgType);
    return { done: Promise.resolve() };
  }

  clone() {
    this.clones.push(new Connection());
    return this.clones.at(-1)!;
  }

  dispose() {
    this.disposed += 1;
  }
}

let kernel: Connection;
const subshell = { id: "sub", close: vi.fn().mockResolvedValue(null) };
const open = (own: typeof subshell | null) =>
  openComm(kernel as never, own, () => undefined);

beforeEach(() => {
  kernel = new Connection();
  subshell.close.mockClear();
});

describe("a comm to a kernel", () => {
  it("is closed, and its subshell with it, while the connection lasts", () => {
    open(null).close();
    expect(kernel.sent).toEqual(["comm_open", "comm_msg", "comm_close"]);
    open(subshell).close();
    expect(subshell.close).toHaveBeenCalledWith();
    expect(kernel.clones).toEqual([]);
  });

  it("is closed over another connection when its own is about to go", async () => {
    open(subshell).close(true);
    const [other] = kernel.clones;
    expect(other!.sent).toEqual(["comm_close"]);
    expect(subshell.close).toHaveBeenCalledWith(other);
    expect(kernel.sent).not.toContain("comm_close");
    expect(kernel.sent.at(-1), "the connection may live on").toBe("dispose");
    await vi.waitFor(() => expect(other!.disposed).toBe(1));
  });

  it("went with a kernel that restarts: nobody is told", () => {
    const comm = open(null);
    kernel.status = "restarting";
    comm.close(true);
    expect(kernel.sent.at(-1)).toBe("dispose");
    expect(kernel.clones).toEqual([]);
  });
});
