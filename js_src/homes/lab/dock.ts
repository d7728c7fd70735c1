// Where panels and reports go in a shell that has no dock, and what is current in one that has.

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

type Place = { mode: "split-right" | "split-bottom"; ref: string };

/** In a half of the largest panel that can be seen; null while there is none. */
export function besideLargest(panels: {
  forEach(run: (panel: Widget) => void): void;
}): Place | null {
  let largest: { panel: Widget; width: number; height: number } | null = null;
  panels.forEach((panel) => {
    const { clientWidth: width, clientHeight: height } = panel.node;
    const area = largest ? largest.width * largest.height : 0;
    if (panel.isVisible && width * height > area) {
      largest = { panel, width, height };
    }
  });
  if (!largest) return null;
  const { panel, width, height } = largest as {
    panel: Widget;
    width: number;
    height: number;
  };
  const mode = width > height ? "split-right" : "split-bottom";
  return { mode, ref: panel.id };
}

export const besideNotebook = (
  notebook: Widget | undefined,
): Place | { ref: null } =>
  notebook ? { mode: "split-right", ref: notebook.id } : { ref: null };

/**
 * Show a panel, and leave the notebook in front what menus and keys act on: the Run menu is
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
