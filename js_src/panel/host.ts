// What a home (JupyterLab, a widget, a report) supplies to a panel, and what it knows of one.
// A panel never asks which home it is in, only for what it needs.

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
  /** Something is wrong; else it is information, without a colour of alarm. */
  readonly trouble?: boolean;
  readonly title: string;
  readonly text: string;
  /** One line for the status line, such as "Waiting for a client in …". */
  readonly status?: string;
  readonly actions?: readonly PanelAction[];
}

/** One of the sessions, or notebooks, that the user may choose. */
export interface Choice {
  readonly id: string;
  readonly name: string;
  /** Such as "live · 4 workers": a second line, or none. */
  readonly detail: string;
  /** Null where it is no session: no mark. */
  readonly state: State | null;
  /** Tasks finish there just now. */
  readonly active?: boolean;
}

/** Several clients, or several notebooks: which of them this panel shows. */
export interface Chooser {
  readonly sessions: readonly Choice[];
  readonly chosen: string | null;
  choose(id: string): void;
}

/** A recording that is shown elsewhere, or that was opened from a file. */
export interface OtherRecording {
  readonly name: string;
  readonly session: SessionStore;
}

export interface PanelHost {
  /** Lies among cells of a notebook, which must not get the keys that are typed here. */
  readonly inline: boolean;
  /** A kernel is behind it; else what was stored, to which nothing comes any more. */
  readonly live: boolean;
  /** Set while there is no session, or none that can be shown. */
  readonly emptyState: ReadonlySignal<EmptyState | null>;
  /** What its widget was made with in Python: the panel that reads it checks it. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** True where the panel has a place of its own: the plain wheel zooms. */
  readonly capturesWheel: boolean;
  /** False while the home knows that the panel is not visible. */
  readonly visible?: ReadonlySignal<boolean>;
  /** True while the page is laid out for paper. */
  readonly printing?: ReadonlySignal<boolean>;
  readonly chooser?: ReadonlySignal<Chooser | null>;
  /** Ids of the panels that `show` goes to. */
  readonly panels?: readonly string[];
  /** Goes to another panel of the session; missing where there is none. */
  show?(panel: string): void;
  /** The other sessions of the page, to compare with. */
  readonly others?: () => readonly OtherRecording[];
  /** Opens a recording or a report that the person chose; rejects with a coded error. */
  openFile?(file: File): Promise<OtherRecording>;
  /** What goes to a cell of the notebook, by its id; null where that is not open. */
  goToCell?(id: string): (() => void) | null;
  /** Buttons for a notice of the kernel, by its code. */
  actionsFor?(code: string): readonly PanelAction[];
  /**
   * Stores a file for the person; default: the browser's download. False where it may
   * not, and has told the user so.
   */
  save?(name: string, content: Blob): boolean;
}

export interface PanelProps {
  readonly session: ReadonlySignal<SessionStore | null>;
  readonly host: PanelHost;
}

export interface PanelKind {
  /** The same in Python: the `kind` of a `daskscope.Panel`. */
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  /** SVG text, see `panelIcon`. */
  readonly icon: string;
  /** The heading under which the sidebar lists it. */
  readonly group: string;
  /** Names of the tables of a recording that it reads. */
  readonly tables: readonly string[];
  /** Shows the panel in an element; returns what removes it without a trace. */
  mount(element: HTMLElement, props: PanelProps): () => void;
}

/** An icon of 16 by 16; JupyterLab colours it by its classes. */
export const panelIcon = (shapes: string): string =>
  '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">' +
  `<g class="jp-icon3 jp-icon-selectable" fill="#616161">${shapes}</g></svg>`;
