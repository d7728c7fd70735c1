// Where panels and reports go in a shell that has no dock.

import type { JupyterFrontEnd } from "@jupyterlab/application";
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
