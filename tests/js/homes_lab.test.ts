import { describe, expect, it } from "vitest";
import { chooseSession } from "../../js_src/homes/lab/choose_session";
import {
  closedNotebookState,
  emptyStateFor,
} from "../../js_src/homes/lab/empty_state";
import type { KernelState } from "../../js_src/homes/lab/kernel_link";
import type { SessionEntry } from "../../js_src/wire";

function entry(
  id: string,
  state: SessionEntry["state"] = "live",
): SessionEntry {
  return { id, name: id, address: "", state, workers: 0, threads: 0 };
}

describe("which session a panel shows", () => {
  it("is none while there is none", () => {
    expect(chooseSession([], null, null)).toBeNull();
  });

  it("is the newest living one", () => {
    const sessions = [entry("a"), entry("b"), entry("c", "stopped")];
    expect(chooseSession(sessions, null, null)).toBe("b");
  });

  it("stays while it lives, although a newer one comes", () => {
    expect(chooseSession([entry("a"), entry("b")], "a", null)).toBe("a");
  });

  it("moves on when it has stopped", () => {
    const sessions = [entry("a", "stopped"), entry("b")];
    expect(chooseSession(sessions, "a", null)).toBe("b");
  });

  it("stays when it has stopped and nothing else lives", () => {
    const sessions = [entry("a", "stopped"), entry("b", "lost")];
    expect(chooseSession(sessions, "a", null)).toBe("a");
  });

  it("is what a person chose, even a stopped one, while it exists", () => {
    const sessions = [entry("a", "stopped"), entry("b")];
    expect(chooseSession(sessions, "b", "a")).toBe("a");
    expect(chooseSession(sessions, null, "gone")).toBe("b");
  });
});

describe("a panel without a session", () => {
  const actions = { insertClientCode() {}, again() {}, reload() {} };
  const states: KernelState[] = [
    { kind: "no-kernel" },
    { kind: "starting" },
    { kind: "busy" },
    { kind: "other-language", language: "R" },
    { kind: "missing" },
    { kind: "failed", problem: { code: "x", text: "It broke.", next: "Do." } },
    { kind: "open", link: null as never },
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
