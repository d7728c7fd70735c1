// One table of numbers. Where it is narrow, columns that matter less stay away.

import type { ComponentChildren, JSX } from "preact";
import { formatExact } from "../../base/format";

export interface Column {
  readonly name: string;
  /** Shown where the table is at least this wide; default: always. */
  readonly from_px?: 260 | 340 | 480 | 620;
  /** Words, which begin at the left; numbers end at the right. The first one always. */
  readonly words?: boolean;
}

export function Table(props: {
  caption: ComponentChildren;
  columns: readonly Column[];
  /** Class of the whole, where its columns are of another kind. */
  class?: string;
  children: readonly (readonly ComponentChildren[])[];
}): JSX.Element {
  const { columns } = props;
  const place = (at: number): string => {
    const { from_px, words } = columns[at] ?? {};
    const from = from_px === undefined ? "" : `ds-from-${from_px}`;
    return words ? `ds-words ${from}` : from;
  };
  return (
    <table class={`ds-table ${props.class ?? ""}`}>
      <caption>{props.caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name }, at) => (
            <th scope="col" class={place(at)}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.children.map((cells) => (
          <tr>
            {cells.map((cell, at) => (
              <td
                class={place(at)}
                title={typeof cell === "string" ? cell : undefined}
              >
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What a caption says of entries that were dropped, of so many `ever`. */
export function notHere(missing: number, ever: number, noun = ""): string {
  if (missing <= 0) return "";
  // The count may be a moment older than the entries.
  const all = formatExact(Math.max(ever, missing));
  return `; ${formatExact(missing)} of ${all}${noun} are not here`;
}

/** More rows nobody reads, and the page has to lay them out. */
const MOST_ROWS = 500;

/** The first rows of a table, and what its caption says where that is not all. */
export function firstOf<T>(
  rows: readonly T[],
  noun: string,
): { rows: readonly T[]; words: string } {
  if (rows.length <= MOST_ROWS) return { rows, words: "" };
  const all = formatExact(rows.length);
  const words = `; the first ${formatExact(MOST_ROWS)} of ${all} ${noun}`;
  return { rows: rows.slice(0, MOST_ROWS), words };
}
