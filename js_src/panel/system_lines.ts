// Columns of the series `system` as lines.

import { type Late, lineOf, rowsOf, type Series } from "../derive/series";
import { type TableColumns, TABLES } from "../schema";
import type { TableView } from "../session_tables";

export function systemLines<K extends keyof TableColumns["system"]>(
  { rings }: TableView<"system">,
  names: readonly K[],
  end: number,
  late: Late,
): Record<K, Series> {
  const rows = rowsOf(TABLES.system, rings);
  const lines = names.map((name) => [name, lineOf(rows, name, end, late)]);
  return Object.fromEntries(lines) as Record<K, Series>;
}
