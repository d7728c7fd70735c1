// A panel in the dock: the Lumino widget around a view.

import { MainAreaWidget } from "@jupyterlab/apputils";
import { effect, type ReadonlySignal } from "@preact/signals";
import type { Message } from "@lumino/messaging";
import { Widget } from "@lumino/widgets";
import type { PanelHost, PanelKind } from "../../panel/host";
import { PANELS } from "../../panels";
import { thePage } from "../../session/page";
import { openOther } from "../report/report_file";
import type { Binding } from "./binding";
import { kindIcon } from "./icons";
import type { Notebook } from "./notebooks";

class PanelContent extends Widget {
  private unmount: (() => void) | null = null;

  constructor(
    private readonly kind: PanelKind,
    private readonly binding: Binding,
    private readonly host: PanelHost,
  ) {
    super();
    this.addClass("ds-lab-panel");
    this.node.tabIndex = -1;
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.unmount?.();
    this.unmount = null;
    this.binding.dispose();
    super.dispose();
  }

  /** Mount when attached, because a view measures its element; a move keeps the view. */
  protected override onAfterAttach(_: Message): void {
    const { session } = this.binding;
    const { host } = this;
    this.unmount ??= this.kind.mount(this.node, { session, host });
  }

  protected override onActivateRequest(_: Message): void {
    const inner = this.node.querySelector<HTMLElement>("[tabindex='0']");
    (inner ?? this.node).focus({ preventScroll: true });
  }
}

/** What a reload needs to restore a panel. */
export interface PanelArgs {
  readonly panel: string;
  readonly id: string;
  readonly notebook: string | null;
  /** Whether the user chose that notebook; otherwise the panel follows the active one. */
  readonly chosen: boolean;
}

export class PanelWidget extends MainAreaWidget<PanelContent> {
  private readonly stopTitle: () => void;

  constructor(
    readonly kind: PanelKind,
    readonly binding: Binding,
    id: string,
    wheelZooms: ReadonlySignal<boolean>,
    /** Shows another panel of the same session. */
    show: (panel: string, from: PanelWidget) => void,
    /** Brings a notebook to the front. */
    reveal: (notebook: Notebook) => void,
  ) {
    super({
      content: new PanelContent(kind, binding, {
        inline: false,
        live: true,
        emptyState: binding.emptyState,
        chooser: binding.chooser,
        get capturesWheel() {
          return wheelZooms.value;
        },
        panels: PANELS.map((one) => one.id),
        show: (panel) => show(panel, this),
        others: () => thePage().beside(binding.session.peek()),
        openFile: openOther,
        goToCell(id) {
          const notebook = binding.notebook.peek();
          const go = notebook?.goToCell(id);
          if (!notebook || !go) return null;
          return () => {
            reveal(notebook);
            go();
          };
        },
      }),
    });
    this.id = id;
    this.toolbar.hide(); // the view has its own
    this.title.label = kind.title;
    this.title.icon = kindIcon(kind).bindprops({ stylesheet: "mainAreaTab" });
    this.title.closable = true;
    // A tab's menu finds its panel by this id, which JupyterLab does not set on widgets
    // that are dropped into the dock.
    this.title.dataset = { id };
    this.stopTitle = effect(() => {
      const path = binding.path.value;
      this.title.caption = path ? `${kind.title} of ${path}` : kind.title;
    });
  }

  get args(): PanelArgs {
    const { kind, id, binding } = this;
    const notebook = binding.path.peek();
    return { panel: kind.id, id, notebook, chosen: binding.chosen.peek() };
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.stopTitle();
    super.dispose();
  }
}
