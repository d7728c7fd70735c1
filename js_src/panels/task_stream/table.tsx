// The numbers of the panel as tables, for the keyboard, for screen readers, and
// for whoever likes numbers better.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import {
  formatBytes,
  formatExact,
  formatSecondsAmong,
  formatShare,
  NOTHING,
} from "../../base/format";
import { IconButton } from "../../panel/button";
import { CloseIcon } from "../../panel/icons";
import { isWhole } from "../../panel/narrowing";
import { keepScrolling } from "../../panel/scrolling";
import type { SeenSession } from "../../panel/seen_session";
import { ErrorsTable } from "./errors_table";
import { isCounted, prefixesInFocus } from "./focus_totals";
import type { BusyOf } from "./gutter";
import { firstOf, notHere, Table } from "./number_table";
import { prefixColoursOf } from "../../panel/prefix_colour";
import { actionCss } from "./row_words";
import type { ViewState } from "./view_state";

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
  session: SeenSession;
  busyOf: BusyOf;
}): JSX.Element {
  const { view, session } = props;
  const scroll = useRef<HTMLDivElement>(null);
  useEffect(() => {
    scroll.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div
      class="ds-table-sheet"
      role="dialog"
      aria-label="Numbers"
      onKeyDown={keepScrolling}
    >
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
        <div class="ds-table-pair">
          <Prefixes view={view} session={session} />
          <Actions view={view} session={session} />
        </div>
        <Workers view={view} session={session} busyOf={props.busyOf} />
        <ErrorsTable view={view} session={session} />
      </div>
    </div>
  );
}

interface TableOf {
  view: ViewState;
  session: SeenSession;
}

/** A name behind the colour that it has in the plot. */
function Named(props: { name: string; colour: string }): JSX.Element {
  return (
    <span title={props.name}>
      <span class="ds-swatch" style={{ background: props.colour }} />
      {props.name}
    </span>
  );
}

/** Zooming alone counts nothing again: it is of the whole run then, too. */
function scopeOf(session: SeenSession): string {
  const { value: focus } = session.focus;
  const scope = isWhole(focus) ? "of the whole run" : "in the selection";
  return isCounted(session) ? scope : `${scope}: not counted yet`;
}

/** Isolated actions, errors among them, narrow the plot and not these figures. */
function beside(view: ViewState): string {
  const names = view.narrowing.value.actions.map((name) => `“${name}”`);
  return names.length > 0 ? `, not of ${names.join(", ")} alone` : "";
}

function Prefixes(props: TableOf): JSX.Element {
  const { view, session } = props;
  const colourOf = prefixColoursOf(view, session.store);
  const known = isCounted(session) ? prefixesInFocus(session) : [];
  const { rows, words } = firstOf(
    known.sort((one, other) => other.seconds - one.seconds),
    "prefixes",
  );
  const longest = Math.max(0, ...rows.map(({ seconds }) => seconds));
  const means = rows.map(({ seconds, computes }) => seconds / computes);
  const longestMean = Math.max(0, ...means.filter(Number.isFinite));
  // In a part of the time there are parts of tasks: of these it is, as the time is.
  const mean = session.focus.value.time === null ? "Mean" : "Mean inside";
  return (
    <Table
      caption={`Tasks by prefix, ${scopeOf(session)}${beside(view)}${words}`}
      columns={[
        { name: "Prefix" },
        { name: "Tasks" },
        { name: "Time" },
        { name: mean, from_px: 340 },
        { name: "Erred" },
      ]}
    >
      {rows.map((row, at) => [
        <Named
          name={session.store.prefixes[row.prefix] ?? NOTHING}
          colour={colourOf(row.prefix)}
        />,
        formatExact(row.tasks),
        formatSecondsAmong(row.seconds, longest),
        formatSecondsAmong(means[at], longestMean),
        row.erred > 0 ? formatExact(row.erred) : NOTHING,
      ])}
    </Table>
  );
}

function Actions(props: TableOf): JSX.Element {
  const { view, session } = props;
  const rows = isCounted(session) ? session.totals.value.actions : [];
  const longest = Math.max(0, ...rows.map(({ seconds }) => seconds));
  const { dark } = view.environment.theme.value;
  const nameOf = (action: number) => session.store.actions[action] ?? NOTHING;
  return (
    <Table
      caption={`${actionCaption(session)}${beside(view)}`}
      columns={[{ name: "Action" }, { name: "Count" }, { name: "Time" }]}
    >
      {rows.map((row) => [
        <Named
          name={nameOf(row.action)}
          colour={actionCss(nameOf(row.action), false, "transparent", dark)}
        />,
        formatExact(row.rows),
        formatSecondsAmong(row.seconds, longest),
      ])}
    </Table>
  );
}

/** The kernel's figures are of all prefixes, whichever are isolated. */
function actionCaption(session: SeenSession): string {
  const { prefixes } = session.focus.value;
  const scope =
    prefixes.length > 0 && isCounted(session)
      ? "of all prefixes"
      : scopeOf(session);
  return `Time by action, ${scope}`;
}

function Workers(props: {
  view: ViewState;
  session: SeenSession;
  busyOf: BusyOf;
}): JSX.Element {
  const { rows, words } = firstOf(props.view.workers.groups.value, "workers");
  const { counts } = props.session;
  const { dropped } = props.session.table("workers").value;
  return (
    <Table
      class="ds-many-columns"
      caption={`Workers: busy in the time shown, the rest as it is now${notHere(
        dropped,
        counts.value.changes,
        " changes of workers",
      )}${words}`}
      columns={[
        { name: "Worker" },
        { name: "Address", from_px: 620, words: true },
        { name: "Threads", from_px: 480 },
        { name: "Busy" },
        { name: "Memory", from_px: 260 },
        { name: "Limit", from_px: 480 },
        { name: "Spilled", from_px: 480 },
        { name: "Status", words: true },
      ]}
    >
      {rows.map((group) => {
        const { name, address, lanes, info } = group;
        return [
          name,
          address,
          formatExact(info?.threads ?? lanes.length),
          formatShare(props.busyOf(group)),
          info ? formatBytes(info.process) : NOTHING,
          info && info.memory_limit > 0
            ? formatBytes(info.memory_limit)
            : NOTHING,
          info && info.spilled > 0 ? formatBytes(info.spilled) : NOTHING,
          info?.status ?? "left",
        ];
      })}
    </Table>
  );
}
