// The entries of the legend: all prefixes by weight, then the actions with the colours of
// Dask's dashboard. Prefixes without tasks in the selection are last.

import { ACTION_COLOURS, actionColour } from "../../base/palette";
import { formatDuration, formatCount, formatExact } from "../../base/format";
import type { ActionTotal, PrefixTotal } from "../../model/types";
import type { JSX } from "preact";
import { actionNote, ERRED, legendAction } from "../../panel/action_words";
import {
  Legend,
  type LegendEntry,
  LegendMenu,
  NOT_COUNTED,
} from "../../panel/legend";
import { narrows } from "../../panel/narrowing";
import { type PrefixColour, prefixColoursOf } from "../../panel/pixel_colours";
import { isCounted } from "./status_facts";
import type { PanelState } from "./panel_state";

interface Row {
  name: string;
  colour: string;
  count: number;
  seconds: number | null;
  noun: string;
}

export function legendEntries(
  prefixes: readonly string[],
  colourOf: PrefixColour,
  actions: readonly string[],
  totals: { prefixes: readonly PrefixTotal[]; actions: readonly ActionTotal[] },
  dark: boolean,
  /** Actions to list even without any rows. */
  always: ReadonlySet<string> = new Set(),
  /** False until the figures of the current selection have arrived. */
  counted = true,
): LegendEntry[] {
  const mode = dark ? "dark" : "light";
  const byPrefix = new Map(totals.prefixes.map((row) => [row.prefix, row]));
  const prefixRows: Row[] = prefixes
    .map((name, prefix) => ({
      name,
      colour: colourOf(prefix),
      count: byPrefix.get(prefix)?.tasks ?? 0,
      seconds: byPrefix.get(prefix)?.seconds ?? 0,
      noun: "tasks",
    }))
    // Metrics without a prefix use "", which has no tasks.
    .filter(({ name, count }) => name !== "" || count > 0);

  const none = (name: string): Row => ({
    name,
    colour: ACTION_COLOURS[actionColour(name) ?? "deserialize"][mode],
    count: 0,
    seconds: 0,
    noun: "times",
  });
  const grouped = new Map<string, Row>();
  for (const name of always) {
    if (name !== ERRED) grouped.set(name, none(name));
  }
  for (const total of totals.actions) {
    const action = actions[total.action];
    if (action === undefined || action === "compute") continue;
    const name = legendAction(action);
    if (total.rows === 0 && !grouped.has(name)) continue;
    const row = grouped.get(name) ?? none(name);
    row.count += total.rows;
    row.seconds = (row.seconds ?? 0) + total.seconds;
    grouped.set(name, row);
  }
  const known = ["transfer", "disk", "deserialize"];
  const actionRows = [...grouped.values()].sort(
    (one, other) => rank(one.name, known) - rank(other.name, known),
  );
  const erred = totals.prefixes.reduce((sum, row) => sum + row.erred, 0);
  if (erred > 0 || always.has(ERRED)) {
    actionRows.push({
      name: ERRED,
      colour: ACTION_COLOURS.erred[mode],
      count: erred,
      seconds: null,
      noun: "tasks",
    });
  }

  const entry =
    (kind: LegendEntry["kind"]) =>
    (row: Row): LegendEntry => {
      const time =
        row.seconds === null ? "" : ` · ${formatDuration(row.seconds)}`;
      const noun = row.count === 1 ? row.noun.slice(0, -1) : row.noun;
      const amount = time === "" ? ` ${noun}` : time;
      return {
        id: `${kind}:${row.name}`,
        kind,
        name: row.name,
        colour: row.colour,
        detail: counted ? formatCount(row.count) + amount : NOT_COUNTED,
        count: counted ? formatCount(row.count) : NOT_COUNTED,
        weight: row.count === 0 ? 0 : (row.seconds ?? Infinity),
        nothing: counted && row.count === 0,
        title: [
          counted
            ? `${row.name}: ${formatExact(row.count)} ${noun}${time}`
            : `${row.name}: not counted yet in the selection`,
          ...(kind === "action" ? [actionNote(row.name)] : []),
        ],
      };
    };
  const some = (row: Row) => row.count > 0;
  return [
    ...prefixRows.filter(some).map(entry("prefix")),
    ...prefixRows.filter((row) => !some(row)).map(entry("prefix")),
    ...actionRows.map(entry("action")),
  ];
}

function rank(name: string, known: readonly string[]): number {
  const at = known.indexOf(name);
  return at < 0 ? known.length : at;
}

interface ViewLegend {
  readonly entries: readonly LegendEntry[];
  readonly isolated: ReadonlySet<string>;
  /** Whether figures are limited to a selected time, workers or spans. */
  readonly selected: boolean;
}

const NO_LEGEND: ViewLegend = {
  entries: [],
  isolated: new Set(),
  selected: false,
};

/** Reads signals. Actions stay listed once they have been shown. */
export function viewLegend(view: PanelState): ViewLegend {
  const session = view.session.value;
  if (!session) return NO_LEGEND;
  void view.namesVersion.value;
  const listed = view.listedActions;
  const found = legendEntries(
    session.prefixes,
    prefixColoursOf(view, session),
    session.actions,
    view.totals.value,
    view.environment.theme.value.dark,
    listed,
    isCounted(view),
  );
  const growing = view.growing.value;
  const entries = view.legendOrder.sort(found, performance.now(), growing);
  for (const { kind, name } of entries) {
    if (kind === "action") listed.add(name);
  }
  const { prefixes, actions } = view.narrowing.value;
  const isolated = new Set([
    ...prefixes.map((name) => `prefix:${name}`),
    ...actions.map((name) => `action:${name}`),
  ]);
  const { time, workers, spans } = view.focus.value;
  const selected = time !== null || workers.length + spans.length > 0;
  return { entries, isolated, selected };
}

/** In tiny panels, filters need the room that a name in the legend would take. */
function faceOf(view: PanelState): "words" | "name" | "count" {
  if (view.breadth.value !== "tiny") return "words";
  return narrows(view.narrowing.value) ? "count" : "name";
}

export function PanelLegend(props: {
  view: PanelState;
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
