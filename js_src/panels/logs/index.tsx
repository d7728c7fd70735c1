// What scheduler and workers wrote into their logs.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { formatExact, formatMoment } from "../../base/format";
import { FilterText, hasWords, Select } from "../../panel/filter_tools";
import { panelIcon } from "../../panel/kind";
import { Pager, usePages } from "../../panel/paging";
import { makePanel } from "../../panel/panel";
import type { PanelView } from "../../panel/panel_view";
import { droppedFact } from "../../panel/session_facts";
import { shortNames } from "../../panel/short_names";
import { whyNone, WithTable } from "../../panel/with_table";
import { workerNames } from "../../panel/worker_names";
import type { TableView } from "../../session_tables";
import { levelsOf, narrowLines, rankOf } from "./lines";

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
        { lead: formatExact(rows), text: "lines", rank: 0 },
        droppedFact(view.notices.value, dropped),
      ];
    },
    gestures: ["The level shows its lines and those of graver levels."],
  },
);

function Logs(props: { view: PanelView }): JSX.Element {
  const { view } = props;
  return (
    <WithTable view={view} name="logs" noun="the logs">
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
  if (table.rows === 0) return <NoLines view={view} />;
  return (
    <section class="ds-part">
      <header class="ds-part-head">
        <span class="ds-quiet" role="status">
          {`${formatExact(rows.length)} of ${formatExact(table.rows)} lines`}
        </span>
        <div class="ds-list-tools">
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
          <FilterText label="Filter by text" text={text} onText={setText} />
        </div>
      </header>
      {rows.length === 0 ? (
        <p class="ds-sentence">None of the lines is in the selection.</p>
      ) : (
        <table class="ds-list ds-log" aria-label="Logs">
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Source</th>
              <th scope="col">Level</th>
              <th scope="col" class="ds-list-text">
                Line
              </th>
            </tr>
          </thead>
          <tbody>
            {paged.rows.map((row) => (
              <tr key={row}>
                <td class="ds-list-time">
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
          </tbody>
        </table>
      )}
      <Pager paged={paged} noun="lines" />
      {paged.end}
    </section>
  );
}

function NoLines(props: { view: PanelView }): JSX.Element {
  const { view } = props;
  const none = view.host.live
    ? "No lines yet."
    : "No lines of the logs are in this recording.";
  const why =
    whyNone(view, "logs") ||
    (view.host.live
      ? "Lines appear as scheduler and workers log them, at the level that Dask keeps."
      : "Scheduler and workers logged nothing at the captured level.");
  return <p class="ds-sentence">{`${none} ${why}`}</p>;
}

function levelClass(level: string): string {
  const rank = rankOf(level);
  if (rank >= rankOf("ERROR")) return "ds-error";
  return rank >= rankOf("WARNING") ? "ds-warn" : "ds-quiet";
}
