// Which rows are in the light; the others are dimmed. Indexes, not names.

import type { RowColumns } from "./segment";

/**
 * What to isolate. Absent kinds mean all; kinds are combined with "and", but for `actions`
 * and `erred`, which are entries of one list to people: either is enough.
 */
export interface FilterSpec {
  prefixes?: Iterable<number>;
  actions?: Iterable<number>;
  spans?: Iterable<number>;
  /** Lanes of the isolated workers. */
  lanes?: Iterable<number>;
  /** Tasks that erred, whatever the action. */
  erred?: boolean;
  /** Numbers of tasks that a search found. */
  tasks?: Uint32Array;
}

export class RowFilter {
  private readonly prefixes: Uint8Array | null;
  private readonly actions: Uint8Array | null;
  private readonly spans: Uint8Array | null;
  private readonly lanes: Uint8Array | null;
  private readonly erred: boolean;
  private readonly tasks: Uint32Array | null;

  constructor(
    spec: FilterSpec,
    readonly version: number,
  ) {
    this.prefixes = spec.prefixes ? mask(spec.prefixes, 0x10000) : null;
    this.actions = spec.actions ? mask(spec.actions, 0x100) : null;
    this.spans = spec.spans ? mask(spec.spans, 0x10000) : null;
    this.lanes = spec.lanes ? mask(spec.lanes, 0x10000) : null;
    this.erred = spec.erred ?? false;
    this.tasks = spec.tasks ? bits(spec.tasks) : null;
  }

  get byAction(): boolean {
    return this.actions !== null;
  }

  /** Whether rows of a lane that it has may be in the dark. */
  get byRow(): boolean {
    const { prefixes, actions, spans, tasks } = this;
    return this.erred || !!(prefixes || actions || spans || tasks);
  }

  /** Whether anything of this lane can match. */
  hasLane(lane: number): boolean {
    return this.lanes === null || this.lanes[lane] === 1;
  }

  /** Whether a row matches, its lane aside. */
  matches(rows: RowColumns, row: number): boolean {
    if (this.prefixes !== null && this.prefixes[rows.prefix[row]] === 0)
      return false;
    if (this.spans !== null && this.spans[rows.span[row]] === 0) return false;
    if (this.actions !== null || this.erred) {
      const erred = this.erred && rows.status[row] === 1;
      if (!erred && (this.actions?.[rows.action[row]] ?? 0) === 0) return false;
    }
    if (this.tasks !== null) {
      const task = rows.task[row];
      const word = task >>> 5;
      if (word >= this.tasks.length) return false;
      if (((this.tasks[word] >>> (task & 31)) & 1) === 0) return false;
    }
    return true;
  }
}

function mask(indexes: Iterable<number>, size: number): Uint8Array {
  const out = new Uint8Array(size);
  for (const index of indexes) out[index] = 1;
  return out;
}

/** One bit a task: 1.25 MB for ten million. */
function bits(tasks: Uint32Array): Uint32Array {
  let last = 0;
  for (let i = 0; i < tasks.length; i++) if (tasks[i] > last) last = tasks[i];
  const out = new Uint32Array((last >>> 5) + 1);
  for (let i = 0; i < tasks.length; i++) {
    out[tasks[i] >>> 5] |= 1 << (tasks[i] & 31);
  }
  return out;
}
