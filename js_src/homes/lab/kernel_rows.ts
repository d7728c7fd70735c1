// What the sidebar says of each kernel. Several notebooks may share one, and a notebook
// may be open in several views.

import type { SessionEntry } from "../../wire";
import type { KernelState } from "./kernel_link";
import type { Notebook } from "./notebooks";

export interface KernelRow {
  readonly key: string;
  /** Of a notebook that has them. */
  readonly path: string;
  /** Their names, as one text. */
  readonly notebooks: string;
  readonly sessions: readonly SessionEntry[];
  /** Why there is no client; null where there is one. */
  readonly note: string | null;
}

function withoutClient(state: KernelState): string | null {
  switch (state.kind) {
    case "busy":
      return "busy until the cell ends";
    case "loading":
      return "loading daskscope";
    case "missing":
      return "daskscope is not installed in its environment";
    case "failed":
      return state.problem.text;
    case "open":
      return state.recorder ? "no Dask client yet" : "the recorder is off";
    default:
      return null; // nothing to say of kernels that were not entered
  }
}

export function kernelRows(open: readonly Notebook[]): KernelRow[] {
  const kernels = new Map<string, Notebook[]>();
  for (const notebook of open) {
    // The id is no signal, but changes only with the state, which is read below.
    const key = notebook.kernel.id ?? notebook.path.value;
    kernels.set(key, [...(kernels.get(key) ?? []), notebook]);
  }
  return [...kernels].flatMap(([key, notebooks]) => {
    const names = notebooks.map(({ name }) => name);
    const entered =
      notebooks.find(({ kernel }) => kernel.sessions.value.length > 0) ??
      notebooks[0];
    const sessions = entered.kernel.sessions.value;
    const notes = notebooks.map(({ kernel }) =>
      withoutClient(kernel.state.value),
    );
    const note = notes.find((text) => text !== null) ?? null;
    if (sessions.length === 0 && note === null) return [];
    return {
      key,
      path: entered.path.value,
      notebooks: [...new Set(names)].join(", "),
      sessions,
      note: sessions.length > 0 ? null : note,
    };
  });
}
