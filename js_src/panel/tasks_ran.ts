// Times and prefixes of the tasks of cells and spans. They filter data that have no cells or
// spans themselves.

import { rowsOf } from "../session/tables";
import type { Range } from "../timeline/window";
import { cellsOfPanel } from "./cells";
import type { PanelView } from "./panel_view";

interface TasksRan {
  /** Starts with the first graph of the cells. */
  readonly time: Range;
  /** Indexes; null if it is unknown which tasks ran. */
  readonly prefixes: ReadonlySet<number> | null;
}

/** `cells` are names, `spans` are ids; an empty list means all. Reads signals. */
export function tasksRan(
  view: PanelView,
  cells: readonly string[],
  spans: readonly string[],
): TasksRan {
  const graphs = cellsOfPanel(view)
    .filter(({ name }) => cells.includes(name))
    .flatMap((cell) => cell.graphs);
  const wanted = new Set(graphs.map(({ computation }) => computation));
  const known = view.session.value?.spans ?? [];
  const within = new Set(
    spans.map((id) => known.findIndex((span) => span.id === id)),
  );
  void dataMoment(view);
  const prefixes = new Set<number>();
  let start = Math.min(Infinity, ...graphs.map(({ time }) => time));
  let stop = -Infinity;
  for (const group of view.session.value?.model.groups.all ?? []) {
    if (cells.length > 0 && !wanted.has(group.computation)) continue;
    if (spans.length > 0 && !within.has(group.span)) continue;
    prefixes.add(group.prefix);
    start = Math.min(start, group.start);
    stop = Math.max(stop, group.stop);
  }
  if (prefixes.size > 0) return { time: [start, stop], prefixes };
  // The page does not have the tasks: use the times of the spans.
  for (const one of rowsOf(view.table("span_times"), "time")) {
    if (!within.has(one.span)) continue;
    if (one.start < start) start = one.start;
    if (one.stop > stop) stop = one.stop;
  }
  return { time: [start, stop > start ? stop : Infinity], prefixes: null };
}

/** Changes when tasks arrive; in a live session with each status, not with each frame. */
export const dataMoment = (view: PanelView): number =>
  view.host.live ? view.now.value : view.dataVersion.value;
