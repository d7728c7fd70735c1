// What the bodies of panels are made of: parts with a heading, lists of facts, tables.

import type { ComponentChildren, JSX } from "preact";
import { formatExact } from "../base/format";

export function Part(props: {
  title?: string;
  /** Beside the title, in a quiet colour. */
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

/** Names and values; what is false is left out. */
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
  string | { readonly name: ComponentChildren; readonly class?: string };

/** The frame of every table: its children are the rows. */
export function Table(props: {
  class: string;
  /** For whoever does not see it, where there is no caption. */
  label?: string;
  caption?: ComponentChildren;
  columns: readonly Column[];
  foot?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  const { caption, foot } = props;
  return (
    <table class={props.class} aria-label={props.label}>
      {caption !== undefined && <caption>{caption}</caption>}
      <thead>
        <tr>
          {props.columns.map((column) =>
            typeof column === "string" ? (
              <th scope="col">{column}</th>
            ) : (
              <th scope="col" class={column.class}>
                {column.name}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{props.children}</tbody>
      {foot && <tfoot>{foot}</tfoot>}
    </table>
  );
}

export function AndMore(props: { count: number }): JSX.Element | null {
  if (props.count === 0) return null;
  return (
    <p class="ds-quiet ds-part-note">{`and ${formatExact(props.count)} more`}</p>
  );
}
