// Which entries stand on the legend's line when there is no room for all: those
// that took the most time. Who is shown stays until another clearly overtakes,
// and all stand in their own order, so that nothing jumps while tasks run.

import type { LegendEntry } from "./legend_entries";

/** What is shown counts this much more than what waits. */
const STAYING = 1.3;

const MORE_PX = 64;
const SEPARATOR_PX = 17;

/** What is told of an entry beside its name. */
export type Told = "detail" | "count" | "name";

/** The most that can be told of all entries on one line; names alone where not all fit. */
export function mostTold(
  entries: readonly LegendEntry[],
  width_px: (entry: LegendEntry, told: Told) => number,
  room_px: number,
): Told {
  const haveRoom = (told: Told): boolean =>
    fit(entries, (entry) => width_px(entry, told), room_px);
  return haveRoom("detail") ? "detail" : haveRoom("count") ? "count" : "name";
}

/** Ids of the entries that fit; `before` is what was shown last. */
export function chooseEntries(
  entries: readonly LegendEntry[],
  width_px: (entry: LegendEntry) => number,
  room_px: number,
  before: ReadonlySet<string>,
): Set<string> {
  const all = entries.map(({ id }) => id);
  if (fit(entries, width_px, room_px)) return new Set(all);
  const weight = ({ id, weight }: LegendEntry): number =>
    weight * (before.has(id) ? STAYING : 1);
  const ranked = [...entries].sort(
    (one, other) => weight(other) - weight(one) || 0,
  );
  const chosen: LegendEntry[] = [];
  for (const entry of ranked) {
    chosen.push(entry);
    if (fit(chosen, width_px, room_px - MORE_PX)) continue;
    chosen.pop();
    break;
  }
  return new Set(chosen.map(({ id }) => id));
}

/** Measures none behind the first without room: of thousands all figures are new each time. */
function fit(
  entries: readonly LegendEntry[],
  width_px: (entry: LegendEntry) => number,
  room_px: number,
): boolean {
  const kinds = new Set(entries.map(({ kind }) => kind)).size;
  let needed_px = kinds > 1 ? SEPARATOR_PX : 0;
  return entries.every((entry) => (needed_px += width_px(entry)) <= room_px);
}
