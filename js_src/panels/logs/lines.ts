// Lines of the logs of scheduler and workers, and which of them somebody wants to see.

import { byTime } from "../../model/search";
import type { Focus } from "../../model/types";
import { inFocus } from "../../panel/in_focus";
import type { TableView } from "../../session_tables";

export interface LogFilter {
  readonly focus: Focus;
  /** The least level that is shown; empty for all. */
  readonly level: string;
  /** "scheduler", or a worker's address; empty for all. */
  readonly source: string;
  readonly has: ((text: string) => boolean) | null;
}

/** From what matters least to what matters most; others are between. */
const LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"];

export function rankOf(level: string): number {
  const at = LEVELS.indexOf(level.toUpperCase());
  return at < 0 ? LEVELS.indexOf("INFO") : at;
}

/** Levels that occur, the least first. */
export function levelsOf({ columns }: TableView<"logs">): string[] {
  const found = [...new Set(columns.level)];
  return found.sort((one, other) => rankOf(one) - rankOf(other));
}

/** Numbers of the rows that pass, in order of time. */
export function narrowLines(
  { rows, columns }: TableView<"logs">,
  { focus, level, source, has }: LogFilter,
): number[] {
  const focused = inFocus(focus);
  const least = level === "" ? -1 : rankOf(level);
  const found: number[] = [];
  for (let row = 0; row < rows; row++) {
    const time = columns.time[row];
    const from = columns.source[row];
    const worker = from === "scheduler" ? null : from;
    if (rankOf(columns.level[row]) < least) continue;
    if (source !== "" && from !== source) continue;
    if (!focused({ start: time, stop: time, worker, prefix: null })) continue;
    if (!has || has(columns.text[row])) found.push(row);
  }
  return found.sort((one, other) =>
    byTime(columns.time[one], columns.time[other]),
  );
}
