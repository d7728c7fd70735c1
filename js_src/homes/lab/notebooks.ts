// The open notebooks, each with the connection to its kernel.

import type { ISessionContext } from "@jupyterlab/apputils";
import {
  type INotebookTracker,
  NotebookActions,
  type NotebookPanel,
} from "@jupyterlab/notebook";
import type { KernelMessage } from "@jupyterlab/services";
import { type Signal, signal } from "@preact/signals";
import { NotebookKernel } from "./kernel_link";
import { pathInMessage } from "./report_address";

const CLIENT_CODE =
  "from dask.distributed import Client\n\nclient = Client()\nclient";

export class Notebook {
  readonly kernel: NotebookKernel;
  readonly path: Signal<string>;

  constructor(readonly panel: NotebookPanel) {
    const context: ISessionContext = panel.sessionContext;
    this.kernel = new NotebookKernel(context);
    this.path = signal(panel.context.path);
    panel.context.pathChanged.connect((_, path) => {
      this.path.value = path;
    });
  }

  /** File name without its directory. */
  get name(): string {
    return this.path.value.split("/").at(-1) ?? this.path.value;
  }

  /** Return a function that scrolls to a cell and activates it; null if no cell has this id. */
  goToCell(id: string): (() => void) | null {
    const { content } = this.panel;
    const at = content.widgets.findIndex(({ model }) => model.id === id);
    if (id === "" || at < 0) return null;
    return () => {
      const cell = content.widgets[at];
      content.activeCellIndex = at;
      content.mode = "command";
      void content.scrollToCell(cell, "smart");
    };
  }

  /** Insert code for a local cluster below the active cell; the user runs it. */
  insertClientCode(): void {
    const { content } = this.panel;
    NotebookActions.insertBelow(content);
    content.activeCell?.model.sharedModel.setSource(CLIENT_CODE);
    content.activate();
  }
}

export class Notebooks {
  readonly open = signal<readonly Notebook[]>([]);
  /** The notebook that was active last. */
  readonly front = signal<Notebook | null>(null);
  private readonly ranListeners = new Set<(notebook: Notebook) => void>();
  private readonly openListeners = new Set<(path: string) => void>();

  constructor(private readonly tracker: INotebookTracker) {
    tracker.forEach((panel) => this.add(panel));
    tracker.widgetAdded.connect((_, panel) => this.add(panel));
    tracker.currentChanged.connect(() => this.updateFront());
    NotebookActions.executed.connect((_, { notebook }) => {
      const known = this.open
        .peek()
        .find(({ panel }) => panel.content === notebook);
      if (!known) return;
      known.kernel.reconnect(); // the cell may have installed what was missing
      for (const listener of this.ranListeners) listener(known);
    });
    this.updateFront();
  }

  find(path: string): Notebook | undefined {
    return this.open.value.find((notebook) => notebook.path.value === path);
  }

  /** The notebook that contains this element. */
  around(element: Node): Notebook | undefined {
    return this.open.peek().find(({ panel }) => panel.node.contains(element));
  }

  /** Call `listener` after every cell that ran; returns a function that stops this. */
  onRan(listener: (notebook: Notebook) => void): () => void {
    this.ranListeners.add(listener);
    return () => void this.ranListeners.delete(listener);
  }

  /** Call `listener` for every report that a cell, run from this page, asks to open. */
  onAsked(listener: (path: string) => void): void {
    this.openListeners.add(listener);
  }

  private add(panel: NotebookPanel): void {
    const notebook = new Notebook(panel);
    const { sessionContext } = panel;
    sessionContext.iopubMessage.connect((_, message) => {
      const client = sessionContext.session?.kernel?.clientId;
      const { parent_header: parent } = message;
      // Other pages and notebooks with this kernel receive its messages, too.
      if (!("session" in parent) || parent.session !== client) return;
      const path = pathInMessage(message as KernelMessage.IIOPubMessage);
      if (path === null) return;
      for (const listener of this.openListeners) listener(path);
    });
    this.open.value = [...this.open.peek(), notebook];
    panel.disposed.connect(() => {
      this.open.value = this.open.peek().filter((other) => other !== notebook);
      notebook.kernel.dispose();
      this.updateFront();
    });
    this.updateFront();
  }

  private updateFront(): void {
    const panel = this.tracker.currentWidget;
    this.front.value =
      this.open.peek().find((notebook) => notebook.panel === panel) ?? null;
  }
}
