// Reports and recordings in JupyterLab: as documents of the file browser, from the card
// of a cell, and from the library. Only wiring.

import type {
  ILabShell,
  ILayoutRestorer,
  IRouter,
  JupyterFrontEnd,
} from "@jupyterlab/application";
import {
  Dialog,
  Notification,
  showDialog,
  WidgetTracker,
} from "@jupyterlab/apputils";
import { toFragment } from "../report/fragment";
import { isRecordingName } from "../report/lab_address";
import type { LibrarySource } from "./library";
import { type LibraryEntry, titleOf } from "./library_entries";
import { LibraryTabs } from "./library_tabs";
import type { Notebooks } from "./notebooks";
import { detectReports } from "./report_detection";
import {
  addressOf,
  pathInClick,
  OPEN_REPORT,
  openByAddress,
} from "./report_address";
import {
  nameOf,
  RECORDING_FACTORY,
  registerDocuments,
  REPORT_FACTORY,
  ReportDocument,
} from "./report_document";
import { fetchFile } from "./server_file";

/** What the sidebar can do with a report of the library. */
export interface LibraryActions {
  /** Open a report that a kernel listed. */
  open(report: LibraryEntry, source: LibrarySource): void;
  linkOf(report: LibraryEntry): string;
  confirmDelete(report: LibraryEntry): Promise<boolean>;
}

export function setUpReports(
  app: JupyterFrontEnd,
  labShell: ILabShell | null,
  restorer: ILayoutRestorer | null,
  router: IRouter | null,
  notebooks: Notebooks,
): LibraryActions {
  const { contents, serverSettings } = app.serviceManager;
  const linkTo = (path: string): string | null =>
    addressOf(contents, serverSettings.baseUrl, path);

  const tracker = new WidgetTracker<ReportDocument>({
    namespace: "daskscope-reports",
  });
  registerDocuments(
    app.docRegistry,
    (context) => ({
      file: {
        name: () => nameOf(context),
        fetch: (signal) =>
          fetchFile(contents, serverSettings, context.path, signal),
        link: (place) => {
          const address = linkTo(context.path);
          return address && `${address}#${toFragment(place)}`;
        },
      },
      lastModified: async () => {
        const model = await contents.get(context.path, { content: false });
        return model.last_modified;
      },
      arranged: app.restored,
    }),
    (widget) => {
      void tracker.add(widget);
      widget.context.pathChanged.connect(() => void tracker.save(widget));
    },
  );
  void restorer?.restore(tracker, {
    command: "docmanager:open",
    args: (widget) => ({
      path: widget.context.path,
      factory: widget.factory,
    }),
    name: (widget) => `${widget.factory}:${widget.context.path}`,
  });

  app.commands.addCommand(OPEN_REPORT, {
    label: "Open a Dask report",
    caption: "Open the panels of a report or a recording, without a kernel",
    execute: async ({ path, fragment }) => {
      if (typeof path !== "string" || path === "") {
        throw new Error("daskscope:open-report needs the path of a file");
      }
      const factory = isRecordingName(path)
        ? RECORDING_FACTORY
        : REPORT_FACTORY;
      const open = { path, factory };
      const widget: unknown = await app.commands.execute(
        "docmanager:open",
        open,
      );
      if (widget instanceof ReportDocument && typeof fragment === "string") {
        widget.setFragment(fragment);
      }
      return widget;
    },
  });
  if (router) {
    openByAddress(app, router, (text) =>
      Notification.warning(text, { autoClose: false }),
    );
  }
  if (labShell) detectReports(app); // elsewhere each file has its own page
  const tabs = new LibraryTabs(app, labShell);
  const openPath = (path: string) =>
    void app.commands.execute(OPEN_REPORT, { path });
  notebooks.onAsked(openPath);
  // Runs before JupyterLab's handler of links, which uses only the default factory.
  app.shell.node.addEventListener(
    "click",
    (event) => {
      const path = pathInClick(event);
      if (path === null) return;
      event.preventDefault();
      event.stopPropagation();
      openPath(path);
    },
    true,
  );

  return {
    open(report, source) {
      if (report.path !== null) openPath(report.path);
      else tabs.show(report, source);
    },
    linkOf: ({ path, url }) => (path === null ? null : linkTo(path)) ?? url,
    async confirmDelete(report) {
      const { button } = await showDialog({
        title: `Delete this ${report.kind}?`,
        body: `The library's copy of “${titleOf(report)}” (${report.filename}) is deleted. The original file is kept.`,
        buttons: [
          Dialog.cancelButton(),
          Dialog.warnButton({ label: "Delete" }),
        ],
        defaultButton: 0,
      });
      return button.accept;
    },
  };
}
