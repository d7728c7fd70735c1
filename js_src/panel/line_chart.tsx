// A line chart over time, with a title and the values of its lines: at the crosshair or,
// without one, the maxima.

import { Part } from "./parts";
import type { JSX } from "preact";
import { formatMoment } from "../base/format";
import type { PanelView } from "./panel_view";
import { TimeChart } from "./time_chart";
import {
  extremesOf,
  nearestValue,
  type Series,
  valueAt,
} from "../derive/series";
import type { AreaLook } from "../timeline/areas";
import { type LineLook, paintLine } from "../timeline/lines";
import { valueAxis, type ValueKind } from "../timeline/value_axis";
import type { Range } from "../timeline/window";

export interface Line {
  readonly name: string;
  readonly series: Series;
  /** Its own values, if `series` is stacked on others. */
  readonly own?: Series;
  readonly look: LineLook & AreaLook;
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
  return (
    <Part
      title={props.title}
      detail={props.detail}
      tools={<Values view={view} lines={lines} format={format} />}
    >
      <TimeChart
        view={view}
        label={`${props.title} over time; the figures are in the table below`}
        height_px={props.height_px}
        content={{
          axis: (range) => valueAxis(kind, mostOf(lines, range)),
          paint(area) {
            for (const { series, look } of lines) paintLine(area, series, look);
          },
        }}
      />
    </Part>
  );
}

/** The maximum of all lines in a time; 0 without data. */
export const mostOf = (
  lines: readonly Pick<Line, "series">[],
  [start, stop]: Range,
): number =>
  lines.reduce(
    (most, { series }) =>
      Math.max(most, extremesOf(series, start, stop).most || 0),
    0,
  );

/** The value of each line at the crosshair; without a crosshair, its maximum. */
export function Values(props: {
  view: PanelView;
  lines: readonly Line[];
  format: (value: number) => string;
}): JSX.Element {
  const { view, lines, format } = props;
  const moment = view.crosshair.value;
  const { time } = view.focus.value;
  const [start, stop] = time ?? view.range.value;
  const most = time ? "peak in the time selected" : "peak";
  return (
    <div class="ds-part-legend">
      <span class="ds-quiet">
        {moment === null
          ? most
          : `at ${formatMoment(moment - view.origin.value, 1)}`}
      </span>
      {lines.map(({ name, look, ...line }) => (
        <span class="ds-line-value">
          <span class="ds-swatch" style={{ background: fillCss(look) }} />
          {name === "" ? "" : `${name} `}
          <b>
            {format(
              moment === null
                ? extremesOf(line.own ?? line.series, start, stop).most
                : look.stair
                  ? valueAt(line.own ?? line.series, moment)
                  : nearestValue(line.series, moment),
            )}
          </b>
        </span>
      ))}
    </div>
  );
}

export function fillCss({ hatched, colour }: AreaLook): string {
  if (!hatched) return colour;
  const faint = `color-mix(in srgb, ${colour} 25%, transparent)`;
  return `repeating-linear-gradient(135deg, ${colour} 0 2px, ${faint} 2px 4px)`;
}
