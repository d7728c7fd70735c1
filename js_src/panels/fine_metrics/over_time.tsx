// Threads over time: running by activity, with idle by cause stacked on top.

import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { toCss } from "../../base/colour";
import { formatExact, formatMoment, formatShare } from "../../base/format";
import { type Account, CAUSES } from "../../derive/accounting";
import type { Grid } from "../../derive/metrics";
import { activityName } from "../../panel/action_words";
import { AndMore, Part } from "../../panel/parts";
import {
  activityColours,
  activityFills,
  isHatched,
} from "../../panel/metric_rows";
import type { PanelView } from "../../panel/panel_view";
import { dataMoment } from "../../panel/tasks_ran";
import { TimeChart } from "../../panel/time_chart";
import { hatch } from "../../timeline/areas";
import type { PlotArea } from "../../timeline/time_plot";
import { type ValueAxis, valueAxis } from "../../timeline/value_axis";
import type { Range } from "../../timeline/window";
import { accountIn, choicesOf, type Scope, type Stack, stackIn } from "./data";
import { idleFill } from "./textures";
import { axisKind, CAUSE_NAMES, formatUnit } from "./words";

const HEIGHT_PX = 300;
/** Minimum width of a column. */
const COLUMN_PX = 6;
/** Columns are computed in blocks, so that small movements need no new ones. */
const BLOCK = 64;

interface Counted {
  readonly grid: Grid;
  readonly stack: Stack;
  /** Account of the whole cluster; null if the unit is not seconds. */
  readonly account: Account | null;
}

/** Columns with power-of-two widths, which stay in place when the window moves. */
export function gridOf(width_px: number, [start, stop]: Range): Grid {
  const least = ((stop - start) / Math.max(width_px, 1)) * COLUMN_PX;
  const width = 2 ** Math.ceil(Math.log2(Math.max(least, 1e-3)));
  const first = Math.floor(start / width / BLOCK) * BLOCK;
  const last = Math.ceil(stop / width / BLOCK) * BLOCK;
  return { start: first * width, width, columns: last - first };
}

/** Cache size: the drawn grid and that of the text, which is updated later. */
const KEPT = 4;

class PerGrid<T> {
  private readonly known = new Map<string, T>();

  constructor(private readonly count: (grid: Grid) => T) {}

  of(grid: Grid): T {
    const id = [grid.start, grid.width, grid.columns].join(" ");
    const known = this.known.get(id);
    if (known !== undefined) return known;
    if (this.known.size >= KEPT) this.known.clear();
    const value = this.count(grid);
    this.known.set(id, value);
    return value;
  }
}

export function OverTime(props: {
  view: PanelView;
  scope: Scope;
}): JSX.Element {
  const { view, scope } = props;
  const choices = choicesOf(view);
  const unit = choices.unit.value;
  const share = choices.share.value;
  const activities = choices.activities.value;
  const seconds = unit === "seconds";
  const colour = activityColours(view);
  const painted = useRef<PlotArea | null>(null);
  const tables = (
    ["metrics", "states", "system", "computations", "workers"] as const
  ).map((name) => view.table(name));
  const moment = dataMoment(view);
  // Recompute each only if its inputs change.
  const stacks = useMemo(
    () => new PerGrid((grid) => stackIn(view, grid, scope)),
    [view, scope.names, unit, activities, moment, tables[0]],
  );
  const accounts = useMemo(
    () => new PerGrid((grid) => accountIn(view, grid)),
    [view, moment, ...tables],
  );
  const counted = (width_px: number, time: Range): Counted => {
    const grid = gridOf(width_px, time);
    const account = seconds ? accounts.of(grid) : null;
    return { grid, stack: stacks.of(grid), account };
  };
  const drawn = useRef<Counted | null>(null);
  const width = useRef(view.environment.width.value);
  const { value: range } = view.range;
  const shown = counted(width.current, range);
  const threads = shown.account ? mostThreads(shown.account) : 0;
  const axis = (): ValueAxis => {
    if (share) return valueAxis("percent", 100, 0, 4);
    if (!seconds) {
      return valueAxis(axisKind(unit), mostIn(drawn.current ?? shown), 0, 4);
    }
    return threadTicks(threads);
  };
  const what = seconds ? "threads" : `${unit || "value"} a second`;
  return (
    <Part
      title="Over time"
      detail={
        seconds
          ? `${share ? "share of threads" : "threads"}, by activity; idle above, up to ${formatExact(threads)}`
          : `${share ? `share of ${unit || "value"}` : what}, by activity`
      }
      tools={<Legend view={view} shown={shown} />}
    >
      <div class="ds-fine-chart">
        <TimeChart
          view={view}
          label="Metrics over time, by activity; the table has the figures"
          height_px={HEIGHT_PX}
          content={{
            gutter_px: seconds || share ? 34 : undefined,
            prepare(width_px, time) {
              width.current = width_px / devicePixelRatio;
              drawn.current = counted(width.current, time);
            },
            axis,
            paint: (area) => {
              painted.current = area;
              if (drawn.current) paint(area, drawn.current, share, colour);
            },
          }}
        />
        <Card {...{ view, shown, unit, share }} area={painted} />
      </div>
    </Part>
  );
}

/** An axis up to the number of threads, with ticks at quarters if these are whole. */
function threadTicks(threads: number): ValueAxis {
  const top = Math.max(threads, 1);
  const parts = [4, 3, 2, 1].find((count) => top % count === 0) ?? 1;
  const ticks = Array.from({ length: parts + 1 }, (_, at) => {
    const value = (top / parts) * at;
    return { value, label: formatExact(value) };
  });
  return { bottom: 0, top, ticks };
}

const mostThreads = ({ threads, grid }: Account): number => {
  let most = 0;
  for (const count of threads) most = Math.max(most, count / grid.width);
  return Math.round(most);
};

const mostIn = ({ stack, grid }: Counted): number => {
  let most = 0;
  for (let at = 0; at < grid.columns; at++) {
    most = Math.max(most, sumAt(stack.values, at, grid.columns));
  }
  return most / grid.width;
};

function sumAt(values: Float64Array, at: number, columns: number): number {
  let sum = 0;
  for (let cell = at; cell < values.length; cell += columns) {
    sum += values[cell];
  }
  return sum;
}

/** The divisor of a column's values. */
function wholeAt({ grid, stack, account }: Counted, share: boolean) {
  return (at: number): number => {
    if (!share) return grid.width;
    const all = account
      ? account.threads[at]
      : sumAt(stack.values, at, grid.columns);
    return Math.max(all, 1e-12) / 100;
  };
}

interface Layer {
  readonly name: string;
  readonly fill: string | CanvasPattern;
  readonly of: (column: number) => number;
}

/** The layers from bottom to top. */
function layersOf(
  { grid, stack, account }: Counted,
  fills: {
    readonly colour: (activity: string) => string | CanvasPattern;
    readonly idle: (cause: (typeof CAUSES)[number]) => string | CanvasPattern;
    readonly others: string;
    readonly cpu: string;
  },
): Layer[] {
  const { columns } = grid;
  const layers: Layer[] = stack.names.map((name, group) => ({
    name: activityName(name),
    fill: fills.colour(name),
    of: (at) => stack.values[group * columns + at],
  }));
  if (!account) return layers;
  const { measured, unfinished, idle, threads, notCounted } = account;
  const selected = (at: number): number => sumAt(stack.values, at, columns);
  const running = (at: number): number => measured[at] + unfinished[at];
  /** Factor that limits running and idle together to the number of threads. */
  const room = (at: number): number => {
    const all = sumAt(idle, at, columns);
    const left = threads[at] - notCounted[at] - running(at);
    return all > 0 ? Math.min(1, Math.max(0, left) / all) : 0;
  };
  return [
    ...layers,
    {
      name: "not selected",
      fill: fills.others,
      of: (at) => {
        const rest = measured[at] - selected(at);
        return rest > 1e-9 * measured[at] ? rest : 0;
      },
    },
    {
      name: "still running",
      fill: `${fills.cpu}73`,
      of: (at) => unfinished[at],
    },
    ...CAUSES.map((cause, place) => ({
      name: CAUSE_NAMES[cause],
      fill: fills.idle(cause),
      of: (at: number) => idle[place * columns + at] * room(at),
    })),
  ];
}

/** The columns that overlap a time: first, and end (exclusive). */
const columnsIn = (grid: Grid, [start, stop]: Range): [number, number] => [
  Math.max(0, Math.floor((start - grid.start) / grid.width)),
  Math.min(grid.columns, Math.ceil((stop - grid.start) / grid.width)),
];

function paint(
  area: PlotArea,
  counted: Counted,
  share: boolean,
  colour: (activity: string) => string,
): void {
  const { context, x, y, range, theme } = area;
  const { grid } = counted;
  const whole = wholeAt(counted, share);
  const layers = layersOf(counted, {
    colour: (name) =>
      isHatched(name) ? hatch(area, colour(name)) : colour(name),
    idle: (cause) => idleFill(area, cause),
    others: toCss(theme.rule),
    cpu: colour("thread-cpu"),
  });
  const [first, last] = columnsIn(grid, range);
  const level = new Float64Array(grid.columns);
  for (const { fill, of } of layers) {
    context.fillStyle = fill;
    for (let at = first; at < last; at++) {
      const value = of(at) / whole(at);
      if (!(value > 0)) continue;
      const left = Math.round(x(grid.start + at * grid.width));
      const right = Math.round(x(grid.start + (at + 1) * grid.width));
      const lower = y(level[at]);
      level[at] += value;
      const upper = y(level[at]);
      context.fillRect(left, upper, right - left, lower - upper);
    }
  }
}

/** Maximum number of names in the legend. */
const NAMED = 8;

interface Shown {
  readonly view: PanelView;
  readonly shown: Counted;
}

const cssLayers = ({ view, shown }: Shown): Layer[] =>
  layersOf(shown, {
    colour: activityFills(view),
    idle: (cause) => cause,
    others: "var(--ds-rule)",
    cpu: activityColours(view)("thread-cpu"),
  });

/** For idle time, `fill` is the cause. */
function Swatch({ fill }: Layer): JSX.Element {
  const css = typeof fill === "string" ? fill : "";
  const causes: readonly string[] = CAUSES;
  return causes.includes(css) ? (
    <span class={`ds-swatch ds-idle-${css}`} />
  ) : (
    <span class="ds-swatch" style={{ background: css }} />
  );
}

/** Layers sorted by value, largest first, without empty ones. */
const weighed = (
  layers: readonly Layer[],
  worth: (layer: Layer) => number,
): { readonly layer: Layer; readonly value: number }[] =>
  layers
    .map((layer) => ({ layer, value: worth(layer) }))
    .filter(({ value }) => value > 0)
    .sort((one, other) => other.value - one.value);

function Legend(props: Shown): JSX.Element {
  const { grid } = props.shown;
  const [first, last] = columnsIn(grid, props.view.range.value);
  const found = weighed(cssLayers(props), ({ of }) => {
    let sum = 0;
    for (let at = first; at < last; at++) sum += of(at);
    return sum;
  }).map(({ layer }) => layer);
  const more = found.slice(NAMED);
  return (
    <div class="ds-part-legend">
      {found.slice(0, NAMED).map((layer) => (
        <span class="ds-line-value" key={layer.name}>
          <Swatch {...layer} />
          {layer.name}
        </span>
      ))}
      {more.length > 0 && (
        <span class="ds-quiet" title={more.map(({ name }) => name).join("\n")}>
          {`+${more.length}`}
        </span>
      )}
    </div>
  );
}

const CARD_ROWS = 8;
const FROM_POINTER_PX = 14;

/** The card beside the pointer: the parts of a column. */
function Card(
  props: Shown & {
    area: { readonly current: PlotArea | null };
    unit: string;
    share: boolean;
  },
): JSX.Element | null {
  const { view, shown, unit, share } = props;
  const { current: area } = props.area;
  const { grid, account } = shown;
  const moment = view.crosshair.value;
  if (moment === null || view.pointerTime === null || !area) return null;
  const at = Math.floor((moment - grid.start) / grid.width);
  if (at < 0 || at >= grid.columns) return null;
  const whole = wholeAt(shown, share)(at);
  const rows = weighed(cssLayers(props), ({ of }) => of(at) / whole);
  const text = (value: number): string => {
    if (share) return formatShare(value / 100);
    if (unit === "seconds") return value.toFixed(2);
    return formatUnit(unit, value, rows[0]?.value ?? 0);
  };
  const x = area.x(moment) / area.pixelRatio;
  const wide = area.context.canvas.width / area.pixelRatio;
  const [side, from] = x > wide / 2 ? ["right", wide - x] : ["left", x];
  return (
    <div
      class="ds-card ds-fine-card"
      role="tooltip"
      style={{ [side]: `${FROM_POINTER_PX + Number(from)}px` }}
    >
      <p class="ds-columns">
        <b>{formatMoment(moment - view.origin.value, 2)}</b>
        {account && (
          <b>{`${(account.threads[at] / grid.width).toFixed(1)} threads`}</b>
        )}
      </p>
      <ul>
        {rows.slice(0, CARD_ROWS).map(({ layer, value }) => (
          <li key={layer.name}>
            <Swatch {...layer} />
            <span class="ds-prefix-name">{layer.name}</span>
            <span>{text(value)}</span>
          </li>
        ))}
      </ul>
      <AndMore count={Math.max(0, rows.length - CARD_ROWS)} />
    </div>
  );
}
