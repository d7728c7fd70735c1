// The contract of panels: what every home (JupyterLab, a widget, a report) knows of one.

import type { ReadonlySignal } from "@preact/signals";
import type { SessionStore } from "../session";
import type { PanelHost } from "./host";

export interface PanelProps {
  readonly session: ReadonlySignal<SessionStore | null>;
  readonly host: PanelHost;
}

export interface PanelKind {
  /** The same in Python: the `kind` of a `daskscope.Panel`. */
  readonly id: string;
  readonly title: string;
  /** What it shows, in a few words. */
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
