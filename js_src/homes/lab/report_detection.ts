// Reports under any name: JupyterLab chooses by the name of a file how it is opened, and its
// viewer of HTML runs no script. What it has read there tells whether it is a report.

import type { JupyterFrontEnd } from "@jupyterlab/application";
import type {
  DocumentRegistry,
  IDocumentWidget,
} from "@jupyterlab/docregistry";
import { ToolbarButton } from "@jupyterlab/ui-components";
import { DisposableDelegate } from "@lumino/disposable";
import { SUMMARY_TAG } from "../report/report_file";
import { OPEN_REPORT } from "./report_address";

const VIEWER = "HTML Viewer";

/**
 * Show panels in the place of a viewer that JupyterLab has chosen for a report. One that a
 * person has chosen, or that was there before a reload, stays, with a button.
 */
export function detectReports({
  commands,
  docRegistry,
}: JupyterFrontEnd): void {
  const chosen = new Set<string>();
  commands.commandExecuted.connect((_, { id, args, result }) => {
    const { path, factory } = args;
    if (id !== "docmanager:open" || factory !== VIEWER) return;
    if (typeof path !== "string") return;
    chosen.add(path);
    // One that was open is shown, and none made: the next one nobody has chosen.
    const over = (): void => void chosen.delete(path);
    result.then(over, over);
  });
  docRegistry.addWidgetExtension(VIEWER, {
    createNew(widget: IDocumentWidget, context: DocumentRegistry.Context) {
      const stays = chosen.delete(context.path);
      const open = (): Promise<unknown> =>
        commands.execute(OPEN_REPORT, { path: context.path });
      const onReady = async (): Promise<void> => {
        if (widget.isDisposed) return;
        if (!context.model.toString().includes(SUMMARY_TAG)) return;
        if (stays) {
          widget.toolbar.addItem("daskscope-open-report", button(open));
          return;
        }
        await open();
        widget.dispose();
      };
      // Where that fails JupyterLab has said why, and the viewer stays.
      void context.ready.then(onReady).catch(() => {});
      return new DisposableDelegate(() => {});
    },
  });
}

const button = (open: () => Promise<unknown>): ToolbarButton =>
  new ToolbarButton({
    label: "Open as Dask report",
    tooltip: "Show its panels: here the report's own page may run no script",
    onClick: () => void open(),
  });
