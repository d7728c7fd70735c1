// The lane of cells under a time axis: when each cell of the notebook ran, and when its
// graphs were sent and read.

import { useComputed, useSignal } from "@preact/signals";
import { type JSX, render } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import {
  formatDuration,
  formatExact,
  formatMoment,
  formatShare,
} from "../base/format";
import { type Entry, EntryLane } from "../timeline/entry_lane";
import { Card } from "./card";
import {
  badgeOf,
  type Cell,
  cellsOfPanel,
  firstLine,
  groupsOf,
  hasFailed,
  isolateCell,
  threadsOf,
} from "./cells";
import type { PanelView } from "./panel_view";
import { FactList } from "./parts";

/** Height for the default text size. */
export const CELLS_PX = 20;

/** `left_px` and `right_px`: margins, which align the lane with its plot. */
export function CellsLane(props: {
  view: PanelView;
  left_px: number;
  right_px: number;
  height_px: number;
  top_px?: number;
}): JSX.Element {
  const { view } = props;
  const hit = useRef<HTMLDivElement>(null);
  const lane = useRef<EntryLane | null>(null);
  const hovered = useSignal<{ cell: Cell; x: number } | null>(null);
  const cells = cellsOfPanel(view);
  const present = view.present.value ?? view.end.value;
  const entries = useMemo(
    () => new Map(cells.map((cell) => [entryOf(cell, present), cell])),
    // The current time only matters while a cell runs.
    [cells, isOpen(cells) ? present : 0],
  );
  const chosen = view.focus.value.cells;
  useLayoutEffect(() => {
    if (!hit.current) return;
    const made = (lane.current = new EntryLane(hit.current, view));
    return () => {
      lane.current = null;
      made.dispose();
    };
  }, [view]);
  const theme = view.theme.value;
  const printing = view.printing.value;
  useLayoutEffect(() => {
    lane.current?.show({
      ...{ entries: [...entries.keys()], theme },
      chosen: new Set(
        [...entries].flatMap(([entry, { name }]) =>
          chosen.includes(name) ? entry : [],
        ),
      ),
      hover(entry, x) {
        const cell = entry && entries.get(entry);
        hovered.value = cell ? { cell, x } : null;
      },
      click: (entry) => isolate(view, entries.get(entry)!, false),
      doubleClick: (entry) => goToCell(view, entries.get(entry)!)?.(),
    });
    if (!printing || !lane.current) return;
    lane.current.view.drawAtOnce();
  }, [view, entries, theme, chosen.join("\n"), printing]);
  const { left_px, right_px, height_px, top_px } = props;
  const isBelow = top_px === undefined;
  return (
    <div
      class="ds-cells-lane"
      style={{
        height: `${height_px}px`,
        ...(isBelow ? {} : { position: "absolute", top: `${top_px}px` }),
      }}
    >
      <span
        class={isBelow ? "ds-cells-label" : "ds-cells-label ds-cells-first"}
        style={{ width: `${left_px}px` }}
      >
        Cells
      </span>
      <div
        ref={hit}
        class="ds-cells-hit"
        role="img"
        aria-label="Cells of the notebook over time; the Spans and cells panel lists them"
        style={{ left: `${left_px}px`, right: `${right_px}px` }}
      />
      <CellCard view={view} hovered={hovered} anchor={hit} />
    </div>
  );
}

export function isolate(view: PanelView, cell: Cell, adds: boolean): void {
  view.setFocus(isolateCell(view.focus.peek(), cell, adds));
}

/** Null if the host has no notebook with this cell. */
export const goToCell = (
  { host }: PanelView,
  { id }: Cell,
): (() => void) | null => host.goToCell?.(id) ?? null;

const isOpen = (cells: readonly Cell[]): boolean =>
  cells.some(
    ({ stop, graphs }) =>
      stop === Infinity || graphs.some((graph) => Number.isNaN(graph.stop)),
  );

const entryOf = (cell: Cell, present: number): Entry => ({
  badge: badgeOf(cell),
  words: firstLine(cell.code),
  start: cell.start,
  stop: cell.stop,
  moments: cell.graphs.map(({ time }) => time),
  hatched: cell.graphs.map(({ time, stop }) => [
    time,
    Number.isNaN(stop) ? present : stop,
  ]),
  failed: hasFailed(cell),
});

/** Rendered in the root of the panel, since a chart is too small for it. */
function CellCard(props: {
  view: PanelView;
  hovered: { readonly value: { cell: Cell; x: number } | null };
  anchor: { current: HTMLElement | null };
}): null {
  const { view, anchor } = props;
  const hovered = useComputed(() => props.hovered.value).value;
  const layer = useRef<HTMLElement | null>(null);
  useEffect(() => {
    const root = anchor.current?.closest(".ds-root");
    if (!root) return;
    const made = (layer.current = document.createElement("div"));
    made.className = "ds-card-layer";
    root.append(made);
    return () => {
      layer.current = null;
      render(null, made);
      made.remove();
    };
  }, [view]);
  useEffect(() => {
    if (!layer.current || !anchor.current) return;
    const from = layer.current.getBoundingClientRect();
    const { left, top, height } = anchor.current.getBoundingClientRect();
    const card = hovered && (
      <CardOf
        {...{ view, cell: hovered.cell }}
        target={{ pointerX: hovered.x, top: 0, height }}
        plot={{ left: left - from.left, top: top - from.top }}
      />
    );
    render(card, layer.current);
  });
  return null;
}

function CardOf(
  props: { view: PanelView; cell: Cell } & Pick<
    Parameters<typeof Card>[0],
    "target" | "plot"
  >,
): JSX.Element {
  const { view, cell, target, plot } = props;
  const { start, stop, graphs } = cell;
  const [first] = graphs;
  const after = (time: number): string =>
    Number.isFinite(time) ? formatDuration(Math.max(0, time - start)) : "–";
  const sent = graphs.reduce((sum, { tasks }) => sum + tasks, 0);
  const { tasks, seconds, begin, end } = tasksOf(view, cell);
  const threads = threadsOf(view);
  const elapsed = Math.max(end - begin, 0) * threads;
  const goes = goToCell(view, cell) !== null;
  return (
    <Card
      {...{ target, plot }}
      title={cell.name}
      value={
        stop === Infinity && view.growing.peek()
          ? "running"
          : after(Math.min(stop, view.end.peek()))
      }
      foot={[
        "Click to select this cell",
        ...(goes ? ["Double-click to go to it"] : []),
      ]}
    >
      <div class="ds-card-key">
        <span class="ds-key-text">{firstLine(cell.code)}</span>
      </div>
      <FactList
        class="ds-facts"
        facts={[
          ["Started", `+${formatMoment(start - view.origin.peek(), 2)}`],
          hasFailed(cell) && [
            "Ended",
            <span class="ds-error">
              {cell.status === "error" ? "with an error" : cell.status}
            </span>,
          ],
          first !== undefined && ["Graph sent after", after(first.time)],
          first !== undefined && [
            "Graph read in",
            Number.isNaN(first.stop)
              ? "not yet"
              : formatDuration(Math.max(0, first.stop - first.time)),
          ],
          tasks > 0 && ["First task ran after", after(begin)],
          sent > 0 && [
            "Tasks",
            `${formatExact(Math.min(tasks, sent))} of ${formatExact(sent)} done`,
          ],
          sent === 0 && ["Tasks", "none sent"],
          elapsed > 0 && [
            "Threads busy",
            `${formatShare(Math.min(1, seconds / elapsed))} of ${formatExact(threads)}`,
          ],
        ]}
      />
    </Card>
  );
}

function tasksOf(view: PanelView, cell: Cell) {
  const sums = { tasks: 0, seconds: 0, begin: Infinity, end: -Infinity };
  const all = view.session.peek()?.model.groups.all ?? [];
  for (const { tasks, seconds, start, stop } of groupsOf([cell], all)) {
    sums.tasks += tasks;
    sums.seconds += seconds;
    sums.begin = Math.min(sums.begin, start);
    sums.end = Math.max(sums.end, stop);
  }
  return sums;
}
