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
