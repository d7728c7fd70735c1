// What a panel knows of its session and its surroundings. What it reads of the session
// stands still while the panel is hidden, so that a hidden panel draws nothing.

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { onPaper, type Theme } from "../base/theme";
import { growingAxis } from "../derive/growing_axis";
import { extentOf } from "../derive/series";
import { type Focus, NO_COUNTS, NO_FOCUS } from "../model/types";
import type { TableName } from "../schema";
import type { SessionStore } from "../session";
import { emptyTable, type TableView } from "../session_tables";
import { breadthOf, type PanelEnvironment } from "./environment";
import type { PanelHost } from "./host";
import type { PanelProps } from "./kind";

/** From the start to the stop of a stretch of time, in seconds since the epoch. */
export type Range = readonly [start: number, stop: number];

export class PanelView {
  readonly session: ReadonlySignal<SessionStore | null>;
  readonly host: PanelHost;
  /** The page is laid out for paper: there are no frames, and nothing to press. */
  readonly printing: ReadonlySignal<boolean>;
  readonly theme: ReadonlySignal<Theme> = computed(() => {
    const { value: theme } = this.environment.theme;
    return this.printing.value ? onPaper(theme) : theme;
  });
  readonly breadth = computed(() => breadthOf(this.environment.width.value));
  readonly helpOpen = signal(false);
  /** The moment that the panel shows while it is paused. */
  readonly paused = signal<number | null>(null);
  /** Codes of notices that were hidden. */
  readonly dismissed = signal<ReadonlySet<string>>(new Set());

  readonly state = this.read(({ state }) => state.value, "waiting");
  readonly counts = this.data(({ counts }) => counts.value, NO_COUNTS);
  readonly notices = this.read(({ notices }) => notices.value, []);
  readonly workers = this.data(({ workers }) => workers.value, []);
  readonly now = this.data(({ now }) => now.value, 0);
  readonly behind_s = this.read(({ behind_s }) => behind_s.value, NaN);
  readonly summary = this.data<unknown>(({ summary }) => summary.value, null);
  readonly focus = this.read(({ focus }) => focus.value, NO_FOCUS);
  /** Time under the pointer, in every panel of the page. */
  readonly crosshair = this.read<number | null>(
    ({ crosshair }) => crosshair.value,
    null,
  );
  readonly run = this.read(({ run }) => run.value, null);
  /** Seconds since the epoch: time zero of every axis. */
  readonly origin = this.read(({ origin }) => origin.value, 0);
  /** Grows with names, and with rows of tasks. */
  readonly namesVersion = this.read((store) => store.namesVersion.value, 0);
  readonly dataVersion = this.data((store) => store.dataVersion.value, 0);
  /** What is later than this is still to come; null in a recording, which is over. */
  readonly present: ReadonlySignal<number | null> = computed(() =>
    this.host.live ? this.now.value : null,
  );
  /** The end of the run, after which nothing is of it; Infinity while it goes on. */
  readonly end: ReadonlySignal<number> = computed(() =>
    this.host.live ? Infinity : this.range.value[1],
  );
  /** What every axis of time shows. */
  readonly range: ReadonlySignal<Range> = computed(() => this.wholeRange());
  private readonly tables = new Map<TableName, ReadonlySignal<unknown>>();

  constructor(
    { session, host }: PanelProps,
    readonly environment: PanelEnvironment,
  ) {
    this.session = session;
    this.host = host;
    this.printing = host.printing ?? signal(false);
  }

  /** What has arrived of a table. Reads a signal. */
  table<N extends TableName>(name: N): TableView<N> {
    let table = this.tables.get(name);
    if (!table) {
      const none: unknown = emptyTable(name);
      table = this.data<unknown>((store) => store.table(name).value, none);
      this.tables.set(name, table);
    }
    return table.value as TableView<N>;
  }

  setFocus(focus: Focus): void {
    this.session.peek()?.setFocus(focus);
  }

  /** Goes to another panel, with another focus; null where the home shows no others. */
  get show(): ((panel: string, focus: Focus) => void) | null {
    const { host } = this;
    if (!host.show) return null;
    return (panel, focus) => {
      this.setFocus(focus);
      host.show?.(panel);
    };
  }

  /** Keep what is shown while the session goes on, or go on with it. */
  togglePause(): void {
    if (!this.host.live) return;
    const paused = this.paused.peek() === null;
    this.paused.value = paused ? this.now.peek() : null;
  }

  /** What a pause keeps. */
  private data<T>(
    from: (store: SessionStore) => T,
    none: T,
  ): ReadonlySignal<T> {
    return this.read(from, none, () => this.paused.value === null);
  }

  private read<T>(
    from: (store: SessionStore) => T,
    none: T,
    goesOn = () => true,
  ): ReadonlySignal<T> {
    let last = none;
    let of: SessionStore | null = null;
    return computed(() => {
      const store = this.session.value;
      if ((this.environment.visible.value && goesOn()) || store !== of) {
        of = store;
        last = store ? from(store) : none;
      }
      return last;
    });
  }

  private wholeRange(): Range {
    const run = this.run.value;
    if (run) return [run.start, run.stop];
    const origin = this.origin.value;
    if (this.host.live) {
      const start = origin || this.now.value;
      return [start, start + growingAxis(this.now.value - start)];
    }
    // Of a recording that does not say when it was, rows do, or samples.
    void this.dataVersion.value;
    const rows = this.session.value?.model.extent();
    const [start, stop] = rows
      ? [rows.start, rows.stop]
      : (extentOf(this.table("system").columns.time) ?? [origin, origin]);
    return [start, stop > start ? stop : start + 1];
  }
}
