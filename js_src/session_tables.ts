// The small tables of a session on this page, by name: what has arrived of each, as a signal.

import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { asProblem, type Problem } from "./errors";
import { type TableColumns, type TableName, TABLES } from "./schema";

/** What has arrived of a table. It is replaced when more comes, and never changed. */
export interface TableView<N extends TableName> {
  /** `ready` once everything has arrived that there was when the table was first asked for. */
  readonly state: "waiting" | "ready" | "failed";
  /** Why it cannot be read; null otherwise. */
  readonly problem: Problem | null;
  readonly rows: number;
  /** Indexes of names point into the session's dictionaries. */
  readonly columns: TableColumns[N];
  /** Rows that are no longer kept, on the scheduler, in the kernel or here. */
  readonly dropped: number;
}

/** A table of which nothing has arrived. */
export function emptyTable<N extends TableName>(name: N): TableView<N> {
  const columns: Record<string, unknown> = {};
  for (const [column, { type }] of Object.entries(TABLES[name].columns)) {
    const isText = type === "utf8" || (type as string) === "texts";
    columns[column] = isText ? [] : new Float64Array(0);
  }
  return {
    state: "waiting",
    problem: null,
    rows: 0,
    columns: columns as unknown as TableColumns[N],
    dropped: 0,
  };
}

export class SessionTables {
  private readonly views = new Map<TableName, Signal<unknown>>();

  constructor(
    private readonly ask: (what: string, args: object) => Promise<unknown>,
    private readonly prefixes: readonly string[],
  ) {}

  get<N extends TableName>(name: N): ReadonlySignal<TableView<N>> {
    let view = this.views.get(name) as Signal<TableView<N>> | undefined;
    if (!view) {
      view = signal(emptyTable(name));
      this.views.set(name, view);
      void this.load(name, view);
    }
    return view;
  }

  private async load<N extends TableName>(
    name: N,
    view: Signal<TableView<N>>,
  ): Promise<void> {
    try {
      const columns = (await this.ask("table", { name })) as Record<
        string,
        ArrayLike<unknown>
      >;
      if (TABLES[name].columns && "prefix" in columns) {
        columns["prefix"] = Uint16Array.from(
          columns["prefix"] as ArrayLike<string>,
          (text) => this.prefixes.indexOf(text),
        );
      }
      view.value = {
        state: "ready",
        problem: null,
        rows: Object.values(columns)[0].length,
        columns: columns as unknown as TableColumns[N],
        dropped: 0,
      };
    } catch (error) {
      view.value = {
        ...view.peek(),
        state: "failed",
        problem: asProblem(error),
      };
    }
  }
}
