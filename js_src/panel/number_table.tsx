// A table of figures that leaves out columns where it is narrow, and rows where there are many.

import type { ComponentChildren, JSX } from "preact";
import { formatExact } from "../base/format";
import { Table } from "./parts";

interface Column {
  readonly name: string;
  /** Shown where the table is at least this wide; default: always. */
  readonly from_px?: 260 | 340 | 480 | 620;
  /** Words, which begin at the left; numbers end at the right. The first one always. */
  readonly words?: boolean;
}

export function NumberTable(props: {
  caption: ComponentChildren;
  columns: readonly Column[];
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
    <Table
      class={props.class ?? ""}
      caption={props.caption}
      columns={columns.map(({ name }, at) => ({ name, class: place(at) }))}
    >
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
    </Table>
  );
}

/** What a caption says of entries that were dropped, of so many `ever`. */
export function notHere(missing: number, ever: number, noun = ""): string {
  if (missing <= 0) return "";
  // The count may be a moment older than the entries.
  const all = formatExact(Math.max(ever, missing));
  return `; ${formatExact(missing)} of ${all}${noun} are missing`;
}

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
