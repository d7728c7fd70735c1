// The figures as a table that can be sorted and copied to a spreadsheet.

import type { JSX } from "preact";
import { sortByKey } from "../../model/search";
import { Button, useCopied } from "../../panel/button";
import { Pager, usePages } from "../../panel/paging";
import { Part, Table, useSort } from "../../panel/parts";
import type { PanelView } from "../../panel/panel_view";
import { choicesOf, type Figures, figuresOf, type Scope } from "./data";
import { formatUnit } from "./words";

const COLUMNS = ["Context", "Function", "Activity", "Span", "Value"] as const;
const VALUE = 4;

const words = new Intl.Collator("en", { numeric: true });

/** Sorts keys by figure (descending) or name (ascending); `back` reverses it. */
function sorted(figures: Figures, by: number, back: boolean): number[] {
  const { keys, values } = figures;
  const order = keys.slice();
  const sort = (of: Float64Array): void =>
    sortByKey(order, 0, order.length, of);
  sort(values.map((value) => -value));
  if (by !== VALUE) {
    const texts = Array.from(keys, (key) => figures.words(key)[by]);
    const inOrder = [...new Set(texts)].sort(words.compare);
    const places = new Map(inOrder.map((text, at) => [text, at]));
    const ranks = new Float64Array(values.length);
    keys.forEach((key, at) => (ranks[key] = places.get(texts[at])!));
    sort(ranks);
  }
  return Array.from(back ? order.reverse() : order);
}

export function MetricTable(props: {
  view: PanelView;
  scope: Scope;
}): JSX.Element {
  const { view, scope } = props;
  const { by, heads } = useSort(COLUMNS, "Value", (name) => name !== "Value");
  const unit = choicesOf(view).unit.value;
  const figures = figuresOf(view, scope);
  const { values } = figures;
  const keys = sorted(figures, COLUMNS.indexOf(by.column), by.back);
  const most = keys.reduce((all, key) => Math.max(all, values[key]), 0);
  const paged = usePages(keys, JSON.stringify([scope.id, unit, by]), view);
  const [label, copy] = useCopied("Copy");
  const text = (): string =>
    [
      [...COLUMNS.slice(0, VALUE), unit],
      ...keys.map((key) => [...figures.words(key), values[key]]),
    ]
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
          <Button onClick={() => copy(text())}>{label}</Button>
        </div>
      }
    >
      <Table label="Metrics" columns={heads}>
        {paged.rows.map((key) => (
          <tr>
            {figures.words(key).map((word) => (
              <td>{word}</td>
            ))}
            <td class="ds-number" title={String(values[key])}>
              {formatUnit(unit, values[key], most)}
            </td>
          </tr>
        ))}
      </Table>
      <Pager paged={paged} noun="figures" />
    </Part>
  );
}
