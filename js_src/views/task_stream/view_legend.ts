// The legend of what a panel shows, for the panel and for its picture.

import { isCounted } from "./focus_totals";
import { legendEntries, type LegendEntry } from "./legend_entries";
import { prefixColoursOf } from "./prefix_colour";
import type { ViewState } from "./view_state";

export interface ViewLegend {
  readonly entries: readonly LegendEntry[];
  /** Ids of what is isolated; empty means that all are shown. */
  readonly isolated: ReadonlySet<string>;
}

/** Reads signals. */
export function viewLegend(view: ViewState): ViewLegend {
  const session = view.session.value;
  if (!session) return { entries: [], isolated: new Set() };
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
  return { entries, isolated };
}
