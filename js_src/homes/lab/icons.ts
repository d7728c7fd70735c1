// Icons of the sidebar, its tabs and the panels' tabs, in the host's colours.

import { LabIcon } from "@jupyterlab/ui-components";

function icon(name: string, shapes: string): LabIcon {
  return new LabIcon({
    name: `daskscope:${name}`,
    svgstr:
      '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">' +
      `<g class="jp-icon3" fill="#616161">${shapes}</g></svg>`,
  });
}

/** Rows of tasks: also the sign of the whole extension. */
export const taskStreamIcon = icon(
  "task-stream",
  '<path d="M1 2h6v3H1zM8 2h4v3H8zM3 6.5h4v3H3zM8 6.5h7v3H8zM1 11h3v3H1zM5 11h7v3H5z"/>',
);
