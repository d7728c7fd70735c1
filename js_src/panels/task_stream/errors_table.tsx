// What failed, as a table: for the keyboard the way to what a click on a mark
// of the row of events shows. Only what is in focus.

import type { JSX } from "preact";
import { formatExact, formatMoment, NOTHING } from "../../base/format";
import type { TaskError } from "../../model/types";
import { rowsOf } from "../../session_tables";
import { LinkButton } from "../../panel/button";
import type { SeenSession } from "../../panel/seen_session";
import { errorsInFocus } from "./events_in_focus";
import { goToRow, rowOfError } from "./go_to_task";
import { notHere, Table } from "./number_table";
import { splitException } from "../../panel/traceback";
import type { ViewState } from "./view_state";

const MOST_ERRORS = 200;
const DROPPED =
  "This task was dropped on the scheduler before the kernel could read it.";
const MOST_CHARACTERS = 160;

export function ErrorsTable(props: {
  view: ViewState;
  session: SeenSession;
}): JSX.Element | null {
  const { view, session } = props;
  const table = session.table("errors").value;
  const all = rowsOf(table, "time");
  if (all.length === 0) return null;
  const { prefixes } = session.store;
  const found = errorsInFocus(all, session.focus.value, prefixes);
  const names = new Map(
    view.workers.placed.value.map((group) => [group.address, group.name]),
  );
  const shown = found.slice(-MOST_ERRORS);
  return (
    <Table
      class="ds-errors ds-many-columns"
      caption={caption(
        shown.length,
        found.length,
        all.length,
        notHere(table.dropped, session.counts.value.erred),
      )}
      columns={[
        { name: "Error" },
        { name: "At" },
        { name: "Prefix", from_px: 340, words: true },
        { name: "Worker", from_px: 480, words: true },
      ]}
    >
      {shown.map((error) => [
        error.task < 0 ? (
          <span title={DROPPED}>{inWords(error)}</span>
        ) : (
          <LinkButton onClick={() => show(view, session, error)}>
            {inWords(error)}
          </LinkButton>
        ),
        formatMoment(error.time - session.origin.value, 3),
        prefixes[error.prefix] ?? NOTHING,
        names.get(error.worker) ?? error.worker,
      ])}
    </Table>
  );
}

export function caption(
  shown: number,
  found: number,
  here: number,
  missing: string,
): string {
  const selected =
    found < here
      ? `${formatExact(found)} of ${formatExact(here)} in the selection`
      : formatExact(here);
  const last = shown < found ? `, the last ${shown}` : "";
  return `Errors: ${selected}${last}${missing}`;
}

function inWords(error: TaskError): string {
  const words = splitException(error.exception).filter(Boolean).join(": ");
  return words.slice(0, MOST_CHARACTERS);
}

/** The task with its traceback, in the plot. */
function show(view: ViewState, session: SeenSession, error: TaskError): void {
  const row = rowOfError(session.store, error);
  if (!row) return;
  view.tableOpen.value = false;
  goToRow(view, row);
}
