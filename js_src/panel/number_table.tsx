// A table of figures that hides columns if it is narrow, and rows if there are many.

import type { ComponentChildren, JSX } from "preact";
import { formatExact } from "../base/format";
import { Table } from "./parts";

interface Column {
  readonly name: string;
  /** Hidden if the table is narrower; default: always shown. */
  readonly from_px?: 260 | 340 | 480 | 620;
  /** Text, aligned left; numbers are aligned right. The first column is always text. */
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

/** Caption text for dropped entries; `ever`: the total including them. */
export function notHere(missing: number, ever: number, noun = ""): string {
  if (missing <= 0) return "";
  // The total may be slightly older than the entries.
  const all = formatExact(Math.max(ever, missing));
  return `; ${formatExact(missing)} of ${all}${noun} are missing`;
}

const MOST_ROWS = 500;

/** The first rows of a table, and the caption text if there are more. */
export function firstOf<T>(
  rows: readonly T[],
  noun: string,
): { rows: readonly T[]; words: string } {
  if (rows.length <= MOST_ROWS) return { rows, words: "" };
  const all = formatExact(rows.length);
  const words = `; the first ${formatExact(MOST_ROWS)} of ${all} ${noun}`;
  return { rows: rows.slice(0, MOST_ROWS), words };
}
