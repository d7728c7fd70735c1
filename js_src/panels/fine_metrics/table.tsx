// The figures as a table, which sorts by its columns and copies for a spreadsheet.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button, useCopied } from "../../panel/button";
import { Pager, usePages } from "../../panel/paging";
import { Part } from "../../panel/parts";
import type { PanelView } from "../../panel/panel_view";
import { barsOf, choicesOf, EXECUTE, otherContexts, type Scope } from "./data";
import { formatUnit } from "./words";

const COLUMNS = ["Context", "Function", "Activity", "Value"] as const;
type Row = readonly [
  context: string,
  prefix: string,
  activity: string,
  value: number,
];

function rowsOf(view: PanelView, scope: Scope): Row[] {
  return [EXECUTE, ...otherContexts(view, scope)].flatMap((context) =>
    barsOf(view, scope, "prefix", (name) => name === context).flatMap(
      ({ name, parts }) =>
        parts.map((part): Row => [context, name, part.name, part.value]),
    ),
  );
}

const words = new Intl.Collator("en", { numeric: true });

/** Figures the largest first, names from A on; back to front if asked. */
function sorted(rows: Row[], by: number, back: boolean): Row[] {
  const order = (one: Row, other: Row): number =>
    by === 3
      ? other[3] - one[3]
      : words.compare(String(one[by]), String(other[by])) || other[3] - one[3];
  return rows.sort((one, other) =>
    back ? order(other, one) : order(one, other),
  );
}

export function MetricTable(props: {
  view: PanelView;
  scope: Scope;
}): JSX.Element {
  const { view, scope } = props;
  const [by, setBy] = useState({ column: 3, back: false });
  const unit = choicesOf(view).unit.value;
  const rows = sorted(rowsOf(view, scope), by.column, by.back);
  const most = rows.reduce((all, row) => Math.max(all, row[3]), 0);
  const paged = usePages(rows, JSON.stringify([scope.id, unit, by]), view);
  const [told, copy] = useCopied("Copy");
  const text = (): string =>
    [[...COLUMNS.slice(0, 3), unit], ...rows]
      .map((row) =>
        row.map((cell) => String(cell).replace(/[\t\n]/g, " ")).join("\t"),
      )
      .join("\n");
  return (
    <Part
      title="Figures"
      detail={unit || "no unit"}
      tools={
        <div class="ds-list-tools">
          <Button onClick={() => copy(text())}>{told}</Button>
        </div>
      }
    >
      <table class="ds-fact-table ds-fine-table" aria-label="Metrics">
        <thead>
          <tr>
            {COLUMNS.map((name, column) => (
              <th
                scope="col"
                aria-sort={
                  by.column !== column
                    ? "none"
                    : by.back === (column === 3)
                      ? "ascending"
                      : "descending"
                }
              >
                <button
                  type="button"
                  onClick={() =>
                    setBy({ column, back: by.column === column && !by.back })
                  }
                >
                  {name}
                  {by.column === column && (by.back ? " ▴" : " ▾")}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {paged.rows.map(([context, prefix, activity, value]) => (
            <tr>
              <td>{context}</td>
              <td>{prefix}</td>
              <td>{activity}</td>
              <td title={String(value)}>{formatUnit(unit, value, most)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Pager paged={paged} noun="figures" />
    </Part>
  );
}
