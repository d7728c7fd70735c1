// Counts of stacks cut into equal stretches of their time: by how much neighbours differ says
// how much of a difference may be chance. `derive/profile_difference.py` cuts alike.

/** Into so many, where none gets shorter than a cycle. */
const STRETCHES = [16, 8, 4, 2];
/** Cycles are not exactly as long as set. */
const CYCLE_SHARE = 0.9;

export interface StretchedCounts {
  /** By what is in each stretch: which stacks, with how many samples. */
  readonly parts: readonly {
    readonly stack: Uint32Array;
    readonly count: Float64Array;
  }[];
  readonly samples: number;
}

/** Rows that were counted, in any order. */
export class RowColumns {
  size = 0;
  stack = new Uint32Array(1024);
  count = new Float64Array(1024);
  from = new Float64Array(1024);
  to = new Float64Array(1024);

  add(stack: number, count: number, from: number, to: number): void {
    const row = this.size++;
    if (row === this.stack.length) this.grow();
    this.stack[row] = stack;
    this.count[row] = count;
    this.from[row] = from;
    this.to[row] = to;
  }

  private grow(): void {
    const room = 2 * this.stack.length;
    const { stack, count, from, to } = this;
    (this.stack = new Uint32Array(room)).set(stack);
    (this.count = new Float64Array(room)).set(count);
    (this.from = new Float64Array(room)).set(from);
    (this.to = new Float64Array(room)).set(to);
  }
}

export function stretched(rows: RowColumns): StretchedCounts {
  const { size, stack, count } = rows;
  const { from, to, length } = onBusyClock(rows);
  let longest = 0;
  for (let row = 0; row < size; row++) {
    longest = Math.max(longest, to[row] - from[row]);
  }
  const fitting = longest > 0 ? length / (longest * CYCLE_SHARE) : 0;
  const number = STRETCHES.find((most) => most <= Math.floor(fitting)) ?? 1;
  const width = length / number || 1;
  const parts = Array.from({ length: number }, () => new RowColumns());
  let samples = 0;
  for (let row = 0; row < size; row++) {
    samples += count[row];
    const [begin, end] = [from[row] / width, to[row] / width];
    const first = Math.min(number - 1, Math.floor(begin));
    if (!(end > begin)) {
      parts[first].add(stack[row], count[row], 0, 0);
      continue;
    }
    for (let at = first; at < number && at < end; at++) {
      const inside = Math.min(end, at + 1) - Math.max(begin, at);
      const part = (inside / (end - begin)) * count[row];
      if (part > 0) parts[at].add(stack[row], part, 0, 0);
    }
  }
  return {
    parts: parts.map(({ size, stack, count }) => ({
      stack: stack.slice(0, size),
      count: count.slice(0, size),
    })),
    samples,
  };
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
