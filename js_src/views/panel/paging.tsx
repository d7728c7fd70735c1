// Long lists page by page: what nobody reads is not laid out.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatExact } from "../../base/format";
import { Button } from "./button";

export const PAGE_ROWS = 200;

export interface Paged<T> {
  readonly rows: readonly T[];
  readonly first: number;
  readonly total: number;
  readonly turn: (by: number) => void;
}

/** `key` says what the list is of: with another one it begins on its first page. */
export function usePages<T>(all: readonly T[], key: string): Paged<T> {
  const [page, setPage] = useState(0);
  useEffect(() => setPage(0), [key]);
  const last = Math.max(0, Math.ceil(all.length / PAGE_ROWS) - 1);
  const first = Math.min(page, last) * PAGE_ROWS;
  return {
    rows: all.slice(first, first + PAGE_ROWS),
    first,
    total: all.length,
    turn: (by) => setPage(Math.min(last, Math.max(0, first / PAGE_ROWS + by))),
  };
}

export function Pager<T>(props: {
  paged: Paged<T>;
  noun: string;
}): JSX.Element | null {
  const { first, rows, total, turn } = props.paged;
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
