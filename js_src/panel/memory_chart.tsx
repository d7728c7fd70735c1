// The memory of all workers together. What was spilled lies below zero: it is not in
// memory any more.

import { Part } from "./parts";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { ACTION_COLOURS, MEMORY_COLOURS } from "../base/palette";
import { toCss } from "../base/colour";
import { formatBytes } from "../base/format";
import { type Series, type Late, lineOf, rowsOf } from "../derive/series";
import type { TableView } from "../session_tables";
import type { PanelView } from "./panel_view";
import { paintLine } from "../timeline/lines";
import { type PlotArea, withText } from "../timeline/time_plot";
import { valueAxis } from "../timeline/value_axis";
import { TimeChart } from "./time_chart";
import { type Line, mostOf, Values } from "./line_chart";
import { type TableColumns, TABLES } from "../schema";

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
  const { value: whole } = view.whole;
  const end = view.end.value;
  const { lines, limit } = useMemo(
    () => memoryLines(table, end, dark),
    [table, end, dark],
  );
  const [process, managed, spilled] = lines;
  const below = useMemo(() => belowZero(spilled.series), [spilled]);
  if (table.state === "waiting" && props.expected) {
    const height = `${withText(props.height_px, view.theme.value)}px`;
    return (
      <Part title="Memory">
        <div style={{ height }} />
      </Part>
    );
  }
  if (process.series.time.length === 0) return null;
  const spills = mostOf([spilled], whole) > 0;
  const top = mostOf([{ series: limit }], whole);
  const used = mostOf([process, managed], whole);
  if (props.brief && used === 0) return null;
  // A limit far above would press what is used flat: then it is told, not drawn.
  const limited = top > 0 && top < used * 4;
  return (
    <Part
      title="Memory"
      detail={top > 0 ? `of ${formatBytes(top)}` : "of all workers"}
      tools={
        <Values
          view={view}
          lines={spills ? lines : lines.slice(0, 2)}
          format={formatBytes}
        />
      }
    >
      <TimeChart
        view={view}
        label="Memory of all workers over time; the panel System has the figures"
        height_px={props.height_px}
        content={{
          axis(range) {
            const most = mostOf([process, managed], range);
            const least = spills ? -mostOf([spilled], range) : 0;
            return valueAxis(
              "bytes",
              Math.max(most, limited ? top : 0),
              least,
              5,
            );
          },
          paint(area) {
            paintLine(area, process.series, process.look);
            paintLine(area, managed.series, managed.look);
            if (spills) paintLine(area, below, spilled.look);
            paintZero(area);
            if (limited) paintLimit(area, limit);
          },
        }}
      />
    </Part>
  );
}

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

export function systemLines<K extends keyof TableColumns["system"]>(
  { rings }: TableView<"system">,
  names: readonly K[],
  end: number,
  late: Late,
): Record<K, Series> {
  const rows = rowsOf(TABLES.system, rings);
  const lines = names.map((name) => [name, lineOf(rows, name, end, late)]);
  return Object.fromEntries(lines) as Record<K, Series>;
}
