// The tables of a panel as CSV files: all rows that have arrived, as they were recorded.

import { csvField, download } from "../base/save";
import { TABLES, type TableName } from "../schema";
import type { PanelView } from "./panel_view";

/** Small tables of a panel that have rows. */
export const exportable = (
  view: PanelView,
  tables: readonly string[],
): TableName[] =>
  tables
    .filter((name): name is TableName => name in TABLES && name !== "tasks")
    .filter((name) => view.table(name).rows > 0);

type Declared = Readonly<
  Record<string, { readonly type: string; readonly into?: string }>
>;

/** As declared, but indexes are names. */
function csvOf(view: PanelView, name: TableName): string {
  const { rows, columns } = view.table(name);
  const declared: Declared = TABLES[name].columns;
  const names = Object.keys(declared) as (keyof typeof columns)[];
  const cells = names.map((column) => {
    const values = columns[column] as ArrayLike<string | number>;
    const { into = "" } = declared[column];
    const isName = into in TABLES && into !== "tasks";
    const known = isName ? view.session.peek()?.names(into) : undefined;
    return (row: number): string =>
      csvField((known?.[Number(values[row])] as string) ?? values[row]);
  });
  const lines = [names.join(",")];
  for (let row = 0; row < rows; row++) {
    lines.push(cells.map((cell) => cell(row)).join(","));
  }
  return `${lines.join("\n")}\n`;
}

export function exportTable(view: PanelView, name: TableName): void {
  const content = new Blob([csvOf(view, name)], { type: "text/csv" });
  const time = new Date().toISOString().slice(0, 19).replace(/[T:]/g, "-");
  const file = `${name}-${time}.csv`;
  if (view.host.save) view.host.save(file, content);
  else download(file, content);
}
