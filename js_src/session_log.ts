// Errors, changes and gaps: lists whose entries the kernel has numbered for ever, so
// that they may come twice, or in any order, when messages were lost.

import { type Signal, signal } from "@preact/signals";

/** What a page keeps of one list; `counts` has the sums. */
const MAX_ENTRIES = 10_000;

export class NumberedLog<T> {
  /** The newest entries, in the order of their numbers. */
  readonly entries: Signal<T[]> = signal<T[]>([]);
  private known = new Map<number, T>(); // in the order of their numbers
  private stop = 0; // behind the newest known one

  /** How many of those up to the newest known one are not here; later ones are to come. */
  get missing(): number {
    return this.stop - this.known.size;
  }

  /** Take entries that are numbered from `first` on. */
  take(first: number, items: readonly T[]): void {
    const { size } = this.known;
    items.forEach((item, i) => {
      if (!this.known.has(first + i)) this.known.set(first + i, item);
    });
    if (this.known.size === size) return;
    this.stop = Math.max(this.stop, first + items.length);
    const newest = [...this.known]
      .sort(([a], [b]) => a - b)
      .slice(-MAX_ENTRIES);
    this.known = new Map(newest);
    this.entries.value = newest.map(([, item]) => item);
  }
}
