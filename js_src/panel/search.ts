// Searching tasks by key or prefix: what was typed, what was found, and in how
// many of how many keys.

import { signal } from "@preact/signals";
import type { SessionStore } from "../session";

/** So that each letter does not start a search of its own. */
const TYPING_MS = 120;

export interface SearchState {
  readonly text: string;
  /** Task numbers that match; null while nothing is searched. */
  readonly found: Uint32Array | null;
  readonly progress: { searched: number; of: number } | null;
  /** Not through yet: `found` belongs to what was typed before. */
  readonly running: boolean;
  /** The kernel is asked for keys that are not here; what is, was searched. */
  readonly fetching: boolean;
  readonly failed: string;
  /**
   * Prefixes whose name matches. They stand in for the keys that this page does
   * not have: a key begins with its prefix.
   */
  readonly prefixes: readonly number[];
  /** Which match is shown, from 0; -1 before the first step. */
  readonly at: number;
}

export const NO_SEARCH: SearchState = {
  text: "",
  found: null,
  progress: null,
  running: false,
  fetching: false,
  failed: "",
  prefixes: [],
  at: -1,
};

/** Whether there are keys that were not looked at. */
export function isPartial({ progress }: SearchState): boolean {
  return progress !== null && progress.searched < progress.of;
}

export class Search {
  readonly state = signal<SearchState>(NO_SEARCH);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running: AbortController | null = null;

  constructor(private readonly session: SessionStore) {}

  set(text: string): void {
    clearTimeout(this.timer);
    this.running?.abort();
    this.running = null;
    if (text.trim() === "") {
      this.state.value = { ...NO_SEARCH, text };
      return;
    }
    this.change({ text, failed: "", running: true, fetching: false });
    this.timer = setTimeout(() => void this.run(text.trim()), TYPING_MS);
  }

  clear(): void {
    this.set("");
  }

  /** The next or previous match; null when there is none. */
  step(by: number): number | null {
    const { found, at: from } = this.state.peek();
    if (!found || found.length === 0) return null;
    const at =
      from < 0 && by < 0
        ? found.length - 1
        : (from + by + found.length) % found.length;
    this.change({ at });
    return found[at] ?? null;
  }

  private change(part: Partial<SearchState>): void {
    this.state.value = { ...this.state.peek(), ...part };
  }

  /** More may be found later: the match that is shown stays the one that is shown. */
  private show(tasks: Uint32Array, fetching: boolean): void {
    const { running, found: before, at } = this.state.peek();
    const same = !running && before?.length === tasks.length;
    const shown = running || at < 0 ? undefined : before?.[at];
    this.change({
      found: same ? before : tasks,
      at: shown === undefined ? -1 : tasks.indexOf(shown),
      running: false,
      fetching,
    });
  }

  private async run(query: string): Promise<void> {
    const running = new AbortController();
    this.running = running;
    const needle = query.toLowerCase();
    this.change({
      at: -1,
      prefixes: this.session.prefixes.flatMap((name, at) =>
        name.toLowerCase().includes(needle) ? [at] : [],
      ),
    });
    try {
      const result = await this.session.keys.search(
        query,
        ({ tasks, searched, of }) => {
          if (running.signal.aborted) return;
          this.change({ progress: { searched, of } });
          if (tasks) this.show(tasks, true);
        },
        running.signal,
      );
      if (running.signal.aborted) return;
      const { tasks, searched, of } = result;
      this.change({ progress: { searched, of } });
      this.show(tasks, false);
    } catch (error) {
      if (running.signal.aborted) return;
      this.change({
        running: false,
        fetching: false,
        failed: error instanceof Error ? error.message : String(error),
      });
    }
  }
}
