// Icons of the sidebar, its tabs and the panels' tabs, in the host's colours.

import { LabIcon } from "@jupyterlab/ui-components";
import { panelIcon, type PanelKind } from "../../panel/host";
import { PANELS } from "../../panels";
import { TASK_STREAM } from "../../panels/task_stream";

const icon = (name: string, shapes: string): LabIcon =>
  new LabIcon({ name: `daskscope:${name}`, svgstr: panelIcon(shapes) });

const ofPanels = new Map(
  PANELS.map(({ id, icon: svgstr }) => [
    id,
    new LabIcon({ name: `daskscope:${id}`, svgstr }),
  ]),
);

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

/** The icon of a panel, which its tab and the sidebar show. */
export const kindIcon = ({ id }: PanelKind): LabIcon => ofPanels.get(id)!;

/** The icon of the extension. */
export const daskscopeIcon = kindIcon(TASK_STREAM);
