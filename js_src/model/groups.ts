// What the tasks of each graph, span and prefix amount to. Kept up as rows come, whatever
// their order, so that a table of them needs no pass over all rows.

import { ACTIONS } from "../schema";
import { lengthOf } from "./search";
import { actionOf, hasErred, type RowColumns } from "./segment";

export interface Group {
  readonly computation: number;
  readonly span: number;
  readonly prefix: number;
  tasks: number;
  erred: number;
  /** Of results. */
  nbytes: number;
  /** That its tasks took beside transfers. */
  seconds: number;
  /** From its first to its last row. */
  start: number;
  stop: number;
}

const TRANSFER = ACTIONS.indexOf("transfer");
const SIZE = 0x10000;
/** About what one takes with its key. */
const GROUP_BYTES = 240;

/** One number for a graph, a span and a prefix: each is below 2^16. */
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

  /** Rows of a task follow one another. */
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
