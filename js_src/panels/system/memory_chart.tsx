// The memory of all workers together. What was spilled lies below zero: it is not in
// memory any more.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { ACTION_COLOURS, MEMORY_COLOURS } from "../../base/palette";
import { toCss } from "../../base/colour";
import { formatBytes } from "../../base/format";
import type { RecordTable } from "../../panel/record_tables";
import type { RecordingView } from "../../panel/recording_view";
import { TimeChart } from "../../panel/time_chart";
import { type PlotArea, withText } from "../../panel/time_plot";
import { valueAxis } from "../../panel/value_axis";
import { type Line, Values } from "./line_chart";
import { paintLine } from "./line_painter";
import { extremesOf, type Series, seriesOf } from "../../derive/series";

export function memoryLines(
  table: RecordTable<"cluster">,
  end: number,
  dark: boolean,
): Line[] {
  const mode = dark ? "dark" : "light";
  const line = (
    name: string,
    values: ArrayLike<number>,
    colour: string,
  ): Line => ({
    name,
    series: seriesOf(table.time, values, end, "of the end"),
    look: { colour, fill: colour, wide_px: 0 },
  });
  const spilled = line("spilled", table.spilled, ACTION_COLOURS.disk[mode]);
  return [
    line("process", table.process, MEMORY_COLOURS.process[mode]),
    line("managed", table.managed, MEMORY_COLOURS.managed[mode]),
    { ...spilled, look: { ...spilled.look, hatched: true } },
  ];
}

export function MemoryChart(props: {
  view: RecordingView;
  height_px: number;
  /** On the summary: nothing at all where nothing was used. */
  brief?: boolean;
  /** Some was used: until it is unpacked its place is kept, so that nothing moves. */
  expected?: boolean;
}): JSX.Element | null {
  const { view } = props;
  const table = view.tables.ready("cluster");
  const { dark } = view.theme.value;
  const [start, stop] = view.range.value;
  const lines = useMemo(
    () => (table ? memoryLines(table, stop, dark) : []),
    [table, stop, dark],
  );
  const below = useMemo(() => belowZero(lines[2]?.series), [lines]);
  const limit = useMemo(
    () =>
      table
        ? seriesOf(table.time, table.memory_limit, stop, "of the end")
        : null,
    [table, stop],
  );
  if (!table && props.expected && comes(view)) {
    return <Place height_px={withText(props.height_px, view.theme.value)} />;
  }
  if (!table || !limit || table.rows === 0) return null;
  const most = ({ series }: Line): number =>
    extremesOf(series, start, stop).most || 0;
  const [process, managed, spilled] = lines;
  const spills = most(spilled) > 0;
  const top = extremesOf(limit, start, stop).most || 0;
  const used = Math.max(most(process), most(managed));
  if (props.brief && used === 0) return null;
  // A limit far above would press what is used flat: then it is told, not drawn.
  const limited = top > 0 && top < used * 4;
  const axis = valueAxis(
    "bytes",
    limited ? Math.max(top, used) : used,
    spills ? -most(spilled) : 0,
    5,
  );
  return (
    <section class="ds-part">
      <header class="ds-part-head">
        <h3>Memory</h3>
        <span class="ds-quiet">
          {top > 0 ? `of ${formatBytes(top)}` : "of all workers"}
        </span>
        <Values
          view={view}
          lines={spills ? lines : lines.slice(0, 2)}
          format={formatBytes}
        />
      </header>
      <TimeChart
        view={view}
        label="Memory of all workers over time; the System tab has the figures"
        height_px={props.height_px}
        content={{
          axis: () => axis,
          paint(area) {
            paintLine(area, process.series, process.look);
            paintLine(area, managed.series, managed.look);
            if (spills) paintLine(area, below, spilled.look);
            paintZero(area);
            if (limited) paintLimit(area, limit);
          },
        }}
      />
    </section>
  );
}

/** Neither the recording nor this table of it is known to be unreadable. */
const comes = (view: RecordingView): boolean =>
  !view.emptyState.value?.trouble &&
  view.tables.get("cluster").value.kind !== "failed";

function Place(props: { height_px: number }): JSX.Element {
  return (
    <section class="ds-part">
      <header class="ds-part-head">
        <h3>Memory</h3>
      </header>
      <div style={{ height: `${props.height_px}px` }} />
    </section>
  );
}

/** What was spilled is not in memory. */
function belowZero(spilled: Series = NO_SAMPLES): Series {
  return {
    ...spilled,
    values: spilled.values.map((value) => -value),
    least: spilled.most.map((value) => -value),
    most: spilled.least.map((value) => -value),
  };
}

const NO_SAMPLES = seriesOf([], [], 0, "of the end");

function paintZero({ context, theme, y, left, width }: PlotArea): void {
  context.fillStyle = toCss(theme.text2);
  context.fillRect(left, Math.round(y(0)), width, 1);
}

function paintLimit(area: PlotArea, limit: Series): void {
  paintLine(area, limit, { colour: toCss(area.theme.text), stair: true });
  const { context, theme, pixelRatio, left, top, width } = area;
  context.font = `${theme.small_px * pixelRatio}px ${theme.font}`;
  context.fillStyle = toCss(theme.text2);
  context.textAlign = "right";
  const y = area.y(limit.values[limit.values.length - 1]);
  const hasRoom = y - top > 1.5 * theme.small_px * pixelRatio;
  context.textBaseline = hasRoom ? "bottom" : "top";
  context.fillText("limit", left + width, y + (hasRoom ? -3 : 4) * pixelRatio);
}
