// The legend of what this panel shows, on its line or as a menu.

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { toCss } from "../../base/colour";
import type { SessionMirror } from "../panel/session_mirror";
import { Legend, LegendMenu } from "./legend";
import { legendEntries, type LegendEntry } from "./legend_entries";
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
  // An entry that a filter leaves nothing of stays, with 0.
  const seen = useRef({ id: store.id, actions: new Set<string>() });
  if (seen.current.id !== store.id) {
    seen.current = { id: store.id, actions: new Set() };
  }
  const entries = legendEntries(
    store.prefixes,
    store.slots,
    store.actions,
    session.totals.value,
    theme.dark,
    toCss(theme.text2),
    seen.current.actions,
  );
  for (const entry of entries) {
    if (entry.kind === "action") seen.current.actions.add(entry.name);
  }
  const isolated = new Set([
    ...view.focus.value.prefixes.map((name) => `prefix:${name}`),
    ...(view.selection.value?.actions.value ?? []).map(
      (name) => `action:${name}`,
    ),
  ]);
  const breadth = view.breadth.value;
  const shared = {
    entries,
    isolated,
    width_px: view.environment.width.value,
    font: theme.font,
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
