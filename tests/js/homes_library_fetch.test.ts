import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { notConnected } from "../../js_src/errors";
import type { KernelState } from "../../js_src/homes/lab/kernel_link";
import { fetchOfLibrary } from "../../js_src/homes/lab/library_fetch";
import type { KernelLink } from "../../js_src/stream";

const FILE = "<!doctype html>a report in pieces";
const PIECE = 12;

/** A kernel that is on its way, and what its library has. */
class KernelStub {
  readonly state = signal<KernelState>({ kind: "starting" });
  users = 0;
  asked = 0;
  /** Ends with so many pieces said. */
  endsAfter = Infinity;

  use(): () => void {
    this.users += 1;
    return () => (this.users -= 1);
  }

  open(): void {
    const link = {
      ask: (_session: null, what: string, args: { at: number }) => {
        expect(what).toBe("report");
        if (this.asked++ >= this.endsAfter)
          return Promise.reject(notConnected());
        const base64 = btoa(FILE.slice(args.at, args.at + PIECE));
        return Promise.resolve({ base64, size: FILE.length });
      },
    };
    this.state.value = {
      kind: "open",
      link: link as unknown as KernelLink,
      recorder: true,
    };
  }
}

const never = new AbortController().signal;

describe("a report out of the library", () => {
  it("comes in pieces, all of one kernel, which is held as long", async () => {
    const kernel = new KernelStub();
    const fetched = fetchOfLibrary(kernel, "a.html", never);
    expect(kernel.users).toBe(1);
    kernel.open();
    // Another way into that kernel is none for what has begun.
    void Promise.resolve().then(() => (kernel.state.value = { kind: "busy" }));
    expect(await (await fetched).text()).toBe(FILE);
    expect(kernel.asked).toBe(Math.ceil(FILE.length / PIECE));
    expect(kernel.users).toBe(0);
  });

  it("says so when its kernel has ended in the middle", async () => {
    const kernel = new KernelStub();
    kernel.endsAfter = 1;
    kernel.open();
    await expect(fetchOfLibrary(kernel, "a.html", never)).rejects.toThrow(
      /kernel that handed over a\.html has ended/,
    );
    expect(kernel.users).toBe(0);
  });

  it("says why where there is no kernel to ask", async () => {
    const kernel = new KernelStub();
    const fetched = fetchOfLibrary(kernel, "a.html", never);
    kernel.state.value = { kind: "missing" };
    await expect(fetched).rejects.toThrow(/not installed/);
    kernel.state.value = { kind: "no-kernel" };
    await expect(fetchOfLibrary(kernel, "a.html", never)).rejects.toThrow(
      /No kernel is running/,
    );
    expect(kernel.users).toBe(0);
  });

  it("is given up when its tab is closed, also while the kernel is busy", async () => {
    const kernel = new KernelStub();
    const tab = new AbortController();
    const fetched = fetchOfLibrary(kernel, "a.html", tab.signal);
    tab.abort();
    await expect(fetched).rejects.toThrow(/abort/i);
    expect(kernel.users).toBe(0);
  });
});
