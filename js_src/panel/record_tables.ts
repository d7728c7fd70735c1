// The small tables of a stored recording: each is asked for once, when a view first
// needs it, and checked before it is believed.

import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { asProblem, DaskscopeError, type Problem } from "../errors";
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

const unreadable = (name: TableName, detail: string): DaskscopeError =>
  new DaskscopeError({
    code: "bad-file",
    text: `The table \`${name}\` of this recording cannot be read (${detail}).`,
    next: "The other tables are not affected.",
  });

/** The columns of a table, all of one length and of the kind that they should have. */
export function checkTable<N extends TableName>(
  name: N,
  value: unknown,
): RecordTable<N> {
  if (typeof value !== "object" || value === null) {
    throw unreadable(name, "it is no table");
  }
  const source = value as Record<string, unknown>;
  const found: Record<string, unknown> = {};
  let rows = -1;
  for (const [column, kind] of Object.entries(COLUMNS[name])) {
    const values = Object.hasOwn(source, column) ? source[column] : undefined;
    if (!isColumn(values, kind)) {
      throw unreadable(name, `\`${column}\` is no list of ${kind}s`);
    }
    if (rows >= 0 && values.length !== rows) {
      throw unreadable(name, `\`${column}\` has another length`);
    }
    rows = values.length;
    found[column] = values;
  }
  return { ...found, rows } as RecordTable<N>;
}

function isColumn(value: unknown, kind: Kind): value is ArrayLike<unknown> {
  if (kind === "number" && ArrayBuffer.isView(value)) {
    return !(value instanceof DataView || value instanceof BigInt64Array);
  }
  const type = kind === "text" ? "string" : "number";
  return Array.isArray(value) && value.every((item) => typeof item === type);
}

export class RecordTables {
  private readonly states = new Map<TableName, Signal<unknown>>();

  /** `opened` is the session of the recording, when it is there. */
  constructor(private readonly opened: Promise<SessionStore>) {
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
      const table = checkTable(name, await store.ask("table", { name }));
      state.value = { kind: "ready", table };
    } catch (error) {
      state.value = { kind: "failed", problem: asProblem(error) };
    }
  }
}
