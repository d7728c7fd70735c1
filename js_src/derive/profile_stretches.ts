// Counts of stacks cut into equal stretches of their time: by how much neighbours differ says
// how much of a difference may be chance. `derive/profile_difference.py` cuts alike.

/** Into so many, where none gets shorter than a cycle. */
const STRETCHES = [16, 8, 4, 2];
/** Into so many groups workers are put. */
const MOST_GROUPS = 4;
/** Cycles are not exactly as long as set. */
const CYCLE_SHARE = 0.9;

export interface StretchedCounts {
  /** At `stretch * groups + group` of workers: which stacks, with how many samples. */
  readonly parts: readonly {
    readonly stack: Uint32Array;
    readonly count: Float64Array;
  }[];
  readonly groups: number;
  readonly samples: number;
}

/** Rows that were counted, in any order. */
export class RowColumns {
  size = 0;
  stack = new Uint32Array(1024);
  worker = new Uint32Array(1024);
  count = new Float64Array(1024);
  from = new Float64Array(1024);
  to = new Float64Array(1024);

  add(
    stack: number,
    count: number,
    from = 0,
    to = 0,
    /** Its number. */
    worker = 0,
  ): void {
    const row = this.size++;
    if (row === this.stack.length) this.grow();
    this.worker[row] = worker;
    this.stack[row] = stack;
    this.count[row] = count;
    this.from[row] = from;
    this.to[row] = to;
  }

  private grow(): void {
    const room = 2 * this.stack.length;
    const { stack, worker, count, from, to } = this;
    (this.worker = new Uint32Array(room)).set(worker);
    (this.stack = new Uint32Array(room)).set(stack);
    (this.count = new Float64Array(room)).set(count);
    (this.from = new Float64Array(room)).set(from);
    (this.to = new Float64Array(room)).set(to);
  }
}

/** `names` are those of workers by their number. */
export function stretched(
  rows: RowColumns,
  names: readonly string[],
): StretchedCounts {
  const { size, stack, count } = rows;
  const { groups, groupOf } = groupsOf(rows, names);
  const { from, to, length } = onBusyClock(rows);
  let longest = 0;
  for (let row = 0; row < size; row++) {
    longest = Math.max(longest, to[row] - from[row]);
  }
  const fitting = longest > 0 ? length / (longest * CYCLE_SHARE) : 0;
  const number = STRETCHES.find((most) => most <= Math.floor(fitting)) ?? 1;
  const width = length / number || 1;
  const parts = Array.from({ length: number * groups }, () => new RowColumns());
  let samples = 0;
  for (let row = 0; row < size; row++) {
    samples += count[row];
    const [begin, end] = [from[row] / width, to[row] / width];
    const first = Math.min(number - 1, Math.floor(begin));
    const group = groupOf[rows.worker[row]];
    if (!(end > begin)) {
      parts[first * groups + group].add(stack[row], count[row]);
      continue;
    }
    for (let at = first; at < number && at < end; at++) {
      const inside = Math.min(end, at + 1) - Math.max(begin, at);
      const part = (inside / (end - begin)) * count[row];
      if (part > 0) parts[at * groups + group].add(stack[row], part);
    }
  }
  return {
    parts: parts.map(({ size, stack, count }) => ({
      stack: stack.slice(0, size),
      count: count.slice(0, size),
    })),
    groups,
    samples,
  };
}

/** By number of a worker its group; those that are in the rows take turns. */
function groupsOf(
  { size, worker }: RowColumns,
  names: readonly string[],
): { readonly groups: number; readonly groupOf: Uint8Array } {
  const seen = [...new Set(worker.subarray(0, size))].sort((one, other) =>
    names[one] < names[other] ? -1 : 1,
  );
  const groups = Math.max(1, Math.min(MOST_GROUPS, seen.length));
  const groupOf = new Uint8Array(names.length);
  seen.forEach((number, at) => (groupOf[number] = at % groups));
  return { groups, groupOf };
}

/** When rows are, on a clock that runs only while something was seen. */
function onBusyClock({ size, from, to }: RowColumns) {
  const order = Uint32Array.from({ length: size }, (_, row) => row).sort(
    (a, b) => from[a] - from[b],
  );
  const begin = new Float64Array(size);
  const end = new Float64Array(size);
  let [busy, until, gone] = [0, -Infinity, 0];
  for (const row of order) {
    if (from[row] > until) {
      gone += from[row] - (until === -Infinity ? 0 : until);
      until = from[row];
    }
    begin[row] = from[row] - gone;
    end[row] = to[row] - gone;
    if (to[row] > until) until = to[row];
    busy = Math.max(busy, end[row]);
  }
  return { from: begin, to: end, length: busy };
}
