// What an open report knows beside its session: the tab that is open, and whether it is
// laid out for paper. The figures are there at once; the recording is opened behind them.

import {
  computed,
  effect,
  type ReadonlySignal,
  type Signal,
  signal,
} from "@preact/signals";
import { download } from "../../base/save";
import type { Focus } from "../../model/types";
import type { PanelHost } from "../../panel/host";
import { PANELS } from "../../panels";
import {
  checkSummary,
  type ReportSummary,
} from "../../panels/summary/report_summary";
import type { SessionStore } from "../../session";
import type { Place } from "./fragment";
import type { Navigated } from "./navigation";
import { cannotSave, maySave } from "./sandbox";
import type { ReportSource } from "./source";

/** Long after the first picture: printing needs all tables, and cannot wait for them. */
const PREFETCH_MS = 1500;

let made = 0;
const nextId = (): string => (made++ === 0 ? "" : `-${made}`);

/** What was asked for and could not be done as usual. */
export type Note =
  | { readonly kind: "link"; readonly link: string }
  | { readonly kind: "text"; readonly text: string };

export class ReportState implements Navigated {
  /** Of the elements of this report: nothing for the first of a page. */
  readonly id = nextId();
  readonly session: SessionStore;
  readonly summary: ReportSummary;
  /** Parts of the summary that could not be read; null where none could. */
  readonly leftOut: readonly string[] | null;
  readonly tab = signal(PANELS[0].id);
  /** Tabs that were shown once: they stay as they were left. */
  readonly visited: ReadonlySignal<ReadonlySet<string>>;
  readonly printing = signal(false);
  readonly note: Signal<Note | null> = signal(null);
  /** How many tasks erred: as the summary says, and no fewer than were counted. */
  readonly erred: ReadonlySignal<number>;
  private readonly stops: (() => void)[] = [];

  constructor(
    readonly source: ReportSource,
    private readonly visible: ReadonlySignal<boolean> = signal(true),
  ) {
    const { session } = source;
    this.session = session;
    const { summary, leftOut, nothing } = checkSummary(source.summary);
    this.summary = summary;
    this.leftOut = nothing ? null : leftOut;
    if (source.summary !== undefined) {
      session.summary.value = source.summary ?? {};
    }
    const seen = new Set<string>();
    this.visited = computed(() => new Set(seen.add(this.tab.value)));
    this.erred = computed(() =>
      Math.max(
        summary.errors?.count ?? summary.tasks?.erred ?? 0,
        session.counts.value.erred,
      ),
    );
    const { start, stop } = summary;
    if (start === null) return;
    if (stop !== null && stop > start) session.run.value = { start, stop };
    // The summary says times from the start of the block, a recording from its first
    // task: here all are said alike.
    this.stops.push(
      effect(() => {
        if (session.origin.value !== start) session.origin.value = start;
      }),
    );
  }

  /** Gets all small tables before somebody prints them. */
  prefetch(): void {
    const tables = PANELS.flatMap(({ tables }) => tables);
    const small = tables.filter((name) => name !== "tasks");
    const timer = setTimeout(
      () => this.stops.push(this.session.watch(signal(true), small)),
      PREFETCH_MS,
    );
    this.stops.push(() => clearTimeout(timer));
  }

  dispose(): void {
    for (const stop of this.stops.splice(0)) stop();
  }

  place(): Place {
    return { tab: this.tab.value, focus: this.session.focus.value };
  }

  go({ tab, focus }: Place): void {
    this.tab.value = tab;
    this.setFocus(focus);
  }

  setFocus(focus: Focus): void {
    const { session } = this;
    if (JSON.stringify(focus) === JSON.stringify(session.focus.peek())) return;
    session.setFocus(focus);
  }

  /** What surrounds the panel of a tab. */
  hostOf(tab: string): PanelHost {
    return {
      inline: false,
      live: false,
      emptyState: signal(null),
      capturesWheel: true,
      visible: computed(() => this.visible.value && this.tab.value === tab),
      printing: this.printing,
      panels: PANELS.map(({ id }) => id),
      show: (id) => (this.tab.value = id),
      save: (name, content) => {
        if (maySave()) {
          download(name, content);
          return true;
        }
        const text = cannotSave(this.source.name);
        this.note.value = { kind: "text", text };
        return false;
      },
    };
  }
}
