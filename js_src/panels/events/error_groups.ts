// Errors of a recording, those with the same exception together.

import { byTime } from "../../model/search";
import type { Focus } from "../../model/types";
import { inFocus } from "../../panel/in_focus";
import { splitException } from "../../panel/traceback";
import type { TableView } from "../../session_tables";

export interface ErrorGroup {
  readonly type: string;
  readonly message: string;
  /** As it was recorded: what the errors of a group have in common. */
  readonly exception: string;
  /** Rows of the table, in order of time. */
  readonly rows: readonly number[];
  /** Names. */
  readonly prefixes: readonly string[];
  /** Addresses. */
  readonly workers: readonly string[];
}

/** The first one first: a group keeps its place when others come. */
export function errorGroups(
  { rows: count, columns }: TableView<"errors">,
  prefixes: readonly string[],
  focus: Focus,
): ErrorGroup[] {
  const focused = inFocus(focus);
  const groups = new Map<string, number[]>();
  const order = Array.from({ length: count }, (_, row) => row);
  order.sort((one, other) => byTime(columns.time[one], columns.time[other]));
  const prefixOf = (row: number): string => prefixes[columns.prefix[row]] ?? "";
  for (const row of order) {
    const time = columns.time[row];
    const [worker, prefix] = [columns.worker[row], prefixOf(row)];
    if (!focused({ start: time, stop: time, worker, prefix })) continue;
    const group = groups.get(columns.exception[row]);
    if (group) group.push(row);
    else groups.set(columns.exception[row], [row]);
  }
  return [...groups].map(([exception, rows]) => {
    const [type, message] = splitException(exception);
    return {
      ...{ type, message, exception, rows },
      prefixes: [...new Set(rows.map(prefixOf))],
      workers: [...new Set(rows.map((row) => columns.worker[row]))],
    };
  });
}
