// The numbers of the panel as tables, for the keyboard, for screen readers, and
// for whoever likes numbers better.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import {
  durationColumn,
  formatBytes,
  formatExact,
  formatMoment,
  formatShare,
  NOTHING,
} from "../../base/format";
import { IconButton } from "../panel/button";
import { CloseIcon } from "../panel/icons";
import type { SessionMirror } from "../panel/session_mirror";
import type { BusyOf } from "./gutter";
import { splitException } from "./traceback";
import type { ViewState } from "./view_state";

const MOST_ERRORS = 200;

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
        <Workers view={view} busyOf={props.busyOf} />
        <Errors view={view} session={session} />
      </div>
    </div>
  );
}

function Table(props: {
  caption: string;
  head: readonly string[];
  children: ComponentChildren;
}): JSX.Element {
  return (
    <table class="ds-table">
      <caption>{props.caption}</caption>
      <thead>
        <tr>
          {props.head.map((name) => (
            <th scope="col">{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>{props.children}</tbody>
    </table>
  );
}

function Prefixes(props: { session: SessionMirror }): JSX.Element {
  const { session } = props;
  const rows = [...session.totals.value.prefixes].sort(
    (one, other) => other.seconds - one.seconds,
  );
  const format = durationColumn(rows[0]?.seconds ?? 0);
  const each = durationColumn(
    Math.max(0, ...rows.map((row) => row.seconds / Math.max(1, row.tasks))),
  );
  return (
    <Table
      caption="Tasks by prefix"
      head={["Prefix", "Tasks", "Time", "Mean", "Erred"]}
    >
      {rows.map((row) => (
        <tr>
          <td title={session.store.prefixes[row.prefix]}>
            {session.store.prefixes[row.prefix] ?? NOTHING}
          </td>
          <td>{formatExact(row.tasks)}</td>
          <td>{format(row.seconds)}</td>
          <td>{each(row.seconds / Math.max(1, row.tasks))}</td>
          <td>{row.erred > 0 ? formatExact(row.erred) : NOTHING}</td>
        </tr>
      ))}
    </Table>
  );
}

function Actions(props: { session: SessionMirror }): JSX.Element {
  const { session } = props;
  const rows = session.totals.value.actions;
  const format = durationColumn(Math.max(0, ...rows.map((row) => row.seconds)));
  return (
    <Table caption="Time by action" head={["Action", "Times", "Time"]}>
      {rows.map((row) => (
        <tr>
          <td>{session.store.actions[row.action] ?? NOTHING}</td>
          <td>{formatExact(row.rows)}</td>
          <td>{format(row.seconds)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Workers(props: { view: ViewState; busyOf: BusyOf }): JSX.Element {
  const groups = props.view.groups.value;
  return (
    <Table
      caption="Workers"
      head={[
        "Worker",
        "Address",
        "Threads",
        "Busy",
        "Memory",
        "Limit",
        "Spilled",
        "Status",
      ]}
    >
      {groups.map((group) => (
        <tr>
          <td>{group.name}</td>
          <td>{group.address}</td>
          <td>{formatExact(group.info?.threads ?? group.lanes.length)}</td>
          <td>{formatShare(props.busyOf(group))}</td>
          <td>{group.info ? formatBytes(group.info.process) : NOTHING}</td>
          <td>
            {group.info && group.info.memory_limit > 0
              ? formatBytes(group.info.memory_limit)
              : NOTHING}
          </td>
          <td>
            {group.info && group.info.spilled > 0
              ? formatBytes(group.info.spilled)
              : NOTHING}
          </td>
          <td>{group.info?.status ?? "left"}</td>
        </tr>
      ))}
    </Table>
  );
}

function Errors(props: {
  view: ViewState;
  session: SessionMirror;
}): JSX.Element | null {
  const { view, session } = props;
  const errors = session.errors.value;
  if (errors.length === 0) return null;
  const names = new Map(
    view.groups.value.map((group) => [group.address, group.name]),
  );
  const shown = errors.slice(-MOST_ERRORS);
  const caption =
    shown.length < errors.length
      ? `Errors, the last ${shown.length} of ${formatExact(errors.length)}`
      : "Errors";
  return (
    <Table caption={caption} head={["Prefix", "At", "Worker", "Error"]}>
      {shown.map((error) => (
        <tr>
          <td>{session.store.prefixes[error.prefix] ?? NOTHING}</td>
          <td>{formatMoment(error.time - session.origin.value, 3)}</td>
          <td>{names.get(error.worker) ?? error.worker}</td>
          <td title={error.exception}>
            {splitException(error.exception)
              .filter(Boolean)
              .join(": ")
              .slice(0, 160)}
          </td>
        </tr>
      ))}
    </Table>
  );
}
