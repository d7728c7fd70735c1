// Empty states that JupyterLab and widgets share.

import type { Problem } from "../errors";
import type { EmptyState } from "../panel/host";

export const CONNECTING = "Connecting to the kernel";

/** A widget's comm ends with its kernel, and only its cell creates a new one. */
export const KERNEL_GONE: EmptyState = {
  state: "stopped",
  title: "The kernel has restarted or stopped",
  text: "Run the cell again to connect.",
  status: "Not connected to a kernel",
};

/** The kernel is newer than the page's code, or the panel belongs to another package. */
export const noSuchPanel = (kind: string): string =>
  `This version of Daskscope has no panel "${kind}". Reload the page, or upgrade daskscope in the environment that runs JupyterLab.`;

/** `place` says where to run the code: "a cell", or a notebook's name. */
export function noClientYet(place: string, recorder: boolean): EmptyState {
  if (!recorder) {
    return {
      state: "no-client",
      title: "The recorder is off in this kernel",
      text: `\`daskscope.recorder.enabled\` is false, so clients are not recorded automatically. To record one, run \`daskscope.connect(client)\` in ${place}.`,
    };
  }
  return {
    state: "no-client",
    title: "No Dask client in this kernel yet",
    text: `Run \`Client()\` in ${place}, and this panel starts automatically.`,
  };
}

export function versionsDiffer(problem: Problem): boolean {
  return problem.code === "version-mismatch";
}

/** An invalid value in Dask's configuration prevents daskscope from starting in the kernel. */
export function badSetting(text: string): Problem {
  return { code: "bad-setting", text, next: "" };
}

export function notConnected(problem: Problem): EmptyState {
  return {
    state: "stopped",
    trouble: true,
    title: versionsDiffer(problem)
      ? "This panel and the kernel have different versions"
      : problem.code === "bad-setting"
        ? "A Daskscope setting is invalid"
        : "This panel could not connect",
    text: `${problem.text} ${problem.next}`.trim(),
  };
}
