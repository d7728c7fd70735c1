// What an open report knows: its tab, the one focus of all tabs, the recording as far as
// it is unpacked. The summary is there at once; the recording comes after it.

import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { FILE_CUT } from "../../archive/problems";
import { onPaper, type Theme } from "../../base/theme";
import { asProblem } from "../../errors";
import { type Focus, NO_FOCUS, type Notice } from "../../model/types";
import type { SessionStore } from "../../session";
import type { EmptyState } from "../../panel/host";
import type { Range, RecordingView, TabId } from "../../panel/recording_view";
import { RecordTables, TABLE_NAMES } from "../../panel/record_tables";
import {
  checkSummary,
  isCutOff,
  raisedTo,
  type ReportSummary,
} from "../../panels/summary/report_summary";
import { extentOf } from "../../derive/series";
import type { Place } from "./fragment";
import type { Navigated } from "./navigation";
import type { ReportSource } from "./source";

const UNPACKING: EmptyState = {
  state: "waiting",
  title: "Unpacking the recording",
  text: "A large one takes some seconds.",
};

/** Tabs that draw tasks; the others ask for small tables. */
const TABS_WITH_ROWS: readonly TabId[] = ["summary", "task-stream"];
/** Long after the first picture: printing needs all tables, and cannot wait for them. */
const PREFETCH_MS = 1500;

let made = 0;
const nextId = (): string => (made++ === 0 ? "" : `-${made}`);

export class ReportState implements RecordingView, Navigated {
  /** Of the elements of this report: nothing for the first of a page. */
  readonly id = nextId();
  readonly summary: ReportSummary;
  /**
   * The same as the recording has it, as soon as that is known: with no fewer tasks, and that
   * the file was cut off.
   */
  readonly figures: ReadonlySignal<ReportSummary>;
  /** Parts of the summary that could not be read. */
  readonly leftOut: readonly string[];
  readonly hasSummary: boolean;
  readonly tab = signal<TabId>("summary");
  /** Tabs that were shown once: they stay as they were left. */
  readonly visited: ReadonlySignal<ReadonlySet<TabId>>;
  readonly printing = signal(false);
  /** Whether all else is hidden behind the task stream, which says its own; not on paper. */
  readonly onlyStream = computed(
    () => this.tab.value === "task-stream" && !this.printing.value,
  );
  readonly theme: ReadonlySignal<Theme>;
  readonly session = signal<SessionStore | null>(null);
  readonly emptyState = signal<EmptyState | null>(UNPACKING);
  readonly focus = signal<Focus>(NO_FOCUS);
  /** How many tasks erred; of a recording without a summary, as far as was counted. */
  readonly erred: ReadonlySignal<number>;
  /** That the end of the recording is missing, and with it its small tables. */
  readonly cut: ReadonlySignal<Notice | null>;
  readonly tables: RecordTables;
  readonly range: ReadonlySignal<Range>;
  readonly origin: ReadonlySignal<number>;
  /**
   * For a summary that does not say when the run was: of the rows; of samples, as long as
   * there are none.
   */
  private readonly extent: ReadonlySignal<Range | null> = computed(() => {
    const store = this.session.value;
    if (!store) return null;
    void store.dataVersion.value;
    const extent = store.model.extent();
    if (extent) return [extent.start, extent.stop];
    return extentOf(
      this.tables.ready("scheduler")?.time ?? [],
      this.tables.ready("cluster")?.time ?? [],
    );
  });
  /** Whether rows are decoded: only for who has looked where they are drawn. */
  private readonly needsRows: ReadonlySignal<boolean>;
  private begin: () => void = () => {};
  private readonly stops: (() => void)[] = [];
  private disposed = false;

  constructor(
    readonly source: ReportSource,
    theme: ReadonlySignal<Theme>,
    visible: ReadonlySignal<boolean> = signal(true),
  ) {
    this.theme = computed(() =>
      this.printing.value ? onPaper(theme.value) : theme.value,
    );
    const { summary, leftOut, nothing } = checkSummary(source.summary);
    this.summary = summary;
    this.leftOut = leftOut;
    this.hasSummary = !nothing;
    const begun = new Promise<void>((begin) => (this.begin = begin));
    const opened = begun.then(() => this.open());
    this.tables = new RecordTables(opened);

    this.figures = computed(() => {
      const counts = this.session.value?.counts.value;
      const raised = counts ? raisedTo(counts, summary) : summary;
      const cut = isCutOff(summary) ? null : this.cut.value;
      const missing = [...(summary.missing ?? []), ...(cut ? [cut] : [])];
      return { ...raised, missing };
    });
    this.erred = computed(() => {
      const { errors, tasks } = this.figures.value;
      const counted = this.session.value?.counts.value.erred;
      return errors?.count ?? tasks?.erred ?? counted ?? 0;
    });
    this.cut = computed(
      () =>
        this.session.value?.notices.value.find(
          ({ code }) => code === FILE_CUT.code,
        ) ?? null,
    );

    const seen = new Set<TabId>();
    this.visited = computed(() => new Set(seen.add(this.tab.value)));
    // Of a run whose summary does not say when it was, rows do.
    this.needsRows = computed(
      () =>
        visible.value &&
        (summary.start === null ||
          TABS_WITH_ROWS.some((tab) => this.visited.value.has(tab))),
    );
    this.range = computed(() => {
      const { start, stop } = summary;
      const known = start !== null && stop !== null;
      const extent = known ? null : this.extent.value;
      const from = start ?? extent?.[0] ?? 0;
      const to = stop ?? extent?.[1] ?? from;
      return to > from ? [from, to] : [from, from + 1];
    });
    this.origin = computed(
      () =>
        this.session.value?.origin.value ||
        (summary.start ?? this.range.value[0]),
    );
  }

  /** Unpacks the recording, when what the summary says is on the screen. */
  start(): void {
    this.begin();
  }

  dispose(): void {
    this.disposed = true;
    for (const stop of this.stops.splice(0)) stop();
  }

  place(): Place {
    return { tab: this.tab.value, focus: this.focus.value };
  }

  go({ tab, focus }: Place): void {
    this.tab.value = tab;
    this.setFocus(focus);
  }

  show(tab: TabId, focus?: Focus): void {
    if (focus) this.setFocus(focus);
    this.tab.value = tab;
  }

  setFocus(focus: Focus): void {
    if (JSON.stringify(focus) === JSON.stringify(this.focus.peek())) return;
    const store = this.session.peek();
    if (store) store.setFocus(focus);
    this.focus.value = focus;
  }

  private async open(): Promise<SessionStore> {
    try {
      const store = await this.source.open();
      // Its tab may have been closed, or given back, while it was unpacked.
      if (!this.disposed) this.take(store);
      return store;
    } catch (error) {
      const { text, next } = asProblem(error);
      this.emptyState.value = {
        state: "stopped",
        trouble: true,
        title: "The recording in this report cannot be opened",
        text: `${text} ${next}`.trim(),
      };
      throw error;
    }
  }

  private take(store: SessionStore): void {
    // What was selected before the recording was there holds for it, too.
    const focus = this.focus.peek();
    if (focus !== NO_FOCUS) store.setFocus(focus);
    const { start, stop } = this.summary;
    if (start !== null && stop !== null && stop > start) {
      store.run.value = { start, stop };
    }
    this.stops.push(
      store.watch(this.needsRows),
      effect(() => {
        this.focus.value = store.focus.value;
      }),
      // The summary tells times from the start of the block, a recording from its
      // first task: here all are told alike.
      effect(() => {
        if (start !== null && store.origin.value !== 0) {
          store.origin.value = start;
        }
      }),
    );
    this.session.value = store;
    this.emptyState.value = null;
    if (this.source.link) return; // a tab of JupyterLab is not printed
    const later = setTimeout(() => {
      for (const name of TABLE_NAMES) this.tables.get(name);
    }, PREFETCH_MS);
    this.stops.push(() => clearTimeout(later));
  }
}
