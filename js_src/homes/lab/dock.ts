// Where panels and reports are placed, with and without a dock, and which widget stays
// current.

import type { ILabShell, JupyterFrontEnd } from "@jupyterlab/application";
import type { Widget } from "@lumino/widgets";

/**
 * Notebook 7 has one document a page: what is ours lies below, or in 7.2, which has no
 * such place, on the right.
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

/** Halves that are smaller than this are of little use: a panel is a tab instead. */
const LEAST_WIDTH_PX = 400;
const LEAST_HEIGHT_PX = 260;

/** In a half of the largest panel that can be seen, or behind it; null while there is none. */
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
 * Show a panel, and leave the active notebook what menus and keys act on: the Run menu is
 * grey while a panel is current. Where the panel lies over the notebook, the panel stays.
 */
export async function keepingCurrent(
  shell: ILabShell | null,
  show: () => unknown,
): Promise<void> {
  const current = shell?.currentWidget;
  await show();
  if (current?.isVisible) shell?.activateById(current.id);
}
