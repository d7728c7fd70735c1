// Errors of a recording, those with the same exception together.

import { byTime } from "../../model/search";
import type { Focus } from "../../model/types";
import { inFocus } from "../../panel/in_focus";
import type { RecordTable } from "../../panel/record_tables";
import { splitException } from "../task_stream/traceback";

export interface ErrorGroup {
  readonly type: string;
  readonly message: string;
  /** As it was recorded: what the errors of a group have in common. */
  readonly exception: string;
  /** Rows of the table, in order of time. */
  readonly rows: readonly number[];
  readonly prefixes: readonly string[];
  /** Addresses. */
  readonly workers: readonly string[];
}

/** The largest group first; those of one size in order of time. */
export function errorGroups(
  table: RecordTable<"errors">,
  focus: Focus,
): ErrorGroup[] {
  const focused = inFocus(focus);
  const groups = new Map<string, number[]>();
  const order = Array.from({ length: table.rows }, (_, row) => row);
  order.sort((one, other) => byTime(table.time[one], table.time[other]));
  for (const row of order) {
    const time = table.time[row];
    const [worker, prefix] = [table.worker[row], table.prefix[row]];
    if (!focused({ start: time, stop: time, worker, prefix })) continue;
    const group = groups.get(table.exception[row]);
    if (group) group.push(row);
    else groups.set(table.exception[row], [row]);
  }
  return [...groups]
    .map(([exception, rows]) => {
      const [type, message] = splitException(exception);
      const distinct = (column: readonly string[]): string[] => [
        ...new Set(rows.map((row) => column[row])),
      ];
      return {
        ...{ type, message, exception, rows },
        prefixes: distinct(table.prefix),
        workers: distinct(table.worker),
      };
    })
    .sort((one, other) => other.rows.length - one.rows.length);
}
