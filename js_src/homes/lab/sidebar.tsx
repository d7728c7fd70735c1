// The sidebar "Daskscope": clients, panels to open or drag out, and reports.

import type { LabIcon } from "@jupyterlab/ui-components";
import type { ReadonlySignal } from "@preact/signals";
import { MimeData } from "@lumino/coreutils";
import { Drag } from "@lumino/dragdrop";
import type { Message } from "@lumino/messaging";
import { Widget } from "@lumino/widgets";
import { type ComponentChildren, type JSX, render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { PanelKind } from "../../panel/host";
import { PANELS } from "../../panels";
import { ClusterList } from "./cluster_list";
import type { Clusters } from "./clusters";
import { daskscopeIcon, kindIcon } from "./icons";
import type { Library } from "./library";
import type { Notebooks } from "./notebooks";
import type { LibraryActions } from "./reports";
import { ReportsSection } from "./reports_section";

export interface SidebarProps {
  readonly notebooks: Notebooks;
  readonly library: Library;
  readonly reports: LibraryActions;
  /** Ids of the kinds of panels that are open. */
  readonly openKinds: ReadonlySignal<ReadonlySet<string>>;
  /** The setting: look for clients while the sidebar or a panel is open. */
  readonly detectClients: ReadonlySignal<boolean>;
  /** Create a panel that a drop places. */
  create(kind: PanelKind): Widget;
  /** Called when a drag begins; the current widget stays current after the drop. */
  dropping(dropped: Promise<void>): void;
  /** Open a panel beside the active notebook, or show an open one. */
  open(kind: PanelKind): void;
  /** Open a task stream of a client, or show an open one. */
  openClient(path: string, session: string): void;
}

function Section(props: {
  title: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <details class="ds-side-section" open>
      <summary>{props.title}</summary>
      {props.children}
    </details>
  );
}

function Icon(props: { icon: LabIcon }): JSX.Element {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (place.current) props.icon.element({ container: place.current });
  }, [props.icon]);
  return <span class="ds-item-icon" aria-hidden="true" ref={place} />;
}

function PanelItem(props: {
  kind: PanelKind;
  side: SidebarProps;
}): JSX.Element {
  const { kind, side } = props;
  const dragged = useRef(false);
  const isOpen = side.openKinds.value.has(kind.id);
  return (
    <button
      type="button"
      class="ds-item"
      data-panel={kind.id}
      title="Click to open it, or drag it into place"
      onPointerDown={(event) => {
        dragged.current = false;
        dragOnMove(
          event,
          kind.title,
          () => side.create(kind),
          (dropped) => {
            dragged.current = true;
            side.dropping(dropped);
          },
        );
      }}
      onClick={() => {
        if (!dragged.current) side.open(kind);
      }}
    >
      <Icon icon={kindIcon(kind)} />
      <span class="ds-item-text">
        <span class="ds-item-title">{kind.title}</span>
        <span class="ds-item-caption">{kind.caption}</span>
      </span>
      {isOpen && <span class="ds-item-open">open</span>}
    </button>
  );
}

function PanelList(props: { side: SidebarProps }): JSX.Element {
  const groups = [...new Set(PANELS.map(({ group }) => group))];
  return (
    <>
      {groups.map((group) => (
        <div key={group} role="group" aria-label={group}>
          <div class="ds-side-group">{group}</div>
          {PANELS.filter((kind) => kind.group === group).map((kind) => (
            <PanelItem key={kind.id} kind={kind} side={props.side} />
          ))}
        </div>
      ))}
    </>
  );
}

function SidebarView(props: { side: SidebarProps }): JSX.Element {
  const { side } = props;
  return (
    <>
      <Section title="Clusters">
        <ClusterList
          notebooks={side.notebooks}
          openClient={(path, session) => side.openClient(path, session)}
          // An open panel connects to its kernel, whatever the setting is.
          detects={side.detectClients.value || side.openKinds.value.size > 0}
        />
      </Section>
      <Section title="Panels">
        <PanelList side={side} />
      </Section>
      <ReportsSection library={side.library} {...side.reports} />
    </>
  );
}

const WIDGET_FACTORY = "application/vnd.lumino.widget-factory";
/** A shorter movement is a click with an unsteady hand. */
const THRESHOLD_PX = 5;

function dragImage(label: string): HTMLElement {
  const image = document.createElement("div");
  image.className = "ds-drag-image";
  image.textContent = label;
  return image;
}

/**
 * Begin a drag when the pointer leaves the place where it was pressed. `onDrag` gets the
 * pending drop before the click event, which callers must ignore.
 */
function dragOnMove(
  press: PointerEvent,
  label: string,
  factory: () => Widget,
  onDrag: (dropped: Promise<void>) => void,
): void {
  if (press.button !== 0) return;
  const stop = () => {
    document.removeEventListener("pointermove", move, true);
    document.removeEventListener("pointerup", stop, true);
    document.removeEventListener("pointercancel", stop, true);
  };
  const move = (event: PointerEvent) => {
    const [dx, dy] = [
      event.clientX - press.clientX,
      event.clientY - press.clientY,
    ];
    if (Math.hypot(dx, dy) < THRESHOLD_PX) return;
    stop();
    const mimeData = new MimeData();
    mimeData.setData(WIDGET_FACTORY, factory);
    const drag = new Drag({
      mimeData,
      dragImage: dragImage(label),
      supportedActions: "copy",
      proposedAction: "copy",
    });
    onDrag(drag.start(event.clientX, event.clientY).then(() => drag.dispose()));
  };
  document.addEventListener("pointermove", move, true);
  document.addEventListener("pointerup", stop, true);
  document.addEventListener("pointercancel", stop, true);
}

export class Sidebar extends Widget {
  constructor(
    private readonly side: SidebarProps,
    private readonly clusters: Clusters,
  ) {
    super();
    this.id = "daskscope-sidebar";
    this.title.icon = daskscopeIcon;
    this.title.caption = "Daskscope";
    this.addClass("ds-root");
    this.addClass("ds-sidebar");
    this.node.setAttribute("role", "region");
    this.node.setAttribute("aria-label", "Daskscope");
    render(<SidebarView side={side} />, this.node);
  }

  override dispose(): void {
    if (this.isDisposed) return;
    render(null, this.node);
    this.clusters.dispose();
    this.side.library.dispose();
    super.dispose();
  }

  protected override onAfterShow(_: Message): void {
    this.setVisible(true);
  }

  protected override onAfterAttach(_: Message): void {
    this.setVisible(this.isVisible);
  }

  protected override onBeforeHide(_: Message): void {
    this.setVisible(false);
  }

  private setVisible(visible: boolean): void {
    this.clusters.setVisible(visible);
    this.side.library.setVisible(visible);
  }
}
