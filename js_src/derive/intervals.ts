// Rows that each cover a time range: finds those that overlap a given time.

export interface Intervals {
  readonly time: Float64Array;
  readonly duration: Float32Array;
}

/** Rows arrive roughly sorted by time, so those of a block are close in time. */
const BLOCK_ROWS = 512;

/** The earliest start and latest stop of each block of rows. */
export function blocksOf({ time, duration }: Intervals): Float64Array {
  const blocks = new Float64Array(Math.ceil(time.length / BLOCK_ROWS) * 2);
  for (let at = 0; at < blocks.length; at += 2) {
    let [least, most] = [Infinity, -Infinity];
    const first = (at / 2) * BLOCK_ROWS;
    const last = Math.min(first + BLOCK_ROWS, time.length);
    for (let row = first; row < last; row++) {
      if (time[row] < least) least = time[row];
      const until = time[row] + duration[row];
      if (until > most) most = until;
    }
    blocks[at] = least;
    blocks[at + 1] = most;
  }
  return blocks;
}

/** The range of rows that may overlap a time, to the precision of blocks. */
export function rowsOverlapping(
  blocks: Float64Array,
  rows: number,
  start: number,
  stop: number,
): [first: number, last: number] {
  const isBeside = (at: number): boolean =>
    blocks[at] >= stop || blocks[at + 1] < start;
  let [first, last] = [0, blocks.length];
  while (first < last && isBeside(first)) first += 2;
  while (last > first && isBeside(last - 2)) last -= 2;
  const rowAt = (block: number): number =>
    Math.min((block / 2) * BLOCK_ROWS, rows);
  return [rowAt(first), rowAt(last)];
}

/** Rows of a ring; those that start in `begin..end` (end exclusive) are shown. */
export interface ShownIntervals {
  readonly columns: Intervals;
  readonly begin: number;
  readonly end: number;
  readonly blocks: Float64Array;
}

/**
 * Visits each row from `from` on that overlaps a time, with the overlap. Returns the number
 * of rows checked.
 */
export function eachOverlapping(
  { columns: { time, duration }, begin, end, blocks }: ShownIntervals,
  start: number,
  stop: number,
  see: (row: number, from: number, to: number, seconds: number) => void,
  from = 0,
): number {
  const [near, last] = rowsOverlapping(blocks, time.length, start, stop);
  const first = Math.max(near, from);
  for (let row = first; row < last; row++) {
    const since = time[row];
    if (!(since >= begin && since < end && since < stop)) continue;
    const seconds = duration[row];
    const until = since + seconds;
    if (seconds > 0 ? until <= start : since < start) continue;
    const from = since > start ? since : start;
    see(row, from, until < stop ? until : stop, seconds);
  }
  return Math.max(0, last - first);
}

/**
 * How many of the old rows were dropped, if the remaining ones are still the first (checked
 * by some columns); null if they are not.
 */
export function droppedRows(
  before: readonly ArrayLike<number>[],
  now: readonly ArrayLike<number>[],
): number | null {
  const rows = before[0].length;
  const isSame = (row: number, dropped: number): boolean =>
    before.every((column, at) => column[row] === now[at][row - dropped]);
  for (let first = 0; first < rows; first++) {
    if (!isSame(first, first)) continue;
    const left = rows - first;
    if (now[0].length < left) return null;
    const middle = first + (left >> 1);
    if (isSame(middle, first) && isSame(rows - 1, first)) return first;
  }
  return null;
}
