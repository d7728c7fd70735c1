// Daskscope's files as JupyterLab documents, which a double click opens without a kernel.
// The server sends their bytes when a document is first shown, not when it is created.

import { Dialog, MainAreaWidget, showDialog } from "@jupyterlab/apputils";
import {
  ABCWidgetFactory,
  Base64ModelFactory,
  type DocumentRegistry,
  type IDocumentWidget,
} from "@jupyterlab/docregistry";
import type { Contents } from "@jupyterlab/services";
import type { Message } from "@lumino/messaging";
import { recordingIcon, reportIcon } from "./icons";
import { ReportContent, type ReportFile } from "./report_content";

type Context = DocumentRegistry.Context;

export interface DocumentFile {
  readonly file: ReportFile;
  /** When the file was written, according to the server. */
  readonly lastModified: () => Promise<string>;
  /** Resolves when JupyterLab has restored the layout of the tabs. */
  readonly arranged: Promise<unknown>;
}

/** An empty model, because the content does not go through the contents API. */
const UNREAD = "daskscope-unread";

class UnreadModelFactory extends Base64ModelFactory {
  override get name(): string {
    return UNREAD;
  }

  override get fileFormat(): Contents.FileFormat {
    return null;
  }
}

/**
 * Not a `DocumentWidget`, which renames the file when its tab's title changes: this title
 * is the report's.
 */
export class ReportDocument
  extends MainAreaWidget<ReportContent>
  implements IDocumentWidget<ReportContent>
{
  private modified = "";
  private reportTitle: string | null = null;

  constructor(
    readonly context: Context,
    private readonly document: DocumentFile,
    /** Name of the factory, with which a reload creates the document again. */
    readonly factory: string,
  ) {
    const onTitle = (title: string): void => {
      this.reportTitle = title;
      this.label();
    };
    super({
      content: new ReportContent(document.file, onTitle, document.arranged),
      reveal: context.ready,
    });
    this.toolbar.hide(); // the report has its own
    disableSaving(context);
    this.label();
    context.pathChanged.connect(this.label);
    context.fileChanged.connect(this.onFile);
    void context.ready.then(() => {
      this.modified = context.contentsModel?.last_modified ?? "";
    });
  }

  /** Show the part of the report that a link names. */
  setFragment(fragment: string): void {
    if (fragment) this.content.goTo(fragment);
    this.content.node.focus({ preventScroll: true });
  }

  /** Check for changes: JupyterLab does not notice when a cell rewrites the file. */
  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    if (this.modified === "") return;
    this.document.lastModified().then(
      (last_modified) => this.onFile(this.context, { last_modified }),
      () => {}, // file or server is gone; the shown report stays
    );
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.context.pathChanged.disconnect(this.label);
    this.context.fileChanged.disconnect(this.onFile);
    super.dispose();
  }

  private readonly label = (): void => {
    this.title.label = this.reportTitle ?? nameOf(this.context);
  };

  /** Open the file again if it has changed. */
  private readonly onFile = (
    _: Context,
    { last_modified }: { last_modified?: string },
  ): void => {
    const same = !last_modified || this.modified === last_modified;
    if (same || this.isDisposed) return;
    const first = this.modified === "";
    this.modified = last_modified;
    if (!first) this.content.reopen();
  };
}

/**
 * Keep JupyterLab from saving its model, which is empty here, over the file, and from
 * making a checkpoint of each writable file that is opened.
 */
function disableSaving(context: Context): void {
  const none = { id: "", last_modified: "" };
  context.save = () => Promise.resolve();
  context.createCheckpoint = () => Promise.resolve(none);
  context.saveAs = async () => {
    await showDialog({
      title: "This file cannot be saved under another name",
      body: `To copy ${nameOf(context)}, duplicate it in the file browser or download it.`,
      buttons: [Dialog.okButton()],
    });
    return false;
  };
}

export const nameOf = ({ path }: { path: string }): string =>
  path.split("/").pop() ?? path;

class ReportFactory extends ABCWidgetFactory<ReportDocument> {
  constructor(
    options: DocumentRegistry.IWidgetFactoryOptions<ReportDocument>,
    private readonly fileOf: (context: Context) => DocumentFile,
  ) {
    super(options);
  }

  protected override createNewWidget(context: Context): ReportDocument {
    const widget = new ReportDocument(context, this.fileOf(context), this.name);
    const [type] = this.fileTypes;
    const icon = type === RECORDING_TYPE ? recordingIcon : reportIcon;
    widget.title.icon = icon.bindprops({ stylesheet: "mainAreaTab" });
    return widget;
  }
}

const RECORDING_TYPE = "daskscope";
const REPORT_TYPE = "daskscope-report";
export const RECORDING_FACTORY = "Dask recording";
export const REPORT_FACTORY = "Dask report";

/** Register recordings and reports with JupyterLab; `onNew` is called for each that is opened. */
export function registerDocuments(
  registry: DocumentRegistry,
  fileOf: (context: Context) => DocumentFile,
  onNew: (widget: ReportDocument) => void,
): void {
  registry.addFileType({
    name: RECORDING_TYPE,
    displayName: "Dask recording",
    contentType: "file",
    fileFormat: "base64",
    extensions: [".daskscope"],
    mimeTypes: ["application/x-daskscope"],
    icon: recordingIcon,
  });
  registry.addFileType({
    name: REPORT_TYPE,
    displayName: "Dask report",
    contentType: "file",
    fileFormat: "text",
    extensions: [],
    mimeTypes: ["text/html"],
    pattern: "dask-report.*\\.html?$",
    icon: reportIcon,
  });
  registry.addModelFactory(new UnreadModelFactory(false)); // an empty model need not be shared
  for (const [name, type, others] of [
    [RECORDING_FACTORY, RECORDING_TYPE, []],
    [REPORT_FACTORY, REPORT_TYPE, ["html"]],
  ] as const) {
    const factory = new ReportFactory(
      {
        name,
        modelName: UNREAD,
        fileTypes: [type, ...others],
        defaultFor: [type],
        readOnly: true,
      },
      fileOf,
    );
    factory.widgetCreated.connect((_, widget) => onNew(widget));
    registry.addWidgetFactory(factory);
  }
}
