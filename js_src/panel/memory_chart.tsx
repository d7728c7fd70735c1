// The memory of all workers together. What was spilled lies below zero: it is not in
// memory any more.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { ACTION_COLOURS, MEMORY_COLOURS } from "../base/palette";
import { toCss } from "../base/colour";
import { formatBytes } from "../base/format";
import { extremesOf, type Series } from "../derive/series";
import type { TableView } from "../session_tables";
import type { PanelView } from "./panel_view";
import { TimeChart } from "./time_chart";
import { type PlotArea, withText } from "./time_plot";
import { valueAxis } from "./value_axis";
import { type Line, Values } from "./line_chart";
import { paintLine } from "./line_painter";
import { systemLines } from "./system_lines";

export function memoryLines(
  table: TableView<"system">,
  end: number,
  dark: boolean,
): { lines: [process: Line, managed: Line, spilled: Line]; limit: Series } {
  const mode = dark ? "dark" : "light";
  const names = ["process", "managed", "spilled", "memory_limit"] as const;
  const samples = systemLines(table, names, end, "of the end");
  const line = (
    name: "process" | "managed" | "spilled",
    colour: string,
  ): Line => ({
    name,
    series: samples[name],
    look: { colour, fill: colour, wide_px: 0, hatched: name === "spilled" },
  });
  return {
    lines: [
      line("process", MEMORY_COLOURS.process[mode]),
      line("managed", MEMORY_COLOURS.managed[mode]),
      line("spilled", ACTION_COLOURS.disk[mode]),
    ],
    limit: samples.memory_limit,
  };
}

export function MemoryChart(props: {
  view: PanelView;
  height_px: number;
  /** On the summary: nothing at all where nothing was used. */
  brief?: boolean;
  /** Some was used: until it is unpacked its place is kept, so that nothing moves. */
  expected?: boolean;
}): JSX.Element | null {
  const { view } = props;
  const table = view.table("system");
  const { dark } = view.theme.value;
  const [start, stop] = view.range.value;
  const end = view.end.value;
  const { lines, limit } = useMemo(
    () => memoryLines(table, end, dark),
    [table, end, dark],
  );
  const [process, managed, spilled] = lines;
  const below = useMemo(() => belowZero(spilled.series), [spilled]);
  if (table.state === "waiting" && props.expected) {
    return <Place height_px={withText(props.height_px, view.theme.value)} />;
  }
  if (process.series.time.length === 0) return null;
  const most = ({ series }: Line): number =>
    extremesOf(series, start, stop).most || 0;
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
        label="Memory of all workers over time; the panel System has the figures"
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
function belowZero(spilled: Series): Series {
  const { values, least, most } = spilled;
  const negative = (all: Float64Array): Float64Array =>
    all.map((value) => -value);
  return {
    ...spilled,
    values: negative(values),
    least: negative(most),
    most: negative(least),
  };
}

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
