// Holds the rows of one ring of a table. Row numbers never change, so duplicates and rows
// out of order are recognised. The sender decides which rows a page keeps.

import {
  type Columns,
  mapped,
  noRows,
  type TableRows,
  type TableShape,
  type Values,
} from "../link/columns";

/** Rows with consecutive numbers. */
interface Run {
  readonly first: number;
  readonly count: number;
}

/** Columns and the numbers of their rows, which are nearly always a single run. */
interface Piece {
  readonly runs: readonly Run[];
  readonly columns: Columns;
}

export class NumberedRows {
  /** Number of rows that the sender has dropped. */
  dropped = 0;
  /** Time from which a series is complete; undefined if no row was dropped. */
  begin: number | undefined;
  /** Whether all rows that existed at some time have arrived. */
  complete = false;
  private joined: Piece;
  private readonly added: Piece[] = [];
  private oldest = 0;

  constructor(private readonly shape: TableShape) {
    this.joined = { runs: [], columns: noRows(shape) };
  }

  take(rows: TableRows): void {
    const { oldest, dropped, begin = -Infinity, complete } = rows;
    this.oldest = Math.max(this.oldest, oldest);
    this.dropped = Math.max(this.dropped, dropped);
    const latest = Math.max(this.begin ?? -Infinity, begin);
    if (latest > -Infinity) this.begin = latest;
    this.complete ||= complete;
    this.added.push({ runs: runsOf(rows.numbers), columns: rows.columns });
  }

  /** All kept rows in order of their numbers; the columns are never changed afterwards. */
  read(): Columns {
    if (this.added.length === 0) return this.joined.columns;
    const inOrder = this.shape.group === undefined && this.isInOrder();
    const all = concatenated([this.joined, ...this.added.splice(0)]);
    if (inOrder) this.joined = this.newest(all);
    else {
      const numbers = numbersOf(all.runs);
      this.joined = picked(all, numbers, this.kept(all, numbers));
    }
    return this.joined.columns;
  }

  /** Whether all new rows follow the known ones, which is the usual case. */
  private isInOrder(): boolean {
    let next = endOf(this.joined.runs.at(-1));
    return this.added.every(({ runs }) =>
      runs.every((run) => {
        const isNewer = run.first >= next;
        next = endOf(run);
        return isNewer;
      }),
    );
  }

  private newest({ runs, columns }: Piece): Piece {
    let skipped = 0;
    const kept = runs.flatMap((run) => {
      const old = Math.min(Math.max(this.oldest - run.first, 0), run.count);
      skipped += old;
      const [first, count] = [run.first + old, run.count - old];
      return count > 0 ? [{ first, count }] : [];
    });
    const cut = (values: Values): Values =>
      ArrayBuffer.isView(values)
        ? values.subarray(skipped)
        : values.slice(skipped);
    return skipped === 0
      ? { runs, columns }
      : { runs: kept, columns: mapped(columns, cut) };
  }

  private kept({ columns }: Piece, numbers: readonly number[]): number[] {
    const { group, group_rows: most = 0 } = this.shape;
    const order = [...numbers.keys()]
      .filter((row) => numbers[row] >= this.oldest)
      .sort((one, other) => numbers[one] - numbers[other])
      // Rows that are resent after a loss are identical.
      .filter((row, at, all) => numbers[row] !== numbers[all[at - 1]]);
    if (!group) return order;
    const counts = new Map<unknown, number>();
    const newest = order.reverse().filter((row) => {
      const value = columns[group][row];
      const count = (counts.get(value) ?? 0) + 1;
      counts.set(value, count);
      return count <= most;
    });
    return newest.reverse();
  }
}

const endOf = (run: Run | undefined): number =>
  run ? run.first + run.count : -Infinity;

function runsOf(numbers: ArrayLike<number>): Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < numbers.length;) {
    const first = numbers[at];
    let count = 1;
    while (numbers[at + count] === first + count) count += 1;
    runs.push({ first, count });
    at += count;
  }
  return runs;
}

const numbersOf = (runs: readonly Run[]): number[] =>
  runs.flatMap(({ first, count }) =>
    Array.from({ length: count }, (_, at) => first + at),
  );

function joinedRuns(all: readonly Run[]): Run[] {
  const joined: Run[] = [];
  for (const run of all) {
    const last = joined.at(-1);
    if (last === undefined || endOf(last) !== run.first) joined.push(run);
    else joined.push({ ...joined.pop()!, count: last.count + run.count });
  }
  return joined;
}

function concatenated(pieces: readonly Piece[]): Piece {
  const joined = (parts: readonly Values[]): Values => {
    const [first] = parts;
    if (!ArrayBuffer.isView(first)) return (parts as string[][]).flat();
    const size = parts.reduce((sum, { length }) => sum + length, 0);
    const all = new (first.constructor as Float64ArrayConstructor)(size);
    let at = 0;
    for (const part of parts as Float64Array[]) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  };
  return {
    runs: joinedRuns(pieces.flatMap(({ runs }) => runs)),
    columns: mapped(pieces[0].columns, (_, name) =>
      joined(pieces.map(({ columns }) => columns[name])),
    ),
  };
}

function picked(
  piece: Piece,
  numbers: readonly number[],
  rows: readonly number[],
): Piece {
  const { length } = numbers;
  if (rows.length === length && rows.every((row, at) => row === at)) {
    return piece;
  }
  const pick = (values: Values): Values => {
    if (!ArrayBuffer.isView(values)) {
      return rows.map((row) => values[row]) as string[];
    }
    const some = values.slice(0, rows.length);
    rows.forEach((row, at) => (some[at] = values[row]));
    return some;
  };
  return {
    runs: runsOf(rows.map((row) => numbers[row])),
    columns: mapped(piece.columns, pick),
  };
}
