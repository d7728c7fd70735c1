// The tab of what scheduler and workers wrote into their logs.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { formatExact, formatMoment } from "../../base/format";
import { FilterText, hasWords, Select } from "../../panel/filter_tools";
import { Pager, usePages } from "../../panel/paging";
import type { RecordTable } from "../../panel/record_tables";
import type { RecordingView } from "../../panel/recording_view";
import { shortNames } from "../../panel/short_names";
import { WithTable } from "../../panel/table_wait";
import { workerNames } from "../../panel/worker_names";
import { levelsOf, narrowLines, rankOf } from "./lines";

export function Logs(props: {
  view: RecordingView;
  /** Why lines may be missing, as the recording says it; empty for nothing. */
  why: string;
}): JSX.Element {
  return (
    <div class="ds-logs">
      <WithTable view={props.view} name="logs" noun="the logs">
        {(table) => <Lines view={props.view} table={table} why={props.why} />}
      </WithTable>
    </div>
  );
}

function Lines(props: {
  view: RecordingView;
  table: RecordTable<"logs">;
  why: string;
}): JSX.Element {
  const { view, table } = props;
  const [level, setLevel] = useState("");
  const [source, setSource] = useState("");
  const [text, setText] = useState("");
  const nameOf = workerNames(view);
  const shortOf = shortNames(view);
  const focus = view.focus.value;
  const levels = useMemo(() => levelsOf(table), [table]);
  const sources = useMemo(() => [...new Set(table.source)], [table]);
  const rows = useMemo(
    () => narrowLines(table, { focus, level, source, has: hasWords(text) }),
    [table, focus, level, source, text],
  );
  const paged = usePages(
    rows,
    JSON.stringify([focus, level, source, text]),
    view.printing.value,
  );
  if (table.rows === 0) {
    return (
      <p class="ds-sentence">
        {`No lines of the logs are in this recording. ${props.why || "Scheduler and workers wrote none in this time, at the level that Dask keeps."}`}
      </p>
    );
  }
  return (
    <section class="ds-part">
      <header class="ds-part-head">
        <h3>Logs</h3>
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
              <th scope="col">Line</th>
            </tr>
          </thead>
          <tbody>
            {paged.rows.map((row) => (
              <tr>
                <td class="ds-list-time">
                  {formatMoment(table.time[row] - view.origin.value, 3)}
                </td>
                <td class="ds-list-about" title={table.source[row]}>
                  {shortOf(nameOf(table.source[row]))}
                </td>
                <td class={levelClass(table.level[row])}>{table.level[row]}</td>
                <td class="ds-mono">{table.text[row]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Pager paged={paged} noun="lines" />
    </section>
  );
}

function levelClass(level: string): string {
  const rank = rankOf(level);
  if (rank >= rankOf("ERROR")) return "ds-error";
  return rank >= rankOf("WARNING") ? "ds-warn" : "ds-quiet";
}
