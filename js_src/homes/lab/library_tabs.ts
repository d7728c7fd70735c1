// Tabs with reports of a library: their files come through a kernel, so they are no
// documents of JupyterLab's, and are not opened again after a reload.

import type { ILabShell, JupyterFrontEnd } from "@jupyterlab/application";
import { MainAreaWidget } from "@jupyterlab/apputils";
import { isRecordingName } from "../report/lab_address";
import { recordingIcon, reportIcon } from "./icons";
import type { NotebookKernel } from "./kernel_link";
import { fetchOfLibrary } from "./library_fetch";
import { addAside } from "./placing";
import { ReportContent } from "./report_content";

export interface LibraryReport {
  readonly filename: string;
  readonly title: string;
  /**
   * Where its library is: another one may have a file of the same name. Null where that is
   * not known: of the card of a cell, whose copy has a name that no other has.
   */
  readonly place: string | null;
  /** Of whoever asks for it now: it comes through that one. */
  readonly kernel: Pick<NotebookKernel, "state" | "use">;
}

interface Tab {
  report: LibraryReport;
  readonly widget: MainAreaWidget<ReportContent>;
}

export class LibraryTabs {
  private readonly tabs = new Set<Tab>();
  private made = 0;

  constructor(
    private readonly app: JupyterFrontEnd,
    private readonly labShell: ILabShell | null,
  ) {}

  /** Open a report, or show the tab that has it. */
  show(report: LibraryReport): void {
    const { shell } = this.app;
    const there = [...this.tabs].find((tab) => isSame(tab.report, report));
    const { widget } = there ?? this.create(report);
    if (there) {
      // The kernel that it came through may have ended, or compute for hours.
      const through = there.report.kernel === report.kernel ? "same" : "other";
      const place = report.place ?? there.report.place;
      there.report = { ...report, place };
      widget.content.againUnlessOpen(through);
    } else if (this.labShell) this.labShell.add(widget, "main");
    else addAside(shell, widget);
    // Notebook 7.2 hides what it is told to show twice.
    if (this.labShell || !widget.isVisible) shell.activateById(widget.id);
  }

  private create(report: LibraryReport): Tab {
    const { filename, title } = report;
    const content = new ReportContent(
      {
        name: () => filename,
        fetch: (signal) => fetchOfLibrary(tab.report.kernel, filename, signal),
        link: () => null,
      },
      (text) => (widget.title.label = text),
    );
    const widget = new MainAreaWidget({ content });
    const tab: Tab = { report, widget };
    this.tabs.add(tab);
    widget.disposed.connect(() => this.tabs.delete(tab));
    widget.id = `daskscope-library-${++this.made}`;
    widget.toolbar.hide(); // the report has its own
    widget.title.label = title;
    widget.title.caption = filename;
    const icon = isRecordingName(filename) ? recordingIcon : reportIcon;
    widget.title.icon = icon.bindprops({ stylesheet: "mainAreaTab" });
    widget.title.closable = true;
    return tab;
  }
}

function isSame(one: LibraryReport, other: LibraryReport): boolean {
  if (one.filename !== other.filename) return false;
  const { place } = one;
  return place === null || other.place === null || place === other.place;
}
