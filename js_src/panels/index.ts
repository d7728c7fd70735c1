// The only list of panels: the sidebar, widgets and reports show what is in it.

import type { PanelKind } from "../panel/kind";
import { TASK_STREAM } from "./task_stream";

export const PANELS: readonly [PanelKind, ...PanelKind[]] = [TASK_STREAM];

export function panelKind(id: string): PanelKind | undefined {
  return PANELS.find((kind) => kind.id === id);
}
