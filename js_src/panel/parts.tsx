// Building blocks of panels: parts with a heading, lists of facts, tables.

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { formatExact } from "../base/format";

export function Part(props: {
  title?: string;
  /** Shown beside the title in a quiet colour. */
  detail?: ComponentChildren;
  class?: string;
  tools?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  const { title, detail, tools } = props;
  return (
    <section class={`ds-part ${props.class ?? ""}`}>
      <header class="ds-part-head">
        {title !== undefined && <h3>{title}</h3>}
        {detail !== undefined && <span class="ds-quiet">{detail}</span>}
        {tools}
      </header>
      {props.children}
    </section>
  );
}

type Fact = readonly [name: string, value: ComponentChildren];

/** A list of names and values; entries that are false are left out. */
export function FactList(props: {
  class: string;
  facts: readonly (Fact | false)[];
}): JSX.Element {
  return (
    <dl class={props.class}>
      {props.facts.map(
        (fact) =>
          fact && (
            <>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </>
          ),
      )}
    </dl>
  );
}

type Column =
  | string
  | {
      readonly name: ComponentChildren;
      readonly class?: string;
      /** Set if a click on the heading sorts the table. */
      readonly sort?: Sort;
    };

interface Sort {
  readonly order: "none" | "ascending" | "descending";
  readonly choose: () => void;
}

/** The frame of all tables; its children are the rows. */
export function Table(props: {
  class?: string;
  /** Label for screen readers if there is no caption. */
  label?: string;
  caption?: ComponentChildren;
  columns: readonly Column[];
  foot?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  const { caption, columns, foot } = props;
  return (
    <table class={`ds-table ${props.class ?? ""}`} aria-label={props.label}>
      {caption !== undefined && <caption>{caption}</caption>}
      {columns.length > 0 && (
        <thead>
          <tr>
            {columns
              .map((one) => (typeof one === "string" ? { name: one } : one))
              .map(({ name, class: look, sort }: Exclude<Column, string>) => (
                <th scope="col" class={look} aria-sort={sort?.order}>
                  {sort ? <SortButton {...sort}>{name}</SortButton> : name}
                </th>
              ))}
          </tr>
        </thead>
      )}
      <tbody>{props.children}</tbody>
      {foot && <tfoot>{foot}</tfoot>}
    </table>
  );
}

const SortButton = (
  props: Sort & { children: ComponentChildren },
): JSX.Element => (
  <button type="button" onClick={props.choose}>
    {props.children}
    {props.order === "descending" && " ▾"}
    {props.order === "ascending" && " ▴"}
  </button>
);

/**
 * Sortable columns and the current sort order: figures descending, text ascending; a second
 * click reverses it.
 */
export function useSort<C extends string>(
  columns: readonly C[],
  first: C,
  isWords: (column: C) => boolean,
): {
  readonly by: { readonly column: C; readonly back: boolean };
  readonly heads: readonly Column[];
} {
  const [by, setBy] = useState({ column: first, back: false });
  const orderOf = (column: C): Sort["order"] => {
    if (by.column !== column) return "none";
    return by.back === isWords(column) ? "descending" : "ascending";
  };
  const heads = columns.map((column) => ({
    name: column,
    sort: {
      order: orderOf(column),
      choose: () => setBy({ column, back: by.column === column && !by.back }),
    },
  }));
  return { by, heads };
}

export function AndMore(props: { count: number }): JSX.Element | null {
  if (props.count === 0) return null;
  return (
    <p class="ds-quiet ds-part-note">{`and ${formatExact(props.count)} more`}</p>
  );
}
