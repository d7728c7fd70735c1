// The order of prefixes in the legend: by weight. While tasks come it changes at most every
// ten seconds, so that an entry stays where somebody is about to click.

import type { LegendEntry } from "./legend_entries";

const SORT_MS = 10_000;

export class LegendOrder {
  private readonly places = new Map<string, number>();
  private sorted_ms = -Infinity;

  /** The same entries; those that are new since the last sorting come behind the others. */
  sort(
    entries: readonly LegendEntry[],
    now_ms: number,
    growing: boolean,
  ): LegendEntry[] {
    if (!growing || now_ms - this.sorted_ms >= SORT_MS) {
      this.places.clear();
      this.sorted_ms = now_ms;
    }
    const place = ({ id }: LegendEntry) => this.places.get(id) ?? Infinity;
    const rank = ({ kind }: LegendEntry) => (kind === "prefix" ? 0 : 1);
    const sorted = [...entries].sort((one, other) => {
      if (rank(one) !== rank(other)) return rank(one) - rank(other);
      if (one.kind !== "prefix") return 0;
      const [first, second] = [place(one), place(other)];
      return first === second ? other.weight - one.weight : first - second;
    });
    for (const { id } of sorted) {
      if (!this.places.has(id)) this.places.set(id, this.places.size);
    }
    return sorted;
  }
}
