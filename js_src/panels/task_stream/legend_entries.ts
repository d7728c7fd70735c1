// What the legend lists: every prefix in the order in which it appeared, those
// of which a selection leaves nothing last; then the actions that Dask users
// know by colour.

import { ACTION_COLOURS, actionColour } from "../../base/palette";
import { formatDuration, formatCount, formatExact } from "../../base/format";
import type { ActionTotal, PrefixTotal } from "../../model/types";
import { ERRED, legendAction } from "../../panel/action_words";
import type { PrefixColour } from "../../panel/prefix_colour";

export interface LegendEntry {
  /** `prefix:name` or `action:name`. */
  readonly id: string;
  readonly kind: "prefix" | "action";
  readonly name: string;
  readonly colour: string;
  /** `256 · 149.1 s`. */
  readonly detail: string;
  /** `256`, where there is room for no more. */
  readonly count: string;
  /** The same with exact figures, for the tooltip. */
  readonly exact: string;
  /** By how much it deserves a place: seconds; errors come before all, nothing last. */
  readonly weight: number;
  /** Nothing of it is in the selection. */
  readonly nothing: boolean;
}

/** In place of figures while they are of another selection. */
export const NOT_COUNTED = "…";

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
  /** Actions to list also where nothing of them is left. */
  always: ReadonlySet<string> = new Set(),
  /** False while the figures are of another selection than what is shown. */
  counted = true,
): LegendEntry[] {
  const mode = dark ? "dark" : "light";
  const byPrefix = new Map(totals.prefixes.map((row) => [row.prefix, row]));
  const prefixRows: Row[] = prefixes.map((name, prefix) => ({
    name,
    colour: colourOf(prefix),
    count: byPrefix.get(prefix)?.tasks ?? 0,
    seconds: byPrefix.get(prefix)?.seconds ?? 0,
    noun: "tasks",
  }));

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
      const told = time === "" ? ` ${noun}` : time;
      return {
        id: `${kind}:${row.name}`,
        kind,
        name: row.name,
        colour: row.colour,
        detail: counted ? formatCount(row.count) + told : NOT_COUNTED,
        count: counted ? formatCount(row.count) : NOT_COUNTED,
        weight: row.count === 0 ? 0 : (row.seconds ?? Infinity),
        nothing: counted && row.count === 0,
        exact: counted
          ? `${row.name}: ${formatExact(row.count)} ${noun}${time}`
          : `${row.name}: not counted yet in the selection`,
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
