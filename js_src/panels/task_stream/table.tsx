// The figures of the panel as tables, accessible by keyboard and screen readers.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ErrorsSection } from "../../panel/errors";
import { isCut } from "../../panel/status_line";
import { firstOf, notHere, NumberTable } from "../../panel/number_table";
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
import { keepScrolling } from "../../panel/help";
import type { SessionStore } from "../../session/session";
import { isCounted, prefixesInFocus } from "./status_facts";
import type { BusyOf } from "./gutter";
import { actionCss, prefixColoursOf } from "../../panel/pixel_colours";
import type { PanelState } from "./panel_state";
import { goToRow, rowOfError } from "./go_to_task";

export function TableSheet(props: {
  view: PanelState;
  busyOf: BusyOf;
}): JSX.Element | null {
  const { view } = props;
  const session = view.session.value;
  if (!view.tableOpen.value || !session) return null;
  return <Sheet view={view} session={session} busyOf={props.busyOf} />;
}

function Sheet(props: {
  view: PanelState;
  session: SessionStore;
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
        <Errors view={view} session={session} />
      </div>
    </div>
  );
}

interface TableOf {
  view: PanelState;
  session: SessionStore;
}

function Named(props: { name: string; colour: string }): JSX.Element {
  return (
    <span title={props.name}>
      <span class="ds-swatch" style={{ background: props.colour }} />
      {props.name}
    </span>
  );
}

/** The scope of the figures, in words. Zooming does not change it. */
function scopeOf(view: PanelState): string {
  const { value: focus } = view.focus;
  const scope = isWhole(focus) ? "of the whole run" : "in the selection";
  return isCounted(view) ? scope : `${scope}: not counted yet`;
}

/** Caption text: isolated actions and errors filter the plot, but not these figures. */
function beside(view: PanelState): string {
  const names = view.narrowing.value.actions.map((name) => `“${name}”`);
  return names.length > 0 ? `, not of ${names.join(", ")} alone` : "";
}

function Prefixes(props: TableOf): JSX.Element {
  const { view, session } = props;
  const colourOf = prefixColoursOf(view, session);
  const known = isCounted(view) ? prefixesInFocus(view) : [];
  const { rows, words } = firstOf(
    known.sort((one, other) => other.seconds - one.seconds),
    "prefixes",
  );
  const longest = Math.max(0, ...rows.map(({ seconds }) => seconds));
  const means = rows.map(({ seconds, computes }) => seconds / computes);
  const longestMean = Math.max(0, ...means.filter(Number.isFinite));
  // With a selected time, only the parts of tasks inside it count.
  const mean = view.focus.value.time === null ? "Mean" : "Mean inside";
  return (
    <NumberTable
      caption={`Tasks by prefix, ${scopeOf(view)}${beside(view)}${words}`}
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
          name={session.prefixes[row.prefix] ?? NOTHING}
          colour={colourOf(row.prefix)}
        />,
        formatExact(row.tasks),
        formatSecondsAmong(row.seconds, longest),
        formatSecondsAmong(means[at], longestMean),
        row.erred > 0 ? formatExact(row.erred) : NOTHING,
      ])}
    </NumberTable>
  );
}

function Actions(props: TableOf): JSX.Element {
  const { view, session } = props;
  const rows = isCounted(view) ? view.totals.value.actions : [];
  const longest = Math.max(0, ...rows.map(({ seconds }) => seconds));
  const { dark } = view.environment.theme.value;
  const nameOf = (action: number) => session.actions[action] ?? NOTHING;
  return (
    <NumberTable
      caption={`${actionCaption(view)}${beside(view)}`}
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
    </NumberTable>
  );
}

/** Caption of the actions: the kernel always counts them for all prefixes. */
function actionCaption(view: PanelState): string {
  const { prefixes } = view.focus.value;
  const scope =
    prefixes.length > 0 && isCounted(view) ? "of all prefixes" : scopeOf(view);
  return `Time by action, ${scope}`;
}

function Workers(props: {
  view: PanelState;
  session: SessionStore;
  busyOf: BusyOf;
}): JSX.Element {
  const { rows, words } = firstOf(props.view.groups.value, "workers");
  const { counts } = props.session;
  const { dropped } = props.view.table("workers");
  return (
    <NumberTable
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
    </NumberTable>
  );
}

/** As in the Errors panel, but its links show tasks in this panel. */
function Errors(props: TableOf): JSX.Element | null {
  const { view, session } = props;
  const table = view.table("errors");
  if (table.rows === 0) return null;
  const { time, task, prefix, worker } = table.columns;
  return (
    <ErrorsSection
      view={view}
      table={table}
      cut={isCut(view.notices.value)}
      taskAction={(at) => {
        const row = rowOfError(session, {
          ...{ time: time[at], task: task[at] },
          ...{ prefix: prefix[at], worker: worker[at] },
        });
        return (
          row &&
          (() => {
            view.tableOpen.value = false;
            goToRow(view, row);
          })
        );
      }}
    />
  );
}
