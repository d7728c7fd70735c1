// Holds what has arrived of each table of a session, as a signal per table.

import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { badRows, type Problem } from "../errors";
import type { TableRow } from "../model/types";
import { STEPS, type TableColumns, type TableName } from "../schema";
import { nextFrame } from "./intake";
import { NumberedRows } from "./rows";
import {
  type Columns,
  entriesOf,
  namesOf,
  noRows,
  pointsAtKnown,
  type TableRows,
  tableShape,
} from "../link/columns";

export interface RingView<C = Columns> {
  /** Seconds per step; 0 for rows as measured. */
  readonly step: number;
  /** Time from which every row is here; undefined if no row was dropped. */
  readonly begin?: number;
  readonly rows: number;
  readonly columns: C;
}

/** What has arrived of a table. A view never changes; a new one replaces it. */
export interface TableView<N extends TableName> {
  /** `ready` once everything has arrived that there was when the table was first asked for. */
  readonly state: "waiting" | "ready" | "failed";
  /** Why some or all rows cannot be read; null otherwise. */
  readonly problem: Problem | null;
  readonly rows: number;
  /** The rows, of a series as measured. Indexes point into the session's dictionaries. */
  readonly columns: TableColumns[N];
  /** All rings of a series, which panels join; other tables have one. */
  readonly rings: readonly RingView<TableColumns[N]>[];
  /** Rows that are no longer kept, on the scheduler or in the kernel. */
  readonly dropped: number;
}

const rowsOfViews = new WeakMap<object, readonly unknown[]>();

/** The rows with a finite `time`; the same list for the same view. */
export function rowsOf<N extends TableName>(
  view: TableView<N>,
  time: keyof TableColumns[N],
): readonly TableRow<N>[] {
  let rows = rowsOfViews.get(view.columns);
  if (!rows) {
    rows = entriesOf(view.columns as unknown as Columns, view.rows).filter(
      (row) => Number.isFinite((row as TableRow<N>)[time]),
    );
    rowsOfViews.set(view.columns, rows);
  }
  return rows as readonly TableRow<N>[];
}

/** The view of a table before anything has arrived. */
export function emptyTable<N extends TableName>(name: N): TableView<N> {
  const columns = noRows(tableShape(name)!) as unknown as TableColumns[N];
  const rings = [{ step: 0, rows: 0, columns }];
  return {
    state: "waiting",
    problem: null,
    rows: 0,
    columns,
    rings,
    dropped: 0,
  };
}

interface Hooks {
  /** Entries of a dictionary arrived. */
  named(): void;
  /** Entries of a dictionary are lost for good. */
  startOver(): void;
}

export class SessionTables {
  private readonly views = new Map<string, Signal<TableView<TableName>>>();
  private readonly rings = new Map<string, NumberedRows[]>();
  private readonly problems = new Map<string, Problem>();
  private readonly lists = new Map<string, unknown[]>();
  private readonly slots = new Map<string, number[]>();
  private readonly changed = new Set<string>();

  constructor(private readonly hooks: Hooks) {}

  get<N extends TableName>(name: N): ReadonlySignal<TableView<N>> {
    let view = this.views.get(name);
    if (!view) {
      view = signal(this.viewOf(name));
      this.views.set(name, view);
    }
    return view as unknown as ReadonlySignal<TableView<N>>;
  }

  /** The entries of a dictionary: texts, or objects where it has several columns. */
  names(dictionary: string): unknown[] {
    let list = this.lists.get(dictionary);
    if (!list) {
      const { columns = {}, first = [] } = tableShape(dictionary) ?? {};
      const begun = Object.keys(columns).map((name, at) => [
        name,
        first.map((cells) => cells[at]),
      ]);
      list = namesOf(Object.fromEntries(begun) as Columns, first.length);
      this.lists.set(dictionary, list);
    }
    return list;
  }

  /** The colours of a dictionary's entries, as slots of a palette. */
  colours(dictionary: string): number[] {
    const known = this.slots.get(dictionary) ?? [];
    this.slots.set(dictionary, known);
    return known;
  }

  /**
   * Take rows, in the order in which they were sent.
   *
   * @throws DaskscopeError with the code `bad-rows` if they point at unknown entries.
   */
  take(rows: TableRows): void {
    const { table, ring, first, columns, numbers } = rows;
    const shape = tableShape(table)!;
    const known = (dictionary: string) => this.names(dictionary).length;
    if (!pointsAtKnown(shape.columns, columns, known, { table, first })) {
      throw badRows(table, "they point at names that do not exist");
    }
    if (shape.kind === "dictionary") {
      const names = this.names(table);
      if (first > names.length) return this.hooks.startOver();
      const slots = this.colours(table);
      const colours = (columns["colour"] as Uint8Array | undefined) ?? [];
      names.push(
        ...namesOf(columns, numbers.length).slice(names.length - first),
      );
      slots.push(...colours.slice(slots.length - first));
      this.hooks.named();
    }
    this.ringsOf(table)[ring].take(rows);
    this.showSoon(table);
  }

  /** Note that some rows of a table cannot be read. */
  fail(table: string, problem: Problem): void {
    if (!tableShape(table)) return;
    this.problems.set(table, problem);
    this.showSoon(table);
  }

  private ringsOf(table: string): NumberedRows[] {
    const shape = tableShape(table)!;
    const length = shape.kind === "series" ? STEPS.length : 1;
    const rings =
      this.rings.get(table) ??
      Array.from({ length }, () => new NumberedRows(shape));
    this.rings.set(table, rings);
    return rings;
  }

  private showSoon(table: string): void {
    this.changed.add(table);
    if (this.changed.size > 1) return;
    nextFrame(() => {
      for (const name of this.changed) {
        const view = this.viewOf(name as TableName); // even without readers: it drops old rows
        const shown = this.views.get(name);
        if (shown) shown.value = view;
      }
      this.changed.clear();
    });
  }

  private viewOf(name: TableName): TableView<TableName> {
    const rings = this.ringsOf(name);
    const read = rings.map((ring, at) => {
      const columns = ring.read() as unknown as TableColumns[TableName];
      const [{ length }] = Object.values(columns) as ArrayLike<unknown>[];
      return { step: STEPS[at], begin: ring.begin, rows: length, columns };
    });
    const problem = this.problems.get(name) ?? null;
    const unread = problem ? "failed" : "waiting";
    return {
      state: rings.every(({ complete }) => complete) ? "ready" : unread,
      problem,
      rows: read[0].rows,
      columns: read[0].columns,
      rings: read,
      dropped: rings.at(-1)!.dropped,
    };
  }
}
