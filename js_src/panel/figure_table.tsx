// Figures of line charts as a table, for users who cannot see a chart or use a pointer.

import type { JSX } from "preact";
import { extremesOf } from "../derive/series";
import type { Line } from "./line_chart";
import type { PanelView } from "./panel_view";
import { Table } from "./parts";

export function FigureTable(props: {
  view: PanelView;
  caption: string;
  rows: readonly {
    name: string;
    line: Pick<Line, "series">;
    format: (value: number) => string;
    /** Format of the mean, which may be fractional even for counts. */
    formatMean?: (value: number) => string;
  }[];
}): JSX.Element {
  const { view } = props;
  const { time } = view.focus.value;
  const [start, stop] = time ?? view.range.value;
  const zoomed = view.timeline.anchor.value !== "whole";
  const shown = zoomed ? "in the time shown" : "in the whole run";
  return (
    <Table
      class="ds-numbers"
      caption={`${props.caption}, ${time ? "in the time selected" : shown}`}
      columns={["Figure", "Min", "Mean", "Max"]}
    >
      {props.rows.map(({ name, line, format, formatMean = format }) => {
        const { least, mean, most } = extremesOf(line.series, start, stop);
        return (
          <tr>
            <th scope="row">{name}</th>
            <td>{format(least)}</td>
            <td>{formatMean(mean)}</td>
            <td>{format(most)}</td>
          </tr>
        );
      })}
    </Table>
  );
}
