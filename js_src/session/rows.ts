// The rows of one table and ring by their numbers, which never change: so it is known
// what comes twice, or out of order. The sender says which rows a page keeps.

import {
  type Columns,
  mapped,
  noRows,
  type TableRows,
  type TableShape,
  type Values,
} from "../link/columns";

type Piece = Pick<TableRows, "numbers" | "columns">;

export class NumberedRows {
  /** Rows that the sender has dropped. */
  dropped = 0;
  /** Of a series: from this time on every row is here; undefined if none was dropped. */
  begin: number | undefined;
  /** Whether everything has come that there was at some time. */
  complete = false;
  private joined: Piece;
  private readonly news: Piece[] = [];
  private oldest = 0;

  constructor(private readonly shape: TableShape) {
    this.joined = { numbers: new Float64Array(0), columns: noRows(shape) };
  }

  take(rows: TableRows): void {
    const { oldest, dropped, begin = -Infinity, complete } = rows;
    this.oldest = Math.max(this.oldest, oldest);
    this.dropped = Math.max(this.dropped, dropped);
    const latest = Math.max(this.begin ?? -Infinity, begin);
    if (latest > -Infinity) this.begin = latest;
    this.complete ||= complete;
    this.news.push(rows);
  }

  /** All rows that are kept, in order of their numbers; never changed afterwards. */
  read(): Columns {
    if (this.news.length === 0) return this.joined.columns;
    const inOrder = this.shape.group === undefined && this.isInOrder();
    const all = concatenated([this.joined, ...this.news.splice(0)]);
    this.joined = inOrder ? this.newest(all) : picked(all, this.kept(all));
    return this.joined.columns;
  }

  /** Most often what came is newer than all before. */
  private isInOrder(): boolean {
    let last = this.joined.numbers.at(-1) ?? -Infinity;
    return this.news.every(({ numbers }) =>
      numbers.every((number) => {
        const isNewer = number > last;
        last = number;
        return isNewer;
      }),
    );
  }

  private newest({ numbers, columns }: Piece): Piece {
    let first = 0;
    while (numbers[first] < this.oldest) first += 1;
    const cut = (values: Values): Values =>
      ArrayBuffer.isView(values) ? values.subarray(first) : values.slice(first);
    return first === 0
      ? { numbers, columns }
      : { numbers: numbers.subarray(first), columns: mapped(columns, cut) };
  }

  private kept({ numbers, columns }: Piece): number[] {
    const { group, group_rows: most = 0 } = this.shape;
    const order = [...numbers.keys()]
      .filter((row) => numbers[row] >= this.oldest)
      .sort((one, other) => numbers[one] - numbers[other])
      // What came twice, after a loss, is the same.
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
    numbers: joined(pieces.map(({ numbers }) => numbers)) as Float64Array,
    columns: mapped(pieces[0].columns, (_, name) =>
      joined(pieces.map(({ columns }) => columns[name])),
    ),
  };
}

function picked(piece: Piece, rows: readonly number[]): Piece {
  const { length } = piece.numbers;
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
    numbers: pick(piece.numbers) as Float64Array,
    columns: mapped(piece.columns, pick),
  };
}
