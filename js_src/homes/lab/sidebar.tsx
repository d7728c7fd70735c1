// The sidebar "Daskscope": which clients there are, and the panels to drag out.

import type { LabIcon } from "@jupyterlab/ui-components";
import { type ReadonlySignal } from "@preact/signals";
import type { Message } from "@lumino/messaging";
import { Widget } from "@lumino/widgets";
import { type ComponentChildren, type JSX, render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { plural } from "../../base/format";
import type { SessionEntry } from "../../wire";
import { activity, distinctNames } from "./choices";
import type { Clusters } from "./clusters";
import { dragOnMove } from "./drag";
import { taskStreamIcon } from "./icons";
import { kernelRows } from "./kernel_rows";
import type { Library } from "./library";
import type { Notebooks } from "./notebooks";
import { type PanelKind, PANELS } from "./panels";
import type { LibraryActions } from "./reports";
import { ReportsSection } from "./reports_section";

export interface SidebarProps {
  readonly notebooks: Notebooks;
  readonly library: Library;
  readonly reports: LibraryActions;
  /** Ids of the kinds of panels that are open. */
  readonly openKinds: ReadonlySignal<ReadonlySet<string>>;
  /** Make a panel, to be put somewhere by a drop. */
  create(kind: PanelKind): Widget;
  /** Open a panel beside the notebook in front, or show the one that is there. */
  open(kind: PanelKind): void;
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

function Client(props: {
  session: SessionEntry;
  name: string;
  notebooks: string;
}): JSX.Element {
  const { address, state, workers, threads, active } = props.session;
  return (
    <li class={`ds-client ds-client-${state}`}>
      <div class="ds-client-head">
        <span
          class={active ? "ds-client-mark ds-active" : "ds-client-mark"}
          aria-hidden="true"
        />
        <span class="ds-client-name">{props.name}</span>
        <span class="ds-client-state">
          {state === "no-client" ? "no client" : state}
        </span>
      </div>
      <div class="ds-client-fact" title={address}>
        {props.notebooks}, {address}
      </div>
      <div class="ds-client-fact">
        {plural(workers, "worker")} · {plural(threads, "thread")}
        {activity(props.session)}
      </div>
    </li>
  );
}

function ClusterList(props: { notebooks: Notebooks }): JSX.Element {
  const rows = kernelRows(props.notebooks.open.value);
  const entries = rows.flatMap(({ key, notebooks, sessions, note }) => {
    const names = distinctNames(sessions);
    if (note === null) {
      return sessions.map((session) => (
        <Client
          key={`${key} ${session.id}`}
          session={session}
          name={names.get(session.id)!}
          notebooks={notebooks}
        />
      ));
    }
    return [
      <li key={key} class="ds-client">
        <div class="ds-client-note">
          {notebooks}: {note}
        </div>
      </li>,
    ];
  });
  if (entries.length > 0) return <ul class="ds-clients">{entries}</ul>;
  return (
    <p class="ds-side-note">
      No Dask client in the open notebooks. Run <code>Client()</code> in one and
      it appears here.
    </p>
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
      title="Drag it to any place, or click to open it"
      onPointerDown={(event) => {
        dragged.current = false;
        dragOnMove(
          event,
          kind.title,
          () => side.create(kind),
          () => (dragged.current = true),
        );
      }}
      onClick={() => {
        if (!dragged.current) side.open(kind);
      }}
    >
      <Icon icon={kind.icon} />
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
  return (
    <>
      <Section title="Clusters">
        <ClusterList notebooks={props.side.notebooks} />
      </Section>
      <Section title="Panels">
        <PanelList side={props.side} />
      </Section>
      <ReportsSection library={props.side.library} {...props.side.reports} />
    </>
  );
}

export class Sidebar extends Widget {
  constructor(
    private readonly side: SidebarProps,
    private readonly clusters: Clusters,
  ) {
    super();
    this.id = "daskscope-sidebar";
    this.title.icon = taskStreamIcon;
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
