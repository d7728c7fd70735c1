// The lines over time, and the values at the crosshair.

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { toCss } from "../../base/colour";
import {
  decimalsFor,
  formatBytes,
  formatClock,
  formatExact,
  formatMoment,
  NOTHING,
} from "../../base/format";
import { mostOf } from "../../panel/line_chart";
import { TimeChart } from "../../panel/time_chart";
import { paintBand } from "../../timeline/bands";
import { paintLine } from "../../timeline/lines";
import type { PlotArea } from "../../timeline/time_plot";
import { valueAxis } from "../../timeline/value_axis";
import { lineAt, paintDots, paintMarks } from "./marks";
import { type By, measured, type Run, valueNear } from "./runs";
import type { Drawn, PlotView } from "./view";

const NAMES_PX = 104;
const BAND = 0.18;
/** More bands than that hide each other. */
const MOST_BANDS = 4;
/** A limit so far above presses the lines flat: then only the status line has it. */
const FAR = 4;

export function Chart({ view }: { view: PlotView }): JSX.Element {
  const { value: lines } = view.lines;
  const by = view.by.value;
  const pointedAt = view.pointedAt.value;
  const moment = view.crosshair.value;
  const place = useRef<PlotArea | null>(null);
  const breadth = view.breadth.value;
  const right_px = breadth === "small" || breadth === "tiny" ? 8 : NAMES_PX;
  const drawn = lines.map(({ run }) => ({ series: measured(run, by) }));
  const peak = Math.max(0, ...lines.map(({ figures }) => figures.peak || 0));
  const limits = lines.map(({ run }) => run.limit);
  const { value: limit } = view.limit;
  const near = limit < peak * FAR;
  const hasBand = ({ run }: Drawn): boolean =>
    run.label === pointedAt ||
    lines.length === 1 ||
    (by === "worker" && lines.length <= MOST_BANDS);
  return (
    <div
      class="ds-memory-chart"
      onPointerMove={(event) => {
        const { current: area } = place;
        const time = view.crosshair.peek();
        if (!area || time === null) return;
        const y = event.offsetY * area.pixelRatio + area.top;
        view.pointedAt.value = lineAt(area, lines, by, time, y);
      }}
      onPointerLeave={() => (view.pointedAt.value = null)}
    >
      <TimeChart
        view={view}
        label={`Memory over time; press T for its figures as a table`}
        content={{
          right_px,
          axis: (range) =>
            valueAxis(
              "bytes",
              Math.max(mostOf(drawn, range), near ? limit : 0),
              0,
              5,
            ),
          paint(area) {
            place.current = area;
            for (const line of lines.filter(hasBand)) {
              paintBand(area, line.run.workers, line.colour, BAND);
            }
            if (near) {
              const colour = toCss(area.theme.text);
              for (const series of limits) {
                paintLine(area, series, { colour, stair: true });
              }
            }
            for (const { run, colour } of lines) {
              const wide_px = run.label === pointedAt ? 2.5 : 1.5;
              const line = by === "cluster" ? run.cluster : run.median;
              paintLine(area, line, { colour, wide_px });
            }
            if (moment !== null) paintDots(area, lines, by, moment);
          },
          annotate(area) {
            paintMarks(area, lines, {
              ...{ by, pointedAt, limit: near ? limit : NaN },
              right_px: right_px === NAMES_PX ? NAMES_PX - 2 : 0,
            });
          },
        }}
      />
      {moment !== null && place.current && (
        <Card view={view} lines={lines} moment={moment} area={place.current} />
      )}
    </div>
  );
}

/** Beyond that many a card would hide the plot. */
const MOST_ROWS = 8;
const FROM_POINTER_PX = 14;

function Card(props: {
  view: PlotView;
  lines: readonly Drawn[];
  moment: number;
  area: PlotArea;
}): JSX.Element {
  const { view, lines, moment, area } = props;
  const by = view.by.value;
  const [start, stop] = area.range;
  const decimals = decimalsFor(((stop - start) / area.width) * area.pixelRatio);
  const pointedAt = view.pointedAt.value;
  const rows = lines
    .map((line) => ({ ...line, at: valuesAt(line.run, by, moment) }))
    .filter(({ at }) => at !== null);
  rows.sort(
    ({ run: { label: one } }, { run: { label: other } }) =>
      Number(other === pointedAt) - Number(one === pointedAt),
  );
  const x = area.x(moment) / area.pixelRatio;
  const { canvas } = area.context;
  const width = canvas.width / area.pixelRatio;
  const side =
    x > width / 2
      ? { left: "auto", right: `${width - x + FROM_POINTER_PX}px` }
      : { left: `${x + FROM_POINTER_PX}px` };
  return (
    <div class="ds-card ds-memory-card" role="tooltip" style={side}>
      <div class="ds-card-head">
        <b class="ds-card-title">
          {formatMoment(moment, Math.min(decimals, 3))}
        </b>
        <span class="ds-quiet">{clockAt(view, lines, moment)}</span>
      </div>
      {rows.length === 0 && <span class="ds-quiet">no samples</span>}
      <table>
        <tbody>
          {rows.slice(0, MOST_ROWS).map(({ run, colour, at }) => (
            <tr>
              <td>
                <span class="ds-swatch" style={{ background: colour }} />
              </td>
              <th scope="row">{run.label}</th>
              <td>{at?.value}</td>
              {by === "worker" && <td class="ds-quiet">{at?.range}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MOST_ROWS && (
        <span class="ds-quiet">{`and ${formatExact(rows.length - MOST_ROWS)} more`}</span>
      )}
    </div>
  );
}

/** Of an aligned run each has a time of its own: that of the one that is pointed at. */
function clockAt(
  view: PlotView,
  lines: readonly Drawn[],
  moment: number,
): string {
  const pointedAt = view.pointedAt.value;
  const line = view.aligned.value
    ? lines.find(({ run }) => run.label === pointedAt || lines.length === 1)
    : lines[0];
  return line ? formatClock(line.run.zero + moment, 0) : "";
}

function valuesAt(
  run: Run,
  by: By,
  moment: number,
): { value: string; range: string } | null {
  const value = valueNear(by === "cluster" ? run.cluster : run.median, moment);
  if (Number.isNaN(value)) return null;
  const { workers } = run;
  const least = valueNear({ ...workers, values: workers.least }, moment);
  const most = valueNear({ ...workers, values: workers.most }, moment);
  const range = Number.isNaN(most)
    ? NOTHING
    : `${formatBytes(least)} – ${formatBytes(most)}`;
  return { value: formatBytes(value), range };
}
