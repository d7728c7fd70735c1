// Searching and sorting by time, and checks of times and durations.

/** Times after the year 33,000 and durations over 30 years are invalid. */
const MAX_TIME_S = 1e12;
export const MAX_DURATION_S = 1e9;

/** Whether a value is a valid time; false for NaN. */
export function isTime(value: number): boolean {
  return value > -MAX_TIME_S && value < MAX_TIME_S;
}

/** For `sort`: earliest first, NaN last. */
export function byTime(one: number, other: number): number {
  if (one < other) return -1;
  return one > other ? 1 : Number(isNaN(one)) - Number(isNaN(other));
}

/** The duration of a row; 0 if it is invalid. */
export function lengthOf(duration: number): number {
  return duration > 0 && duration < MAX_DURATION_S ? duration : 0;
}

/** First index in `from..to` of a sorted column whose value is greater than `time`. */
export function findAfter(
  sorted: Float64Array,
  from: number,
  to: number,
  time: number,
): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (sorted[middle] <= time) from = middle + 1;
    else to = middle;
  }
  return from;
}

const RUN = 24;
let spare = new Uint32Array(0);

/**
 * Stable sort of `order[from..to)` by `keys`. Fast because batches are nearly sorted;
 * `TypedArray.sort` with a comparison takes ten times as long.
 */
export function sortByKey(
  order: Uint32Array,
  from: number,
  to: number,
  keys: Float64Array,
): void {
  let sorted = true;
  for (let i = from + 1; i < to; i++) {
    if (keys[order[i]] < keys[order[i - 1]]) {
      sorted = false;
      break;
    }
  }
  if (sorted) return;
  for (let run = from; run < to; run += RUN) {
    insertionSort(order, run, Math.min(run + RUN, to), keys);
  }
  if (to - from <= RUN) return;
  if (spare.length < to - from) spare = new Uint32Array(to - from);
  for (let width = RUN; width < to - from; width *= 2) {
    for (let left = from; left + width < to; left += 2 * width) {
      const middle = left + width;
      const right = Math.min(left + 2 * width, to);
      if (keys[order[middle - 1]] <= keys[order[middle]]) continue;
      merge(order, left, middle, right, keys);
    }
  }
}

function insertionSort(
  order: Uint32Array,
  from: number,
  to: number,
  keys: Float64Array,
): void {
  for (let i = from + 1; i < to; i++) {
    const item = order[i];
    const key = keys[item];
    let at = i;
    while (at > from && keys[order[at - 1]] > key) {
      order[at] = order[at - 1];
      at--;
    }
    order[at] = item;
  }
}

function merge(
  order: Uint32Array,
  left: number,
  middle: number,
  right: number,
  keys: Float64Array,
): void {
  const size = middle - left;
  for (let i = 0; i < size; i++) spare[i] = order[left + i];
  let a = 0;
  let b = middle;
  let write = left;
  while (a < size && b < right) {
    if (keys[order[b]] < keys[spare[a]]) order[write++] = order[b++];
    else order[write++] = spare[a++];
  }
  while (a < size) order[write++] = spare[a++];
}
