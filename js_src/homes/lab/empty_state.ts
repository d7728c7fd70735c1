// What a panel shows instead of data: the reason and the next step.

import type { EmptyState, PanelAction } from "../../panel/host";
import {
  CONNECTING,
  noClientYet,
  notConnected,
  versionsDiffer,
} from "../empty_states";
import type { KernelState } from "./kernel_link";

export interface EmptyActions {
  insertClientCode(): void;
  retry(): void;
  reload(): void;
}

function action(label: string, run: () => void): PanelAction {
  return { label, run };
}

/** The user went back to a session of an earlier kernel. */
export const OF_EARLIER_KERNEL: EmptyState = {
  state: "stopped",
  title: "This session's kernel has shut down",
  text: "Choose a client above to see a running one.",
  status: "its kernel has shut down",
};

/** The state of a session that stays visible after its kernel has ended. */
export function pictureKept(
  why: EmptyState,
  kernel: KernelState,
  died: boolean,
): EmptyState {
  const open = kernel.kind === "open";
  if (died) {
    return {
      ...why,
      trouble: true,
      title: open
        ? "The kernel died, and the new one has no Dask client yet"
        : "The kernel died",
      status: "the kernel died; its last data is shown",
    };
  }
  if (kernel.kind !== "open") return why;
  if (!kernel.recorder) {
    const status =
      "the recorder is off; the last data of the old kernel is shown";
    return { ...why, status };
  }
  return {
    ...why,
    title: "No Dask client in the new kernel yet",
    status: "no Dask client yet; the last data of the old kernel is shown",
  };
}

/** The state for a panel whose notebook is not open. */
export function closedNotebookState(path: string): EmptyState {
  return {
    state: "no-client",
    title: `${path} is not open`,
    text: "Open it, and this panel starts automatically. Or choose another notebook.",
    status: `Waiting for ${path}`,
  };
}

/**
 * The state for a kernel; `notebook` is null if none is open, and `waits` names what
 * shows the text.
 */
export function emptyStateFor(
  kernel: KernelState,
  notebook: string | null,
  actions: EmptyActions,
  waits: "this panel" | "this list" = "this panel",
): EmptyState {
  if (notebook === null) {
    return {
      state: "no-client",
      title: "No notebook is open",
      text: "Open a notebook and run `Client()` in it. This panel shows the clients of the active notebook.",
      status: "Waiting for a notebook",
    };
  }
  switch (kernel.kind) {
    case "no-kernel":
      return {
        state: "no-client",
        title: "No kernel is running",
        text: `Start a kernel for ${notebook}; ${waits} then continues automatically.`,
        status: `Waiting for a kernel of ${notebook}`,
      };
    case "starting":
      return {
        state: "waiting",
        title: CONNECTING,
        text: `Looking for Dask clients in ${notebook}.`,
        status: `Connecting to the kernel of ${notebook}`,
      };
    case "busy":
      return {
        state: "waiting",
        title: "The kernel is busy",
        text: `This kernel answers only between cells: ${waits} continues when the running cell of ${notebook} ends. With ipykernel ≥ 7 and JupyterLab ≥ 4.4 there is no wait.`,
        status: `Waiting for the cell in ${notebook}`,
      };
    case "loading":
      return {
        state: "waiting",
        title: "Loading daskscope in the kernel",
        text: `The kernel of ${notebook} imports it for the first time. On a slow file system this takes a while.`,
        status: `Loading daskscope in ${notebook}`,
      };
    case "other-language":
      return {
        state: "no-client",
        title: "This kernel does not run Python",
        text: `Dask clients need a Python kernel; ${notebook} runs ${kernel.language}.`,
        status: `No Python in ${notebook}`,
      };
    case "missing":
      return {
        state: "stopped",
        title: "Daskscope is not installed in this kernel's environment",
        text: `Run \`%pip install daskscope\` in a cell of ${notebook}; ${waits} then continues automatically.`,
        status: `Waiting for daskscope in ${notebook}`,
        actions: [action("Try again", () => actions.retry())],
      };
    case "failed": {
      const mismatch = versionsDiffer(kernel.problem);
      return {
        ...notConnected(kernel.problem),
        status: mismatch ? "Versions differ" : `Not connected to ${notebook}`,
        actions: mismatch
          ? [action("Reload", () => actions.reload())]
          : [action("Try again", () => actions.retry())],
      };
    }
    case "open":
      if (!kernel.recorder) {
        return {
          ...noClientYet(notebook, false),
          status: `The recorder is off in ${notebook}`,
        };
      }
      return {
        ...noClientYet(notebook, true),
        status: `Waiting for a client in ${notebook}`,
        actions: [
          action("Insert client code", () => actions.insertClientCode()),
        ],
      };
  }
}
