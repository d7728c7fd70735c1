// Errors in groups. An open group steps through its errors, each with key, traceback and a
// button that shows the task in the task stream.

import { FactList, Part, Table } from "./parts";
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import {
  formatExact,
  formatMoment,
  formatRange,
  NOTHING,
  plural,
} from "../base/format";
import { rowOfTask, intervalOf } from "../model/query";
import type { Focus } from "../model/types";
import { Button, LinkButton } from "./button";
import { ChevronIcon } from "./icons";
import { withRoom, inFocus } from "./narrowing";
import { Pager, Printed, usePages } from "./paging";
import type { PanelView } from "./panel_view";
import type { Range } from "../timeline/window";
import { PrefixSwatch } from "./prefix_button";
import { shortNames, type NameOf, workerNames } from "./worker_groups";
import type { TableView } from "../session/tables";
import { someOf } from "../base/bounds";
import { askTask, endsOf } from "./task_detail";
import { TracebackText, splitException } from "./traceback";
import { byTime } from "../model/search";

type Errors = TableView<"errors">;

const MOST_NAMES = 20;
/** Limits for printing: kinds of errors (each with its traceback), and tasks per kind. */
const PRINTED_KINDS = 100;
const PRINTED_TASKS = 100;

/** Returns an action that shows the task of an error; null if it cannot be shown. */
type TaskAction = (row: number) => (() => void) | null;

export function ErrorsSection(props: {
  view: PanelView;
  table: Errors;
  /** The recording is truncated, so this table is missing. */
  cut: boolean;
  taskAction: TaskAction;
}): JSX.Element {
  const { view, table } = props;
  const { erred: total } = view.counts.value;
  const focus = view.focus.value;
  const nameOf = workerNames(view);
  const prefixes = view.session.value?.prefixes ?? [];
  const groups = useMemo(
    () => errorGroups(table, prefixes, focus),
    [table, view.namesVersion.value, focus],
  );
  const paged = usePages(
    groups,
    JSON.stringify(focus),
    view,
    "never",
    PRINTED_KINDS,
  );
  const shown = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  return (
    <Part title="Errors" detail={count(shown, table.rows, total)}>
      {table.rows === 0 ? (
        <p class="ds-sentence">{withoutErrors(total, props.cut)}</p>
      ) : (
        shown === 0 && <p class="ds-sentence">No errors match the filter.</p>
      )}
      <ul class="ds-error-groups">
        {paged.rows.map((group) => (
          <Group
            key={group.exception}
            view={view}
            table={table}
            group={group}
            nameOf={nameOf}
            taskAction={props.taskAction}
          />
        ))}
      </ul>
      <Pager paged={paged} noun="kinds of errors" />
    </Part>
  );
}

export function withoutErrors(total: number, cut: boolean): string {
  const erred = `${plural(total, "task")} erred`;
  const raised = `what ${total === 1 ? "it" : "they"} raised`;
  if (!cut) {
    return total > 0 ? `${erred}; ${raised} was dropped.` : "No task erred.";
  }
  return total > 0
    ? `${erred}; the file is truncated, so ${raised} is missing.`
    : "The file is truncated, so its errors are missing.";
}

function count(shown: number, kept: number, total: number): string {
  if (kept === 0) return "";
  const words = [
    shown < kept
      ? `${formatExact(shown)} of ${formatExact(kept)} in the selection`
      : formatExact(kept),
  ];
  if (total > kept) {
    words.push(`${formatExact(total - kept)} more were dropped`);
  }
  return words.join("; ");
}

interface GroupProps {
  view: PanelView;
  table: Errors;
  group: ErrorGroup;
  nameOf: NameOf;
  taskAction: TaskAction;
}

function Group(props: GroupProps): JSX.Element {
  const { view, table, group, nameOf } = props;
  const [opened, setOpen] = useState(false);
  const open = opened || view.printing.value;
  const { rows, prefixes, workers } = group;
  const shortOf = shortNames(view);
  const { time } = table.columns;
  const [first, last] = [time[rows[0]], time[rows[rows.length - 1]]];
  const origin = view.origin.value;
  return (
    <li class="ds-error-group">
      <button
        type="button"
        class={open ? "ds-error-head ds-open" : "ds-error-head"}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <ChevronIcon />
        <span class="ds-error-words">
          <b class="ds-error">{group.type}</b>
          {group.message !== "" && ` ${group.message}`}
        </span>
        <span class="ds-error-facts">
          <b>{plural(rows.length, "task")}</b>
          <span title={names(prefixes)}>
            {prefixes.length === 1 && (
              <PrefixSwatch view={view} name={prefixes[0]} />
            )}
            {shortOf(several(prefixes, "prefixes"))}
          </span>
          <span title={names(workers.map(nameOf))}>
            {shortOf(several(workers.map(nameOf), "workers"))}
          </span>
          <span>
            {last > first
              ? formatRange(first - origin, last - origin)
              : formatMoment(first - origin, 2)}
          </span>
        </span>
      </button>
      {open && <OneError {...props} />}
    </li>
  );
}

/** The first names only, to keep the tooltip short. */
const names = (all: readonly string[]): string => {
  const { shown, more } = someOf(all, MOST_NAMES);
  return [
    ...shown,
    ...(more > 0 ? [`and ${formatExact(more)} more`] : []),
  ].join("\n");
};

const several = (names: readonly string[], noun: string): string =>
  names.length === 1 ? names[0] || NOTHING : `${names.length} ${noun}`;

function OneError(props: GroupProps): JSX.Element {
  const { view, table, group, nameOf } = props;
  const [at, setAt] = useState(0);
  const place = Math.min(at, group.rows.length - 1);
  const row = group.rows[place];
  const { columns } = table;
  const key = columns.key[row];
  const go = props.taskAction(row);
  const printing = view.printing.value;
  const lists = printing && group.rows.length > 1;
  const facts: [string, string][] = [
    ["Key", key || NOTHING],
    ["Prefix", prefixOf(view, table, row) || NOTHING],
    ["Worker", nameOf(columns.worker[row]) || NOTHING],
    ["At", formatMoment(columns.time[row] - view.origin.value, 3)],
  ];
  return (
    <div class="ds-one-error">
      <div class="ds-one-error-tools">
        {go && <LinkButton onClick={go}>Show in task stream</LinkButton>}
        {group.rows.length > 1 && (
          <span class="ds-pager">
            <Button idle={place === 0} onClick={() => setAt(place - 1)}>
              Previous
            </Button>
            <span>
              {`${formatExact(place + 1)} of ${plural(group.rows.length, "error")}`}
            </span>
            <Button
              idle={place + 1 === group.rows.length}
              onClick={() => setAt(place + 1)}
            >
              Next
            </Button>
          </span>
        )}
      </div>
      {!lists && <FactList class="ds-fact-list ds-wraps" facts={facts} />}
      <TracebackText
        key={row}
        taskKey={key || null}
        exception={[group.type, group.message]}
        traceback={columns.traceback[row]}
        whole={printing}
      />
      {lists && (
        <TasksOfKind view={view} table={table} rows={group.rows} of={nameOf} />
      )}
    </div>
  );
}

/** Printed in place of the buttons that step through the errors. */
function TasksOfKind(props: {
  view: PanelView;
  table: Errors;
  rows: readonly number[];
  of: NameOf;
}): JSX.Element {
  const { view, table, rows } = props;
  const { columns } = table;
  const { shown } = someOf(rows, PRINTED_TASKS);
  return (
    <>
      <Table
        class="ds-list"
        label="Tasks with this error"
        columns={[
          { name: "At", class: "ds-number" },
          "Worker",
          "Prefix",
          "Key",
        ]}
      >
        {shown.map((row) => (
          <tr>
            <td class="ds-list-time ds-number">
              {formatMoment(columns.time[row] - view.origin.value, 3)}
            </td>
            <td class="ds-list-about">
              {props.of(columns.worker[row]) || NOTHING}
            </td>
            <td class="ds-list-about">
              {prefixOf(view, table, row) || NOTHING}
            </td>
            <td>{columns.key[row] || NOTHING}</td>
          </tr>
        ))}
      </Table>
      <Printed shown={shown.length} total={rows.length} noun="tasks" />
    </>
  );
}

const prefixOf = (view: PanelView, table: Errors, row: number): string =>
  view.session.value?.prefixes[table.columns.prefix[row]] ?? "";

/** A focus on time and worker of the task; on the time of the error if it never ran. */
export async function focusOn(
  view: PanelView,
  { columns }: Errors,
  row: number,
): Promise<Focus> {
  const [time, worker] = [columns.time[row], columns.worker[row]];
  const interval = await intervalOfTask(view, columns.task[row]);
  return {
    time: withRoom(interval ?? [time, time], view.whole.peek()),
    prefixes: [],
    workers: worker === "" ? [] : [worker],
    spans: [],
    cells: [],
  };
}

/** The time of a task; asks the kernel or the file if its rows are not loaded yet. */
async function intervalOfTask(
  view: PanelView,
  task: number,
): Promise<Range | null> {
  const store = view.session.peek();
  if (!store || task < 0) return null;
  const row = rowOfTask(store.model, task);
  if (row) return intervalOf(row);
  try {
    const { startstops } = await askTask(store, task);
    return startstops.length > 0 ? endsOf(startstops) : null;
  } catch {
    return null; // a notice reports errors of the recording
  }
}

interface ErrorGroup {
  readonly type: string;
  readonly message: string;
  /** The recorded text, which all errors of a group share. */
  readonly exception: string;
  readonly rows: readonly number[];
  readonly prefixes: readonly string[];
  readonly workers: readonly string[];
}

/** Sorted by first error, so that groups keep their places when others are added. */
export function errorGroups(
  { rows: count, columns }: TableView<"errors">,
  prefixes: readonly string[],
  focus: Focus,
): ErrorGroup[] {
  const focused = inFocus(focus);
  const groups = new Map<string, number[]>();
  const order = Array.from({ length: count }, (_, row) => row);
  order.sort((one, other) => byTime(columns.time[one], columns.time[other]));
  const prefixOf = (row: number): string => prefixes[columns.prefix[row]] ?? "";
  for (const row of order) {
    const time = columns.time[row];
    const [worker, prefix] = [columns.worker[row], prefixOf(row)];
    if (!focused({ start: time, stop: time, worker, prefix })) continue;
    const group = groups.get(columns.exception[row]);
    if (group) group.push(row);
    else groups.set(columns.exception[row], [row]);
  }
  return [...groups].map(([exception, rows]) => {
    const [type, message] = splitException(exception);
    return {
      ...{ type, message, exception, rows },
      prefixes: [...new Set(rows.map(prefixOf))],
      workers: [...new Set(rows.map((row) => columns.worker[row]))],
    };
  });
}
