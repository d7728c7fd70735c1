// The legend of what this panel shows, on its line or as a menu.

import type { JSX } from "preact";
import { narrows } from "../../panel/narrowing";
import { Legend, LegendMenu } from "./legend";
import type { LegendEntry } from "./legend_entries";
import { viewLegend } from "./view_legend";
import type { ViewState } from "./view_state";

/** Filters need the line more than a name in the legend does. */
function faceOf(view: ViewState): "words" | "name" | "count" {
  if (view.breadth.value !== "tiny") return "words";
  return narrows(view.narrowing.value) ? "count" : "name";
}

export function PanelLegend(props: {
  view: ViewState;
  menu: boolean;
}): JSX.Element {
  const { view } = props;
  const breadth = view.breadth.value;
  const shared = {
    ...viewLegend(view),
    width_px: view.environment.width.value,
    theme: view.environment.theme.value,
    onToggle: (entry: LegendEntry, adds: boolean) =>
      view.isolateEntry(entry.kind, entry.name, adds),
  };
  return props.menu ? (
    <LegendMenu {...shared} compact face={faceOf(view)} />
  ) : (
    <Legend
      {...shared}
      compact={breadth !== "wide" || view.environment.height.value < 320}
    />
  );
}
