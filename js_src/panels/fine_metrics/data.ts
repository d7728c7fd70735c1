// Data of the Fine Metrics panel, computed once per change of rows or choices and shared by
// bars, table, chart and status line.

import { type Signal, signal } from "@preact/signals";
import { activityRank } from "../../base/palette";
import {
  type Account,
  accountOf,
  beganAt,
  gridOver,
  type Running,
  type StateRows,
  type Steps,
  type Totals,
  totalsOf,
} from "../../derive/accounting";
import { type Grid, keysIn, sumsBy } from "../../derive/metrics";
import { lineOf, rowsOf } from "../../derive/series";
import { secondsRun } from "../../derive/threads_busy";
import type { Group } from "../../model/groups";
import type { Change, Worker } from "../../model/types";
import { cellsOfPanel, groupsOf } from "../../panel/cells";
import { metricRows, namesOf, SYNTHETIC } from "../../panel/metric_rows";
import { spanName } from "../../panel/narrowing";
import { dataMoment } from "../../panel/tasks_ran";
import type { PanelView } from "../../panel/panel_view";
import { BESIDE_TASKS, TABLES } from "../../schema";
import { rowsOf as entriesOf, type TableView } from "../../session/tables";
import type { Range } from "../../timeline/window";

export type Mode = "function" | "activity" | "time";

/** Choices that apply only to this panel. */
export interface Choices {
  readonly mode: Signal<Mode>;
  readonly unit: Signal<string>;
  readonly share: Signal<boolean>;
  readonly table: Signal<boolean>;
  /** Empty means all. */
  readonly activities: Signal<readonly string[]>;
}

const chosen = new WeakMap<PanelView, Choices>();

export function choicesOf(view: PanelView): Choices {
  const choices = chosen.get(view) ?? {
    mode: signal<Mode>("time"),
    unit: signal("seconds"),
    share: signal(false),
    table: signal(false),
    activities: signal<readonly string[]>([]),
  };
  chosen.set(view, choices);
  return choices;
}

export const EXECUTE = "execute";
/** Index of the unit "seconds", always the first in its dictionary. */
export const SECONDS = 0;

/** From the start of the run to its end, or to now. */
export function knownTime(view: PanelView): Range {
  const [start, stop] = view.whole.value;
  return [start, Math.min(stop, view.present.value ?? stop)];
}

export interface Scope {
  /** The time that figures cover. */
  readonly time: Range;
  /** Indexes that count, as masks; null is all. */
  readonly prefixes: Uint8Array | null;
  readonly spans: Uint8Array | null;
  /** Task groups whose share counts (those of chosen cells); null is all. */
  readonly groups: readonly Group[] | null;
  /** `id`: equal for equal figures. `names`: the same, ignoring the time. */
  readonly id: string;
  readonly names: string;
}

export const isNarrowed = ({ prefixes, spans, groups }: Scope): boolean =>
  prefixes !== null || spans !== null || groups !== null;

/** A mask of the chosen names; null if none is chosen. */
function maskOf<T>(chosen: readonly T[], all: readonly T[]): Uint8Array | null {
  if (chosen.length === 0) return null;
  const wanted = new Set(chosen);
  return Uint8Array.from(all, (one) => Number(wanted.has(one)));
}

/** The parts of the focus that metrics support. For cells, it uses the share of their tasks. */
export function scopeOf(view: PanelView): Scope {
  const { time, prefixes, spans, cells } = view.focus.value;
  const names = namesOf(view, "prefixes");
  let range = time ?? knownTime(view);
  let groups: readonly Group[] | null = null;
  if (cells.length > 0) {
    const tasks = tasksOfCells(view, cells);
    ({ groups } = tasks);
    range = [
      Math.min(Math.max(range[0], tasks.time[0]), range[1]),
      Math.max(Math.min(range[1], tasks.time[1]), range[0]),
    ];
  }
  const all = view.session.value?.spans ?? [];
  const chosen = JSON.stringify([prefixes, spans, cells, names.length]);
  return {
    ...{ time: range, groups, names: chosen },
    id: `${range.join(" ")} ${chosen}`,
    prefixes: maskOf(prefixes, names),
    spans: maskOf(
      spans,
      all.map(({ id }) => id),
    ),
  };
}

/** Task groups of cells, and their time, starting with the first graph. */
function tasksOfCells(
  view: PanelView,
  names: readonly string[],
): { readonly time: Range; readonly groups: readonly Group[] } {
  const cells = cellsOfPanel(view).filter(({ name }) => names.includes(name));
  void dataMoment(view);
  const groups = groupsOf(cells, view.session.value?.model.groups.all ?? []);
  const begins = cells.flatMap(({ start, graphs }) =>
    graphs.length > 0 ? graphs.map(({ time }) => time) : [start],
  );
  // If no task has ended yet, use the end of the cells.
  const ends = (groups.length > 0 ? groups : cells).map(({ stop }) => stop);
  const first = Math.min(...begins, ...groups.map(({ start }) => start));
  const time: Range =
    cells.length > 0 ? [first, Math.max(...ends)] : [-Infinity, Infinity];
  return { groups, time };
}

/** One bar: a sum and its parts by activity. */
export interface Bar {
  readonly name: string;
  readonly total: number;
  readonly parts: readonly { readonly name: string; readonly value: number }[];
}

const byRank = (one: { name: string }, other: { name: string }): number =>
  activityRank(one.name) - activityRank(other.name) ||
  (one.name < other.name ? -1 : 1);

/** A mask of the activities that count. */
const activityMask = (view: PanelView): Uint8Array => {
  const only = choicesOf(view).activities.value;
  return Uint8Array.from(namesOf(view, "activities"), (name) =>
    Number(name !== SYNTHETIC && (only.length === 0 || only.includes(name))),
  );
};

export const unitIndex = (view: PanelView): number =>
  namesOf(view, "units").indexOf(choicesOf(view).unit.value);

/** By key: whether it counts in a context, and its amount. */
function measuredOf(
  view: PanelView,
  scope: Scope,
  context: string,
  unit: number,
): [counts: Uint8Array, sums: Float64Array] {
  const rows = metricRows(view);
  const isExecute = context === EXECUTE;
  const counts = keysIn(rows.keys, {
    ...{ unit, context: namesOf(view, "contexts").indexOf(context) },
    // Other contexts have no functions, and only p2p has spans.
    prefixes: isExecute ? scope.prefixes : null,
    spans: isExecute ? scope.spans : null,
    activities: activityMask(view),
  });
  const sums =
    isExecute && scope.groups
      ? rows.ofGroups(scope.groups, ...scope.time)
      : rows.between(...scope.time);
  return [counts, sums];
}

/** Cache of bars by scope. */
const madeBars = new WeakMap<
  Scope,
  { readonly rows: unknown; readonly bars: Map<string, readonly Bar[]> }
>();

/** The bars of one context; cached until rows or choices change. */
export function barsOf(
  view: PanelView,
  scope: Scope,
  by: "prefix" | "activity",
  context: string,
  unit = unitIndex(view),
): readonly Bar[] {
  const rows = metricRows(view);
  let made = madeBars.get(scope);
  if (made?.rows !== rows) made = { rows, bars: new Map() };
  madeBars.set(scope, made);
  const activities = choicesOf(view).activities.value;
  const id = JSON.stringify([by, context, unit, activities]);
  const bars = made.bars.get(id) ?? countBars(view, scope, by, context, unit);
  made.bars.set(id, bars);
  return bars;
}

function countBars(
  view: PanelView,
  scope: Scope,
  by: "prefix" | "activity",
  context: string,
  unit: number,
): Bar[] {
  const { keys } = metricRows(view);
  const activities = namesOf(view, "activities");
  const names = by === "prefix" ? namesOf(view, "prefixes") : activities;
  const measured = measuredOf(view, scope, context, unit);
  return sumsBy(keys, by, ...measured).map((sum) => {
    let sorted: Bar["parts"] | null = null;
    return {
      ...{ name: names[sum.index] ?? "", total: sum.total },
      // Lazy, since only few of thousands of bars are shown.
      get parts() {
        return (sorted ??= sum
          .parts()
          .map(([part, value]) => ({ name: activities[part] ?? "", value }))
          .sort(byRank));
      },
    };
  });
}

/** The amounts of all contexts by key, for the table. */
export interface Figures {
  /** The keys that count. */
  readonly keys: Uint32Array;
  /** Amount by key. */
  readonly values: Float64Array;
  /** Context, function, activity and span of a key. */
  readonly words: (key: number) => readonly string[];
}

export function figuresOf(view: PanelView, scope: Scope): Figures {
  const { keys } = metricRows(view);
  const contexts = namesOf(view, "contexts");
  const prefixes = namesOf(view, "prefixes");
  const activities = namesOf(view, "activities");
  const spans = view.session.value?.spans ?? [];
  const values = new Float64Array(keys.size);
  const found: number[] = [];
  for (const context of [EXECUTE, ...otherContexts(view, scope)]) {
    const unit = unitIndex(view);
    const [counts, sums] = measuredOf(view, scope, context, unit);
    sums.forEach((value, key) => {
      if (counts[key] === 0 || value === 0) return;
      values[key] = value;
      found.push(key);
    });
  }
  const words = (key: number): readonly string[] => [
    ...[contexts[keys.context[key]] ?? "", prefixes[keys.prefix[key]] ?? ""],
    activities[keys.activity[key]] ?? "",
    spanName(spans[keys.span[key]]?.name ?? []),
  ];
  return { keys: Uint32Array.from(found), values, words };
}

export const heaviestFirst = (bars: readonly Bar[]): Bar[] =>
  [...bars].sort((one, other) => other.total - one.total);

/** Contexts with data, except execute. */
export function otherContexts(view: PanelView, scope: Scope): string[] {
  const rows = metricRows(view);
  const names = namesOf(view, "contexts");
  const { context, unit } = rows.keys;
  const of = unitIndex(view);
  const sums = rows.between(...scope.time);
  const found = new Set<number>();
  for (let key = 0; key < sums.length; key++) {
    if (sums[key] !== 0 && unit[key] === of) found.add(context[key]);
  }
  return [...found]
    .sort((one, other) => one - other)
    .map((at) => names[at] ?? "")
    .filter((name) => name !== EXECUTE);
}

/** Units with data, seconds first. */
export function unitsOf(view: PanelView): string[] {
  const names = namesOf(view, "units");
  const found = new Set([0, ...metricRows(view).keys.used("unit").indexes]);
  return [...found].map((at) => names[at] ?? "");
}

export interface Stack {
  /** From the lowest layer to the highest. */
  readonly names: readonly string[];
  /** At `group * columns + column`. */
  readonly values: Float64Array;
}

/** Executing by activity, in the columns of a grid. */
export function stackIn(view: PanelView, grid: Grid, scope: Scope): Stack {
  const rows = metricRows(view);
  const names = namesOf(view, "activities");
  const counts = activityMask(view);
  const only = isNarrowed(scope) ? scope : undefined;
  const all = rows.executed(grid, unitIndex(view), only);
  const { columns } = grid;
  const layers = rows.activities
    .flatMap((index, place) => {
      const values = all.subarray(place * columns, (place + 1) * columns);
      const isIn = counts[index] === 1 && values.some((value) => value !== 0);
      return isIn ? [{ name: names[index] ?? "", values }] : [];
    })
    .sort(byRank);
  const values = new Float64Array(layers.length * columns);
  layers.forEach((layer, at) => values.set(layer.values, at * columns));
  return { names: layers.map(({ name }) => name), values };
}

/** Thread-seconds of executing, for all functions; and the part in which no task ran. */
function measuredIn(view: PanelView, grid: Grid): [Float64Array, Float64Array] {
  const rows = metricRows(view);
  const names = namesOf(view, "activities");
  const all = rows.executed(grid, SECONDS);
  const measured = new Float64Array(grid.columns);
  const outside = new Float64Array(grid.columns);
  rows.activities.forEach((index, place) => {
    const name = names[index] ?? "";
    if (name === SYNTHETIC) return;
    const isBeside = BESIDE_TASKS.some((beside) => beside === name);
    for (let at = 0; at < grid.columns; at++) {
      const value = all[place * grid.columns + at];
      measured[at] += value;
      if (isBeside) outside[at] += value;
    }
  });
  return [measured, outside];
}

const NONE = new Float64Array(0);
const NO_STATES: StateRows = {
  ...{ time: NONE, waiting: [], queued: [], no_worker: [], processing: [] },
  ...{ executing: [], fetching: [] },
};

interface Read {
  readonly states: StateRows;
  readonly running: readonly Running[];
  readonly threads: Steps;
}
const readTables = new WeakMap<object, WeakMap<object, Read>>();

function read(view: PanelView): Read {
  const [states, system] = [view.table("states"), view.table("system")];
  const known = readTables.get(states) ?? new WeakMap<object, Read>();
  readTables.set(states, known);
  let found = known.get(system);
  if (!found) {
    const none = namesOf(view, "prefixes").indexOf("");
    // Rows of the whole cluster have neither worker nor prefix.
    const key = { prefix: none, worker: "" };
    const rows = none < 0 ? null : rowsOf(TABLES.states, states.rings, key);
    const line = lineOf(rowsOf(TABLES.system, system.rings), "threads");
    found = {
      states: rows
        ? ({ time: rows.time, ...rows.columns } as unknown as StateRows)
        : NO_STATES,
      running: runningIn(states, none),
      threads: { time: line.time, value: line.values },
    };
    known.set(system, found);
  }
  return found;
}

/** Running tasks, from the last row of each prefix. */
function runningIn({ rings }: TableView<"states">, none: number): Running[] {
  const last = new Map<number, { time: number; running: Running[] }>();
  for (const { columns, rows } of rings) {
    const { time, worker, prefix, executing, start, earliest } = columns;
    for (let row = 0; row < rows; row++) {
      if (worker[row] !== "" || prefix[row] === none) continue;
      const before = last.get(prefix[row]);
      if (before && before.time > time[row]) continue;
      last.set(prefix[row], {
        time: time[row],
        running: beganAt(executing[row], start[row], earliest[row]),
      });
    }
  }
  return [...last.values()].flatMap(({ running }) => running);
}

function threadsOf(view: PanelView, { threads }: Read): Steps {
  if (threads.time.length > 0) return threads;
  const count = view.session.value?.lanes.length ?? 0;
  return { time: Float64Array.of(view.whole.value[0]), value: [count] };
}

/** Threads of paused workers over time. */
export function pausedThreads(
  changes: readonly Pick<Change, "time" | "worker" | "what">[],
  workers: readonly Pick<Worker, "address" | "status">[],
  threadsOfWorker: (worker: string) => number,
): Steps {
  // Infer the first state of a worker from its first change or, without one, its status.
  const paused = new Set(
    workers
      .filter(({ status }) => status === "paused")
      .map(({ address }) => address),
  );
  const changed = new Set<string>();
  for (const { worker, what } of changes) {
    if (!/^(added|paused|running)$/.test(what) || changed.has(worker)) continue;
    changed.add(worker);
    if (what === "running") paused.add(worker);
    else paused.delete(worker);
  }
  const threads = (): number =>
    [...paused].reduce((sum, worker) => sum + threadsOfWorker(worker), 0);
  const time = [-Infinity];
  const value = [threads()];
  for (const change of changes) {
    if (change.what === "paused") paused.add(change.worker);
    else if (!/^(running|removed)$/.test(change.what)) continue;
    else if (!paused.delete(change.worker)) continue;
    time.push(change.time);
    value.push(threads());
  }
  return { time: Float64Array.from(time), value };
}

/** Threads of a worker; for one that has left, the number it joined with. */
function threadsByWorker(view: PanelView): (worker: string) => number {
  const threads = new Map<string, number>();
  for (const { worker, detail } of entriesOf(view.table("workers"), "time")) {
    const count = parseInt(detail, 10);
    if (count >= 0) threads.set(worker, count);
  }
  for (const one of view.workers.value) threads.set(one.address, one.threads);
  return (worker) => threads.get(worker) ?? 1;
}

export function accountIn(view: PanelView, grid: Grid): Account {
  const tables = read(view);
  const [since, present] = knownTime(view);
  const [measured, beside] = measuredIn(view, grid);
  return accountOf(grid, {
    ...{ since, present, measured, beside },
    threads: threadsOf(view, tables),
    states: tables.states,
    running: tables.running,
    graphs: entriesOf(view.table("computations"), "time")
      .filter(({ graphs }) => graphs <= 1) // several share one time
      .map(
        ({ time, stop }) =>
          [time, Number.isNaN(stop) ? present : stop] as const,
      )
      .sort((one, other) => one[0] - other[0]),
    paused: pausedThreads(
      entriesOf(view.table("workers"), "time"),
      view.workers.value,
      threadsByWorker(view),
    ),
    busy: secondsRun(view.session.value!.model, grid),
  });
}

export interface Whole {
  readonly account: Account;
  readonly totals: Totals;
}

/** Cache size: enough for the last times in focus and the whole run. */
const KEPT_WHOLES = 4;

const wholes = new WeakMap<
  PanelView,
  { readonly of: readonly unknown[]; readonly byTime: Map<string, Whole> }
>();

/** What threads × time was spent on in the time of a scope, for all functions. */
export function wholeOf(
  view: PanelView,
  { time: [start, stop] }: Scope,
): Whole {
  const of = [
    ...["metrics", "states", "system", "computations", "workers"].map((name) =>
      view.table(name as "metrics"),
    ),
    dataMoment(view),
  ];
  let known = wholes.get(view);
  if (!known?.of.every((one, at) => one === of[at])) {
    known = { of, byTime: new Map() };
    wholes.set(view, known);
  }
  const { byTime } = known;
  const id = `${start} ${stop}`;
  let whole = byTime.get(id);
  if (!whole) {
    const [since, present] = knownTime(view);
    const grows = view.growing.value && start === since && stop === present;
    const account = accountIn(view, gridOver(start, stop, grows));
    whole = { account, totals: totalsOf(account) };
  }
  // Reinsert, so that the least recently used entry is the first.
  byTime.delete(id);
  byTime.set(id, whole);
  const [eldest] = byTime.keys();
  if (byTime.size > KEPT_WHOLES) byTime.delete(eldest);
  return whole;
}
