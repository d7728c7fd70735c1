// A report or a recording in a tab of JupyterLab: opened when it is attached, given back
// when it is closed. Where its bytes come from is not known here.

import type { Message } from "@lumino/messaging";
import { Widget } from "@lumino/widgets";
import { signal } from "@preact/signals";
import { render } from "preact";
import type { OpenedRecording } from "../../archive/open";
import { asProblem, DaskscopeError } from "../../errors";
import { SharedSession } from "../../session";
import type { EmptyState } from "../../views/host";
import { Empty } from "../../views/panel/states";
import { mountReport } from "../report/mount";
import { openReportFile } from "../report/report_file";

export interface ReportFile {
  /** What errors call it. */
  name(): string;
  fetch(signal: AbortSignal): Promise<Blob>;
  /** An address that others can open; null where there is none. */
  link(): string | null;
}

const MAX_TITLE_CHARACTERS = 60;

export class ReportContent extends Widget {
  private stop: (() => void) | null = null;

  constructor(
    private readonly file: ReportFile,
    private readonly onTitle: (title: string) => void,
  ) {
    super();
    this.addClass("ds-lab-report");
    this.node.tabIndex = -1;
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.stop?.();
    this.stop = null;
    super.dispose();
  }

  /** Open the file again: it has changed. */
  again(): void {
    if (!this.stop) return;
    this.stop();
    this.stop = this.open();
  }

  protected override onAfterAttach(_: Message): void {
    this.stop ??= this.open();
  }

  protected override onActivateRequest(_: Message): void {
    const tab = this.node.querySelector<HTMLElement>(
      "[role='tab'][tabindex='0']",
    );
    (tab ?? this.node).focus({ preventScroll: true });
  }

  /** Returns what ends it, whatever has been opened until then. */
  private open(): () => void {
    const { file, node } = this;
    const leaving = new AbortController();
    const stores: SharedSession[] = [];
    const state: EmptyState = {
      state: "waiting",
      title: `Opening ${file.name()}`,
      text: "A large one takes some seconds.",
    };
    let unmount = this.tell(state);
    const storeOf = ({ link, sessionId }: OpenedRecording): SharedSession => {
      if (leaving.signal.aborted) throw closed();
      const store = new SharedSession(link, sessionId, signal(true), () => {});
      stores.push(store);
      return store;
    };
    const load = async (): Promise<void> => {
      try {
        const blob = await file.fetch(leaving.signal);
        const source = await openReportFile(blob, file.name(), {
          storeOf,
          link: () => file.link(),
        });
        if (leaving.signal.aborted) return;
        unmount();
        unmount = mountReport(node, source);
        this.onTitle(shortened(source.title));
      } catch (error) {
        if (leaving.signal.aborted) return;
        unmount();
        unmount = this.tell(this.failed(error));
      }
    };
    void load();
    return () => {
      leaving.abort();
      unmount();
      for (const store of stores) store.dispose();
    };
  }

  private failed(error: unknown): EmptyState {
    const { text, next } = asProblem(error);
    return {
      state: "stopped",
      trouble: true,
      title: `${this.file.name()} cannot be opened`,
      text: `${text} ${next}`.trim(),
      actions: [{ label: "Try again", run: () => this.again() }],
    };
  }

  /** Say in words why there is no report (yet). */
  private tell(state: EmptyState): () => void {
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

const closed = (): DaskscopeError =>
  new DaskscopeError({
    code: "closed",
    text: "The tab was closed before the recording was open.",
    next: "",
  });
