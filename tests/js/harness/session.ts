// A session store without a kernel: real model, real keys, made-up content.

import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { kernelBusy } from "../../../js_src/errors";
import {
  TaskModel,
  type Extent,
  type TaskBatch,
} from "../../../js_src/model/tasks";
import {
  NO_COUNTS,
  NO_FOCUS,
  type Counts,
  type Focus,
  type Lane,
  type Notice,
  type Span,
  type TableRow,
  type TaskDetail,
  type Worker,
} from "../../../js_src/model/types";
import {
  ACTIONS,
  KEY_SEPARATOR,
  type State,
  type TableName,
} from "../../../js_src/schema";
import type { SessionStore, Totals } from "../../../js_src/session/session";
import { KeyStore } from "../../../js_src/session/keys";
import { emptyTable, type TableView } from "../../../js_src/session/tables";
import { mapped, type Values } from "../../../js_src/link/columns";
import { SlotAssigner } from "./slots";

export class HarnessSession implements SessionStore {
  readonly id: string;
  readonly kernelId = "kernel";
  readonly live = true;
  readonly listed = true;
  readonly info;
  readonly state = signal<State>("live");
  readonly counts = signal<Counts>(NO_COUNTS);
  readonly notices = signal<Notice[]>([]);
  readonly workers = signal<Worker[]>([]);
  readonly origin = signal(0);
  readonly run = signal<Extent | null>(null);
  readonly now = signal(0);
  readonly behind_s = signal(0.2);
  readonly prefixes: string[] = [];
  readonly lanes: Lane[] = [];
  readonly actions: string[] = [...ACTIONS];
  readonly spans: Span[] = [
    { id: "", name: [] },
    { id: "span-7f3a", name: ["read"] },
    { id: "span-c01d", name: ["report", "total by region"] },
  ];
  readonly activities = ["thread-cpu", "thread-noncpu", "disk-read"];
  readonly slots: number[] = [];
  /** Entries of further dictionaries. */
  readonly dictionaries: Record<string, readonly unknown[]> = {};
  readonly namesVersion = signal(0);
  readonly model = new TaskModel();
  readonly dataVersion = signal(0);
  readonly totals = signal<Totals>({
    focus: NO_FOCUS,
    prefixes: [],
    actions: [],
  });
  readonly summary = signal<unknown>(null);
  readonly focus = signal<Focus>(NO_FOCUS);
  readonly crosshair = signal<number | null>(null);
  readonly keys: KeyStore;
  /** Focuses that a panel set, oldest first. */
  readonly told: Focus[] = [];
  /** Answers `ask`; null means that the kernel is busy. */
  answer: ((task: number) => TaskDetail) | null = null;
  /** What asking for keys comes to: the kernel is busy. */
  fetchKeys = (_first: number): Promise<void> => Promise.reject(kernelBusy());
  /** Without subshells a kernel hears of a focus only after its cell. */
  hearsFocus = true;
  watchers = 0;
  /** The tables that panels have asked for. */
  readonly watched: string[] = [];
  visible = false;
  private readonly assigner = new SlotAssigner();
  private readonly batches: TaskBatch[] = [];
  private readonly tables = new Map<TableName, Signal<unknown>>();

  /** A test writes into what it returns. */
  table<N extends TableName>(name: N): Signal<TableView<N>> {
    const known = this.tables.get(name) ?? signal<unknown>(emptyTable(name));
    this.tables.set(name, known);
    return known as Signal<TableView<N>>;
  }

  /** Put rows into a table, in place of others; what a row lacks is empty. */
  fill<N extends TableName>(
    name: N,
    rows: readonly Partial<TableRow<N>>[],
    dropped = 0,
  ): void {
    const empty = emptyTable(name);
    const columns = mapped(
      empty.columns as unknown as Record<string, Values>,
      (values, column) => {
        const given = rows.map((row) => row[column as keyof TableRow<N>]);
        return ArrayBuffer.isView(values)
          ? new (values.constructor as Float64ArrayConstructor)(
              given.map((value) => Number(value ?? 0)),
            )
          : given.map((value) => String(value ?? ""));
      },
    ) as unknown as TableView<N>["columns"];
    const rings = [{ step: 0, rows: rows.length, columns }];
    const about = { state: "ready", rows: rows.length, dropped } as const;
    this.table(name).value = { ...empty, ...about, columns, rings };
  }

  constructor(id: string, name = "LocalCluster") {
    this.id = id;
    this.info = signal({ id, name, address: "tcp://127.0.0.1:37219" });
    this.keys = new KeyStore({
      fetch: (first) => this.fetchKeys(first),
      have: () => this.model.have(),
      total: () => this.counts.peek().kept,
    });
  }

  setFocus(focus: Focus): void {
    this.told.push(focus);
    this.focus.value = focus;
    if (!this.hearsFocus) return;
    this.totals.value = totalsOf(this.batches, focus, this);
  }

  names(dictionary: string): readonly unknown[] {
    const { prefixes, lanes, actions, spans, activities } = this;
    const lists = { prefixes, lanes, actions, spans, activities };
    return (
      this.dictionaries[dictionary] ??
      lists[dictionary as keyof typeof lists] ??
      []
    );
  }

  colours(dictionary: string): readonly number[] {
    if (dictionary === "prefixes") return this.slots;
    const assigner = new SlotAssigner();
    return this.names(dictionary).map((name) => assigner.next(String(name)));
  }

  ask(_what: string, args: object): Promise<unknown> {
    const { answer } = this;
    if (!answer) return Promise.reject(kernelBusy());
    return Promise.resolve(answer((args as { task: number }).task));
  }

  watch(
    visible: ReadonlySignal<boolean>,
    tables: readonly string[] = [],
  ): () => void {
    this.watchers += 1;
    this.watched.push(...tables);
    const stop = visible.subscribe((value) => {
      this.visible = value;
    });
    return () => {
      stop();
      this.watchers -= 1;
    };
  }

  addNames(prefixes: readonly string[], lanes: readonly Lane[]): void {
    for (const name of prefixes) {
      this.prefixes.push(name);
      this.slots.push(this.assigner.next(name));
    }
    this.lanes.push(...lanes);
    this.namesVersion.value += 1;
  }

  /** Rows, and the figures that a kernel would send with them. */
  addRows(batch: TaskBatch, first: number, tasks: number): void {
    this.model.insert(batch);
    this.model.markCovered(first, tasks);
    this.batches.push(batch);
    const focus = this.focus.peek();
    this.totals.value = totalsOf(this.batches, focus, this);
    const whole = totalsOf([batch], NO_FOCUS, this);
    const erred = whole.prefixes.reduce((sum, row) => sum + row.erred, 0);
    const counts = this.counts.peek();
    this.counts.value = {
      ...counts,
      captured: counts.captured + tasks,
      kept: counts.kept + tasks,
      rows: counts.rows + batch.rows,
      erred: counts.erred + erred,
    };
    this.dataVersion.value += 1;
  }

  async addKeys(first: number, keys: readonly string[]): Promise<void> {
    const text = new Blob([keys.join(KEY_SEPARATOR)]);
    const packed = text.stream().pipeThrough(new CompressionStream("deflate"));
    const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
    this.keys.add(first, keys.length, bytes);
  }
}

/** As the kernel says them: in focus, whichever prefixes are isolated. */
function totalsOf(
  batches: readonly TaskBatch[],
  focus: Focus,
  { lanes, spans: names }: HarnessSession,
): Totals {
  const prefixes = new Map<number, Totals["prefixes"][number]>();
  const actions = new Map<number, Totals["actions"][number]>();
  const [from, to] = focus.time ?? [-Infinity, Infinity];
  const workers = new Set(focus.workers);
  const spans = new Set(focus.spans);
  for (const batch of batches) {
    for (let row = 0; row < batch.rows; row++) {
      const start = batch.start[row]!;
      const stop = start + batch.duration[row]!;
      const { worker } = lanes[batch.lane[row]!]!;
      if (stop < from || start > to) continue;
      if (workers.size > 0 && !workers.has(worker)) continue;
      const span = names[batch.span[row]!]!.id;
      if (spans.size > 0 && !spans.has(span)) continue;
      const action = batch.action[row]!;
      const seconds = Math.max(0, Math.min(stop, to) - Math.max(start, from));
      const total = actions.get(action) ?? { action, rows: 0, seconds: 0 };
      actions.set(action, total);
      total.rows += 1;
      total.seconds += seconds;
      if (action !== 0) continue;
      const prefix = batch.prefix[row]!;
      const none = { prefix, tasks: 0, seconds: 0, erred: 0, computes: 0 };
      const sum = prefixes.get(prefix) ?? none;
      prefixes.set(prefix, sum);
      sum.tasks += 1;
      sum.computes += 1;
      sum.seconds += seconds;
      sum.erred += batch.status[row]!;
    }
  }
  return {
    focus: { ...focus, prefixes: [] },
    prefixes: [...prefixes.values()],
    actions: [...actions.values()],
  };
}
