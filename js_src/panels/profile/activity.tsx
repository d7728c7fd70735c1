// The chart below the graph: sampled threads over time. Its brush sets the session's focus.

import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { toCss } from "../../base/colour";
import { formatSeconds } from "../../base/format";
import type { Grid } from "../../derive/metrics";
import { TimeChart } from "../../panel/time_chart";
import type { PlotArea } from "../../timeline/time_plot";
import { threadAxis } from "../../timeline/value_axis";
import type { Range } from "../../timeline/window";
import type { ProfileState } from "./state";

interface Activity {
  readonly grid: Grid;
  /** Samples by column: first those of unmarked stacks, then those of marked ones. */
  readonly values: Float64Array;
  /** Samples of the recording to compare with; null without one. */
  readonly other: Float64Array | null;
}

const HEIGHT_PX = 84;
/** Height in panels lower than `LOW_PANEL_PX`. */
const LOW_PX = 54;
const LOW_PANEL_PX = 460;
const GUTTER_PX = 132;
const NARROW_GUTTER_PX = 34;
const COLUMN_PX = 4;

export function ActivityChart({ state }: { state: ProfileState }): JSX.Element {
  const { view } = state;
  const table = view.table("profile_counts");
  const filter = state.filter.value;
  const interval = state.interval_s.value;
  const stacks = state.marked.value;
  const compared = state.compared.value;
  const drawn = useRef<Activity | null>(null);
  const count = useMemo(() => {
    let last: Activity | null = null;
    return (grid: Grid): Activity => {
      const { start, width, columns } = grid;
      const same = last?.grid.start === start && last.grid.width === width;
      if (last && same && last.grid.columns === columns) return last;
      const time = { start, stop: start + columns * width };
      const values = state
        .rows()
        .spread(
          { ...filter, ...time },
          columns,
          (stack) => (stacks?.[stack] === 1 ? 1 : 0),
          2,
        );
      const other = state.spreadOfOther([time.start, time.stop], columns);
      return (last = { grid, values, other });
    };
  }, [table, filter.scopeId, stacks, compared]);
  const narrow = view.environment.width.value < 620;
  const most = (): number => {
    const { current } = drawn;
    if (!current) return 1;
    const { grid, values, other } = current;
    let most = 0;
    for (let at = 0; at < grid.columns; at++) {
      const own = values[at] + values[grid.columns + at];
      most = Math.max(most, own, other?.[at] ?? 0);
    }
    return (most / grid.width) * interval;
  };
  return (
    <section class="ds-profile-activity" aria-label="Samples over time">
      {!narrow && (
        <p class="ds-profile-activity-name">
          Threads sampled
          <span class="ds-quiet">
            {compared?.other
              ? "grey: B; line: A"
              : `one each ${formatSeconds(interval)}`}
          </span>
        </p>
      )}
      <TimeChart
        view={view}
        label="Threads sampled over time"
        height_px={
          view.environment.height.value < LOW_PANEL_PX ? LOW_PX : HEIGHT_PX
        }
        content={{
          gutter_px: narrow ? NARROW_GUTTER_PX : GUTTER_PX,
          prepare: (width, time) => {
            const pixels = width / devicePixelRatio;
            drawn.current = count(gridOf(pixels, time, cycleOf(state)));
          },
          axis: () => threadAxis(Math.ceil(most() - NEARLY)),
          paint: (area) =>
            drawn.current && paint(area, drawn.current, interval),
        }}
      />
    </section>
  );
}

/** Up to this much above a whole number of threads is treated as rounding. */
const NEARLY = 0.1;

/** The time that one row of counts covers. */
function cycleOf({ view }: ProfileState): number {
  const { columns, rows } = view.table("profiled");
  return rows > 0 && columns.cycle[0] > 0 ? columns.cycle[0] : 1;
}

/** Columns at least as wide as a cycle, aligned so that they do not move. */
function gridOf(width_px: number, [start, stop]: Range, cycle: number): Grid {
  const least = ((stop - start) / Math.max(width_px, 1)) * COLUMN_PX;
  const width = cycle * Math.max(1, Math.ceil(least / cycle));
  const first = Math.floor(start / width);
  const last = Math.ceil(stop / width);
  return { start: first * width, width, columns: Math.max(1, last - first) };
}

function paint(
  area: PlotArea,
  { grid, values, other }: Activity,
  interval: number,
): void {
  const { context, theme, x, y } = area;
  const scale = interval / grid.width;
  const level = (at: number, count: number, css: string): void => {
    if (!(count > 0)) return;
    context.fillStyle = css;
    const left = Math.round(x(grid.start + at * grid.width));
    const right = Math.round(x(grid.start + (at + 1) * grid.width));
    const top = y(count * scale);
    context.fillRect(left, top, right - left, y(0) - top);
  };
  const grey = theme.dark ? "#5c5c5c" : "#b3b3b3";
  for (let at = 0; at < grid.columns; at++) {
    const marked = values[grid.columns + at];
    level(at, values[at] + marked, grey);
    level(at, marked, toCss(theme.brand));
  }
  if (!other) return;
  context.strokeStyle = toCss(theme.text);
  context.lineWidth = 1.5 * area.pixelRatio;
  context.beginPath();
  other.forEach((count, at) => {
    const time = grid.start + at * grid.width;
    context.lineTo(x(time), y(count * scale));
    context.lineTo(x(time + grid.width), y(count * scale));
  });
  context.stroke();
}
