// Long lists page by page: what nobody reads is not laid out. On paper nobody turns
// pages of a list: there it is printed from its first row on, as far as is sensible.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatExact } from "../base/format";
import { Button } from "./button";

export const PAGE_ROWS = 200;
export const PRINTED_ROWS = 1_000;

export interface Paged<T> {
  readonly rows: readonly T[];
  readonly first: number;
  readonly total: number;
  readonly turn: (by: number) => void;
  readonly printing: boolean;
}

/** `key` says what the list is of: with another one it begins on its first page. */
export function usePages<T>(
  all: readonly T[],
  key: string,
  printing: boolean,
  printedRows = PRINTED_ROWS,
): Paged<T> {
  const [page, setPage] = useState(0);
  useEffect(() => setPage(0), [key]);
  if (printing) {
    const rows = all.slice(0, printedRows);
    return { rows, first: 0, total: all.length, turn: () => {}, printing };
  }
  const last = Math.max(0, Math.ceil(all.length / PAGE_ROWS) - 1);
  const first = Math.min(page, last) * PAGE_ROWS;
  return {
    rows: all.slice(first, first + PAGE_ROWS),
    first,
    total: all.length,
    printing,
    turn: (by) => setPage(Math.min(last, Math.max(0, first / PAGE_ROWS + by))),
  };
}

export function Pager<T>(props: {
  paged: Paged<T>;
  noun: string;
}): JSX.Element | null {
  const { first, rows, total, turn, printing } = props.paged;
  if (printing) {
    return <Printed shown={rows.length} total={total} noun={props.noun} />;
  }
  if (total <= PAGE_ROWS) return null;
  const stop = first + rows.length;
  return (
    <nav class="ds-pager" aria-label={`Pages of ${props.noun}`}>
      <Button idle={first === 0} onClick={() => turn(-1)}>
        Previous
      </Button>
      <span>
        {`${formatExact(first + 1)} – ${formatExact(stop)} of ${formatExact(total)}`}
      </span>
      <Button idle={stop >= total} onClick={() => turn(1)}>
        Next
      </Button>
    </nav>
  );
}

/** On paper: that it is not all; nothing where it is. */
export function Printed(props: {
  shown: number;
  total: number;
  noun: string;
}): JSX.Element | null {
  const { shown, total, noun } = props;
  if (shown >= total) return null;
  return (
    <p class="ds-quiet ds-part-note">
      {`${formatExact(shown)} of ${formatExact(total)} ${noun} printed`}
    </p>
  );
}
