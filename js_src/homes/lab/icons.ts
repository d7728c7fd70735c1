// Icons of the sidebar, its tabs and the panels' tabs, in the host's colours.

import { LabIcon } from "@jupyterlab/ui-components";

function icon(name: string, shapes: string): LabIcon {
  return new LabIcon({
    name: `daskscope:${name}`,
    svgstr:
      '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">' +
      `<g class="jp-icon3 jp-icon-selectable" fill="#616161">${shapes}</g></svg>`,
  });
}

/** A sheet, with rows of tasks on it. */
export const reportIcon = icon(
  "report",
  '<path d="M3 1h7l3 3v11H3zM4.2 2.2v11.6h7.6V4.6H9.4V2.2z"/><path d="M5.4 6.4h3v1.3h-3zM7.2 8.6h3.4v1.3H7.2zM5.4 10.8h4.2v1.3H5.4z"/>',
);

/** Rows of tasks in a frame. */
export const recordingIcon = icon(
  "recording",
  '<path d="M1 2h14v12H1zM2.2 3.2v9.6h11.6V3.2z"/><path d="M3.4 4.8h4v1.6h-4zM6.4 7.4h6.2v1.6H6.4zM4.4 10h5v1.6h-5z"/>',
);

/** Rows of tasks: also the sign of the whole extension. */
export const taskStreamIcon = icon(
  "task-stream",
  '<path d="M1 2h6v3H1zM8 2h4v3H8zM3 6.5h4v3H3zM8 6.5h7v3H8zM1 11h3v3H1zM5 11h7v3H5z"/>',
);
