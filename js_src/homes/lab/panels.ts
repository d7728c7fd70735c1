// The panels that a person can open: one entry each. To add a panel, add its
// view here (CONTRIBUTING.md shows the whole way).

import type { LabIcon } from "@jupyterlab/ui-components";
import type { ReadonlySignal } from "@preact/signals";
import type { SessionStore } from "../../session";
import type { PanelHost } from "../../panel/host";
import { mountTaskStream } from "../../panels/task_stream";
import { taskStreamIcon } from "./icons";

export interface PanelKind {
  readonly id: string;
  readonly title: string;
  /** What one learns from it, in a few words. */
  readonly caption: string;
  readonly group: string;
  readonly icon: LabIcon;
  mount(
    element: HTMLElement,
    props: { session: ReadonlySignal<SessionStore | null>; host: PanelHost },
  ): () => void;
}

export const PANELS: readonly PanelKind[] = [
  {
    id: "task-stream",
    title: "Task stream",
    caption: "every task on every thread",
    group: "Tasks",
    icon: taskStreamIcon,
    mount: mountTaskStream,
  },
];

export function panelKind(id: string): PanelKind | undefined {
  return PANELS.find((kind) => kind.id === id);
}
