// The figures as a table, which sorts by its columns and copies for a spreadsheet.

import type { JSX } from "preact";
import { Button, useCopied } from "../../panel/button";
import { Pager, usePages } from "../../panel/paging";
import { Part, Table, useSort } from "../../panel/parts";
import type { PanelView } from "../../panel/panel_view";
import { choicesOf, type Figure, figuresOf, type Scope } from "./data";
import { formatUnit } from "./words";

const COLUMNS = ["Context", "Function", "Activity", "Span", "Value"] as const;
const VALUE = 4;

const words = new Intl.Collator("en", { numeric: true });

/** Figures the largest first, names from A on; back to front if asked. */
function sorted(rows: Figure[], by: number, back: boolean): Figure[] {
  const order = (one: Figure, other: Figure): number =>
    by === VALUE
      ? other[VALUE] - one[VALUE]
      : words.compare(String(one[by]), String(other[by])) ||
        other[VALUE] - one[VALUE];
  return rows.sort((one, other) =>
    back ? order(other, one) : order(one, other),
  );
}

export function MetricTable(props: {
  view: PanelView;
  scope: Scope;
}): JSX.Element {
  const { view, scope } = props;
  const { by, heads } = useSort(COLUMNS, "Value", (name) => name !== "Value");
  const unit = choicesOf(view).unit.value;
  const rows = sorted(
    figuresOf(view, scope),
    COLUMNS.indexOf(by.column),
    by.back,
  );
  const most = rows.reduce((all, row) => Math.max(all, row[VALUE]), 0);
  const paged = usePages(rows, JSON.stringify([scope.id, unit, by]), view);
  const [told, copy] = useCopied("Copy");
  const text = (): string =>
    [[...COLUMNS.slice(0, VALUE), unit], ...rows]
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
      <Table label="Metrics" columns={heads}>
        {paged.rows.map(([context, prefix, activity, span, value]) => (
          <tr>
            <td>{context}</td>
            <td>{prefix}</td>
            <td>{activity}</td>
            <td>{span}</td>
            <td class="ds-number" title={String(value)}>
              {formatUnit(unit, value, most)}
            </td>
          </tr>
        ))}
      </Table>
      <Pager paged={paged} noun="figures" />
    </Part>
  );
}
