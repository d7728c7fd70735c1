// Finds reports under any name. JupyterLab chooses a viewer by the name of a file, and
// its HTML viewer runs no scripts, so this looks for a report in the content.

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
 * Replace the HTML viewer that JupyterLab opened for a report. A viewer that the user chose,
 * or that a reload restored, stays and gets a button.
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
    // An open viewer is only shown again: the choice must not apply to the next one.
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
      // JupyterLab reports a failure itself, and the viewer stays.
      void context.ready.then(onReady).catch(() => {});
      return new DisposableDelegate(() => {});
    },
  });
}

const button = (open: () => Promise<unknown>): ToolbarButton =>
  new ToolbarButton({
    label: "Open as Dask report",
    tooltip: "Show its panels: scripts are disabled in this preview",
    onClick: () => void open(),
  });
