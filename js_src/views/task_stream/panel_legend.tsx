// The legend of what this panel shows, on its line or as a menu.

import type { JSX } from "preact";
import type { SessionMirror } from "../panel/session_mirror";
import { Legend, LegendMenu } from "./legend";
import { legendEntries, type LegendEntry } from "./legend_entries";
import { prefixColoursOf } from "./prefix_colour";
import type { ViewState } from "./view_state";

export function PanelLegend(props: {
  view: ViewState;
  session: SessionMirror;
  menu: boolean;
}): JSX.Element {
  const { view, session } = props;
  const theme = view.environment.theme.value;
  void session.namesVersion.value;
  const { store } = session;
  const selection = view.selection.value;
  const listed = selection?.listedActions;
  const entries = legendEntries(
    store.prefixes,
    prefixColoursOf(view, store),
    store.actions,
    session.totals.value,
    theme.dark,
    listed,
  );
  for (const { kind, name } of entries) {
    if (kind === "action") listed?.add(name);
  }
  const isolated = new Set([
    ...view.focus.value.prefixes.map((name) => `prefix:${name}`),
    ...(selection?.actions.value ?? []).map((name) => `action:${name}`),
  ]);
  const breadth = view.breadth.value;
  const shared = {
    entries,
    isolated,
    width_px: view.environment.width.value,
    theme,
    onToggle: (entry: LegendEntry, adds: boolean) =>
      view.isolateEntry(entry.kind, entry.name, adds),
  };
  return props.menu ? (
    <LegendMenu {...shared} compact words={breadth !== "tiny"} />
  ) : (
    <Legend
      {...shared}
      compact={breadth !== "wide" || view.environment.height.value < 320}
    />
  );
}
