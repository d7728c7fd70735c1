// The state of a panel: its session and surroundings. Values of the session are frozen while
// the panel is hidden, so that a hidden panel draws nothing.

import {
  computed,
  effect,
  type ReadonlySignal,
  signal,
  untracked,
} from "@preact/signals";
import { onPaper, type Theme } from "../base/theme";
import { extentOf } from "../derive/series";
import { type Focus, NO_COUNTS, NO_FOCUS } from "../model/types";
import type { TableName } from "../schema";
import type { SessionStore, Totals } from "../session/session";
import { emptyTable, type TableView } from "../session/tables";
import { Timeline } from "../timeline/timeline";
import { growingAxis, type Range, shownPart } from "../timeline/window";
import { isWhole, type Narrowing, spanNames } from "./narrowing";
import { type NameOf, workerNames } from "./worker_groups";
import { breadthOf, type PanelEnvironment } from "./environment";
import type { PanelHost, PanelProps } from "./host";

const NO_TOTALS: Totals = { prefixes: [], actions: [], focus: NO_FOCUS };

const HINT_MS = 4000;

export class PanelView {
  readonly session: ReadonlySignal<SessionStore | null>;
  readonly host: PanelHost;
  /** The page is laid out for paper: there are no animation frames, and buttons are useless. */
  readonly printing: ReadonlySignal<boolean>;
  readonly theme: ReadonlySignal<Theme> = computed(() => {
    const { value: theme } = this.environment.theme;
    return this.printing.value ? onPaper(theme) : theme;
  });
  readonly breadth = computed(() => breadthOf(this.environment.width.value));
  readonly helpOpen = signal(false);
  /** A message shown above the plot for a moment. */
  readonly hint = signal("");
  /** The time at which the panel was paused, or null. */
  readonly paused = signal<number | null>(null);
  /** Codes of notices that the user closed. */
  readonly dismissed = signal<ReadonlySet<string>>(new Set());

  readonly state = this.read(({ state }) => state.value, "waiting");
  readonly counts = this.data(({ counts }) => counts.value, NO_COUNTS);
  readonly totals = this.data(({ totals }) => totals.value, NO_TOTALS);
  readonly notices = this.read(({ notices }) => notices.value, []);
  readonly workers = this.data(({ workers }) => workers.value, []);
  readonly now = this.data(({ now }) => now.value, 0);
  readonly behind_s = this.read(({ behind_s }) => behind_s.value, NaN);
  readonly summary = this.data<unknown>(({ summary }) => summary.value, null);
  readonly focus = this.read(({ focus }) => focus.value, NO_FOCUS);
  /** Time under the pointer, shared by all panels of the page. */
  readonly crosshair = this.read<number | null>(
    ({ crosshair }) => crosshair.value,
    null,
  );
  readonly run = this.read(({ run }) => run.value, null);
  readonly growing = computed(
    () =>
      this.session.value !== null &&
      ["live", "partly", "waiting"].includes(this.state.value),
  );
  /** Seconds since the epoch: time zero of every axis. */
  readonly origin = this.read(({ origin }) => origin.value, 0);
  /** Increase with new names, and with new task rows. */
  readonly namesVersion = this.read((store) => store.namesVersion.value, 0);
  readonly dataVersion = this.data((store) => store.dataVersion.value, 0);
  /** The current time of a live session; null in a recording. */
  readonly present: ReadonlySignal<number | null> = computed(() =>
    this.host.live ? this.now.value : null,
  );
  /** The end of the run; Infinity while it is running. */
  readonly end: ReadonlySignal<number> = computed(() =>
    this.host.live ? Infinity : this.whole.value[1],
  );
  /** The axis of the whole run. During the run its end grows in steps. */
  readonly whole: ReadonlySignal<Range> = computed(() => this.wholeRange());
  readonly selected = computed(() => this.focus.value.time);
  /** All filters, with names for workers and spans. */
  readonly narrowing: ReadonlySignal<Narrowing> = computed(() => {
    const focus = this.focus.value;
    void this.namesVersion.value;
    const workers = focus.workers.map(this.namesOfWorkers());
    const spans = spanNames(this.session.value, focus.spans);
    return { ...focus, workers, spans, actions: this.actionsChosen() };
  });
  /** Whether a pause freezes all session values, or only the drawing. */
  protected readonly freezes: boolean = true;
  private hintTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly tables = new Map<TableName, ReadonlySignal<unknown>>();
  /** The session whose crosshair this panel has set; null if none. */
  private pointed: SessionStore | null = null;

  constructor(
    { session, host }: PanelProps,
    readonly environment: PanelEnvironment,
    readonly timeline = new Timeline("whole"),
  ) {
    this.session = session;
    this.host = host;
    this.printing = host.printing ?? signal(false);
  }

  /** The received rows of a table. Reads a signal. */
  table<N extends TableName>(name: N): TableView<N> {
    let table = this.tables.get(name);
    if (!table) {
      const none: unknown = emptyTable(name);
      table = this.data<unknown>((store) => store.table(name).value, none);
      this.tables.set(name, table);
    }
    return table.value as TableView<N>;
  }

  showHint(text: string, for_ms = HINT_MS): void {
    clearTimeout(this.hintTimer);
    this.hint.value = text;
    this.hintTimer = setTimeout(() => {
      if (this.hint.peek() === text) this.hint.value = "";
    }, for_ms);
  }

  setFocus(focus: Focus): void {
    this.session.peek()?.setFocus(focus);
  }

  /** The time shown by the charts, for text and figures: updated a few times a second. */
  get range(): ReadonlySignal<Range> {
    return this.timeline.settled;
  }

  select(time: Range | null): void {
    this.setFocus({ ...this.focus.peek(), time: time && [time[0], time[1]] });
  }

  /** Sets the crosshair of all panels; null when the pointer has left this one. */
  point(time: number | null): void {
    const store = time === null ? this.pointed : this.session.peek();
    if (store && store.crosshair.peek() !== time) store.crosshair.value = time;
    this.pointed = time === null ? null : store;
  }

  get pointerTime(): number | null {
    return this.pointed?.crosshair.peek() ?? null;
  }

  goToNow(): void {
    this.paused.value = null;
    this.timeline.window.goToNow();
  }

  /** The shown part of the run in words; null for all of it. */
  get part(): string | null {
    const { window, anchor, settled } = this.timeline;
    void [anchor.value, settled.value];
    return shownPart(window, window.extent, this.origin.value);
  }

  /** Removes all filters and shows the whole run. */
  showWhole(): void {
    if (!isWhole(this.focus.peek())) this.setFocus(NO_FOCUS);
    this.timeline.window.fit();
  }

  widen(part: keyof Narrowing): void {
    this.setFocus({
      ...this.focus.peek(),
      ...(part !== "actions" && { [part]: NO_FOCUS[part] }),
    });
  }

  zoomToChosen(): void {
    const time = this.selected.peek();
    if (time) this.timeline.window.show(time[0], time[1], true);
  }

  /** Reads signals. */
  protected namesOfWorkers(): NameOf {
    return workerNames(this);
  }

  /** Isolated actions. Reads signals. */
  protected actionsChosen(): readonly string[] {
    return [];
  }

  /** Makes the window follow the run; returns a function that stops it. */
  followRun(): () => void {
    const { timeline } = this;
    const stops = [
      timeline.run(),
      effect(() => {
        timeline.window.noAnimation =
          this.environment.reducedMotion.value ||
          !this.environment.visible.value;
      }),
      this.session.subscribe(() => {
        timeline.reset();
        this.point(null);
      }),
      effect(() => this.extend()),
    ];
    return () => {
      clearTimeout(this.hintTimer);
      this.point(null);
      for (const stop of stops) stop();
    };
  }

  /** Updates the window's extent of the data. Reads signals. */
  protected extend(): void {
    void this.session.value;
    const { value: whole } = this.whole;
    const stop = this.present.value ?? whole[1];
    untracked(() => this.timeline.extend({ start: whole[0], stop }, whole));
  }

  /** Shows another panel with a new focus; null if the host has no other panels. */
  get show(): ((panel: string, focus: Focus) => void) | null {
    const { host } = this;
    if (!host.show) return null;
    return (panel, focus) => {
      this.setFocus(focus);
      host.show?.(panel);
    };
  }

  /** Freezes the view while the session continues, or follows it again. */
  togglePause(): void {
    if (!this.host.live) return;
    const paused = this.paused.peek() === null;
    this.paused.value = paused ? this.now.peek() : null;
  }

  private data<T>(
    from: (store: SessionStore) => T,
    none: T,
  ): ReadonlySignal<T> {
    return this.read(
      from,
      none,
      () => !this.freezes || this.paused.value === null,
    );
  }

  protected read<T>(
    from: (store: SessionStore) => T,
    none: T,
    isLive = () => true,
  ): ReadonlySignal<T> {
    let last = none;
    let of: SessionStore | null = null;
    return computed(() => {
      const store = this.session.value;
      if ((this.environment.visible.value && isLive()) || store !== of) {
        of = store;
        last = store ? from(store) : none;
      }
      return last;
    });
  }

  protected wholeRange(): Range {
    const run = this.run.value;
    if (run) return [run.start, run.stop];
    const origin = this.origin.value;
    if (this.host.live) {
      const start = origin || this.now.value;
      return [start, start + growingAxis(this.now.value - start)];
    }
    // A recording without times of its own: use those of its rows or samples.
    void this.dataVersion.value;
    const rows = this.session.value?.model.extent();
    const [start, stop] = rows
      ? [rows.start, rows.stop]
      : (extentOf(this.table("system").columns.time) ?? [origin, origin]);
    return [start, stop > start ? stop : start + 1];
  }
}
