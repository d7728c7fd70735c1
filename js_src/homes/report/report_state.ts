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
import type { PanelHost, PanelKind } from "../../panel/host";
import { PANELS } from "../../panels";
import {
  checkSummary,
  type ReportSummary,
} from "../../panels/summary/report_summary";
import type { SessionStore } from "../../session/session";
import type { Place } from "./fragment";
import { openOther } from "./report_file";
import type { ReportSource } from "./source";

/** Long after the first picture: printing needs all tables, and cannot wait for them. */
const PREFETCH_MS = 1500;

let made = 0;
const nextId = (): string => (made++ === 0 ? "" : `-${made}`);

/** What was asked for and could not be done as usual. */
export type Note =
  | { readonly kind: "link"; readonly link: string }
  | { readonly kind: "text"; readonly text: string };

export class ReportState {
  /** Of the elements of this report: nothing for the first of a page. */
  readonly id = nextId();
  readonly session: SessionStore;
  readonly summary: ReportSummary;
  /** Parts of the summary that could not be read; null where none could. */
  readonly leftOut: readonly string[] | null;
  /** What it has tabs of: at least one. */
  readonly panels: readonly PanelKind[];
  readonly tab: Signal<string>;
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
    private readonly others: PanelHost["others"] = () => [],
  ) {
    const { session } = source;
    this.session = session;
    const { summary, leftOut, nothing } = checkSummary(source.summary);
    this.summary = summary;
    this.leftOut = nothing ? null : leftOut;
    const chosen = PANELS.filter(({ id }) => summary.panels?.includes(id));
    this.panels = chosen.length > 0 ? chosen : PANELS;
    this.tab = signal(this.panels[0].id);
    if (source.summary !== undefined) {
      session.summary.value = source.summary ?? {};
    }
    // What is missing is seen at once, so that nothing moves when the recording is open.
    session.notices.value = summary.missing ?? [];
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

  /** Gets all small tables before they are printed. */
  prefetch(): void {
    const tables = this.panels.flatMap(({ tables }) => tables);
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

  /** Reads signals. */
  place(): Place {
    return { tab: this.tab.value, focus: this.session.focus.value };
  }

  go({ tab, focus }: Place): void {
    const { session } = this;
    const known = this.panels.some(({ id }) => id === tab);
    this.tab.value = known ? tab : this.panels[0].id;
    if (JSON.stringify(focus) === JSON.stringify(session.focus.peek())) return;
    session.setFocus(focus);
  }

  /** Whether this page may save files; where it may not, a note says what to do. */
  maySave(): boolean {
    if (maySave()) return true;
    const text = cannotSave(this.source.name);
    this.note.value = { kind: "text", text };
    return false;
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
      panels: this.panels.map(({ id }) => id),
      show: (id) => (this.tab.value = id),
      others: this.others,
      openFile: openOther,
      save: (name, content) => {
        const may = this.maySave();
        if (may) download(name, content);
        return may;
      },
    };
  }
}

/**
 * What this page may do. A server may show a report in a sandbox, as Jupyter does with
 * its /files/: scripts run there, but nothing is stored, copied or downloaded.
 */
function maySave(): boolean {
  if (self.origin !== "null") return true;
  // A file on the disk has no origin either; of the two only it may store something.
  const alone = location.protocol === "file:" && window.parent === window;
  if (alone) return true;
  try {
    return window.localStorage !== null;
  } catch {
    return false;
  }
}

const cannotSave = (name: string): string =>
  `Files cannot be saved from this preview, since it runs in a sandbox. Download the report and open it from your disk, or run \`daskscope extract ${name}\`.`;
