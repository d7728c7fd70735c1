// A list of bars. Each row has a name, a stacked bar and a value.

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { formatExact } from "../base/format";
import { LinkButton } from "./button";
import { Printed } from "./paging";
import type { PanelView } from "./panel_view";

/** More rows make the page slow. */
const MOST_ROWS = 500;

export interface Bar {
  readonly id: string;
  readonly name: ComponentChildren;
  readonly title?: string;
  /** Widths are shares of the longest possible bar. */
  readonly parts: readonly {
    readonly width: number;
    readonly background: string;
  }[];
  readonly value: ComponentChildren;
  readonly share?: ComponentChildren;
}

export const percent = (share: number): string =>
  `${Math.min(1, Math.max(0, share || 0)) * 100}%`;

export function Bars<T>(props: {
  view: PanelView;
  label: string;
  class?: string;
  /** There may be thousands, so `make` is called only for the shown ones. */
  bars: readonly T[];
  make: (bar: T) => Bar;
  /** Number of rows shown before the user asks for all. */
  first: number;
  /** Handlers from `useOrder`, which keep the order stable under the pointer. */
  handlers?: object;
}): JSX.Element {
  const { view, label, bars, make } = props;
  const { count, more } = useFirst(view, bars.length, props.first);
  const shown = bars.slice(0, count).map((bar) => make(bar));
  return (
    <>
      <ul
        class={`ds-bars ${props.class ?? ""}`}
        aria-label={label}
        {...props.handlers}
      >
        {shown.map((bar) => (
          <li key={bar.id} title={bar.title}>
            {bar.name}
            <span class="ds-bar">
              {bar.parts.map(({ width, background }) => (
                <i style={{ width: percent(width), background }} />
              ))}
            </span>
            <span class="ds-bar-value">{bar.value}</span>
            {bar.share !== undefined && (
              <span class="ds-bar-share">{bar.share}</span>
            )}
          </li>
        ))}
      </ul>
      {more}
    </>
  );
}

/** How many rows of a list are shown, and the button that shows more. */
export function useFirst(
  view: PanelView,
  total: number,
  first: number,
): { readonly count: number; readonly more: JSX.Element | null } {
  const [all, setAll] = useState(false);
  if (view.printing.value) {
    const count = Math.min(total, MOST_ROWS);
    return { count, more: <Printed shown={count} total={total} noun="rows" /> };
  }
  if (total <= first) return { count: total, more: null };
  const most = formatExact(Math.min(total, MOST_ROWS));
  const words = all
    ? `Show the first ${first} only`
    : `Show ${total > MOST_ROWS ? "the first" : "all"} ${most}`;
  const more = (
    <p class="ds-part-note">
      <LinkButton onClick={() => setAll(!all)}>{words}</LinkButton>
    </p>
  );
  return { count: all ? MOST_ROWS : first, more };
}

/** A name with its colour. */
export const Named = (props: {
  colour: string;
  children: ComponentChildren;
}): JSX.Element => (
  <span class="ds-prefix">
    <span class="ds-swatch" style={{ background: props.colour }} />
    <span class="ds-prefix-name">{props.children}</span>
  </span>
);
