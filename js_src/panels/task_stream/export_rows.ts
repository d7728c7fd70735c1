// Which rows go into a file: those of all lanes that started first, as many as fit.

import { formatExact, plural } from "../../base/format";
import type { TaskModel } from "../../model/tasks";
import type { Interval } from "../../model/types";
import { allTasks } from "../../session_notices";

export interface Rows {
  /** In order of their start. */
  readonly rows: readonly Interval[];
  /** So many there are; more than `rows` when they did not fit. */
  readonly of: number;
}

/** Keeps the rows that start first, of any number in any order. */
export class FirstRows {
  private rows: Interval[] = [];
  private seen = 0;
  /** Rows from here on are too late, however many follow. */
  private end = Infinity;

  constructor(private readonly most: number) {}

  take(row: Readonly<Interval>): void {
    this.seen++;
    if (row.start >= this.end) return;
    this.rows.push({ ...row });
    // Twice as many before they are cut: so each row is looked at a few times only.
    if (this.rows.length >= 2 * this.most) this.cut();
  }

  result(): Rows {
    if (this.rows.length > this.most) this.cut();
    this.rows.sort((one, other) => one.start - other.start);
    return { rows: this.rows, of: this.seen };
  }

  private cut(): void {
    // Numbers sort ten times faster than objects do.
    const starts = Float64Array.from(this.rows, ({ start }) => start).sort();
    this.end = starts[this.most - 1];
    const before = this.rows.filter(({ start }) => start < this.end);
    const last = this.rows.filter(({ start }) => start === this.end);
    this.rows = [...before, ...last.slice(0, this.most - before.length)];
  }
}

/** The first rows of some lanes that touch a time. */
export function firstRows(
  model: TaskModel,
  lanes: Iterable<number>,
  [start, stop]: readonly [number, number],
  options: { readonly most: number; readonly onlyFiltered: boolean },
): Rows {
  const first = new FirstRows(options.most);
  const filter = options.onlyFiltered ? model.filter : null;
  const matches = filter && rowMatcher(filter);
  const take = (row: Readonly<Interval>): void => {
    if (!matches || matches(row)) first.take(row);
  };
  for (const lane of lanes) {
    if (lane < 0 || (filter && !filter.hasLane(lane))) continue;
    model.forEachVisible(lane, start, stop, 0, take);
    model.forEachVisible(lane, start, stop, 0, take, true);
  }
  return first.result();
}

/** Asks the filter, which reads columns, about one row at a time. */
function rowMatcher(
  filter: NonNullable<TaskModel["filter"]>,
): (row: Readonly<Interval>) => boolean {
  const columns = {
    start: new Float64Array(1),
    duration: new Float32Array(1),
    prefix: new Uint16Array(1),
    action: new Uint8Array(1),
    status: new Uint8Array(1),
    nbytes: new Float32Array(1),
    span: new Uint16Array(1),
    task: new Uint32Array(1),
  };
  const names = Object.keys(columns) as (keyof typeof columns)[];
  return (row) => {
    for (const name of names) columns[name][0] = row[name];
    return filter.matches(columns, 0);
  };
}

/** Rows of some lanes that are only a coarse picture there: those of all prefixes. */
export function coarseRows(
  model: TaskModel,
  lanes: Iterable<number>,
  [start, stop]: readonly [number, number],
): number {
  let rows = 0;
  for (const lane of lanes) {
    const stretches = lane < 0 ? undefined : model.coarseLane(lane);
    if (!stretches || model.filter?.hasLane(lane) === false) continue;
    for (let i = 0; i < stretches.count; i++) {
      const from = stretches.start[i];
      const to = from + stretches.duration[i];
      const isSeen = stretches.hidden[i] === 0 && from <= stop && to >= start;
      if (isSeen) rows += stretches.rows[i];
    }
  }
  return rows;
}

/** What a file lacks. */
export interface Others {
  /** Rows that only the kernel has, or the file. */
  readonly notHere?: number;
  /** Rows of the time that was saved, at most: they are only a coarse picture here. */
  readonly coarse?: number;
  /** Tasks whose keys did not come; null where there were too many to ask for. */
  readonly keyless?: number | null;
}

/** What the panel says when a file was saved. */
export function savedWords(
  { rows, of }: Rows,
  { notHere = 0, coarse = 0, keyless = 0 }: Others,
  live: boolean,
): string {
  const cut = rows.length < of;
  const saved = cut
    ? `Saved the first ${formatExact(rows.length)} of ${formatExact(of)} rows`
    : `Saved ${plural(rows.length, "row")}`;
  const keys =
    keyless === null
      ? ", without keys: there are too many"
      : keyless > 0
        ? `, without the keys of ${plural(keyless, "task")}, which ${live ? "the kernel did not send" : "could not be read"}`
        : "";
  const zoom = cut ? "; zoom in and save what is shown for the others" : "";
  const elsewhere =
    notHere > 0
      ? `. The ${live ? "kernel keeps" : "file has"} ${formatExact(notHere)} more that are not in this page: ${allTasks(live)}`
      : "";
  const unseen =
    coarse > 0
      ? `. Up to ${formatExact(coarse)} more are only a coarse picture in this page: ${allTasks(live)} has those that are kept`
      : "";
  return saved + keys + zoom + elsewhere + unseen;
}
