// The only list of panels: the sidebar, widgets and reports show what is in it, in this
// order.

import type { PanelKind } from "../panel/host";
import { EVENTS } from "./events";
import { LOGS } from "./logs";
import { MEMORY } from "./memory";
import { SUMMARY } from "./summary";
import { SYSTEM } from "./system";
import { TASK_STREAM } from "./task_stream";

export const PANELS: readonly [PanelKind, ...PanelKind[]] = [
  SUMMARY,
  TASK_STREAM,
  MEMORY,
  EVENTS,
  LOGS,
  SYSTEM,
];

export function panelKind(id: string): PanelKind | undefined {
  return PANELS.find((kind) => kind.id === id);
}
