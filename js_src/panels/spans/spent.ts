// Seconds that tasks spent by activity, from Dask's Fine Performance Metrics.

import type { MetricRows } from "../../derive/metrics";
import type { Group } from "../../model/groups";

/** Index of the unit "seconds", always the first in its dictionary. */
const SECONDS = 0;

export interface Spent {
  /** Index of the activity. */
  readonly activity: number;
  readonly seconds: number;
}

export class TimeSpent {
  private readonly known = new Map<
    Group,
    { readonly of: number; readonly spent: ReadonlyMap<number, number> }
  >();

  private places: Int32Array | null = null;

  constructor(private readonly rows: MetricRows) {}

  /** Sorted by seconds, largest first. */
  of(groups: readonly Group[]): Spent[] {
    const sums = new Map<number, number>();
    for (const group of groups) {
      for (const [activity, seconds] of this.ofGroup(group)) {
        sums.set(activity, (sums.get(activity) ?? 0) + seconds);
      }
    }
    return [...sums]
      .map(([activity, seconds]) => ({ activity, seconds }))
      .filter(({ seconds }) => seconds > 0)
      .sort((one, other) => other.seconds - one.seconds);
  }

  private ofGroup(group: Group): ReadonlyMap<number, number> {
    const before = this.known.get(group);
    if (before?.of === group.seconds) return before.spent;
    const { activities } = this.rows;
    this.places ??= this.rows.byActivity(SECONDS);
    const { start, stop } = group;
    const grid = { start, width: stop - start, columns: 1 };
    const of = [group];
    const sums = this.rows.spread(grid, this.places, activities.length, of);
    const spent = new Map(activities.map((one, at) => [one, sums[at]]));
    this.known.set(group, { of: group.seconds, spent });
    return spent;
  }
}
