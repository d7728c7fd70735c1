// The library of reports that the active notebook's kernel can read, listed while it is
// visible. Actions on a report go to the kernel that listed it.

import {
  computed,
  effect,
  type ReadonlySignal,
  signal,
  untracked,
} from "@preact/signals";
import { asProblem, badMessage, type Problem } from "../../errors";
import type { KernelLink } from "../../link/channel";
import type { EmptyState } from "../../panel/host";
import { emptyStateFor } from "./empty_state";
import type { NotebookKernel } from "./kernel_link";
import { type LibraryList, libraryList } from "./library_entries";
import type { Notebooks } from "./notebooks";

/** Long, because a library may be on a slow disk or in a bucket. */
export const ANSWER_MS = 30_000;

export type LibraryState =
  /** Why there is no kernel to ask. */
  | { readonly kind: "closed"; readonly why: EmptyState }
  | { readonly kind: "waiting" }
  | { readonly kind: "failed"; readonly problem: Problem }
  | {
      readonly kind: "listed";
      readonly list: LibraryList;
      readonly source: LibrarySource;
      /** Why the last refresh failed; null if it did not. */
      readonly problem: Problem | null;
    };

/** A kernel that listed the library; another notebook may be active by now. */
export interface LibrarySource {
  readonly kernel: NotebookKernel;
  readonly link: KernelLink;
}

/** Delete the library's copy of a report. */
export const removeReport = ({ link }: LibrarySource, filename: string) =>
  link.ask(null, "delete-report", { filename }, ANSWER_MS);

const NO_NOTEBOOK: EmptyState = {
  state: "no-client",
  title: "No notebook is open",
  text: "The kernel of a notebook reads the library. Open a notebook to list the reports.",
};

export class Library {
  readonly state: ReadonlySignal<LibraryState>;
  private readonly shown = signal(false);
  private readonly open = signal(false);
  private readonly answer = signal<LibraryState>({ kind: "waiting" });
  private readonly link: ReadonlySignal<KernelLink | null>;
  private lastRequest = 0;
  /** The kernel that made the list. */
  private listedBy: LibrarySource | null = null;
  private readonly stops: (() => void)[];

  constructor(private readonly notebooks: Notebooks) {
    const wanted = computed(() => this.shown.value && this.open.value);
    this.link = computed(() => {
      const state = notebooks.front.value?.kernel.state.value;
      return state?.kind === "open" ? state.link : null;
    });
    this.state = computed(() =>
      this.link.value ? this.answer.value : this.closed(),
    );
    this.stops = [
      effect(() => {
        const kernel = wanted.value ? notebooks.front.value?.kernel : null;
        return kernel ? untracked(() => kernel.use()) : undefined;
      }),
      effect(() => {
        if (wanted.value && this.link.value) untracked(() => this.refresh());
      }),
      notebooks.onRan(() => {
        if (wanted.peek()) this.refresh();
      }),
    ];
  }

  /** Set whether the sidebar is visible. */
  setVisible(visible: boolean): void {
    this.shown.value = visible;
  }

  /** Set whether the section is open; a closed one requests nothing. */
  setOpen(open: boolean): void {
    this.open.value = open;
  }

  dispose(): void {
    for (const stop of this.stops) stop();
    this.lastRequest++;
  }

  refresh(): void {
    const kernel = this.notebooks.front.peek()?.kernel;
    const link = this.link.peek();
    if (!kernel || !link) return;
    const request = ++this.lastRequest;
    // Keep this kernel's list until the next answer.
    if (this.answer.peek().kind !== "listed" || this.listedBy?.link !== link) {
      this.listedBy = { kernel, link };
      this.answer.value = { kind: "waiting" };
    }
    const source = this.listedBy;
    link.ask(null, "reports", {}, ANSWER_MS).then(
      (answer) => this.take(request, source, answer),
      (error: unknown) => this.fail(request, error),
    );
  }

  private take(request: number, source: LibrarySource, answer: unknown): void {
    if (request !== this.lastRequest) return;
    try {
      const list = libraryList(answer, "answer");
      this.answer.value = { kind: "listed", list, source, problem: null };
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      this.fail(request, badMessage(detail));
    }
  }

  private fail(request: number, error: unknown): void {
    if (request !== this.lastRequest) return;
    const problem = asProblem(error);
    const now = this.answer.peek();
    this.answer.value =
      now.kind === "listed" ? { ...now, problem } : { kind: "failed", problem };
  }

  private closed(): LibraryState {
    const notebook = this.notebooks.front.value;
    if (!notebook) return { kind: "closed", why: NO_NOTEBOOK };
    const actions = {
      insertClientCode: () => notebook.insertClientCode(),
      retry: () => notebook.kernel.reconnect(),
      reload: () => location.reload(),
    };
    const state = notebook.kernel.state.value;
    const why = emptyStateFor(state, notebook.name, actions, "this list");
    return { kind: "closed", why };
  }
}
