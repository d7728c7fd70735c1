// Long lists in pages, so that the browser lays out few rows. A live list starts at its end:
// it follows new rows there, and counts them while the user reads further up. Printing
// starts at the first row.

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatExact } from "../base/format";
import { Button } from "./button";
import type { PanelView } from "./panel_view";

const PAGE_ROWS = 100;
const PRINTED_ROWS = 1_000;
/** Within this distance of its end, a list counts as scrolled to the end. */
const END_PX = 8;

interface Paged<T> {
  readonly rows: readonly T[];
  readonly first: number;
  readonly total: number;
  readonly turn: (by: number) => void;
  readonly printing: boolean;
  /** Shown below the list: detects its end and counts new rows. */
  readonly end: JSX.Element | null;
}

interface Place {
  readonly key: string;
  readonly first: number | null;
}

/**
 * A new `key` resets the list. `grows`: whether a live session appends rows; with "in sight"
 * the list follows them from the start.
 */
export function usePages<T>(
  all: readonly T[],
  key: string,
  view: PanelView,
  grows: "never" | "below" | "in sight" = "never",
  printedRows = PRINTED_ROWS,
): Paged<T> {
  const live = view.host.live && grows !== "never";
  const printing = view.printing.value;
  const total = all.length;
  const place = useRef<Place>({ key, first: null });
  const first = place.current.key === key ? place.current.first : null;
  const [, setRenders] = useState(0);
  const render = (): void => setRenders((renders) => renders + 1);
  const setFirst = (to: number | null): void => {
    place.current = { key, first: to };
    render();
  };
  const [following, setFollowing] = useState(grows === "in sight");
  /** Number of rows when the end was last visible. */
  const seen = useRef(total);
  const sentinel = useRef<HTMLDivElement>(null);
  const tail = live ? Math.max(0, total - PAGE_ROWS) : 0;
  const from = Math.min(first ?? tail, Math.max(0, total - 1));

  useEffect(() => {
    const scroller = sentinel.current?.closest(".ds-panel-body");
    if (!scroller) return;
    const onScroll = (): void => {
      const { scrollHeight, scrollTop, clientHeight } = scroller;
      setFollowing(scrollHeight - scrollTop - clientHeight <= END_PX);
    };
    scroller.addEventListener("scroll", onScroll, { passive: true });
    return () => scroller.removeEventListener("scroll", onScroll);
  }, [live, total > 0]);

  const isLast = from + PAGE_ROWS >= total;
  const follows = following && isLast;
  const showsEnd = follows || (first === null && isLast);
  useLayoutEffect(() => {
    const scroller = sentinel.current?.closest(".ds-panel-body");
    if (!scroller || printing) return;
    // While the user reads, keep the rows on the screen for the next render.
    if (!follows && first === null) place.current = { key, first: from };
    if (follows && first !== null) setFirst(null);
    // New rows have no layout before the next frame.
    if (showsEnd) seen.current = total;
    if (!follows && (!isLast || seen.current === total)) return;
    const frame = requestAnimationFrame(() => {
      const { scrollHeight, clientHeight } = scroller;
      if (follows) scroller.scrollTo(0, scrollHeight);
      else if (scrollHeight - clientHeight <= END_PX) {
        seen.current = total;
        render();
      }
    });
    return () => cancelAnimationFrame(frame);
  }, [key, total, following, isLast, live]);

  if (printing) {
    const rows = all.slice(0, printedRows);
    return { rows, first: 0, total, turn: () => {}, printing, end: null };
  }
  const newer = showsEnd ? 0 : total - seen.current;
  return {
    rows: all.slice(from, from + PAGE_ROWS),
    first: from,
    total,
    printing,
    turn(by) {
      const last = Math.floor(Math.max(0, total - 1) / PAGE_ROWS) * PAGE_ROWS;
      setFirst(Math.min(last, Math.max(0, from + by * PAGE_ROWS)));
    },
    end: live ? (
      <div ref={sentinel} class="ds-list-end">
        {newer > 0 && (
          <Button
            onClick={() => {
              setFirst(null);
              setFollowing(true);
            }}
          >
            {`${formatExact(newer)} newer`}
          </Button>
        )}
      </div>
    ) : null,
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
