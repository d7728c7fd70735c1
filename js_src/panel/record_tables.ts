// The small tables of a stored recording: each is asked for once, when a view first
// needs it, and checked before it is believed.

import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { asProblem, type Problem } from "../errors";
import type { TableName as SchemaName } from "../schema";
import type { SessionStore } from "../session";

type Kind = "number" | "text";

/** Columns as schema.py names them. */
const COLUMNS = {
  errors: {
    time: "number",
    key: "text",
    prefix: "text",
    worker: "text",
    exception: "text",
    traceback: "text",
    task: "number",
  },
  events: { time: "number", topic: "text", message: "text" },
  logs: { time: "number", source: "text", level: "text", text: "text" },
  workers: {
    time: "number",
    worker: "text",
    name: "text",
    what: "text",
    detail: "text",
  },
  gaps: { start: "number", stop: "number", reason: "text", text: "text" },
  cluster: {
    time: "number",
    workers: "number",
    threads: "number",
    memory_limit: "number",
    process: "number",
    managed: "number",
    spilled: "number",
  },
  scheduler: {
    time: "number",
    cpu: "number",
    memory: "number",
    loop_interval: "number",
  },
} as const satisfies Record<string, Record<string, Kind>>;

export type TableName = keyof typeof COLUMNS;
export const TABLE_NAMES = Object.keys(COLUMNS) as readonly TableName[];
type Columns<N extends TableName> = (typeof COLUMNS)[N];
type Values<K> = K extends "number" ? ArrayLike<number> : readonly string[];

export type RecordTable<N extends TableName> = {
  readonly [C in keyof Columns<N>]: Values<Columns<N>[C]>;
} & { readonly rows: number };

export type TableState<N extends TableName> =
  | { readonly kind: "waiting" }
  | { readonly kind: "ready"; readonly table: RecordTable<N> }
  | { readonly kind: "failed"; readonly problem: Problem };

/** Of the columns of the session's table. */
function tableOf<N extends TableName>(
  name: N,
  columns: Readonly<Record<string, unknown>>,
  prefixes: readonly string[],
): RecordTable<N> {
  const { cpu, process, prefix } = columns as Record<string, Float64Array>;
  const told = name === "scheduler" ? cpu : name === "cluster" ? process : null;
  const found: Record<string, unknown> = {};
  let rows = 0;
  for (const column of Object.keys(COLUMNS[name])) {
    let values = columns[column] as ArrayLike<unknown>;
    // A row of the series `system` is of the cluster or of its scheduler.
    if (told) {
      const samples = values as Float64Array;
      values = samples.filter((_, row) => !Number.isNaN(told[row]));
    }
    if (column === "prefix") {
      values = Array.from(prefix, (index) => prefixes[index]);
    }
    found[column] = values;
    rows = values.length;
  }
  return { ...found, rows } as RecordTable<N>;
}

export class RecordTables {
  private readonly states = new Map<TableName, Signal<unknown>>();

  /** `opened` is the session of the recording, when it is there. */
  constructor(
    private readonly opened: Promise<SessionStore>,
    /** Takes what ends the subscriptions. */
    private readonly onEnd: (stop: () => void) => void,
  ) {
    // Who asks for a table hears of it; without a table nobody has to.
    opened.catch(() => {});
  }

  get<N extends TableName>(name: N): ReadonlySignal<TableState<N>> {
    let state = this.states.get(name) as Signal<TableState<N>> | undefined;
    if (!state) {
      state = signal<TableState<N>>({ kind: "waiting" });
      this.states.set(name, state);
      void this.load(name, state);
    }
    return state;
  }

  /** The table as soon as it is ready; null before and where it cannot be read. */
  ready<N extends TableName>(name: N): RecordTable<N> | null {
    const state = this.get(name).value;
    return state.kind === "ready" ? state.table : null;
  }

  private async load<N extends TableName>(
    name: N,
    state: Signal<TableState<N>>,
  ): Promise<void> {
    try {
      const store = await this.opened;
      const isSample = name === "cluster" || name === "scheduler";
      const table = isSample ? "system" : (name as SchemaName);
      this.onEnd(store.watch(signal(true), [table]));
      const stop = store.table(table).subscribe((view) => {
        if (view.state === "waiting") return;
        const columns = view.columns as unknown as Record<string, unknown>;
        state.value = view.problem
          ? { kind: "failed", problem: view.problem }
          : { kind: "ready", table: tableOf(name, columns, store.prefixes) };
      });
      this.onEnd(stop);
    } catch (error) {
      state.value = { kind: "failed", problem: asProblem(error) };
    }
  }
}
