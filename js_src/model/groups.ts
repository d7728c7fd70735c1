// Totals of the tasks of each graph, span and prefix. Updated as rows arrive in any order,
// so that tables need no pass over all rows.

import { ACTIONS } from "../schema";
import { lengthOf } from "./search";
import { actionOf, hasErred, type RowColumns } from "./segment";

export interface Group {
  readonly computation: number;
  readonly span: number;
  readonly prefix: number;
  tasks: number;
  erred: number;
  /** Size of the results. */
  nbytes: number;
  /** Time of its tasks without transfers. */
  seconds: number;
  /** Start of its first row. */
  start: number;
  stop: number;
}

const TRANSFER = ACTIONS.indexOf("transfer");
const SIZE = 0x10000;
/** Approximate memory of a group and its key. */
const GROUP_BYTES = 240;

/** One number for graph, span and prefix, which are each below 2^16. */
export const groupKey = (
  computation: number,
  span: number,
  prefix: number,
): number => (computation * SIZE + span) * SIZE + prefix;

export class Groups {
  tasks = 0;
  private readonly groups = new Map<number, Group>();
  private last: Group | null = null;
  private lastTask = -1;

  get byteLength(): number {
    return this.groups.size * GROUP_BYTES;
  }

  get all(): Iterable<Group> {
    return this.groups.values();
  }

  /** Rows of the same task must be added consecutively. */
  add(rows: RowColumns, row: number): void {
    const start = rows.start[row];
    const seconds = lengthOf(rows.duration[row]);
    const group = this.of(
      rows.computation[row],
      rows.span[row],
      rows.prefix[row],
    );
    if (start < group.start) group.start = start;
    if (start + seconds > group.stop) group.stop = start + seconds;
    const what = rows.what[row];
    if (actionOf(what) !== TRANSFER) group.seconds += seconds;
    const task = rows.task[row];
    if (task === this.lastTask) return;
    this.lastTask = task;
    this.tasks += 1;
    group.tasks += 1;
    if (hasErred(rows.what[row])) group.erred += 1;
    if (rows.nbytes[row] > 0) group.nbytes += rows.nbytes[row];
  }

  private of(computation: number, span: number, prefix: number): Group {
    const { last } = this;
    if (
      last?.prefix === prefix &&
      last.span === span &&
      last.computation === computation
    ) {
      return last;
    }
    const key = groupKey(computation, span, prefix);
    let group = this.groups.get(key);
    if (!group) {
      const none = { tasks: 0, erred: 0, nbytes: 0, seconds: 0 };
      const never = { start: Infinity, stop: -Infinity };
      group = { computation, span, prefix, ...none, ...never };
      this.groups.set(key, group);
    }
    this.last = group;
    return group;
  }
}
