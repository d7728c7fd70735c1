// Progress of each prefix, sorted by start so that rows keep their places.

import { Part, Table } from "../../panel/parts";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { formatExact, NOTHING, plural } from "../../base/format";
import { ACTION_COLOURS } from "../../base/palette";
import { LinkButton } from "../../panel/button";
import { isWhole } from "../../panel/narrowing";
import type { PanelView } from "../../panel/panel_view";
import { PrefixButton, prefixCss } from "../../panel/prefix_button";
import { shortTime } from "./answer";
import type { ProgressRow, ReportSummary } from "./report_summary";

const SHOWN = 12;

/** The rows of a short list: unfinished prefixes, then the newest; in their order. */
export function briefRows(rows: readonly ProgressRow[]): ProgressRow[] {
  const open = (at: number): number =>
    Number((rows[at].running ?? 0) + rows[at].waiting > 0);
  const order = [...rows.keys()].sort(
    (one, other) => open(other) - open(one) || other - one,
  );
  const shown = new Set(order.slice(0, SHOWN));
  return rows.filter((_, at) => shown.has(at));
}

export function Progress(props: {
  view: PanelView;
  progress: NonNullable<ReportSummary["progress"]>;
}): JSX.Element {
  const { view, progress } = props;
  const { rows, all } = progress;
  const [asked, setAsked] = useState(false);
  const shown = asked || view.printing.value ? rows : briefRows(rows);
  const now = view.host.live && !isWhole(view.focus.value);
  return (
    <Part
      class="ds-first"
      title={now ? "Progress, now" : "Progress"}
      detail="by task prefix, in the order they began"
    >
      <Table
        class="ds-progress"
        label="Progress"
        columns={[
          { name: <span class="ds-unseen">Prefix</span> },
          { name: null, class: "ds-progress-cell" },
          { name: "Done", class: "ds-progress-done" },
          "Running",
          ...["Waiting", "Erred", "Rate"].map((name) => ({
            name,
            class: "ds-may-go",
          })),
          "Left",
        ]}
        foot={rows.length > 1 && <Row view={null} row={all} />}
      >
        {shown.map((row) => (
          <Row key={row.name} view={view} row={row} />
        ))}
      </Table>
      {rows.length > SHOWN && !view.printing.value && (
        <p class="ds-part-note">
          <LinkButton onClick={() => setAsked(!asked)}>
            {asked
              ? "Show unfinished and newest"
              : `Show all ${formatExact(rows.length)}`}
          </LinkButton>
        </p>
      )}
    </Part>
  );
}

function Row(props: { view: PanelView | null; row: ProgressRow }): JSX.Element {
  const { view, row } = props;
  const { done, total, running, waiting, erred, rate, left } = row;
  const some = (count: number | null): string =>
    count ? formatExact(count) : NOTHING;
  return (
    <tr>
      <th scope="row">
        {view ? <PrefixButton view={view} name={row.name} /> : "All"}
      </th>
      <td class="ds-progress-cell">
        {view && (
          <span class="ds-progress-bar">
            <PrefixPart view={view} row={row} of={total || done || 1} />
            <Erred view={view} row={row} />
          </span>
        )}
      </td>
      <td>
        {formatExact(done)}
        {total !== null && (
          <span class="ds-quiet">{` of ${formatExact(total)}`}</span>
        )}
      </td>
      <td>{some(running)}</td>
      <td class="ds-may-go">{some(waiting)}</td>
      <td class={erred > 0 ? "ds-may-go ds-error" : "ds-may-go"}>
        {some(erred)}
      </td>
      <td class="ds-may-go">
        {rate === null ? NOTHING : `${rate.toFixed(rate < 99.95 ? 1 : 0)} /s`}
      </td>
      <td>{left === null ? NOTHING : shortTime(left)}</td>
    </tr>
  );
}

/** Done tasks in the colours of prefixes, running ones paler, erred ones at the end. */
export function ProgressBar(props: {
  view: PanelView;
  progress: NonNullable<ReportSummary["progress"]>;
}): JSX.Element | null {
  const { view, progress } = props;
  const { all, rows } = progress;
  if (!all.total) return null;
  const words = `${formatExact(all.done)} of ${plural(all.total, "task")} done`;
  return (
    <div class="ds-progress-bar" role="img" aria-label={words} title={words}>
      {rows.map((row) => (
        <PrefixPart key={row.name} view={view} row={row} of={all.total!} />
      ))}
      <Erred view={view} row={all} />
    </div>
  );
}

function PrefixPart(props: {
  view: PanelView;
  row: ProgressRow;
  of: number;
}): JSX.Element {
  const { row, of } = props;
  const background = prefixCss(props.view, row.name);
  const width = (count: number): string => `${(count / of) * 100}%`;
  return (
    <>
      <i style={{ width: width(row.done), background }} />
      <i
        class="ds-running"
        style={{ width: width(row.running ?? 0), background }}
      />
    </>
  );
}

function Erred(props: {
  view: PanelView;
  row: ProgressRow;
}): JSX.Element | null {
  const { erred, total } = props.row;
  if (erred === 0) return null;
  const { dark } = props.view.theme.value;
  const background = ACTION_COLOURS.erred[dark ? "dark" : "light"];
  const width = `${(erred / (total || erred)) * 100}%`;
  return <i class="ds-erred" style={{ width, background }} />;
}
