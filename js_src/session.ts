// One Dask session on this page: what arrived of it, as signals and columns,
// shared by every panel. Knows nothing of comms, DOM or pixels.

import {
  batch,
  type ReadonlySignal,
  type Signal,
  signal,
} from "@preact/signals";
import type { Packing } from "./base/unpack";
import type { Problem } from "./errors";
import type {
  ActionTotal,
  Counts,
  Focus,
  Lane,
  Notice,
  PrefixTotal,
  Span,
  Worker,
} from "./model/types";
import { NO_COUNTS, NO_FOCUS } from "./model/types";
import { type Extent, type TaskBatch, TaskModel } from "./model/tasks";
import type { CoarseColumns, State, TableName } from "./schema";
import { RowIntake } from "./session_intake";
import { type KeyLookup, KeyStore } from "./session_keys";
import { Notices, pageFaded } from "./session_notices";
import { SessionTables, type TableView } from "./session_tables";
import type {
  SessionFlow,
  SessionLink,
  SessionNews,
  Sink,
} from "./stream_link";
import type { Message } from "./wire";
import type { TableRows } from "./wire_columns";

export interface SessionInfo {
  id: string;
  name: string;
  address: string;
}

export interface Totals {
  /** What these are figures of; the kernel leaves prefixes to the page. */
  focus: Focus;
  prefixes: PrefixTotal[];
  actions: ActionTotal[];
}

/** What a panel sees of a session. */
export interface SessionStore {
  readonly id: string;
  readonly kernelId: string;
  /** Of a kernel; else of a file, to which nothing comes any more. */
  readonly live: boolean;
  readonly info: Signal<SessionInfo>;
  readonly state: Signal<State>;
  readonly counts: Signal<Counts>;
  readonly notices: Signal<Notice[]>;
  readonly workers: Signal<Worker[]>;
  /** Epoch seconds: time zero of every axis; 0 before the first row. */
  readonly origin: Signal<number>;
  /** From start to stop of the block that this is a recording of; null of any other. */
  readonly run: Signal<Extent | null>;
  /** The scheduler's clock at the last status. */
  readonly now: Signal<number>;
  readonly behind_s: Signal<number>;
  /** Entries of dictionaries; they only grow, and `namesVersion` says when. */
  readonly prefixes: string[];
  readonly lanes: Lane[];
  readonly actions: string[];
  readonly spans: Span[];
  /** Colour slot of each prefix. */
  readonly slots: number[];
  /** The entries of any dictionary: texts, or objects where it has several columns. */
  names(dictionary: string): readonly unknown[];
  readonly namesVersion: Signal<number>;
  readonly model: TaskModel;
  /** Grows at most once an animation frame, after rows came. */
  readonly dataVersion: Signal<number>;
  readonly totals: Signal<Totals>;
  readonly focus: Signal<Focus>;
  /** Time under the pointer, in every panel of the page. */
  readonly crosshair: Signal<number | null>;
  readonly keys: KeyLookup;
  /** The figures of the whole session as Python made them; null before they are here. */
  readonly summary: Signal<unknown>;
  /** What has arrived of a table, other than tasks; it comes to those who watch it. */
  table<N extends TableName>(name: N): ReadonlySignal<TableView<N>>;
  /** Set the focus here at once, then tell the kernel. */
  setFocus(focus: Focus): void;
  /** Rejects with a coded error, for instance when the kernel is busy. */
  ask(what: string, args: object, timeout_ms?: number): Promise<unknown>;
  /**
   * Subscribe to tables ("tasks" and the summary among them), paused while the panel is
   * hidden; returns the release.
   */
  watch(
    visible: ReadonlySignal<boolean>,
    tables: readonly string[],
  ): () => void;
}

/** A panel that moves in the dock or a cell that runs again comes back soon. */
const UNWATCH_MS = 10_000;
const FREE_MS = 600_000;

interface Watcher {
  readonly looks: boolean;
  readonly tables: readonly string[];
}

function areEqual(one: Focus, other: Focus): boolean {
  const parts = ({ time, prefixes, workers, spans }: Focus) =>
    JSON.stringify([time, prefixes, workers, spans]);
  return parts(one) === parts(other);
}

export class SharedSession implements SessionStore, Sink {
  readonly info: Signal<SessionInfo>;
  readonly state = signal<State>("waiting");
  readonly counts = signal<Counts>(NO_COUNTS);
  readonly workers = signal<Worker[]>([]);
  readonly origin = signal(0);
  readonly run = signal<Extent | null>(null);
  readonly now = signal(0);
  readonly behind_s = signal(0);
  private readonly tables = new SessionTables({
    named: () => (this.namesVersion.value += 1),
    startOver: () => this.stream.startOver(),
  });
  readonly prefixes = this.tables.names("prefixes") as string[];
  readonly lanes = this.tables.names("lanes") as Lane[];
  readonly actions = this.tables.names("actions") as string[];
  readonly spans = this.tables.names("spans") as Span[];
  readonly slots = this.tables.colours("prefixes");
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
  readonly kernelId: string;
  readonly live: boolean;
  private readonly noticed = new Notices();
  readonly notices = this.noticed.all;
  private readonly stream: SessionFlow;
  private readonly intake = new RowIntake(this.model, () => this.onRows());
  private readonly watchers = new Map<symbol, Watcher>();
  private readonly stops: (() => void)[];
  private pageVisible = true;
  private closing: ReturnType<typeof setTimeout> | undefined;
  private disposed = false;
  private toldFadedRows = 0;

  constructor(
    link: SessionLink,
    readonly id: string,
    pageVisible: ReadonlySignal<boolean>,
    private readonly onFree: () => void,
  ) {
    this.kernelId = link.kernelId;
    this.live = link.live;
    this.info = signal({ id, name: "", address: "" });
    this.stream = link.stream(id, this);
    this.keys = new KeyStore({
      fetch: async (first, tasks) => {
        await this.ask("keys", { first, tasks });
      },
      have: () => this.model.have(),
      total: () => this.counts.peek().kept,
    });
    this.stops = [
      link.sessions.subscribe((entries) => {
        const entry = entries.find((known) => known.id === id);
        if (entry) {
          const { name, address } = entry;
          this.info.value = { id, name, address };
        }
      }),
      pageVisible.subscribe((visible) => {
        this.pageVisible = visible;
        this.updateWatch();
      }),
    ];
  }

  /** No panel shows it. */
  get idle(): boolean {
    return this.watchers.size === 0;
  }

  setFocus(focus: Focus): void {
    this.focus.value = focus;
    this.stream.setFocus(focus);
  }

  table<N extends TableName>(name: N): ReadonlySignal<TableView<N>> {
    return this.tables.get(name);
  }

  names(dictionary: string): readonly unknown[] {
    return this.tables.names(dictionary);
  }

  ask(what: string, args: object, timeout_ms?: number): Promise<unknown> {
    return this.stream.ask(what, args, timeout_ms);
  }

  watch(
    visible: ReadonlySignal<boolean>,
    tables: readonly string[],
  ): () => void {
    const watcher = Symbol("panel");
    clearTimeout(this.closing);
    const stop = visible.subscribe((looks) => {
      this.watchers.set(watcher, { looks, tables });
      this.updateWatch();
    });
    return () => {
      stop();
      if (!this.watchers.delete(watcher)) return;
      this.updateWatch();
      if (this.watchers.size === 0) this.closeSoon();
    };
  }

  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    clearTimeout(this.closing);
    for (const stop of this.stops) stop();
    this.stream.close();
    this.intake.clear();
    this.keys.clear();
    this.onFree();
  }

  have(): [number, number][] {
    this.intake.flush();
    return this.model.have();
  }

  connected(alive: boolean): void {
    // A stopped session stays stopped; the kernel says what a live one is now.
    if (!alive && this.state.peek() !== "stopped") this.state.value = "lost";
  }

  failed({ code, text, next }: Problem, table?: string): void {
    if (table !== undefined) this.tables.fail(table, { code, text, next });
    this.noticed.add({ code, level: "error", text, next });
  }

  take(message: SessionNews): void {
    if (this.disposed) return;
    switch (message.type) {
      case "status":
        return this.takeStatus(message);
      case "summary":
        this.summary.value = message.figures;
        return;
      case "totals":
        this.totals.value = {
          focus: message.focus ?? NO_FOCUS,
          prefixes: message.prefixes,
          actions: message.actions,
        };
        return;
      case "focus":
        // A panel goes where a new focus is; the same one must not move it.
        if (!areEqual(message.focus, this.focus.peek())) {
          this.focus.value = message.focus;
        }
        return;
      case "error":
        return this.failed(message);
      case "bye":
        this.state.value = "stopped";
        if (message.text) {
          const { text } = message;
          this.noticed.add({ code: "bye", level: "info", text, next: "" });
        }
    }
  }

  takeRows(rows: TaskBatch, first: number, tasks: number): void {
    if (!this.disposed) this.intake.add(rows, first, tasks);
  }

  takeTable(rows: TableRows): void {
    if (!this.disposed) this.tables.take(rows);
  }

  takeCoarse(stretches: CoarseColumns, first: number, tasks: number): void {
    if (this.disposed) return;
    this.model.setCoarse({ ...stretches, first, tasks });
    this.intake.tellSoon();
  }

  takeKeys(
    first: number,
    tasks: number,
    packed: Uint8Array<ArrayBuffer>,
    packing: Packing,
  ): void {
    if (!this.disposed) this.keys.add(first, tasks, packed, packing);
  }

  waitingRows(): number {
    return this.intake.waitingRows;
  }

  private takeStatus(status: Message<"status">): void {
    batch(() => {
      this.state.value = status.state;
      this.counts.value = status.counts;
      this.noticed.take(status.notices);
      this.workers.value = status.workers;
      this.now.value = status.now;
      this.behind_s.value = status.behind_s;
      if (status.origin !== null) this.origin.value = status.origin;
    });
  }

  private onRows(): void {
    batch(() => {
      this.findOrigin();
      this.dataVersion.value += 1;
    });
    const { rows, fadedRows } = this.model;
    if (fadedRows === this.toldFadedRows) return;
    this.toldFadedRows = fadedRows;
    this.noticed.add(pageFaded(rows, fadedRows, this.live));
  }

  /** Rows may come half a second before the status that says where time begins. */
  private findOrigin(): void {
    if (this.origin.peek() !== 0) return;
    this.origin.value = this.model.extent()?.start ?? 0;
  }

  /** Tables of hidden panels may wait, unless all are hidden. */
  private updateWatch(): void {
    if (this.disposed) return;
    const all = [...this.watchers.values()];
    const looking = all.filter(({ looks }) => looks);
    const some = looking.length > 0 ? looking : all;
    const tables = new Set(some.flatMap((watcher) => watcher.tables));
    if (all.length > 0) {
      const visible = looking.length > 0 && this.pageVisible;
      this.stream.watch(visible, [...tables].sort());
    } else {
      this.stream.pause();
    }
  }

  private closeSoon(): void {
    this.closing = setTimeout(() => {
      this.stream.unwatch();
      this.closing = setTimeout(() => this.dispose(), FREE_MS);
    }, UNWATCH_MS);
  }
}
