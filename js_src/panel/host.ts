// The interface between a host (JupyterLab, a widget, a report) and a panel. A panel must not
// check which host it is in, only whether a feature is available.

import type { ReadonlySignal } from "@preact/signals";
import type { State } from "../schema";
import type { SessionStore } from "../session/session";

export interface PanelAction {
  readonly label: string;
  readonly primary?: boolean;
  readonly run: () => void;
}

/**
 * Why a panel has nothing to show, and the next step. In `text`, parts between
 * back-ticks are shown as code; nothing else is markup.
 */
export interface EmptyState {
  readonly state: "no-client" | "waiting" | "stopped";
  /** Whether this is a problem, shown in a warning colour, or only information. */
  readonly trouble?: boolean;
  readonly title: string;
  readonly text: string;
  /** One line for the status line, such as "Waiting for a client in …". */
  readonly status?: string;
  readonly actions?: readonly PanelAction[];
}

/** One of the sessions or notebooks that the user can choose. */
export interface Choice {
  readonly id: string;
  readonly name: string;
  /** A second line, such as "live · 4 workers"; may be empty. */
  readonly detail: string;
  /** Null if this is not a session; then no mark is shown. */
  readonly state: State | null;
  /** Tasks are currently finishing there. */
  readonly active?: boolean;
}

/** Lets the user choose between several clients or notebooks. */
export interface Chooser {
  readonly sessions: readonly Choice[];
  readonly chosen: string | null;
  choose(id: string): void;
}

/** A recording from another panel or from a file. */
export interface OtherRecording {
  readonly name: string;
  readonly session: SessionStore;
}

export interface PanelHost {
  /** The panel is inside a notebook cell; the notebook must not receive its key events. */
  readonly inline: boolean;
  /** Connected to a kernel; if false, data come from a file, and none are added. */
  readonly live: boolean;
  /** Set while there is no session that can be shown. */
  readonly emptyState: ReadonlySignal<EmptyState | null>;
  /** Options of the widget from Python, unchecked: panels must validate them. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** True if the panel fills its own tab: then the plain wheel zooms. */
  readonly capturesWheel: boolean;
  /** False while the host knows that the panel is not visible. */
  readonly visible?: ReadonlySignal<boolean>;
  /** True while the page is laid out for paper. */
  readonly printing?: ReadonlySignal<boolean>;
  readonly chooser?: ReadonlySignal<Chooser | null>;
  /** Ids of the panels that `show` accepts. */
  readonly panels?: readonly string[];
  /** Shows another panel of the session; missing if there are no others. */
  show?(panel: string): void;
  /** The other sessions on this page, for comparison. */
  readonly others?: () => readonly OtherRecording[];
  /** Opens a recording or report chosen by the user; rejects with a coded error. */
  openFile?(file: File): Promise<OtherRecording>;
  /** Returns an action that shows a notebook cell; null if the notebook is not open. */
  goToCell?(id: string): (() => void) | null;
  /** Buttons for a notice from the kernel, by its code. */
  actionsFor?(code: string): readonly PanelAction[];
  /**
   * Saves a file; default: a browser download. Returns false if that is not possible; the
   * host then shows the reason.
   */
  save?(name: string, content: Blob): boolean;
}

export interface PanelProps {
  readonly session: ReadonlySignal<SessionStore | null>;
  readonly host: PanelHost;
}

export interface PanelKind {
  /** Equal to the `kind` of a `daskscope.Panel` in Python. */
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  /** SVG text, see `panelIcon`. */
  readonly icon: string;
  /** The heading under which the sidebar lists it. */
  readonly group: string;
  /** The tables of a recording that the panel reads. */
  readonly tables: readonly string[];
  /** Shows the panel in an element; returns a function that removes it completely. */
  mount(element: HTMLElement, props: PanelProps): () => void;
}

/** An icon of 16 × 16 px; JupyterLab sets its colour through the classes. */
export const panelIcon = (shapes: string): string =>
  '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">' +
  `<g class="jp-icon3 jp-icon-selectable" fill="#616161">${shapes}</g></svg>`;
