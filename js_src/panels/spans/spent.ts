// Seconds that tasks spent, by activity, out of Dask's Fine Performance Metrics. Those know
// prefix, span and time; of a group of tasks they are what was measured while it ran.

import { findAfter } from "../../model/search";
import type { Group } from "../../model/groups";
import { rowsOf } from "../../derive/series";
import { TABLES } from "../../schema";
import type { TableView } from "../../session_tables";

/** The first entries of their dictionaries. */
const KEY = { context: 0, unit: 0 };

export interface Spent {
  /** Index of the activity. */
  readonly activity: number;
  readonly seconds: number;
}

export class TimeSpent {
  private readonly time: Float64Array;
  private readonly until: Float64Array;
  private readonly columns: Readonly<Record<string, Float64Array>>;
  /** Rows of each prefix and span, and their times, in order. */
  private readonly rows = new Map<number, [number[], Float64Array]>();
  private longest = 0;

  constructor({ rings }: TableView<"metrics">) {
    const all = rowsOf(TABLES.metrics, rings, KEY);
    this.time = all.time;
    this.until = all.until;
    this.columns = all.columns as Readonly<Record<string, Float64Array>>;
    const { prefix, span } = this.columns;
    const rows = new Map<number, number[]>();
    for (let row = 0; row < this.time.length; row++) {
      const key = span[row] * 0x10000 + prefix[row];
      const some = rows.get(key);
      if (some) some.push(row);
      else rows.set(key, [row]);
      this.longest = Math.max(this.longest, this.until[row] - this.time[row]);
    }
    for (const [key, some] of rows) {
      const times = Float64Array.from(some, (row) => this.time[row]);
      this.rows.set(key, [some, times]);
    }
  }

  /** The most first. */
  of(groups: readonly Group[]): Spent[] {
    const sums = new Map<number, number>();
    for (const group of groups) {
      const own = new Map<number, number>();
      this.during(group, own);
      const measured = [...own.values()].reduce((sum, one) => sum + one, 0);
      // Others ran the same function in that time: its share is that of its tasks.
      const share = measured > 0 ? Math.min(1, group.seconds / measured) : 0;
      for (const [activity, seconds] of own) {
        sums.set(activity, (sums.get(activity) ?? 0) + seconds * share);
      }
    }
    return [...sums]
      .map(([activity, seconds]) => ({ activity, seconds }))
      .filter(({ seconds }) => seconds > 0)
      .sort((one, other) => other.seconds - one.seconds);
  }

  private during(
    { span, prefix, start, stop }: Group,
    into: Map<number, number>,
  ): void {
    const known = this.rows.get(span * 0x10000 + prefix);
    if (!known) return;
    const [rows, times] = known;
    const { time, until } = this;
    const { activity, value } = this.columns;
    let at = findAfter(times, 0, times.length, start - this.longest);
    for (; at < rows.length && times[at] <= stop; at++) {
      const row = rows[at];
      const length = until[row] - time[row];
      const inside = Math.min(until[row], stop) - Math.max(time[row], start);
      if (inside < 0) continue;
      const part = length > 0 ? inside / length : 1;
      const sum = into.get(activity[row]) ?? 0;
      into.set(activity[row], sum + value[row] * part);
    }
  }
}
