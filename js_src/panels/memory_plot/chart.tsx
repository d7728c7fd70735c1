// The chart of a plot of samples, with a card for the values at the crosshair.

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { toCss } from "../../base/colour";
import { decimalsFor, formatBytes, formatMoment } from "../../base/format";
import { mostOf } from "../../panel/line_chart";
import { AndMore } from "../../panel/parts";
import { TimeChart } from "../../panel/time_chart";
import { paintBand } from "../../timeline/bands";
import { paintLine } from "../../timeline/lines";
import { type PlotArea, withText } from "../../timeline/time_plot";
import { valueAxis } from "../../timeline/value_axis";
import { paintDots, paintMarks } from "./marks";
import { type Run, valueNear } from "./runs";
import type { Drawn, PlotView } from "./view";

const NAMES_PX = 104;
const BAND = 0.18;
/** More bands would hide each other. */
const MOST_BANDS = 4;
/** A limit above this multiple of the peak would flatten the lines: it is not drawn. */
const FAR = 4;
const ROOM = 1.06;

export function Chart({ view }: { view: PlotView }): JSX.Element {
  const { value: lines } = view.lines;
  const { value: pointedAt } = view.pointedAt;
  const { value: moment } = view.crosshair;
  const perWorker = view.perWorker.value;
  const pointer_px = useRef(0);
  const breadth = view.breadth.value;
  const names = breadth !== "small" && breadth !== "tiny";
  const shown = lines.map(({ run, line }) => ({
    series: perWorker ? run.workers : line,
  }));
  const peak = Math.max(...lines.map(({ figures }) => figures.peak || 0));
  const limit = view.limit.value < peak * FAR ? view.limit.value : NaN;
  const banded = lines.filter(
    ({ run }) =>
      run.label === pointedAt || lines.length <= (perWorker ? MOST_BANDS : 1),
  );
  return (
    <div
      class="ds-memory-chart"
      onPointerMove={({ offsetY }) => {
        pointer_px.current = offsetY;
        view.pointedAt.value = lineAt(view, offsetY);
      }}
      onPointerLeave={() => (view.pointedAt.value = null)}
    >
      <TimeChart
        view={view}
        label="Memory over time; press T for its figures as a table"
        content={{
          ...(names && { right_px: NAMES_PX }),
          axis(range) {
            const most = mostOf(shown, range);
            const axis = valueAxis("bytes", Math.max(most, limit || 0), 0, 5);
            if (!(limit > most)) return axis;
            // There are no data above the limit, so end the axis there.
            const top = limit * ROOM;
            const ticks = axis.ticks.filter(({ value }) => value <= top);
            return { ...axis, top, ticks };
          },
          paint(area) {
            view.area = area;
            for (const { run, colour } of banded) {
              paintBand(area, run.workers, colour, BAND);
            }
            if (limit > 0) paintLimit(area, lines, limit);
            for (const { run, line, colour } of lines) {
              const wide_px = run.label === pointedAt ? 2.5 : 1.5;
              paintLine(area, line, { colour, wide_px });
            }
            if (moment !== null) paintDots(area, lines, moment);
          },
          over(area) {
            paintMarks(area, lines, {
              ...{ pointedAt, limit, banded: perWorker ? [] : banded },
              right_px: names ? withText(NAMES_PX, area.theme) : 0,
            });
          },
        }}
      />
      {moment !== null && view.area && (
        <Card {...{ view, moment }} area={view.area} y={pointer_px.current} />
      )}
    </div>
  );
}

const NEAR_PX = 12;

/** The label of the line nearest to the pointer; null if none is near. */
function lineAt(
  { area, crosshair, lines }: PlotView,
  y: number,
): string | null {
  let nearest = NEAR_PX;
  let found: string | null = null;
  for (const { run, line } of lines.peek()) {
    if (!area) break;
    const place = area.y(valueNear(line, crosshair.peek() ?? NaN)) - area.top;
    const away = Math.abs(place / area.pixelRatio - y);
    if (!(away < nearest)) continue;
    nearest = away;
    found = run.label;
  }
  return found;
}

/** A limit that never changed is drawn across the whole plot. */
function paintLimit(
  area: PlotArea,
  lines: readonly Drawn[],
  limit: number,
): void {
  const { context, theme, pixelRatio, left, width, y } = area;
  const colour = toCss(theme.text);
  const limits = lines.map(({ run }) => run.limit);
  if (limits.some(({ values }) => values.some((value) => value !== limit))) {
    for (const one of limits) paintLine(area, one, { colour, stair: true });
    return;
  }
  const height = 1.5 * pixelRatio;
  context.fillStyle = colour;
  context.fillRect(left, y(limit) - height / 2, width, height);
}

/** With more rows, the card would hide the plot. */
const MOST_ROWS = 8;
const FROM_POINTER_PX = 14;

function Card(props: {
  view: PlotView;
  moment: number;
  area: PlotArea;
  /** Y position of the pointer. */
  y: number;
}): JSX.Element {
  const { view, moment, area } = props;
  const { pixelRatio: ratio, range, width } = area;
  const decimals = decimalsFor((range[1] - range[0]) / (width / ratio));
  const values = view.lines.value
    .map(({ run, line, colour }) => ({
      ...{ run, colour, value: valueNear(line, moment) },
    }))
    .filter(({ value }) => !Number.isNaN(value));
  const x = area.x(moment) / ratio;
  const wide = area.context.canvas.width / ratio;
  // Beside the pointer, in the other vertical half of the plot.
  const place = {
    [x > wide / 2 ? "right" : "left"]:
      `${FROM_POINTER_PX + (x > wide / 2 ? wide - x : x)}px`,
    ...(props.y < area.height / ratio / 2
      ? { top: "auto", bottom: "24px" }
      : {}),
  };
  return (
    <div class="ds-card ds-memory-card" role="tooltip" style={place}>
      <b>{formatMoment(moment, Math.min(decimals, 3))}</b>
      <table>
        {values.slice(0, MOST_ROWS).map(({ run, colour, value }) => (
          <tr>
            <td>
              <span class="ds-swatch" style={{ background: colour }} />
            </td>
            <th scope="row">{run.label}</th>
            <td>{formatBytes(value)}</td>
            {view.perWorker.value && (
              <td class="ds-quiet">{spreadAt(run, moment)}</td>
            )}
          </tr>
        ))}
      </table>
      {values.length === 0 && <p class="ds-quiet">no samples</p>}
      <AndMore count={Math.max(0, values.length - MOST_ROWS)} />
    </div>
  );
}

const spreadAt = ({ workers }: Run, moment: number): string =>
  (["least", "most"] as const)
    .map((end) => valueNear({ ...workers, values: workers[end] }, moment))
    .map(formatBytes)
    .join(" – ");
