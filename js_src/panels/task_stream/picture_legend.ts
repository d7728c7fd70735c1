// The legend of an exported picture: on as many lines as it needs, up to a few. The
// prefixes that took least time give way, and are counted.

import type { LegendEntry } from "./legend_entries";

const MOST_LINES = 4;
/** More names than that nobody tells apart by colour. */
const MOST_ENTRIES = 200;

export interface PictureLegend {
  readonly lines: readonly (readonly LegendEntry[])[];
  /** Entries that found no place. */
  readonly rest: number;
}

/** `rest_px` is the room for "+14 more" at the end of the last line. */
export function legendLines(
  entries: readonly LegendEntry[],
  width_px: (entry: LegendEntry) => number,
  room_px: number,
  rest_px: number,
): PictureLegend {
  const ranked = [
    ...entries.filter(({ kind }) => kind === "action"),
    ...entries
      .filter(({ kind }) => kind === "prefix")
      .sort((one, other) => other.weight - one.weight),
  ];
  const most = Math.min(entries.length, MOST_ENTRIES);
  for (let count = most; count > 0; count--) {
    const chosen = new Set(ranked.slice(0, count));
    const rest = entries.length - count;
    const lines: LegendEntry[][] = [[]];
    let x = 0;
    for (const entry of entries) {
      if (!chosen.has(entry)) continue;
      const width = width_px(entry);
      if (x > 0 && x + width > room_px) {
        lines.push([]);
        x = 0;
      }
      lines[lines.length - 1].push(entry);
      x += width;
    }
    const fits = rest === 0 || x + rest_px <= room_px;
    if (lines.length <= MOST_LINES && fits) return { lines, rest };
  }
  return { lines: [], rest: entries.length };
}
