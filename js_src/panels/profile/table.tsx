// A sortable table of functions with self and total samples. Choosing a row chooses it in
// the graph.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import {
  formatExact,
  formatSecondsAmong,
  formatShare,
} from "../../base/format";
import {
  FIRST_GROUP,
  type FunctionSums,
  functionsOf,
  isOfCallers,
  type Tree,
} from "../../derive/profile_tree";
import { Swatch } from "../../panel/card";
import { useOrder } from "../../panel/order";
import { Pager, usePages } from "../../panel/paging";
import { Table, useSort } from "../../panel/parts";
import { IN_ONE_OF } from "../../schema";
import type { Frames } from "./frames";
import { moduleLooks } from "./looks";
import type { ProfileState } from "./state";

const COLUMNS = ["Function", "Self", "Total"] as const;
type Column = (typeof COLUMNS)[number];

/** Number of printed rows; the graph shows the others. */
export const PAPER_ROWS = 40;

export function FunctionTable({ state }: { state: ProfileState }): JSX.Element {
  const { view } = state;
  const frames = state.frames.value;
  const shown = state.shown.value;
  const found = state.found.value;
  const { by, heads } = useSort(
    COLUMNS,
    "Self",
    (column) => column === "Function",
  );
  const tree = calledTree(shown.tree);
  const sums = useMemo(() => functionsOf(tree), [tree]);
  const rows = useMemo(
    () => sortedRows(sums, frames, by.column, by.back, found?.frames ?? null),
    [sums, frames, by, found],
  );
  const rowOf = new Map(rows.map((row) => [String(sums.frame[row]), row]));
  const key = JSON.stringify([by, found?.text, state.filter.value.id]);
  const { ids, handlers } = useOrder(view, [...rowOf.keys()], key);
  const paged = usePages(ids, key, view, "never", PAPER_ROWS);
  const theme = view.theme.value;
  const looks = useMemo(() => moduleLooks(theme, false), [theme]);
  const longest = { Self: 0, Total: 0 };
  for (const row of rows) {
    longest.Self = Math.max(longest.Self, sums.self[row]);
    longest.Total = Math.max(longest.Total, sums.total[row]);
  }
  const interval_s = state.interval_s.value;
  const all = tree.total[0];
  const cell = (samples: number, of: "Self" | "Total"): JSX.Element => (
    <td
      title={`${formatShare(samples / all, 1)}, ${formatExact(samples)} samples`}
    >
      {samples > 0
        ? formatSecondsAmong(samples * interval_s, longest[of] * interval_s)
        : "–"}
    </td>
  );
  const chosen = state.chosen.value?.at(-1);
  return (
    <div class="ds-profile-table" {...handlers}>
      <Table label="Functions" columns={heads}>
        {paged.rows.map((id) => {
          const row = rowOf.get(id)!;
          const frame = sums.frame[row];
          const self = sums.self[row];
          return (
            <tr key={id} aria-selected={frame === chosen}>
              <th scope="row">
                <button
                  type="button"
                  title={`${frames.nameOf(frame)}\n${frames.fileOf(frame)}`}
                  onClick={() => state.chooseFunction(frame)}
                >
                  <Swatch colour={looks[frames.moduleOf(frame)].css} />
                  <span>{shortName(frames, frame)}</span>
                  <span class="ds-quiet">{frames.briefPlaceOf(frame)}</span>
                  <i
                    class="ds-profile-bar"
                    style={{
                      "--share": longest.Self > 0 ? self / longest.Self : 0,
                    }}
                  />
                </button>
              </th>
              {cell(self, "Self")}
              {cell(sums.total[row], "Total")}
            </tr>
          );
        })}
      </Table>
      {rows.length === 0 && (
        <p class="ds-quiet ds-part-note">
          {found ? `No function matches ${found.text}.` : "No functions."}
        </p>
      )}
      <Pager paged={paged} noun="functions" />
    </div>
  );
}

/** The tree with callees below callers; for an inverted graph, its original. */
function calledTree(tree: Tree): Tree {
  return isOfCallers(tree) ? tree.origin!.tree : tree;
}

/** Sorts figures descending and names ascending; `back` reverses it. */
function sortedRows(
  { frame, self, total }: FunctionSums,
  frames: Frames,
  column: Column,
  back: boolean,
  matches: Uint8Array | null,
): number[] {
  const rows = Array.from(frame, (_, row) => row);
  const some = rows.filter((row) =>
    matches ? matches[frame[row]] === 1 : frame[row] < FIRST_GROUP,
  );
  const names =
    column === "Function"
      ? new Map(some.map((row) => [row, frames.nameOf(frame[row])]))
      : null;
  const first = column === "Self" ? self : total;
  const second = column === "Self" ? total : self;
  some.sort((a, b) => {
    const byName = names ? compared(names.get(a)!, names.get(b)!) : 0;
    return byName || first[b] - first[a] || second[b] - second[a] || a - b;
  });
  return back ? some.reverse() : some;
}

function compared(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** For a sum of several functions, only their number; the graph shows their names. */
function shortName(frames: Frames, frame: number): string {
  const name = frames.nameOf(frame);
  if (!frames.isOneOf(frame)) return name;
  const names = name.slice(IN_ONE_OF.length).split(", ");
  const more =
    names.at(-1) === "…" ? `${names.length - 1} or more` : names.length;
  return `(in one of ${more})`;
}
