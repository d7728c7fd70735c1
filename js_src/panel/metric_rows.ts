// Fine Performance Metrics for panels, computed once whenever new rows arrive.

import { activityColour } from "../base/palette";
import { MetricKeys, MetricRows } from "../derive/metrics";
import { BESIDE_TASKS } from "../schema";
import type { SessionStore } from "../session/session";
import { fillCss } from "./line_chart";
import type { PanelView } from "./panel_view";

/** Dask adds this activity to make sums match; it was not measured. */
export const SYNTHETIC = "idle or other spans";

const NO_TASK: ReadonlySet<string> = new Set([...BESIDE_TASKS, SYNTHETIC]);
const keysOf = new WeakMap<SessionStore, MetricKeys>();
const rowsOfTables = new WeakMap<object, MetricRows>();

export const namesOf = (view: PanelView, of: string): readonly string[] => {
  void view.namesVersion.value;
  return (view.session.value?.names(of) ?? []) as readonly string[];
};

/** The indexes of some names in a dictionary. */
export function indexesOf(
  view: PanelView,
  of: string,
  wanted: ReadonlySet<string>,
): Set<number> {
  const names = namesOf(view, of);
  return new Set([...names.keys()].filter((at) => wanted.has(names[at])));
}

/** Reads signals. Returns the same object until new rows arrive. */
export function metricRows(view: PanelView): MetricRows {
  const table = view.table("metrics");
  const store = view.session.value;
  let keys = store && keysOf.get(store);
  if (!keys) keys = new MetricKeys();
  if (store) keysOf.set(store, keys);
  const rows =
    rowsOfTables.get(table) ??
    new MetricRows(table.rings, keys, indexesOf(view, "activities", NO_TASK));
  rowsOfTables.set(table, rows);
  return rows;
}

/** Hatched in the grey of `executor`: a grey of its own would be too similar. */
export const isHatched = (activity: string): boolean => activity === "other";

/** Colours of activities by name, for the theme of a panel. */
export function activityColours(view: PanelView): (name: string) => string {
  const names = namesOf(view, "activities");
  const slots = view.session.value?.colours("activities") ?? [];
  const { dark } = view.theme.value;
  return (name) => {
    const shown = isHatched(name) ? "executor" : name;
    return activityColour(shown, dark, slots[names.indexOf(name)]);
  };
}

/** The same as CSS backgrounds. */
export function activityFills(view: PanelView): (name: string) => string {
  const colour = activityColours(view);
  return (name) => fillCss({ colour: colour(name), hatched: isHatched(name) });
}
