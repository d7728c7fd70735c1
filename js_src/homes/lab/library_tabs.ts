// Tabs for library reports that the server does not show. A kernel sends their files, so
// they are not documents of JupyterLab, and do not reopen after a reload.

import type { ILabShell, JupyterFrontEnd } from "@jupyterlab/application";
import { MainAreaWidget } from "@jupyterlab/apputils";
import { decode } from "../../archive/bytes";
import { count, record, str } from "../../base/check";
import { isRecordingName } from "../report/lab_address";
import { recordingIcon, reportIcon } from "./icons";
import { ANSWER_MS, type LibrarySource } from "./library";
import { type LibraryEntry, titleOf } from "./library_entries";
import { addAside } from "./dock";
import { ReportContent } from "./report_content";
import { MAX_FILE_BYTES, tooLarge } from "./server_file";

interface Tab {
  /** The kernel that listed the report last. */
  source: LibrarySource;
  readonly widget: MainAreaWidget<ReportContent>;
}

export class LibraryTabs {
  private readonly tabs = new Map<string, Tab>(); // by url
  private made = 0;

  constructor(
    private readonly app: JupyterFrontEnd,
    private readonly labShell: ILabShell | null,
  ) {}

  /** Open a report, or show the tab that has it. */
  show(report: LibraryEntry, source: LibrarySource): void {
    const { shell } = this.app;
    const there = this.tabs.get(report.url);
    const { widget } = there ?? this.create(report, source);
    if (there) {
      there.source = source;
      widget.content.reopenIfFailed();
    } else if (this.labShell) this.labShell.add(widget, "main");
    else addAside(shell, widget);
    // Notebook 7.2 hides a widget that is shown twice.
    if (this.labShell || !widget.isVisible) shell.activateById(widget.id);
  }

  private create(report: LibraryEntry, source: LibrarySource): Tab {
    const { filename, url } = report;
    const content = new ReportContent(
      {
        name: () => filename,
        fetch: (signal) => fetchFrom(tab.source, filename, signal),
        link: () => null,
      },
      (text) => (widget.title.label = text),
    );
    const widget = new MainAreaWidget({ content });
    const tab: Tab = { source, widget };
    this.tabs.set(url, tab);
    widget.disposed.connect(() => this.tabs.delete(url));
    widget.id = `daskscope-library-${++this.made}`;
    widget.toolbar.hide(); // the report has its own
    widget.title.label = titleOf(report);
    widget.title.caption = filename;
    const icon = isRecordingName(filename) ? recordingIcon : reportIcon;
    widget.title.icon = icon.bindprops({ stylesheet: "mainAreaTab" });
    widget.title.closable = true;
    return tab;
  }
}

const IN_PYTHON =
  "In Python, `daskscope.load` opens it by its url, which `daskscope.list_performance_reports(kind=None)` lists.";

const piece = record({ text: str, size: count });

/** Fetch a file in pieces, one after another. */
async function fetchFrom(
  { kernel, link }: LibrarySource,
  filename: string,
  signal: AbortSignal,
): Promise<Blob> {
  const release = kernel.use(); // the sidebar may be closed meanwhile
  try {
    const parts: Blob[] = [];
    for (let at = 0; ;) {
      const args = { filename, at };
      const answer = await link.ask(null, "report", args, ANSWER_MS);
      signal.throwIfAborted();
      const { text, size } = piece(answer, "answer");
      if (size > MAX_FILE_BYTES) throw tooLarge(filename, IN_PYTHON);
      const bytes = decode(text);
      // A browser keeps a large Blob outside of the page's memory.
      parts.push(new Blob([bytes]));
      at += bytes.length;
      if (at >= size || bytes.length === 0) return new Blob(parts);
    }
  } finally {
    release();
  }
}
