// A chart of lines over time: its title, what its lines are worth at the crosshair or
// at most, and the lines.

import type { JSX } from "preact";
import { formatMoment } from "../base/format";
import type { PanelView } from "./panel_view";
import { TimeChart } from "./time_chart";
import { valueAxis, type ValueKind } from "./value_axis";
import { fillCss, paintLine, type LineLook } from "./line_painter";
import { extremesOf, type Series, valueAt } from "../derive/series";

export interface Line {
  readonly name: string;
  readonly series: Series;
  readonly look: LineLook;
}

export function LineChart(props: {
  view: PanelView;
  title: string;
  detail?: string;
  kind: ValueKind;
  lines: readonly Line[];
  format: (value: number) => string;
  height_px: number;
}): JSX.Element {
  const { view, lines, kind, format } = props;
  const [start, stop] = view.range.value;
  const most = Math.max(
    0,
    ...lines.map(({ series }) => extremesOf(series, start, stop).most || 0),
  );
  const axis = valueAxis(kind, most);
  return (
    <section class="ds-part">
      <header class="ds-part-head">
        <h3>{props.title}</h3>
        {props.detail !== undefined && (
          <span class="ds-quiet">{props.detail}</span>
        )}
        <Values view={view} lines={lines} format={format} />
      </header>
      <TimeChart
        view={view}
        label={`${props.title} over time; the figures are in the table below`}
        height_px={props.height_px}
        content={{
          axis: () => axis,
          paint(area) {
            for (const { series, look } of lines) paintLine(area, series, look);
          },
        }}
      />
    </section>
  );
}

/** What each line is worth where the pointer is; where it is not, at most. */
export function Values(props: {
  view: PanelView;
  lines: readonly Pick<Line, "name" | "series" | "look">[];
  format: (value: number) => string;
}): JSX.Element {
  const { view, lines, format } = props;
  const moment = view.crosshair.value;
  const { time } = view.focus.value;
  const [start, stop] = time ?? view.range.value;
  const most = time ? "at most, in the time selected" : "at most";
  return (
    <div class="ds-part-legend">
      <span class="ds-quiet">
        {moment === null
          ? most
          : `at ${formatMoment(moment - view.origin.value, 1)}`}
      </span>
      {lines.map(({ name, series, look }) => (
        <span class="ds-line-value">
          <span class="ds-swatch" style={{ background: fillCss(look) }} />
          {name === "" ? "" : `${name} `}
          <b>
            {format(
              moment === null
                ? extremesOf(series, start, stop).most
                : valueAt(series, moment),
            )}
          </b>
        </span>
      ))}
    </div>
  );
}
