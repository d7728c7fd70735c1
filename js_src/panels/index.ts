// The only list of panels: the sidebar, widgets and reports show them in this order. A few
// exist only as widgets.

import type { PanelKind } from "../panel/host";
import { EVENTS } from "./events";
import { FINE_METRICS } from "./fine_metrics";
import { LOGS } from "./logs";
import { MEMORY } from "./memory";
import { MEMORY_PLOT } from "./memory_plot";
import { PROFILE } from "./profile";
import { SPANS } from "./spans";
import { SUMMARY } from "./summary";
import { SYSTEM } from "./system";
import { TASK_STREAM } from "./task_stream";

export const PANELS: readonly [PanelKind, ...PanelKind[]] = [
  SUMMARY,
  TASK_STREAM,
  SPANS,
  MEMORY,
  FINE_METRICS,
  PROFILE,
  EVENTS,
  LOGS,
  SYSTEM,
];

/** What they show is no session: only Python makes them. */
const WIDGETS: readonly PanelKind[] = [MEMORY_PLOT];

export function widgetKind(id: string): PanelKind | undefined {
  return panelKind(id) ?? WIDGETS.find((kind) => kind.id === id);
}

export function panelKind(id: string): PanelKind | undefined {
  return PANELS.find((kind) => kind.id === id);
}
