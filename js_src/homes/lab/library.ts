// The library of reports, as the kernel of the notebook in front can read it: listed
// while somebody looks, fetched in pieces, deleted.

import {
  computed,
  effect,
  type ReadonlySignal,
  signal,
  untracked,
} from "@preact/signals";
import { count, record, str } from "../../base/check";
import {
  asProblem,
  badMessage,
  notConnected,
  type Problem,
} from "../../errors";
import type { KernelLink } from "../../stream";
import type { EmptyState } from "../../views/host";
import { emptyStateFor } from "./empty_state";
import { type LibraryList, libraryList } from "./library_entries";
import type { Notebooks } from "./notebooks";
import { MAX_FILE_BYTES, tooLarge } from "./server_file";

export type LibraryState =
  /** No kernel to ask, and why. */
  | { readonly kind: "closed"; readonly why: EmptyState }
  | { readonly kind: "waiting" }
  | { readonly kind: "failed"; readonly problem: Problem }
  | {
      readonly kind: "listed";
      readonly list: LibraryList;
      /** Why it could not be read again; null where it could. */
      readonly problem: Problem | null;
    };

/** A library may lie on a slow disk, or in a bucket. */
const ANSWER_MS = 30_000;

const NO_NOTEBOOK: EmptyState = {
  state: "no-client",
  title: "No notebook is open",
  text: "The kernel of a notebook reads the library: open one, and its reports are listed here.",
};

const piece = record({ base64: str, size: count });

export class Library {
  readonly state: ReadonlySignal<LibraryState>;
  private readonly shown = signal(false);
  private readonly open = signal(false);
  private readonly answer = signal<LibraryState>({ kind: "waiting" });
  private readonly link: ReadonlySignal<KernelLink | null>;
  private asked = 0;
  /** Whom the list is of. */
  private listedBy: KernelLink | null = null;
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

  /** Whether the sidebar can be seen. */
  setVisible(visible: boolean): void {
    this.shown.value = visible;
  }

  /** Whether the section is unfolded: nothing is asked for before. */
  setOpen(open: boolean): void {
    this.open.value = open;
  }

  dispose(): void {
    for (const stop of this.stops) stop();
    this.asked++;
  }

  refresh(): void {
    const link = this.link.peek();
    if (!link) return;
    const turn = ++this.asked;
    // What this kernel listed stays until there is something newer to say.
    if (this.answer.peek().kind !== "listed" || this.listedBy !== link) {
      this.listedBy = link;
      this.answer.value = { kind: "waiting" };
    }
    link.ask(null, "reports", {}, ANSWER_MS).then(
      (answer) => this.take(turn, answer),
      (error: unknown) => this.fail(turn, error),
    );
  }

  /** Delete the library's copy of a report. */
  async remove(filename: string): Promise<void> {
    try {
      await this.ask("delete-report", { filename });
    } finally {
      this.refresh();
    }
  }

  /** The file of a report, in pieces: one is under way at a time. */
  async fetch(filename: string, signal: AbortSignal): Promise<Blob> {
    const parts: BlobPart[] = [];
    let at = 0;
    for (;;) {
      const answer = await this.ask("report", { filename, at });
      signal.throwIfAborted();
      const { base64, size } = piece(answer, "answer");
      if (size > MAX_FILE_BYTES) throw tooLarge(filename);
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      // A browser keeps a large Blob outside of the page's memory.
      parts.push(new Blob([bytes]));
      at += bytes.length;
      if (at >= size || bytes.length === 0) return new Blob(parts);
    }
  }

  private ask(what: string, args: object): Promise<unknown> {
    const link = this.link.peek();
    if (link) return link.ask(null, what, args, ANSWER_MS);
    return Promise.reject(notConnected());
  }

  private take(turn: number, answer: unknown): void {
    if (turn !== this.asked) return;
    try {
      const list = libraryList(answer, "answer");
      this.answer.value = { kind: "listed", list, problem: null };
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      this.fail(turn, badMessage(detail));
    }
  }

  private fail(turn: number, error: unknown): void {
    if (turn !== this.asked) return;
    const problem = asProblem(error);
    const now = this.answer.peek();
    this.answer.value =
      now.kind === "listed" ? { ...now, problem } : { kind: "failed", problem };
  }

  private closed(): LibraryState {
    const notebook = this.notebooks.front.value;
    if (!notebook) return { kind: "closed", why: NO_NOTEBOOK };
    const why = emptyStateFor(notebook.kernel.state.value, notebook.name, {
      insertClientCode: () => notebook.insertClientCode(),
      again: () => notebook.kernel.again(),
      reload: () => location.reload(),
    });
    return { kind: "closed", why };
  }
}
