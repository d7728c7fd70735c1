// The numbers of the panel as tables, for the keyboard, for screen readers, and
// for whoever likes numbers better.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import {
  formatBytes,
  formatDuration,
  formatExact,
  formatShare,
  NOTHING,
} from "../../base/format";
import { IconButton } from "../panel/button";
import { CloseIcon } from "../panel/icons";
import type { SessionMirror } from "../panel/session_mirror";
import { ErrorsTable } from "./errors_table";
import { prefixesInFocus } from "./focus_totals";
import type { BusyOf } from "./gutter";
import { notHere, Table } from "./number_table";
import { isWhole, type ViewState } from "./view_state";

export function TableSheet(props: {
  view: ViewState;
  busyOf: BusyOf;
}): JSX.Element | null {
  const { view } = props;
  const session = view.session.value;
  if (!view.tableOpen.value || !session) return null;
  return <Sheet view={view} session={session} busyOf={props.busyOf} />;
}

function Sheet(props: {
  view: ViewState;
  session: SessionMirror;
  busyOf: BusyOf;
}): JSX.Element {
  const { view, session } = props;
  const scroll = useRef<HTMLDivElement>(null);
  useEffect(() => {
    scroll.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div class="ds-table-sheet" role="dialog" aria-label="Numbers">
      <div class="ds-table-head">
        <h3>Numbers</h3>
        <IconButton
          label="Back to the plot"
          shortcut="T"
          onClick={() => {
            view.tableOpen.value = false;
          }}
        >
          <CloseIcon />
        </IconButton>
      </div>
      <div ref={scroll} class="ds-table-scroll" tabIndex={0}>
        <Prefixes session={session} />
        <Actions session={session} />
        <Workers view={view} session={session} busyOf={props.busyOf} />
        <ErrorsTable view={view} session={session} />
      </div>
    </div>
  );
}

function Prefixes(props: { session: SessionMirror }): JSX.Element {
  const { session } = props;
  const rows = prefixesInFocus(session).sort(
    (one, other) => other.seconds - one.seconds,
  );
  return (
    <Table
      caption={
        isWhole(session.focus.value)
          ? "Tasks by prefix"
          : "Tasks by prefix, in the selection"
      }
      columns={[
        { name: "Prefix" },
        { name: "Tasks" },
        { name: "Time" },
        { name: "Mean", from_px: 340 },
        { name: "Erred" },
      ]}
    >
      {rows.map((row) => [
        session.store.prefixes[row.prefix] ?? NOTHING,
        formatExact(row.tasks),
        formatDuration(row.seconds),
        formatDuration(row.seconds / Math.max(1, row.tasks)),
        row.erred > 0 ? formatExact(row.erred) : NOTHING,
      ])}
    </Table>
  );
}

function Actions(props: { session: SessionMirror }): JSX.Element {
  const { session } = props;
  const rows = session.totals.value.actions;
  return (
    <Table
      caption={actionCaption(session)}
      columns={[{ name: "Action" }, { name: "Times" }, { name: "Time" }]}
    >
      {rows.map((row) => [
        session.store.actions[row.action] ?? NOTHING,
        formatExact(row.rows),
        formatDuration(row.seconds),
      ])}
    </Table>
  );
}

/** The kernel's figures are of all prefixes, whichever are isolated. */
function actionCaption(session: SessionMirror): string {
  const focus = session.focus.value;
  const caption = "Time by action";
  if (isWhole(focus)) return caption;
  if (focus.prefixes.length > 0) return `${caption}, of all prefixes`;
  return `${caption}, in the selection`;
}

function Workers(props: {
  view: ViewState;
  session: SessionMirror;
  busyOf: BusyOf;
}): JSX.Element {
  const groups = props.view.groups.value;
  const { counts, notHere: dropped } = props.session;
  return (
    <Table
      class="ds-many-columns"
      caption={`Workers: busy in the time shown, the rest as it is now${notHere(
        dropped.value.changes,
        counts.value.changes,
        " changes of workers",
      )}`}
      columns={[
        { name: "Worker" },
        { name: "Address", from_px: 620 },
        { name: "Threads", from_px: 480 },
        { name: "Busy" },
        { name: "Memory", from_px: 260 },
        { name: "Limit", from_px: 480 },
        { name: "Spilled", from_px: 480 },
        { name: "Status" },
      ]}
    >
      {groups.map(({ name, address, lanes, info }, at) => [
        name,
        address,
        formatExact(info?.threads ?? lanes.length),
        formatShare(props.busyOf(groups[at])),
        info ? formatBytes(info.process) : NOTHING,
        info && info.memory_limit > 0
          ? formatBytes(info.memory_limit)
          : NOTHING,
        info && info.spilled > 0 ? formatBytes(info.spilled) : NOTHING,
        info?.status ?? "left",
      ])}
    </Table>
  );
}
