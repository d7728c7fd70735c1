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

/** By stack. */
export type StackSums = Map<number, number>;

export function addTo(sums: StackSums, stack: number, count: number): void {
  sums.set(stack, (sums.get(stack) ?? 0) + count);
}

/** Calls its argument with each row that counts, in any order. */
export type EachRow = (
  see: (
    stack: number,
    count: number,
    from: number,
    to: number,
    /** Its number. */
    worker: number,
  ) => void,
) => void;

/** `names` are those of workers by their number. Rows are read twice, since they are many. */
export function stretched(
  each: EachRow,
  names: readonly string[],
): StretchedCounts {
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
  const number = STRETCHES.find((most) => most <= Math.floor(fitting)) ?? 1;
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

/** By number of a worker its group; those that were seen take turns. */
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

/** A time in which something was seen. */
interface Busy {
  from: number;
  to: number;
  /** How much the clock is behind in it. */
  gone: number;
}

/** A clock that runs only while something was seen. */
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
    /** Rows are nearly in order: the place of the last one is mostly that of the next. */
    goneAt: (time: number): number => {
      while (at > 0 && time < busy[at].from) at--;
      while (at + 1 < busy.length && time >= busy[at + 1].from) at++;
      return busy[at].gone;
    },
  };
}
