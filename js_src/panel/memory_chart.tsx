// The memory of workers over time, stacked, with their limit. Spilled data are drawn below
// zero, since they are not in memory any more.

import { Part } from "./parts";
import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import { ACTION_COLOURS, MEMORY_COLOURS } from "../base/palette";
import { toCss } from "../base/colour";
import { formatBytes, formatShare } from "../base/format";
import { peakOf } from "../derive/keyed";
import { type Series, type Late, lineOf, rowsOf } from "../derive/series";
import type { TableView } from "../session/tables";
import type { PanelView } from "./panel_view";
import { paintArea } from "../timeline/areas";
import { paintLine } from "../timeline/lines";
import { type PlotArea, withText } from "../timeline/time_plot";
import { valueAxis } from "../timeline/value_axis";
import type { Range } from "../timeline/window";
import { TimeChart } from "./time_chart";
import { type Line, mostOf, Values } from "./line_chart";
import { type TableColumns, TABLES } from "../schema";

export interface MemoryParts {
  /** Highest first: each area is painted over the previous ones. */
  readonly areas: readonly Line[];
  readonly spilled: Line;
  readonly limit: Series;
}

/** Memory figures that are available without an agent on the scheduler. */
export function systemMemory(
  table: TableView<"system">,
  end: number,
  dark: boolean,
): MemoryParts {
  const names = ["process", "managed", "spilled", "memory_limit"] as const;
  const samples = systemLines(table, names, end, "of the end");
  return {
    areas: [
      memoryLine("process", samples.process, "unmanaged_recent", dark),
      memoryLine("managed", samples.managed, "managed", dark),
    ],
    spilled: spilledLine(samples.spilled, dark),
    limit: samples.memory_limit,
  };
}

export const memoryLine = (
  name: string,
  series: Series,
  colour: keyof typeof MEMORY_COLOURS,
  dark: boolean,
  own = series,
): Line => ({
  ...{ name, series, own },
  look: { colour: MEMORY_COLOURS[colour][mode(dark)], stair: true },
});

export const spilledLine = (series: Series, dark: boolean): Line => ({
  ...{ name: "spilled", series },
  look: {
    colour: ACTION_COLOURS.disk[mode(dark)],
    ...{ stair: true, hatched: true, below: true },
  },
});

const mode = (dark: boolean) => (dark ? "dark" : "light");

/** Extra room above the limit and below spilled data. */
const ROOM = 1.06;

/** A line at a share of the limit. */
export interface Threshold {
  readonly name: string;
  readonly share: number;
  readonly colour: "text" | "text2" | "warn" | "error";
  readonly dash_px?: readonly number[];
}

const LIMIT: Threshold = { name: "limit", share: 1, colour: "text" };

export function MemoryChart(props: {
  view: PanelView;
  height_px: number;
  /** For the summary: show nothing if no memory was used. */
  brief?: boolean;
  /** Data will follow: reserve the space while they are unpacked, so that nothing moves. */
  expected?: boolean;
}): JSX.Element | null {
  const { view } = props;
  const table = view.table("system");
  const { dark } = view.theme.value;
  const { value: whole } = view.whole;
  const end = view.end.value;
  const parts = useMemo(
    () => systemMemory(table, end, dark),
    [table, end, dark],
  );
  if (table.state === "waiting" && props.expected) {
    const height = `${withText(props.height_px, view.theme.value)}px`;
    return (
      <Part title="Memory">
        <div style={{ height }} />
      </Part>
    );
  }
  if (parts.areas[0].series.time.length === 0) return null;
  if (props.brief && mostOf(parts.areas, whole) === 0) return null;
  const top = mostOf([{ series: parts.limit }], whole);
  return (
    <MemoryOverTime
      {...{ view, parts, height_px: props.height_px }}
      title="Memory"
      detail={top > 0 ? `of ${formatBytes(top)}` : "of all workers"}
      label="Memory of all workers over time; the System panel has the figures"
    />
  );
}

const mostIn = (series: Series, [start, stop]: Range): number =>
  peakOf(series, start, stop)?.value ?? 0;

/** The limit to draw; 0 if it is so far above the data that it would flatten them. */
export function limitShown({ areas, limit }: MemoryParts, time: Range): number {
  const most = mostIn(limit, time);
  return most < mostIn(areas[0]?.series ?? limit, time) * 4 ? most : 0;
}

export function MemoryOverTime(props: {
  view: PanelView;
  title: string;
  detail: ComponentChildren;
  label: string;
  parts: MemoryParts;
  height_px: number;
  thresholds?: readonly Threshold[];
  /** Width beside the plot for names of thresholds; without it they are inside the plot. */
  beside_px?: number;
  /** Height above the plot, and what to paint there. */
  above?: { readonly px: number; readonly paint: (area: PlotArea) => void };
}): JSX.Element {
  const { view, parts, thresholds = [LIMIT], beside_px, above } = props;
  const { areas, spilled, limit } = parts;
  const { value: whole } = view.whole;
  const spills = mostOf([spilled], whole) > 0;
  const shown = limitShown(parts, whole);
  const limited = shown > 0;
  const lines = useMemo(
    () => thresholds.map((one) => ({ one, series: scaled(limit, one.share) })),
    [thresholds, limit],
  );
  return (
    <Part
      title={props.title}
      detail={props.detail}
      tools={
        <Values
          view={view}
          lines={[...areas].reverse().concat(spills ? spilled : [])}
          format={formatBytes}
        />
      }
    >
      <TimeChart
        view={view}
        label={props.label}
        height_px={props.height_px}
        content={{
          top_px: above?.px,
          right_px: beside_px,
          axis(range) {
            const used = areas.map(({ series }) => mostIn(series, range));
            const axis = valueAxis("bytes", Math.max(...used, shown), 0, 5);
            const bottom = spills ? -mostIn(spilled.series, range) * ROOM : 0;
            // There are no data above the limit, so end the axis there.
            const top = shown > Math.max(...used) ? shown * ROOM : axis.top;
            const ticks = axis.ticks.filter(({ value }) => value <= top);
            return { ticks, top, bottom };
          },
          paint(area) {
            for (const { series, look } of areas) paintArea(area, series, look);
            if (spills) paintArea(area, spilled.series, spilled.look);
            paintZero(area);
            if (!limited) return;
            for (const { one, series } of lines) {
              const colour = toCss(area.theme[one.colour]);
              const wide_px = one.share === 1 ? 1.5 : 1;
              paintLine(area, series, { ...one, colour, wide_px, stair: true });
            }
          },
          over(area) {
            above?.paint(area);
            if (limited) nameLimits(area, lines, beside_px !== undefined);
          },
        }}
      />
    </Part>
  );
}

const scaled = (series: Series, share: number): Series => {
  const times = (cells: Float64Array) => cells.map((cell) => cell * share);
  const [values, least, most] = [
    times(series.values),
    times(series.least),
    times(series.most),
  ];
  return { ...series, values, least, most };
};

function paintZero({ context, theme, y, left, width }: PlotArea): void {
  context.fillStyle = toCss(theme.text2);
  context.fillRect(left, Math.round(y(0)), width, 1);
}

function nameLimits(
  area: PlotArea,
  lines: readonly { one: Threshold; series: Series }[],
  beside: boolean,
): void {
  const { context, theme, pixelRatio, left, top, width } = area;
  context.font = `${theme.small_px * pixelRatio}px ${theme.font}`;
  context.textAlign = beside ? "left" : "right";
  context.textBaseline = "middle";
  const line = 1.2 * theme.small_px * pixelRatio;
  let lowest = -Infinity;
  for (const { one, series } of lines) {
    const value = series.values[series.values.length - 1];
    const words =
      one.share < 1
        ? `${one.name} ${formatShare(one.share)}`
        : beside
          ? `${one.name} ${formatBytes(value)}`
          : one.name;
    // Inside the plot, the name goes above its line if there is room.
    const own = area.y(value) - (beside ? 0 : 0.6 * line);
    const y = Math.max(
      beside ? own : own - line / 2 < top ? own + 1.3 * line : own,
      lowest,
    );
    if (!(y < area.y(0))) continue;
    context.fillStyle = toCss(
      theme[one.colour === "text" ? "text2" : one.colour],
    );
    context.fillText(words, left + width + (beside ? 8 * pixelRatio : 0), y);
    lowest = y + line;
  }
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
