// Searching tasks by key or prefix: what was typed, what was found, and in how
// many of how many keys.

import { signal } from "@preact/signals";
import type { SessionStore } from "../../session";

/** So that each letter does not start a search of its own. */
const TYPING_MS = 120;

export interface SearchState {
  readonly text: string;
  /** Task numbers that match; null while nothing is searched. */
  readonly found: Uint32Array | null;
  readonly progress: { searched: number; of: number } | null;
  /** Not through yet: `found` belongs to what was typed before. */
  readonly running: boolean;
  readonly failed: string;
  /**
   * Prefixes whose name matches. They stand in for the keys that this page does
   * not have: a key begins with its prefix.
   */
  readonly prefixes: readonly number[];
  /** Which match is shown, from 0; -1 before the first step. */
  readonly at: number;
  /** Grows with each search that began. */
  readonly runs: number;
}

export const NO_SEARCH: SearchState = {
  text: "",
  found: null,
  progress: null,
  running: false,
  failed: "",
  prefixes: [],
  at: -1,
  runs: 0,
};

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
      const { runs } = this.state.peek();
      this.state.value = { ...NO_SEARCH, text, runs };
      return;
    }
    this.change({ text, failed: "", running: true });
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

  private async run(query: string): Promise<void> {
    const running = new AbortController();
    this.running = running;
    const needle = query.toLowerCase();
    this.change({
      runs: this.state.peek().runs + 1,
      at: -1,
      prefixes: this.session.prefixes.flatMap((name, at) =>
        name.toLowerCase().includes(needle) ? [at] : [],
      ),
    });
    try {
      const result = await this.session.keys.search(
        query,
        ({ searched, of }) => {
          if (!running.signal.aborted) {
            this.change({ progress: { searched, of } });
          }
        },
        running.signal,
      );
      if (running.signal.aborted) return;
      const { tasks: found, searched, of } = result;
      this.change({ found, progress: { searched, of }, running: false });
    } catch (error) {
      if (running.signal.aborted) return;
      this.change({
        running: false,
        failed: error instanceof Error ? error.message : String(error),
      });
    }
  }
}
