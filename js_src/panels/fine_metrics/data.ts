// What the tables say of Fine Performance Metrics, read once for each arrival and each
// choice: bars, table, chart and status line ask for the same.

import { type Signal, signal } from "@preact/signals";
import { activityRank } from "../../base/palette";
import {
  type Account,
  accountOf,
  type Inputs,
  type StateRows,
  type Steps,
  type Totals,
  totalsOf,
} from "../../derive/accounting";
import {
  type Grid,
  keysIn,
  MetricKeys,
  MetricRows,
  sumsBy,
} from "../../derive/metrics";
import { lineOf, rowsOf } from "../../derive/series";
import { dataMoment, tasksRan } from "../../panel/tasks_ran";
import type { PanelView } from "../../panel/panel_view";
import { TABLES } from "../../schema";
import type { SessionStore } from "../../session";
import { rowsOf as entriesOf } from "../../session_tables";
import type { Range } from "../../timeline/window";

export type Mode = "function" | "activity" | "time";

/** What this panel alone shows. */
export interface Choices {
  readonly mode: Signal<Mode>;
  readonly unit: Signal<string>;
  readonly share: Signal<boolean>;
  readonly table: Signal<boolean>;
  /** None means all. */
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

/** It is made up so that sums match, and was never measured. */
const SYNTHETIC = "idle or other spans";
export const EXECUTE = "execute";

const keysOf = new WeakMap<SessionStore, MetricKeys>();
const rowsOfTables = new WeakMap<object, MetricRows>();

/** Reads signals. The same as before while nothing came. */
export function metricRows(view: PanelView): MetricRows {
  const table = view.table("metrics");
  const store = view.session.value;
  let keys = store && keysOf.get(store);
  if (!keys) keys = new MetricKeys();
  if (store) keysOf.set(store, keys);
  const rows = rowsOfTables.get(table) ?? new MetricRows(table.rings, keys);
  rowsOfTables.set(table, rows);
  return rows;
}

export const namesOf = (view: PanelView, of: string): readonly string[] => {
  void view.namesVersion.value;
  return (view.session.value?.names(of) ?? []) as readonly string[];
};

/** From the beginning of the run to its end, or to now. */
export function knownTime(view: PanelView): Range {
  const [start, stop] = view.whole.value;
  return [start, Math.min(stop, view.present.value ?? stop)];
}

export interface Scope {
  /** What figures are of. */
  readonly time: Range;
  /** Indexes that count, as masks; null is all. */
  readonly prefixes: Uint8Array | null;
  readonly spans: Uint8Array | null;
  /** The same for the same figures, and for those of the same names in another time. */
  readonly id: string;
  readonly names: string;
}

const maskOf = (indexes: Iterable<number>): Uint8Array => {
  const mask = new Uint8Array(0x10000);
  for (const index of indexes) if (index >= 0) mask[index] = 1;
  return mask;
};

/** The focus as far as metrics know it: cells by the time and functions of their tasks. */
export function scopeOf(view: PanelView): Scope {
  const { time, prefixes, spans, cells } = view.focus.value;
  const names = namesOf(view, "prefixes");
  let range = time ?? knownTime(view);
  let mask =
    prefixes.length > 0
      ? maskOf(prefixes.map((name) => names.indexOf(name)))
      : null;
  if (cells.length > 0) {
    const tasks = tasksRan(view, cells, []);
    range = [
      Math.min(Math.max(range[0], tasks.time[0]), range[1]),
      Math.max(Math.min(range[1], tasks.time[1]), range[0]),
    ];
    const own = tasks.prefixes && maskOf(tasks.prefixes);
    mask = mask && own ? mask.map((one, at) => one & own[at]) : (mask ?? own);
  }
  const all = view.session.value?.spans ?? [];
  const chosen = JSON.stringify([prefixes, spans, cells, names.length]);
  return {
    ...{ time: range, prefixes: mask, names: chosen },
    id: `${range.join(" ")} ${chosen}`,
    spans:
      spans.length > 0
        ? maskOf(spans.map((span) => all.findIndex(({ id }) => id === span)))
        : null,
  };
}

/** One row of bars: a sum, and what it consists of by activity. */
export interface Bar {
  readonly name: string;
  readonly total: number;
  readonly parts: readonly { readonly name: string; readonly value: number }[];
}

const byRank = (one: { name: string }, other: { name: string }): number =>
  activityRank(one.name) - activityRank(other.name) ||
  (one.name < other.name ? -1 : 1);

/** Whether an activity counts, by its index. */
function activityFilter(view: PanelView): (activity: number) => boolean {
  const names = namesOf(view, "activities");
  const only = choicesOf(view).activities.value;
  return (at) =>
    names[at] !== SYNTHETIC && (only.length === 0 || only.includes(names[at]));
}

export const unitIndex = (view: PanelView): number =>
  namesOf(view, "units").indexOf(choicesOf(view).unit.value);

/** The bars of one context, or of all that are measured where nothing executes. */
export function barsOf(
  view: PanelView,
  scope: Scope,
  by: "prefix" | "activity",
  contexts: (name: string) => boolean,
  unit = unitIndex(view),
): Bar[] {
  const rows = metricRows(view);
  const { keys } = rows;
  const contextNames = namesOf(view, "contexts");
  const activities = namesOf(view, "activities");
  const names = by === "prefix" ? namesOf(view, "prefixes") : activities;
  const isExecute = contexts(EXECUTE);
  const counts = keysIn(keys, {
    unit,
    contexts: (context) => contexts(contextNames[context]),
    // Other contexts know no functions, and only p2p knows spans.
    prefixes: isExecute ? scope.prefixes : null,
    spans: isExecute ? scope.spans : null,
    activities: activityFilter(view),
  });
  const sums = rows.between(...scope.time);
  const all = sumsBy(keys[by], keys.activity, counts, sums);
  return [...all].map(([index, { total, parts }]) => ({
    ...{ name: names[index] ?? "", total },
    parts: [...parts]
      .map(([part, value]) => ({ name: activities[part] ?? "", value }))
      .sort(byRank),
  }));
}

export const heaviestFirst = (bars: readonly Bar[]): Bar[] =>
  [...bars].sort((one, other) => other.total - one.total);

/** Contexts of which anything is there, besides executing. */
export function otherContexts(view: PanelView, scope: Scope): string[] {
  const rows = metricRows(view);
  const names = namesOf(view, "contexts");
  const { context, unit } = rows.keys;
  const of = unitIndex(view);
  const sums = rows.between(...scope.time);
  const found = new Set<number>();
  sums.forEach((value, key) => {
    if (value !== 0 && unit[key] === of) found.add(context[key]);
  });
  return [...found]
    .sort((one, other) => one - other)
    .map((at) => names[at] ?? "")
    .filter((name) => name !== EXECUTE);
}

/** Units of which anything was measured, seconds first. */
export function unitsOf(view: PanelView): string[] {
  const names = namesOf(view, "units");
  const { unit, size } = metricRows(view).keys;
  const found = new Set<number>([0]);
  for (let key = 0; key < size; key++) found.add(unit[key]);
  return [...found].sort((a, b) => a - b).map((at) => names[at] ?? "");
}

export interface Stack {
  /** The lowest first. */
  readonly names: readonly string[];
  /** At `group * columns + column`. */
  readonly values: Float64Array;
}

/** What executing took, by activity, in the columns of a grid. */
export function stackIn(view: PanelView, grid: Grid, scope: Scope): Stack {
  const rows = metricRows(view);
  const { keys } = rows;
  const activities = namesOf(view, "activities");
  const execute = namesOf(view, "contexts").indexOf(EXECUTE);
  const counts = keysIn(keys, {
    unit: unitIndex(view),
    contexts: (context) => context === execute,
    ...{ prefixes: scope.prefixes, spans: scope.spans },
    activities: activityFilter(view),
  });
  const found = new Set<number>();
  counts.forEach((one, key) => one === 1 && found.add(keys.activity[key]));
  const order = [...found]
    .map((index) => ({ index, name: activities[index] ?? "" }))
    .sort(byRank);
  const place = new Map(order.map(({ index }, at) => [index, at]));
  const groups = Int32Array.from(counts, (one, key) =>
    one === 1 ? place.get(keys.activity[key])! : -1,
  );
  return {
    names: order.map(({ name }) => name),
    values: rows.spread(grid, groups, order.length),
  };
}

/** Seconds of threads that executing took, of all functions and spans. */
function measuredIn(view: PanelView, grid: Grid): Float64Array {
  const rows = metricRows(view);
  const { context, unit, activity, size } = rows.keys;
  const activities = namesOf(view, "activities");
  const execute = namesOf(view, "contexts").indexOf(EXECUTE);
  const groups = Int32Array.from({ length: size }, (_, key) =>
    context[key] === execute &&
    unit[key] === 0 &&
    activities[activity[key]] !== SYNTHETIC
      ? 0
      : -1,
  );
  return rows.spread(grid, groups, 1);
}

const NO_STATES: StateRows = {
  ...{ time: [], waiting: [], queued: [], no_worker: [], processing: [] },
  ...{ executing: [], fetching: [], start: [] },
};

interface Read {
  readonly states: StateRows;
  readonly threads: Steps;
}
const readTables = new WeakMap<object, WeakMap<object, Read>>();

/** Of the whole cluster: both keys of a row are empty. */
function read(view: PanelView): Read {
  const [states, system] = [view.table("states"), view.table("system")];
  const known = readTables.get(states) ?? new WeakMap<object, Read>();
  readTables.set(states, known);
  let found = known.get(system);
  if (!found) {
    const prefix = namesOf(view, "prefixes").indexOf("");
    const rows =
      prefix < 0
        ? null
        : rowsOf(TABLES.states, states.rings, {
            ...{ prefix, worker: "" },
          });
    const line = lineOf(rowsOf(TABLES.system, system.rings), "threads");
    found = {
      states: rows
        ? ({ time: rows.time, ...rows.columns } as unknown as StateRows)
        : NO_STATES,
      threads: { time: line.time, value: line.values },
    };
    known.set(system, found);
  }
  return found;
}

function threadsOf(view: PanelView, { threads }: Read): Steps {
  if (threads.time.length > 0) return threads;
  const count = view.session.value?.lanes.length ?? 0;
  return { time: [view.whole.value[0]], value: [count] };
}

/** Threads of workers that are paused, from change to change. */
function pausedThreads(view: PanelView): Steps {
  const threads = new Map(
    view.workers.value.map((one) => [one.address, one.threads]),
  );
  const paused = new Set<string>();
  const time: number[] = [];
  const value: number[] = [];
  for (const change of entriesOf(view.table("workers"), "time")) {
    if (change.what === "paused") paused.add(change.worker);
    else if (/^(running|removed)$/.test(change.what)) {
      if (!paused.delete(change.worker)) continue;
    } else continue;
    time.push(change.time);
    let count = 0;
    for (const worker of paused) count += threads.get(worker) ?? 1;
    value.push(count);
  }
  return { time, value };
}

export function accountIn(view: PanelView, grid: Grid): Account {
  const tables = read(view);
  const [since, present] = knownTime(view);
  const inputs: Inputs = {
    since,
    threads: threadsOf(view, tables),
    states: tables.states,
    graphs: entriesOf(view.table("computations"), "time")
      .filter(({ graphs }) => graphs <= 1) // several: not when each was read
      .map(
        ({ time, stop }) =>
          [time, Number.isNaN(stop) ? present : stop] as const,
      )
      .sort((one, other) => one[0] - other[0]),
    paused: pausedThreads(view),
    measured: measuredIn(view, grid),
    busy: view.session.value!.model.wholeBusy,
    present,
  };
  return accountOf(grid, inputs);
}

/** So finely causes are told apart in what the figures are of. */
const COLUMNS = 240;

export interface Whole {
  readonly account: Account;
  readonly totals: Totals;
}

const wholes = new WeakMap<
  PanelView,
  { readonly of: readonly unknown[]; readonly whole: Whole }
>();

/** What threads × time was spent on in the time of a scope, of all functions. */
export function wholeOf(
  view: PanelView,
  { time: [start, stop] }: Scope,
): Whole {
  const of = [
    ...["metrics", "states", "system", "computations", "workers"].map((name) =>
      view.table(name as "metrics"),
    ),
    ...[start, stop, dataMoment(view)],
  ];
  const known = wholes.get(view);
  if (known?.of.every((one, at) => one === of[at])) return known.whole;
  const width = Math.max(stop - start, 1e-6) / COLUMNS;
  const account = accountIn(view, { start, width, columns: COLUMNS });
  const whole = { account, totals: totalsOf(account) };
  wholes.set(view, { of, whole });
  return whole;
}
