// One Dask session on this page: what has arrived, as signals and columns, shared by all
// panels. Knows nothing of comms, the DOM or pixels.

import {
  batch,
  type ReadonlySignal,
  type Signal,
  signal,
} from "@preact/signals";
import type { Packing } from "../base/unpack";
import type { Problem } from "../errors";
import type {
  ActionTotal,
  Counts,
  Focus,
  Lane,
  Notice,
  PrefixTotal,
  Span,
  Worker,
} from "../model/types";
import { NO_COUNTS, NO_FOCUS } from "../model/types";
import { type Extent, type TaskBatch, TaskModel } from "../model/tasks";
import type { CoarseColumns, State, TableName } from "../schema";
import { RowIntake } from "./intake";
import { KeyStore } from "./keys";
import { SessionTables, type TableView } from "./tables";
import type {
  SessionFlow,
  SessionLink,
  ControlMessage,
  Sink,
} from "../link/types";
import type { Message } from "../link/wire";
import type { TableRows } from "../link/columns";

interface SessionInfo {
  id: string;
  name: string;
  address: string;
}

export interface Totals {
  /** The focus of these totals, without its prefixes, which the kernel ignores. */
  focus: Focus;
  prefixes: PrefixTotal[];
  actions: ActionTotal[];
}

/** The part of a session that panels use, without what only its stream and page call. */
export type SessionStore = Omit<SharedSession, keyof Sink | "idle" | "dispose">;

/** Delay, because a panel that is moved or whose cell runs again comes back soon. */
const UNWATCH_MS = 10_000;
const FREE_MS = 600_000;

interface Subscription {
  readonly visible: boolean;
  readonly tables: readonly string[];
}

function areEqual(one: Focus, other: Focus): boolean {
  const parts = ({ time, prefixes, workers, spans, cells }: Focus) =>
    JSON.stringify([time, prefixes, workers, spans, cells]);
  return parts(one) === parts(other);
}

export class SharedSession implements Sink {
  readonly info: Signal<SessionInfo>;
  readonly state = signal<State>("waiting");
  readonly counts = signal<Counts>(NO_COUNTS);
  readonly workers = signal<Worker[]>([]);
  /** Time zero of every axis, in epoch seconds; 0 before the first row. */
  readonly origin = signal(0);
  /** Start and stop of the recorded block; null if this is not the recording of a block. */
  readonly run = signal<Extent | null>(null);
  /** Time of the scheduler's clock at the last status. */
  readonly now = signal(0);
  readonly behind_s = signal(0);
  private readonly tables = new SessionTables({
    named: () => (this.namesVersion.value += 1),
    startOver: () => this.stream.startOver(),
  });
  /** Entries of dictionaries; they only grow, and `namesVersion` grows with them. */
  readonly prefixes = this.tables.names("prefixes") as string[];
  readonly lanes = this.tables.names("lanes") as Lane[];
  readonly actions = this.tables.names("actions") as string[];
  readonly spans = this.tables.names("spans") as Span[];
  /** Colour slot of each prefix. */
  readonly slots = this.tables.colours("prefixes");
  readonly namesVersion = signal(0);
  readonly model = new TaskModel();
  /** Grows after the model changed, at most once per animation frame. */
  readonly dataVersion = signal(0);
  readonly totals = signal<Totals>({
    focus: NO_FOCUS,
    prefixes: [],
    actions: [],
  });
  /** The summary of the whole session, computed in Python; null until it arrives. */
  readonly summary = signal<unknown>(null);
  readonly focus = signal<Focus>(NO_FOCUS);
  /** Time under the pointer, for all panels of the page. */
  readonly crosshair = signal<number | null>(null);
  readonly keys: KeyStore;
  readonly kernelId: string;
  /** True for a kernel, false for a file, which gets no new data. */
  readonly live: boolean;
  /** Whether choosers offer it: a client's session or a file, but not a MemorySampler. */
  listed = false;
  private readonly noticed = new Notices();
  readonly notices = this.noticed.all;
  private readonly stream: SessionFlow;
  private readonly intake = new RowIntake(this.model, () => this.onRows());
  private readonly subscriptions = new Map<symbol, Subscription>();
  private readonly stops: (() => void)[];
  private pageVisible = true;
  private closing: ReturnType<typeof setTimeout> | undefined;
  private disposed = false;
  private reportedEvictedRows = 0;

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
          this.listed = true;
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

  /** Whether no panel uses it. */
  get idle(): boolean {
    return this.subscriptions.size === 0;
  }

  /** Set the focus here at once, then in the kernel. */
  setFocus(focus: Focus): void {
    this.focus.value = focus;
    this.stream.setFocus(focus);
  }

  /** What has arrived of a table other than tasks; rows arrive only while it is watched. */
  table<N extends TableName>(name: N): ReadonlySignal<TableView<N>> {
    return this.tables.get(name);
  }

  /** The entries of any dictionary: texts, or objects where it has several columns. */
  names(dictionary: string): readonly unknown[] {
    return this.tables.names(dictionary);
  }

  /** Colour slots of the entries of a dictionary. */
  colours(dictionary: string): readonly number[] {
    return this.tables.colours(dictionary);
  }

  /** Ask the kernel; rejects with a coded error, for instance if the kernel is busy. */
  ask(what: string, args: object, timeout_ms?: number): Promise<unknown> {
    return this.stream.ask(what, args, timeout_ms);
  }

  /**
   * Subscribe to tables ("tasks" and the summary among them), paused while the panel is
   * hidden; returns a function that unsubscribes.
   */
  watch(
    visible: ReadonlySignal<boolean>,
    tables: readonly string[],
  ): () => void {
    const watcher = Symbol("panel");
    clearTimeout(this.closing);
    const stop = visible.subscribe((isVisible) => {
      this.subscriptions.set(watcher, { visible: isVisible, tables });
      this.updateWatch();
    });
    return () => {
      stop();
      if (!this.subscriptions.delete(watcher)) return;
      this.updateWatch();
      if (this.subscriptions.size === 0) this.closeSoon();
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
    // A stopped session stays stopped; the next status has the state of a live one.
    if (!alive && this.state.peek() !== "stopped") this.state.value = "lost";
  }

  failed({ code, text, next }: Problem, table?: string): void {
    if (table !== undefined) this.tables.fail(table, { code, text, next });
    this.noticed.add({ code, level: "error", text, next });
  }

  take(message: ControlMessage): void {
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
        // Panels move to a new focus; an unchanged one must not move them again.
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

  takeCoarse(blocks: CoarseColumns, first: number, tasks: number): void {
    if (this.disposed) return;
    this.model.setCoarse({ ...blocks, first, tasks });
    this.intake.notifySoon();
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
    const { rows, evictedRows } = this.model;
    if (evictedRows === this.reportedEvictedRows) return;
    this.reportedEvictedRows = evictedRows;
    this.noticed.add(evictedNotice(rows, evictedRows, this.live));
  }

  /** Rows may arrive half a second before the first status, which has the origin. */
  private findOrigin(): void {
    if (this.origin.peek() !== 0) return;
    this.origin.value = this.model.extent()?.start ?? 0;
  }

  /** Subscribe to the tables of visible panels, or of all panels if none is visible. */
  private updateWatch(): void {
    if (this.disposed) return;
    const all = [...this.subscriptions.values()];
    const shown = all.filter(({ visible }) => visible);
    const some = shown.length > 0 ? shown : all;
    const tables = new Set(some.flatMap((watcher) => watcher.tables));
    if (all.length > 0) {
      const visible = shown.length > 0 && this.pageVisible;
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

/** Maximum number of notices that are reported once; the oldest are dropped. */
const MAX_ONCE = 20;

/**
 * Notices for the user: those of the latest status, which replace the earlier ones, and
 * those that were reported once, which stay.
 */
class Notices {
  /** The kernel's notices, then those that were reported once. */
  readonly all: Signal<Notice[]> = signal<Notice[]>([]);
  private kernels: readonly Notice[] = [];
  private readonly once = new Map<string, Notice>(); // by code, oldest first

  /** Replace the kernel's notices. */
  take(notices: readonly Notice[]): void {
    // The kernel sends `not-sent` on its own only while it cannot build a status.
    const outlived = this.once.delete("not-sent");
    if (!outlived && this.kernels.length === 0 && notices.length === 0) return;
    this.kernels = notices;
    this.update();
  }

  /** Add a notice that stays; it replaces an older one with the same code. */
  add({ code, level, text, next }: Notice): void {
    this.once.delete(code);
    this.once.set(code, { code, level, text, next });
    for (const oldest of this.once.keys()) {
      if (this.once.size <= MAX_ONCE) break;
      this.once.delete(oldest);
    }
    this.update();
  }

  private update(): void {
    const all = [...this.kernels, ...this.once.values()];
    const byCode = new Map(all.map((notice) => [notice.code, notice]));
    for (const notice of all.reverse()) byCode.set(notice.code, notice);
    this.all.value = [...byCode.values()];
  }
}

/** The Python expression for all kept tasks of a kernel's session or of a file. */
export const allTasks = (live: boolean): string =>
  live ? "session.recording.tasks" : "daskscope.load(…).tasks";

/** The notice that older rows are shown as a preview; the recording still has them. */
export function evictedNotice(
  rows: number,
  evictedRows: number,
  live: boolean,
): Notice {
  const millions = (count: number) => `${(count / 1e6).toFixed(1)} million`;
  return {
    code: "page-faded",
    level: "info",
    text: `This page keeps the newest ${millions(rows)} rows in detail; ${millions(evictedRows)} older ones are shown as a preview.`,
    next: `${allTasks(live)} has all tasks that are kept.${live ? " Reload the page to fetch the newest again." : ""}`,
  };
}
