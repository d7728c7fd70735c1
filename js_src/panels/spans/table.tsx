// The tree as a table, with a lane on a timeline beside each row. Only visible rows are
// rendered.

import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { toCss } from "../../base/colour";
import { activityColour } from "../../base/palette";
import {
  formatBytes,
  formatDuration,
  formatExact,
  formatSeconds,
  NOTHING,
} from "../../base/format";
import { ChevronIcon } from "../../panel/icons";
import { activityName } from "../../panel/action_words";
import { activityFills, namesOf } from "../../panel/metric_rows";
import type { PanelView } from "../../panel/panel_view";
import { prefixCss, PrefixSwatch } from "../../panel/prefix_button";
import { TimeChart } from "../../panel/time_chart";
import { withText } from "../../timeline/time_plot";
import { badgeOf, firstLine, hasFailed } from "../../panel/cells";
import { goToCell } from "../../panel/cells_lane";
import { Lanes, paintErred } from "./lanes";
import type { TimeSpent } from "./spent";
import { isOpen, type Node } from "./tree";

const ROW_PX = 24;
const HEAD_PX = 44;
/** Height of the head if there is no axis. */
const BRIEF_HEAD_PX = 26;
const INDENT_PX = 12;
/** Deeper rows are not indented further, since their names need the room. */
const MOST_INDENTS = 12;
const LEAST_LANE_PX = 140;
const DETAIL_PX = 300;
/** Rows that are rendered above and below the visible ones, for scrolling. */
const AHEAD = 4;
const SPENT_PX = 64;
const MOST_SHARES = 12;

/** Width of each column; `least`: minimum width of a table that shows it. */
const COLUMNS = [
  { name: "Time spent", px: SPENT_PX + 16, least: 520 },
  { name: "Duration", px: 64, least: 0 },
  { name: "Tasks", px: 52, least: 420 },
  { name: "Results", px: 74, least: 620 },
] as const;
type ColumnName = (typeof COLUMNS)[number]["name"];
const NAME_PX = { least: 130, usual: 222 };

export function TreeTable(props: {
  view: PanelView;
  rows: readonly Node[];
  toggled: ReadonlySet<string>;
  selected: string | null;
  spent: TimeSpent;
  threads: number;
  /** Increases when data arrive. */
  version: number;
  hasDetail: boolean;
  onToggle: (id: string) => void;
  onChoose: (node: Node) => void;
}): JSX.Element {
  const { view, rows, selected, threads } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(0);
  const [, setFrame] = useState(0);
  const lanes = useMemo(() => new Lanes(), [view.session.value]);
  const theme = view.theme.value;
  const row_px = withText(ROW_PX, theme);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const sizes = new ResizeObserver(() => setHeight(element.clientHeight));
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);

  const beside = props.hasDetail && view.environment.width.value >= 620;
  const width = view.environment.width.value - (beside ? DETAIL_PX : 0);
  const columns = COLUMNS.filter(({ least }) => width >= least);
  const figures = columns.reduce((sum, { px }) => sum + withText(px, theme), 0);
  const name_px = withText(NAME_PX.usual, theme);
  const hasLane = width - figures - name_px >= LEAST_LANE_PX;
  const left = hasLane ? name_px + figures : width;
  const head_px = withText(hasLane ? HEAD_PX : BRIEF_HEAD_PX, theme);

  const chosen = rows.findIndex(({ id }) => id === selected);
  // In narrow panels the details take room below the list, where the row may have been.
  useLayoutEffect(
    () => reveal(scroller.current, chosen, row_px, head_px),
    [selected, height],
  );

  const printing = view.printing.value;
  const first = printing ? 0 : Math.max(0, Math.floor(top / row_px) - AHEAD);
  const inSight = Math.ceil(height / row_px) + 2 * AHEAD;
  const shown = rows.slice(first, printing ? 200 : first + inSight);
  const present = view.present.value ?? view.end.value;

  const go = (by: number): void => {
    const next = rows[Math.min(Math.max(chosen + by, 0), rows.length - 1)];
    if (next && next.id !== selected) props.onChoose(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const node = rows[chosen];
    const opens = node && isOpen(node, props.toggled);
    if (event.key === "ArrowDown") go(1);
    else if (event.key === "ArrowUp") go(-1);
    else if (!node || node.children.size === 0) return;
    else if (event.key === "ArrowLeft" && opens) props.onToggle(node.id);
    else if (event.key === "ArrowRight" && !opens) props.onToggle(node.id);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      ref={scroller}
      class="ds-spans-list"
      role="treegrid"
      aria-label="Cells, spans and functions"
      aria-rowcount={rows.length}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div class="ds-spans-sticky">
        <div
          class="ds-spans-row ds-spans-head"
          role="row"
          style={{ height: `${head_px}px`, width: `${left}px` }}
        >
          <span class="ds-spans-name" role="columnheader">
            Cell, span, prefix
          </span>
          {columns.map(({ name, px }) => (
            <span
              class={name === "Time spent" ? "ds-spans-spent-head" : ""}
              role="columnheader"
              style={{ width: `${withText(px, theme)}px` }}
            >
              {name}
            </span>
          ))}
        </div>
        {hasLane && (
          <>
            <div
              class="ds-spans-legend"
              style={{ left: `${left}px` }}
              aria-hidden="true"
            >
              {`Threads busy, of ${formatExact(threads)}`}
              <span class="ds-spans-hatch" />
              graph being read
            </div>
            <div
              class="ds-spans-plot"
              style={{ left: `${left}px`, height: `${height}px` }}
            >
              <TimeChart
                view={view}
                label="Threads busy over time, a lane for each row; the figures are in the table"
                content={{
                  ...{ gutter_px: 0, right_px: 28, top_px: HEAD_PX },
                  above: true,
                  prepare(width_px, range) {
                    const model = view.session.peek()?.model;
                    if (!model) return;
                    const { version } = props;
                    if (lanes.work(model, shown, range, width_px, version)) {
                      requestAnimationFrame(() => setFrame((at) => at + 1));
                    }
                  },
                  paint(area) {
                    const { context, pixelRatio } = area;
                    shown.forEach((node, at) => {
                      const y =
                        area.top + ((first + at) * row_px - top) * pixelRatio;
                      const isChosen = first + at === chosen;
                      const high = row_px * pixelRatio;
                      if (isChosen) {
                        context.fillStyle = toCss(area.theme.brand);
                        context.globalAlpha = 0.16;
                        context.fillRect(0, y, area.left + area.width, high);
                        context.globalAlpha = 1;
                      }
                      if (node.depth === 0) {
                        context.fillStyle = toCss(area.theme.rule);
                        context.fillRect(0, y, area.left + area.width, 1);
                      }
                      const colour =
                        node.kind === "prefix"
                          ? prefixCss(view, node.name)
                          : activityColour("compute", area.theme.dark);
                      const look = {
                        ...{ threads, colour, present },
                        chosen: isChosen,
                      };
                      lanes.paint(area, node, y, row_px, look);
                    });
                  },
                  over(area) {
                    shown.forEach((node, at) => {
                      const y = (first + at + 0.5) * row_px - top;
                      if (y < 0) return;
                      paintErred(area, node, area.top + y * area.pixelRatio);
                    });
                  },
                  click(_, y_px) {
                    const at = Math.floor((y_px + top) / row_px);
                    const node = rows[at];
                    if (node) props.onChoose(node);
                  },
                }}
              />
            </div>
          </>
        )}
      </div>
      <div style={{ height: `${head_px + rows.length * row_px}px` }} />
      {shown.map((node, at) => (
        <Row
          {...props}
          key={node.id}
          node={node}
          style={{
            top: `${head_px + (first + at) * row_px}px`,
            height: `${row_px}px`,
            width: `${left}px`,
          }}
          at={first + at}
          columns={columns.map(({ name, px }) => ({
            name,
            px: withText(px, theme),
          }))}
          present={present}
        />
      ))}
    </div>
  );
}

function reveal(
  element: HTMLElement | null,
  at: number,
  row_px: number,
  head_px: number,
): void {
  if (!element || at < 0) return;
  const room = element.clientHeight - head_px - row_px;
  const { scrollTop } = element;
  const y = at * row_px;
  if (y < scrollTop) element.scrollTop = y;
  else if (y > scrollTop + room) element.scrollTop = y - room;
}

function Row(props: {
  view: PanelView;
  node: Node;
  at: number;
  style: Record<string, string>;
  columns: readonly { name: ColumnName; px: number }[];
  toggled: ReadonlySet<string>;
  selected: string | null;
  spent: TimeSpent;
  present: number;
  onToggle: (id: string) => void;
  onChoose: (node: Node) => void;
}): JSX.Element {
  const { view, node, columns, present } = props;
  const { tasks, nbytes } = node;
  const length = Math.min(node.stop, present) - node.start;
  const cells: Record<ColumnName, JSX.Element | string> = {
    "Time spent": <Shares view={view} node={node} spent={props.spent} />,
    Duration: length >= 0 ? formatDuration(length) : NOTHING,
    Tasks: tasks > 0 ? formatExact(tasks) : NOTHING,
    Results: nbytes > 0 ? formatBytes(nbytes) : NOTHING,
  };
  const isChosen = node.id === props.selected;
  const isQuiet = node.tasks === 0;
  const opens = isOpen(node, props.toggled);
  const indent = Math.min(node.depth, MOST_INDENTS) * INDENT_PX;
  return (
    <div
      class={`ds-spans-row ds-spans-${node.kind}${node.depth === 0 ? " ds-spans-root" : ""}`}
      role="row"
      aria-level={node.depth + 1}
      aria-rowindex={props.at + 1}
      aria-selected={isChosen}
      aria-expanded={node.children.size > 0 ? opens : undefined}
      style={props.style}
      onClick={() => props.onChoose(node)}
    >
      <span
        class="ds-spans-name"
        role="rowheader"
        style={{ paddingLeft: `${indent}px` }}
      >
        {node.children.size > 0 ? (
          <button
            type="button"
            class={opens ? "ds-spans-toggle" : "ds-spans-toggle ds-closed"}
            aria-label={opens ? "Close" : "Open"}
            onClick={(event) => {
              event.stopPropagation();
              props.onToggle(node.id);
            }}
          >
            <ChevronIcon />
          </button>
        ) : (
          <span class="ds-spans-toggle" />
        )}
        <Name view={view} node={node} />
      </span>
      {columns.map(({ name, px }) => (
        <span
          role="gridcell"
          class={`${name === "Time spent" ? "ds-spans-shares" : "ds-spans-figure"}${isQuiet ? " ds-quiet" : ""}`}
          style={{ width: `${px}px` }}
        >
          {cells[name]}
        </span>
      ))}
    </div>
  );
}

function Name(props: { view: PanelView; node: Node }): JSX.Element {
  const { view, node } = props;
  const { cell } = node;
  if (node.kind === "cell" && cell) {
    const goes = goToCell(view, cell);
    const badge = badgeOf(cell);
    const look = hasFailed(cell) ? "ds-spans-badge ds-error" : "ds-spans-badge";
    return (
      <>
        {goes ? (
          <button
            type="button"
            class={look}
            title="Go to this cell"
            onClick={(event) => {
              event.stopPropagation();
              goes();
            }}
          >
            {badge}
          </button>
        ) : (
          <b class={look}>{badge}</b>
        )}
        <button type="button" class="ds-spans-text" title={cell.code}>
          <span class="ds-mono">{firstLine(cell.code)}</span>
        </button>
      </>
    );
  }
  return (
    <button type="button" class="ds-spans-text" title={node.name}>
      {node.kind === "prefix" && <PrefixSwatch view={view} name={node.name} />}
      <span>{node.name}</span>
    </button>
  );
}

function Shares(props: {
  view: PanelView;
  node: Node;
  spent: TimeSpent;
}): JSX.Element | null {
  const { view } = props;
  const colour = activityFills(view);
  const names = namesOf(view, "activities");
  const spent = props.spent.of(props.node.groups);
  const total = spent.reduce((sum, { seconds }) => sum + seconds, 0);
  if (total === 0) return null;
  const named = spent
    .slice(0, MOST_SHARES)
    .map((one) => ({ ...one, name: names[one.activity] ?? "" }));
  return (
    <span
      class="ds-spans-share"
      title={named
        .map(
          ({ name, seconds }) =>
            `${activityName(name)} ${formatSeconds(seconds)}`,
        )
        .join("\n")}
    >
      {named.map(({ name, seconds }) => (
        <i
          style={{
            width: `${(seconds / total) * 100}%`,
            background: colour(name),
          }}
        />
      ))}
    </span>
  );
}
