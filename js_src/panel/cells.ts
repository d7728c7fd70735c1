// The cells of a notebook and the graphs that each sent, for panels.

import type { Group } from "../model/groups";
import type { Focus } from "../model/types";
import { RECOMPUTED } from "../schema";
import { rowsOf, type TableView } from "../session/tables";
import { isolate } from "./narrowing";
import type { PanelView } from "./panel_view";

export interface Graph {
  readonly computation: number;
  readonly tasks: number;
  readonly time: number;
  /** When the scheduler had read the graph; NaN until then. */
  readonly stop: number;
}

export interface Cell {
  /** `In [7]`, as in the focus. */
  readonly name: string;
  /** Id of the cell in the notebook. */
  readonly id: string;
  readonly start: number;
  /** Infinity while the cell runs. */
  readonly stop: number;
  readonly status: string;
  readonly code: string;
  /** Sorted by time. */
  readonly graphs: readonly Graph[];
}

type Tables = readonly [TableView<"cells">, TableView<"computations">];

const known = new WeakMap<object, { of: object; cells: readonly Cell[] }>();

/** Cells sorted by start; the same list until new rows arrive. */
export function cellsOf(...[cells, computations]: Tables): readonly Cell[] {
  const before = known.get(cells.columns);
  if (before?.of === computations.columns) return before.cells;
  const graphs = new Map<string, Graph[]>();
  for (const graph of rowsOf(computations, "time")) {
    if (!graphs.has(graph.cell)) graphs.set(graph.cell, []);
    // A row for several graphs does not have the reading time of each.
    const { time, stop } = graph;
    const read = graph.graphs > 1 ? time : stop;
    graphs.get(graph.cell)!.push({ ...graph, stop: read });
  }
  for (const some of graphs.values()) some.sort((a, b) => a.time - b.time);
  const all = rowsOf(cells, "time")
    .map(({ cell, time, stop, ...more }) => ({
      ...{ name: cell, id: more.id, status: more.status, code: more.code },
      start: time,
      stop: Number.isFinite(stop) ? stop : Infinity,
      graphs: graphs.get(cell) ?? [],
    }))
    .sort((one, other) => one.start - other.start);
  known.set(cells.columns, { of: computations.columns, cells: all });
  return all;
}

/** Reads signals of the panel's session. */
export const cellsOfPanel = (view: PanelView): readonly Cell[] =>
  cellsOf(view.table("cells"), view.table("computations"));

/** Why the cell of a task is unknown. */
export type NoCell = "(unknown)" | "(recomputed)" | "(outside of cells)";

/** Maps a graph's number to the cell that sent it. */
export type SenderOf = (computation: number) => Cell | NoCell;

export function sendersOf(...[cells, computations]: Tables): SenderOf {
  const senders = new Map<number, Cell | NoCell>();
  const { computation, cell } = computations.columns;
  computation.forEach((graph, row) => {
    senders.set(graph, cell[row] === "" ? "(outside of cells)" : "(unknown)");
  });
  for (const one of cellsOf(cells, computations)) {
    for (const graph of one.graphs) senders.set(graph.computation, one);
  }
  senders.set(RECOMPUTED, "(recomputed)");
  return (graph) => senders.get(graph) ?? "(unknown)";
}

/** The received task groups of some cells. */
export function groupsOf(
  cells: readonly Cell[],
  all: Iterable<Group>,
): Group[] {
  const graphs = new Set(
    cells.flatMap((cell) => cell.graphs.map(({ computation }) => computation)),
  );
  return [...all].filter(({ computation }) => graphs.has(computation));
}

/** `[7]`, as the notebook shows it. */
export const badgeOf = ({ name }: Cell): string => name.replace(/^In /, "");

/** Magics, comments, imports and definitions do not describe what a cell does. */
const BEFORE = /^(%|#|@|[)\]}]|(import|from|def|class|async def)\s)/;

/** The first line that does something; if there are only imports and definitions, the first. */
export function firstLine(code: string): string {
  const lines = code.split("\n", 200).filter((line) => line.trim() !== "");
  const first =
    lines.find((line) => /^\S/.test(line) && !BEFORE.test(line)) ??
    lines.find((line) => !line.trim().startsWith("#")) ??
    code;
  return first.trim();
}

/** Whether the cell failed or was interrupted. */
export const hasFailed = ({ status }: Cell): boolean =>
  status === "error" || status === "interrupted";

/** Threads of the cluster or, in a recording, those that ran a task. */
export const threadsOf = ({ workers, session }: PanelView): number =>
  workers.value.reduce((sum, { threads }) => sum + threads, 0) ||
  (session.value?.lanes.length ?? 0);

/** Isolates a cell; if it is isolated already, shows all again. */
export const isolateCell = (
  focus: Focus,
  { name }: Cell,
  adds: boolean,
): Focus => ({ ...focus, cells: isolate(focus.cells, name, adds) });
