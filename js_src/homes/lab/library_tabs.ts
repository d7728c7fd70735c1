// Tabs with reports of a library: their files come through a kernel, so they are no
// documents of JupyterLab's, and are not opened again after a reload.

import type { ILabShell, JupyterFrontEnd } from "@jupyterlab/application";
import { MainAreaWidget } from "@jupyterlab/apputils";
import { recordingIcon, reportIcon } from "./icons";
import { addAside } from "./placing";
import { ReportContent } from "./report_content";

export interface LibraryReport {
  readonly filename: string;
  readonly title: string;
  /** Whose library it is in: another one may have a file of the same name. */
  readonly place: string;
  fetch(signal: AbortSignal): Promise<Blob>;
}

export class LibraryTabs {
  private readonly tabs = new Map<string, MainAreaWidget>();
  private made = 0;

  constructor(
    private readonly app: JupyterFrontEnd,
    private readonly labShell: ILabShell | null,
  ) {}

  /** Open a report, or show the tab that has it. */
  show(report: LibraryReport): void {
    const { shell } = this.app;
    const key = JSON.stringify([report.place, report.filename]);
    let widget = this.tabs.get(key);
    if (!widget) {
      widget = this.create(report);
      this.tabs.set(key, widget);
      widget.disposed.connect(() => this.tabs.delete(key));
      if (this.labShell) this.labShell.add(widget, "main");
      else addAside(shell, widget);
    }
    // Notebook 7.2 hides what it is told to show twice.
    if (this.labShell || !widget.isVisible) shell.activateById(widget.id);
  }

  private create(report: LibraryReport): MainAreaWidget {
    const { filename, title } = report;
    const content = new ReportContent(
      {
        name: () => filename,
        fetch: (signal) => report.fetch(signal),
        link: () => null,
      },
      (text) => (widget.title.label = text),
    );
    const widget: MainAreaWidget = new MainAreaWidget({ content });
    widget.id = `daskscope-library-${++this.made}`;
    widget.toolbar.hide(); // the report has its own
    widget.title.label = title;
    widget.title.caption = filename;
    const icon = filename.endsWith(".daskscope") ? recordingIcon : reportIcon;
    widget.title.icon = icon.bindprops({ stylesheet: "mainAreaTab" });
    widget.title.closable = true;
    return widget;
  }
}
