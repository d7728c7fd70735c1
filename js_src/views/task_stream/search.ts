// Searching tasks by key or prefix: what was typed, what was found, and in how
// many of how many keys.

import { signal } from "@preact/signals";
import { formatCount, formatExact } from "../../base/format";
import type { SessionStore } from "../../session";
import type { Fact } from "../panel/status_line";

/** So that each letter does not start a search of its own. */
const TYPING_MS = 180;

export class Search {
  readonly text = signal("");
  /** Task numbers that match; null while nothing is searched. */
  readonly found = signal<Uint32Array | null>(null);
  readonly progress = signal<{ searched: number; of: number } | null>(null);
  readonly failed = signal("");
  /**
   * Prefixes whose name matches. They stand in for the keys that this page does
   * not have: a key begins with its prefix.
   */
  readonly prefixes = signal<readonly number[]>([]);
  /** Which match is shown, from 0; -1 before the first step. */
  readonly at = signal(-1);
  /** Grows with each search that began. */
  runs = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running: AbortController | null = null;

  constructor(private readonly session: SessionStore) {}

  set(text: string): void {
    this.text.value = text;
    clearTimeout(this.timer);
    this.running?.abort();
    this.running = null;
    this.failed.value = "";
    if (text.trim() === "") {
      this.found.value = null;
      this.prefixes.value = [];
      this.progress.value = null;
      this.at.value = -1;
      return;
    }
    this.timer = setTimeout(() => void this.run(text.trim()), TYPING_MS);
  }

  clear(): void {
    this.set("");
  }

  /** The next or previous match; null when there is none. */
  step(by: number): number | null {
    const found = this.found.peek();
    if (!found || found.length === 0) return null;
    const from = this.at.peek();
    const at =
      from < 0 && by < 0
        ? found.length - 1
        : (from + by + found.length) % found.length;
    this.at.value = at;
    return found[at] ?? null;
  }

  /** What stands in the field: "3 of 41". */
  summary(): string {
    if (this.failed.value !== "") return "failed";
    const found = this.found.value;
    if (!found) return this.progress.value ? "…" : "";
    if (this.isPartial()) {
      const count = this.prefixes.value.length;
      if (count > 0) return `${count} ${count === 1 ? "prefix" : "prefixes"}`;
    }
    if (found.length === 0) return "no match";
    const total = formatCount(found.length);
    return this.at.value < 0
      ? `${total} ${found.length === 1 ? "task" : "tasks"}`
      : `${formatCount(this.at.value + 1)} of ${total}`;
  }

  /** Whether there are keys that could not be looked at. */
  isPartial(): boolean {
    const progress = this.progress.value;
    return progress !== null && progress.searched < progress.of;
  }

  /** For the status line: how far the search reached. */
  fact(): Fact | null {
    if (this.failed.value !== "") {
      return { text: `search failed: ${this.failed.value}`, level: "error" };
    }
    const progress = this.progress.value;
    if (!progress) return null;
    const { searched, of } = progress;
    const text = `${formatExact(searched)} of ${formatExact(of)} keys searched`;
    if (searched >= of) return { text };
    return {
      text,
      level: "warn",
      title:
        "The other keys are still in the kernel. They arrive when it is idle, and the search goes on when you type again.",
    };
  }

  private async run(query: string): Promise<void> {
    const running = new AbortController();
    this.running = running;
    this.runs += 1;
    this.at.value = -1;
    const needle = query.toLowerCase();
    this.prefixes.value = this.session.prefixes.flatMap((name, at) =>
      name.toLowerCase().includes(needle) ? [at] : [],
    );
    try {
      const result = await this.session.keys.search(
        query,
        ({ searched, of }) => {
          if (!running.signal.aborted) this.progress.value = { searched, of };
        },
        running.signal,
      );
      if (running.signal.aborted) return;
      this.progress.value = { searched: result.searched, of: result.of };
      this.found.value = result.tasks;
    } catch (error) {
      if (running.signal.aborted) return;
      this.failed.value =
        error instanceof Error ? error.message : String(error);
    }
  }
}
