// Cuts counts of stacks into equal slices of time: how much neighbours differ shows how
// much of a difference may be chance. `derive/profile_difference.py` does the same.

/** Numbers of slices to try: the first that keeps each as long as a cycle is used. */
const SLICE_COUNTS = [16, 8, 4, 2];
/** Maximum number of groups of workers. */
const MOST_GROUPS = 4;
/** Tolerance: cycles are not exactly as long as configured. */
const CYCLE_SHARE = 0.9;

export interface SlicedCounts {
  /** Stacks and their samples, at `slice * groups + group`. */
  readonly parts: readonly {
    readonly stack: Uint32Array;
    readonly count: Float64Array;
  }[];
  readonly groups: number;
  readonly samples: number;
}

/** Samples by stack. */
export type StackSums = Map<number, number>;

export function addTo(sums: StackSums, stack: number, count: number): void {
  sums.set(stack, (sums.get(stack) ?? 0) + count);
}

/** Calls `see` with each row that counts, in any order. */
export type EachRow = (
  see: (
    stack: number,
    count: number,
    from: number,
    to: number,
    /** Number of the worker. */
    worker: number,
  ) => void,
) => void;

/** `names`: of workers, by number. Reads rows twice, since they are too many to copy. */
export function countSlices(
  each: EachRow,
  names: readonly string[],
): SlicedCounts {
  const seen = new Uint8Array(names.length);
  const busy: Busy[] = [];
  let [longest, samples] = [0, 0];
  each((_, count, from, to, worker) => {
    seen[worker] = 1;
    samples += count;
    longest = Math.max(longest, to - from);
    const last = busy.at(-1);
    if (last && from <= last.to && to >= last.from) {
      last.from = Math.min(last.from, from);
      last.to = Math.max(last.to, to);
    } else busy.push({ from, to, gone: 0 });
  });
  const { groups, groupOf } = groupsOf(seen, names);
  const { length, goneAt } = busyClock(busy);
  const fitting = longest > 0 ? length / (longest * CYCLE_SHARE) : 0;
  const number = SLICE_COUNTS.find((most) => most <= Math.floor(fitting)) ?? 1;
  const width = length / number || 1;
  const sums = Array.from(
    { length: number * groups },
    (): StackSums => new Map(),
  );
  each((stack, count, from, to, worker) => {
    const gone = goneAt(from);
    const [begin, end] = [(from - gone) / width, (to - gone) / width];
    const first = Math.min(number - 1, Math.floor(begin));
    const group = groupOf[worker];
    if (!(end > begin)) {
      addTo(sums[first * groups + group], stack, count);
      return;
    }
    for (let at = first; at < number && at < end; at++) {
      const inside = Math.min(end, at + 1) - Math.max(begin, at);
      const part = (inside / (end - begin)) * count;
      if (part > 0) addTo(sums[at * groups + group], stack, part);
    }
  });
  const parts = sums.map((of) => ({
    stack: Uint32Array.from(of.keys()),
    count: Float64Array.from(of.values()),
  }));
  return { parts, groups, samples };
}

/** The group of each worker number; workers with samples are distributed in turn. */
function groupsOf(
  seen: Uint8Array,
  names: readonly string[],
): { readonly groups: number; readonly groupOf: Uint8Array } {
  const workers = [...seen.keys()]
    .filter((worker) => seen[worker] === 1)
    .sort((one, other) => (names[one] < names[other] ? -1 : 1));
  const groups = Math.max(1, Math.min(MOST_GROUPS, workers.length));
  const groupOf = new Uint8Array(names.length);
  workers.forEach((number, at) => (groupOf[number] = at % groups));
  return { groups, groupOf };
}

/** A time with samples. */
interface Busy {
  from: number;
  to: number;
  /** Total time without samples before it. */
  gone: number;
}

/** A clock that only runs during times with samples. */
function busyClock(times: Busy[]) {
  const busy: Busy[] = [];
  let gone = 0;
  for (const { from, to } of times.sort((a, b) => a.from - b.from)) {
    const last = busy.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else {
      gone += from - (last?.to ?? 0);
      busy.push({ from, to, gone });
    }
  }
  let at = 0;
  return {
    length: busy.length > 0 ? busy[busy.length - 1].to - gone : 0,
    /** Rows are nearly sorted, so the search starts at the last place. */
    goneAt: (time: number): number => {
      while (at > 0 && time < busy[at].from) at--;
      while (at + 1 < busy.length && time >= busy[at + 1].from) at++;
      return busy[at].gone;
    },
  };
}
