// Which tasks the page holds completely, as sorted, disjoint ranges of their numbers,
// and from when to when each range goes.

export interface Range {
  first: number;
  /** One past the last task. */
  end: number;
  start: number;
  stop: number;
}

export class Coverage {
  private ranges: Range[] = [];

  /** Returns the range that the added one has become part of. */
  add(first: number, tasks: number, start = Infinity, stop = -Infinity): Range {
    const added = { first, end: first + tasks, start, stop };
    const before = this.ranges.filter((range) => range.end < first);
    const after = this.ranges.filter((range) => range.first > added.end);
    const touching = this.ranges.slice(
      before.length,
      this.ranges.length - after.length,
    );
    for (const range of touching) {
      added.first = Math.min(added.first, range.first);
      added.end = Math.max(added.end, range.end);
      added.start = Math.min(added.start, range.start);
      added.stop = Math.max(added.stop, range.stop);
    }
    if (tasks > 0) this.ranges = [...before, added, ...after];
    return added;
  }

  covers(first: number, tasks: number): boolean {
    return this.ranges.some(
      (range) => range.first <= first && first + tasks <= range.end,
    );
  }

  /** Whether any task of `first..last` (inclusive) is covered. */
  touches(first: number, last: number): boolean {
    return this.ranges.some(
      (range) => range.first <= last && first < range.end,
    );
  }

  all(): readonly Range[] {
    return this.ranges;
  }

  /** `[first, last + 1]` of each range. */
  list(): [number, number][] {
    return this.ranges.map((range) => [range.first, range.end]);
  }
}
