// The state of an open report besides its session: the open tab, and whether it is laid
// out for paper. The summary is there at once; the recording is opened in the background.

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

/** Long after the first paint. Printing needs all tables, but cannot wait for them. */
const PREFETCH_MS = 1500;

let made = 0;
const nextId = (): string => (made++ === 0 ? "" : `-${made}`);

/** A message about an action that did not work as usual. */
export type Note =
  | { readonly kind: "link"; readonly link: string }
  | { readonly kind: "text"; readonly text: string };

export class ReportState {
  /** Suffix for ids of this report's elements; empty for the first report of a page. */
  readonly id = nextId();
  readonly session: SessionStore;
  readonly summary: ReportSummary;
  /** Parts of the summary that could not be read; null if no part could. */
  readonly leftOut: readonly string[] | null;
  /** The panels that have a tab, at least one. */
  readonly panels: readonly PanelKind[];
  readonly tab: Signal<string>;
  /** Tabs that have been shown; they stay mounted. */
  readonly visited: ReadonlySignal<ReadonlySet<string>>;
  readonly printing = signal(false);
  readonly note: Signal<Note | null> = signal(null);
  /** Number of erred tasks: that of the summary, or of the session if it is larger. */
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
    // Show what is missing at once, so that nothing moves when the recording is opened.
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
    // The summary counts time from the start of the block, a recording from its first
    // task. Use the former for both.
    this.stops.push(
      effect(() => {
        if (session.origin.value !== start) session.origin.value = start;
      }),
    );
  }

  /** Load all small tables before they are printed. */
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

  /** What the report shows now; reads signals. */
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

  /** Whether this page may save files; if not, a note says what to do. */
  maySave(): boolean {
    if (maySave()) return true;
    const text = cannotSave(this.source.name);
    this.note.value = { kind: "text", text };
    return false;
  }

  /** The host of the panel in a tab. */
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
 * Whether this page may download files. A server may show a report in a sandbox, as
 * Jupyter does below /files/: scripts run there, but cannot store, copy or download.
 */
function maySave(): boolean {
  if (self.origin !== "null") return true;
  // A file on disk has no origin either, but unlike a sandbox it may use local storage.
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
