// A report or recording in a tab of JupyterLab. It is opened when the tab is first shown,
// and freed when the tab is closed, or hidden while others need the memory. Knows nothing
// of where the bytes come from.

import type { Message } from "@lumino/messaging";
import { Widget } from "@lumino/widgets";
import { signal } from "@preact/signals";
import { render } from "preact";
import { SESSION_ID } from "../../archive/messages";
import type { SessionLink } from "../../link/types";
import { asProblem } from "../../errors";
import type { SharedSession } from "../../session/session";
import { thePage } from "../../session/page";
import type { EmptyState } from "../../panel/host";
import { Empty } from "../../panel/states";
import { fromFragment, type Place } from "../report/fragment";
import { mountReport } from "../report/mount";
import { openReportFile } from "../report/report_file";
import { type LoadedReport, LoadedReports } from "./loaded_reports";

export interface ReportFile {
  /** The name that errors use. */
  name(): string;
  fetch(signal: AbortSignal): Promise<Blob>;
  /** A link that shows others this place; null if there is none. */
  link(place: Place): string | null;
}

const MAX_TITLE_CHARACTERS = 60;

/** Rows of all sessions that the page holds, live ones and files. */
const pageRows = (): number =>
  thePage()
    .sessions.peek()
    .reduce((sum, { model }) => sum + model.rows, 0);
const loaded = new LoadedReports(pageRows);

interface Opened extends LoadedReport {
  /** Whether opening failed, so that the tab shows the reason. */
  readonly failed: boolean;
  /** Stop opening the file, and free what has been opened. */
  stop(): void;
}

export class ReportContent extends Widget {
  /** Null before the tab is first shown, and while the report is freed. */
  private opened: Opened | null = null;
  private readonly visible = signal(false);
  /** What the report shows; kept before it is opened and while it is freed. */
  private readonly place = signal(fromFragment(""));

  constructor(
    private readonly file: ReportFile,
    private readonly onTitle: (title: string) => void,
    /** Until this resolves, a tab may be visible only for a moment, while tabs are restored. */
    private readonly arranged: Promise<unknown> = Promise.resolve(),
  ) {
    super();
    this.addClass("ds-lab-report");
    this.node.tabIndex = -1;
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.visible.value = false;
    this.closeReport();
    super.dispose();
  }

  /** Show the tab and focus that a fragment of an address names. */
  goTo(fragment: string): void {
    this.place.value = fromFragment(fragment);
  }

  /** Open the file again, because it has changed; if hidden, when it is next shown. */
  reopen(): void {
    if (!this.opened) return;
    this.closeReport();
    if (this.visible.peek()) this.onShown();
  }

  /** Try again after a failure, because its cause may be gone. */
  reopenIfFailed(): void {
    if (this.opened?.failed) this.reopen();
  }

  private closeReport(): void {
    if (!this.opened) return;
    loaded.remove(this.opened);
    this.opened.stop();
    this.opened = null;
  }

  /** A reloaded page attaches all its tabs, but shows only a few. */
  protected override onAfterAttach(_: Message): void {
    if (this.isVisible) this.onShown();
  }

  protected override onAfterShow(_: Message): void {
    this.onShown();
  }

  protected override onBeforeHide(_: Message): void {
    this.visible.value = false;
  }

  protected override onBeforeDetach(_: Message): void {
    this.visible.value = false;
  }

  private onShown(): void {
    this.visible.value = true;
    void this.arranged.then(() => {
      if (!this.visible.peek()) return;
      this.opened ??= this.open();
      loaded.touch(this.opened);
    });
  }

  protected override onActivateRequest(_: Message): void {
    const tab = this.node.querySelector<HTMLElement>(
      "[role='tab'][tabindex='0']",
    );
    (tab ?? this.node).focus({ preventScroll: true });
  }

  private open(): Opened {
    const { file, node, visible, place } = this;
    const leaving = new AbortController();
    const stores: SharedSession[] = [];
    let unmount = this.showText({
      state: "waiting",
      title: `Opening ${file.name()}`,
      text: "A large file takes a few seconds.",
    });
    let failed = false;
    const storeOf = (link: SessionLink): SharedSession => {
      leaving.signal.throwIfAborted();
      const store = thePage().session(link, SESSION_ID);
      stores.push(store);
      store.dataVersion.subscribe(() => loaded.makeRoom());
      return store;
    };
    const load = async (): Promise<void> => {
      try {
        const blob = await file.fetch(leaving.signal);
        const source = await openReportFile(blob, file.name(), {
          storeOf,
          link: (at) => file.link(at),
        });
        if (leaving.signal.aborted) return;
        unmount();
        unmount = mountReport(node, source, {
          ...{ place, visible },
          others: () => thePage().beside(source.session),
        });
        this.onTitle(shortened(source.title));
      } catch (error) {
        if (leaving.signal.aborted) return;
        failed = true;
        unmount();
        unmount = this.showText(this.troubleOf(error));
      }
    };
    void load();
    return {
      get visible() {
        return visible.peek();
      },
      get failed() {
        return failed;
      },
      get rows() {
        return stores.reduce((sum, { model }) => sum + model.rows, 0);
      },
      free: () => this.closeReport(),
      stop() {
        leaving.abort();
        unmount();
        for (const store of stores) store.dispose();
      },
    };
  }

  private troubleOf(error: unknown): EmptyState {
    const { text, next } = asProblem(error);
    return {
      state: "stopped",
      trouble: true,
      title: `${this.file.name()} cannot be opened`,
      text: `${text} ${next}`.trim(),
      actions: [{ label: "Try again", run: () => this.reopen() }],
    };
  }

  /** Show a text instead of the report. */
  private showText(state: EmptyState): () => void {
    const root = document.createElement("div");
    root.className = "ds-root ds-report";
    root.setAttribute("role", state.trouble ? "alert" : "status");
    this.node.replaceChildren(root);
    render(<Empty state={state} />, root);
    return () => {
      render(null, root);
      root.remove();
    };
  }
}

function shortened(title: string): string {
  const text = title.replace(/\s+/g, " ").trim();
  const characters = [...text];
  if (characters.length <= MAX_TITLE_CHARACTERS) return text;
  return `${characters.slice(0, MAX_TITLE_CHARACTERS - 1).join("")}…`;
}
