// Decides where panels and reports are placed, and which widget stays current.

import type { ILabShell, JupyterFrontEnd } from "@jupyterlab/application";
import type { Widget } from "@lumino/widgets";

/**
 * Notebook 7 shows one document per page: panels go below it, or to the right in 7.2,
 * which has no area below.
 */
export function addAside(
  shell: JupyterFrontEnd["shell"],
  widget: Widget,
): void {
  void shell.add(widget, "down");
  if (!widget.parent) void shell.add(widget, "right");
}

interface Place {
  readonly mode: "split-right" | "split-bottom" | "tab-after";
  readonly ref: string;
}

/** If half of a panel would be smaller than this, the new panel becomes a tab. */
const LEAST_WIDTH_PX = 400;
const LEAST_HEIGHT_PX = 260;

/** A place in half of the largest visible panel, or behind it; null if no panel is visible. */
export function besideLargest(panels: {
  forEach(run: (panel: Widget) => void): void;
}): Place | null {
  const seen: Widget[] = [];
  panels.forEach((panel) => void (panel.isVisible && seen.push(panel)));
  const area = ({ node }: Widget): number =>
    node.clientWidth * node.clientHeight;
  const [largest] = seen.sort((one, other) => area(other) - area(one));
  if (!largest) return null;
  const { clientWidth: width, clientHeight: height } = largest.node;
  const wide = width > height;
  const roomy = wide
    ? width >= 2 * LEAST_WIDTH_PX
    : height >= 2 * LEAST_HEIGHT_PX;
  const mode = wide ? "split-right" : "split-bottom";
  return { mode: roomy ? mode : "tab-after", ref: largest.id };
}

export const besideNotebook = (
  notebook: Widget | undefined,
): Place | { ref: null } =>
  notebook ? { mode: "split-right", ref: notebook.id } : { ref: null };

/**
 * Show a panel, but keep the active notebook current, because the Run menu is disabled
 * while a panel is current. If the panel covers the notebook, the panel stays current.
 */
export async function keepingCurrent(
  shell: ILabShell | null,
  show: () => unknown,
): Promise<void> {
  const current = shell?.currentWidget;
  await show();
  if (current?.isVisible) shell?.activateById(current.id);
}
