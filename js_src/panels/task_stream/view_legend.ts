// The legend of what a panel shows, for the panel and for its picture.

import { isCounted } from "./focus_totals";
import { legendEntries, type LegendEntry } from "./legend_entries";
import { prefixColoursOf } from "../../panel/prefix_colour";
import type { ViewState } from "./view_state";

export interface ViewLegend {
  readonly entries: readonly LegendEntry[];
  /** Ids of what is isolated; empty means that all are shown. */
  readonly isolated: ReadonlySet<string>;
  /** A time, workers or spans are selected: figures are of those. */
  readonly selected: boolean;
}

const NO_LEGEND: ViewLegend = {
  entries: [],
  isolated: new Set(),
  selected: false,
};

/** Reads signals; what it lists of actions stays listed. */
export function viewLegend(view: ViewState): ViewLegend {
  const session = view.session.value;
  if (!session) return NO_LEGEND;
  void session.namesVersion.value;
  const { store } = session;
  const listed = view.selection.value?.listedActions;
  const entries = legendEntries(
    store.prefixes,
    prefixColoursOf(view, store),
    store.actions,
    session.totals.value,
    view.environment.theme.value.dark,
    listed,
    isCounted(session),
  );
  for (const { kind, name } of entries) {
    if (kind === "action") listed?.add(name);
  }
  const { prefixes, actions } = view.narrowing.value;
  const isolated = new Set([
    ...prefixes.map((name) => `prefix:${name}`),
    ...actions.map((name) => `action:${name}`),
  ]);
  const { time, workers, spans } = session.focus.value;
  const selected = time !== null || workers.length + spans.length > 0;
  return { entries, isolated, selected };
}
