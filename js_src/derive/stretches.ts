// Rows that measured something in a stretch of time each: which of them touch a time.

export interface Stretches {
  readonly time: Float64Array;
  readonly duration: Float32Array;
}

/** Rows come about in order of time: those of a block are near each other. */
const BLOCK_ROWS = 512;

/** Of each block of rows the earliest start and the latest stop. */
export function blocksOf({ time, duration }: Stretches): Float64Array {
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

/** Rows of a ring, those shown that begin from `begin` to before `end`. */
export interface ShownStretches {
  readonly columns: Stretches;
  readonly begin: number;
  readonly end: number;
  readonly blocks: Float64Array;
}

/**
 * Each row from `first` on that touches a time, with what of it lies there. Returns how many
 * were looked at.
 */
export function eachTouching(
  { columns: { time, duration }, begin, end, blocks }: ShownStretches,
  start: number,
  stop: number,
  see: (row: number, from: number, to: number, seconds: number) => void,
  first = 0,
): number {
  let visited = 0;
  for (let row = first; row < time.length; row++) {
    if (row % BLOCK_ROWS === 0) {
      const block = (row / BLOCK_ROWS) * 2;
      if (blocks[block] >= stop || blocks[block + 1] < start) {
        row += BLOCK_ROWS - 1;
        continue;
      }
    }
    visited += 1;
    const since = time[row];
    if (!(since >= begin && since < end && since < stop)) continue;
    const seconds = duration[row];
    const until = since + seconds;
    if (seconds > 0 ? until <= start : since < start) continue;
    const from = since > start ? since : start;
    see(row, from, until < stop ? until : stop, seconds);
  }
  return visited;
}

/** How many rows are the first ones of what came before, judged by some columns of both. */
export function repeatedRows(
  before: readonly ArrayLike<number>[],
  now: readonly ArrayLike<number>[],
): number {
  const rows = before[0].length;
  const isSame = (row: number): boolean =>
    before.every((column, at) => column[row] === now[at][row]);
  const appended = rows > 0 && now[0].length >= rows;
  return appended && isSame(0) && isSame(rows >> 1) && isSame(rows - 1)
    ? rows
    : 0;
}
