// The Logs panel: lines that the scheduler and the workers logged.

import { Table } from "../../panel/parts";
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { formatExact, formatMoment, plural } from "../../base/format";
import { SearchBox, hasWords, Select } from "../../panel/filter_tools";
import { panelIcon } from "../../panel/host";
import { Pager, usePages } from "../../panel/paging";
import { makePanel } from "../../panel/panel";
import type { PanelView } from "../../panel/panel_view";
import { countFact, droppedFact } from "../../panel/status_line";
import { shortNames, workerNames } from "../../panel/worker_groups";
import { NoRows, WithTable } from "../../panel/states";
import type { TableView } from "../../session/tables";
import { byTime } from "../../model/search";
import type { Focus } from "../../model/types";
import { inFocus } from "../../panel/narrowing";

export const LOGS = makePanel(
  {
    id: "logs",
    title: "Logs",
    caption: "scheduler and workers",
    icon: panelIcon(
      '<path d="M1 2.5h2v2H1zM5 2.5h10v2H5zM1 7h2v2H1zM5 7h10v2H5zM1 11.5h2v2H1zM5 11.5h10v2H5z"/>',
    ),
    group: "Cluster",
    tables: ["logs", "workers"],
  },
  {
    Body: Logs,
    facts: (view) => {
      const { rows, dropped } = view.table("logs");
      return [
        countFact(rows, "line"),
        droppedFact(view.notices.value, dropped),
      ];
    },
    filters: true,
    gestures: [
      "A level shows its lines and all that are more severe.",
      "Lines come from Dask's own loggers. What your code prints or logs is in the output of the workers.",
    ],
  },
);

function Logs(props: { view: PanelView }): JSX.Element {
  const { view } = props;
  return (
    <WithTable view={view} name="logs" noun="log lines">
      {(table) => <Lines view={view} table={table} />}
    </WithTable>
  );
}

function Lines(props: {
  view: PanelView;
  table: TableView<"logs">;
}): JSX.Element {
  const { view, table } = props;
  const { columns } = table;
  const [level, setLevel] = useState("");
  const [source, setSource] = useState("");
  const [text, setText] = useState("");
  const nameOf = workerNames(view);
  const shortOf = shortNames(view);
  const focus = view.focus.value;
  const levels = useMemo(() => levelsOf(table), [table]);
  const sources = useMemo(() => [...new Set(columns.source)], [table]);
  const rows = useMemo(
    () => narrowLines(table, { focus, level, source, has: hasWords(text) }),
    [table, focus, level, source, text],
  );
  const paged = usePages(
    rows,
    JSON.stringify([focus, level, source, text]),
    view,
    "in sight",
  );
  if (table.rows === 0) {
    return (
      <NoRows
        view={view}
        table="logs"
        noun="log lines"
        live="They appear when the scheduler or a worker logs at the captured level."
        stored="The scheduler and the workers logged nothing at the captured level."
      />
    );
  }
  return (
    <>
      <div class="ds-tool-row">
        <Select
          label="Level"
          value={level}
          onChange={setLevel}
          options={[
            { value: "", text: "All levels" },
            ...levels.map((name) => ({
              value: name,
              text: `${name} and above`,
            })),
          ]}
        />
        <Select
          label="Source"
          value={source}
          onChange={setSource}
          options={[
            { value: "", text: "All sources" },
            ...sources.map((from) => ({ value: from, text: nameOf(from) })),
          ]}
        />
        <span class="ds-quiet ds-kind-count" role="status">
          {rows.length < table.rows
            ? `${formatExact(rows.length)} of ${formatExact(table.rows)} lines`
            : `${plural(table.rows, "line")}, newest last`}
        </span>
        <SearchBox placeholder="Filter by text" text={text} onText={setText} />
      </div>
      {rows.length === 0 ? (
        <p class="ds-sentence">No lines match the filter.</p>
      ) : (
        <Table
          class="ds-list ds-log"
          label="Logs"
          columns={[
            { name: "Time", class: "ds-number" },
            "Source",
            "Level",
            { name: "Line", class: "ds-list-text" },
          ]}
        >
          {paged.rows.map((row) => (
            <tr>
              <td class="ds-list-time ds-number">
                {formatMoment(columns.time[row] - view.origin.value, 3)}
              </td>
              <td class="ds-list-about" title={columns.source[row]}>
                {shortOf(nameOf(columns.source[row]))}
              </td>
              <td class={levelClass(columns.level[row])}>
                {columns.level[row]}
              </td>
              <td class="ds-list-text ds-mono">{columns.text[row]}</td>
            </tr>
          ))}
        </Table>
      )}
      <Pager paged={paged} noun="lines" />
      {paged.end}
    </>
  );
}

function levelClass(level: string): string {
  const rank = rankOf(level);
  if (rank >= rankOf("ERROR")) return "ds-error";
  return rank >= rankOf("WARNING") ? "ds-warn" : "ds-quiet";
}

interface LogFilter {
  readonly focus: Focus;
  /** Minimum level; empty for all. */
  readonly level: string;
  /** "scheduler", or a worker's address; empty for all. */
  readonly source: string;
  readonly has: ((text: string) => boolean) | null;
}

/** By severity; other levels count as INFO. */
const LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"];

function rankOf(level: string): number {
  const at = LEVELS.indexOf(level.toUpperCase());
  return at < 0 ? LEVELS.indexOf("INFO") : at;
}

export function levelsOf({ columns }: TableView<"logs">): string[] {
  const found = [...new Set(columns.level)];
  return found.sort((one, other) => rankOf(one) - rankOf(other));
}

/** Numbers of the rows that pass, sorted by time. */
export function narrowLines(
  { rows, columns }: TableView<"logs">,
  { focus, level, source, has }: LogFilter,
): number[] {
  const focused = inFocus(focus);
  const least = level === "" ? -1 : rankOf(level);
  const found: number[] = [];
  for (let row = 0; row < rows; row++) {
    const time = columns.time[row];
    const from = columns.source[row];
    const worker = from === "scheduler" ? null : from;
    if (least >= 0 && rankOf(columns.level[row]) < least) continue;
    if (source !== "" && from !== source) continue;
    if (!focused({ start: time, stop: time, worker, prefix: null })) continue;
    if (!has || has(columns.text[row])) found.push(row);
  }
  return found.sort((one, other) =>
    byTime(columns.time[one], columns.time[other]),
  );
}
