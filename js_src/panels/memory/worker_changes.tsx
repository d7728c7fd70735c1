// Changes of workers, as marks above the memory chart and as a list.

import type { JSX } from "preact";
import { formatMoment } from "../../base/format";
import type { PanelView } from "../../panel/panel_view";
import { AndMore, Part, Table } from "../../panel/parts";
import { actionRgb } from "../../panel/pixel_colours";
import type { NameOf } from "../../panel/worker_groups";
import { type WorkerItem, workerItems } from "../../panel/worker_marks";
import { rowsOf, type TableView } from "../../session/tables";
import type { MarkRow } from "../../timeline/marks";
import type { PlotArea } from "../../timeline/time_plot";
import { timeShown } from "./data";

/** Height of the row of marks above the plot. */
export const MARKS_PX = 26;

/** Changes of the workers in focus; here it is no problem that a worker left. */
export function changesIn(
  changes: TableView<"workers">,
  nameOf: NameOf,
  only: readonly string[],
): WorkerItem[] {
  const rows = rowsOf(changes, "time").filter(
    ({ worker }) => only.length === 0 || worker === "" || only.includes(worker),
  );
  return workerItems(rows, nameOf).map((item) =>
    item.what === "left" ? { ...item, level: "info" } : item,
  );
}

/** States that continue are drawn up to the present. */
export function paintChanges(
  area: PlotArea,
  row: MarkRow<WorkerItem>,
  present: number,
): void {
  const { context, pixelRatio, left, width, top } = area;
  context.save();
  context.beginPath();
  context.rect(left, 0, Math.min(width, area.x(present) - left), top);
  context.clip();
  row.paint(area, top - 12 * pixelRatio, actionRgb("disk", area.theme));
  context.restore();
}

const LISTED = 8;

export function EventTable(props: {
  view: PanelView;
  all: readonly WorkerItem[];
}): JSX.Element | null {
  const { view } = props;
  const [start, stop] = timeShown(view);
  const shown = props.all.filter(
    (one) => one.start <= stop && one.stop >= start,
  );
  if (shown.length === 0) return null;
  const listed = shown.slice(-LISTED);
  return (
    <Part title="Events">
      <Table
        label="What happened to workers"
        columns={[{ name: "Time", class: "ds-number" }, "What happened"]}
      >
        {listed.map((one) => (
          <tr>
            <td class="ds-number">
              {formatMoment(one.start - view.origin.value, 2)}
            </td>
            <td class={one.level === "warn" ? "ds-warn" : ""}>
              {one.text}
              {one.stop > one.start && Number.isFinite(one.stop)
                ? ` until ${formatMoment(one.stop - view.origin.value, 2)}`
                : ""}
            </td>
          </tr>
        ))}
      </Table>
      <AndMore count={shown.length - listed.length} />
    </Part>
  );
}
