// A bar of threads × time: running, idle by cause, and unaccounted.

import type { JSX } from "preact";
import {
  formatDuration,
  formatMean,
  formatSecondsAmong,
  formatShare,
  formatRange,
  plural,
} from "../../base/format";
import { type Cause, CAUSES, sum, whenOf } from "../../derive/accounting";
import { activityName } from "../../panel/action_words";
import { Part, Table } from "../../panel/parts";
import { activityFills } from "../../panel/metric_rows";
import type { PanelView } from "../../panel/panel_view";
import { barsOf, EXECUTE, type Scope, SECONDS, wholeOf } from "./data";
import { CAUSE_NAMES, CAUSE_WHY } from "./words";

interface Segment {
  readonly name: string;
  readonly seconds: number;
  readonly class?: string;
  readonly colour?: string;
}

/** Causes with idle time, largest first. */
export function idleCauses(idle: Readonly<Record<Cause, number>>): Cause[] {
  return CAUSES.filter((cause) => idle[cause] > 0).sort(
    (one, other) => idle[other] - idle[one],
  );
}

export function AccountBar(props: {
  view: PanelView;
  scope: Scope;
}): JSX.Element {
  const { view, scope } = props;
  const { account, totals } = wholeOf(view, scope);
  const { counted, notCounted, measured, unfinished, idleSum, unaccounted } =
    totals;
  const running = measured + unfinished;
  const colour = activityFills(view);
  const [start, stop] = scope.time;
  const threads = sum(account.threads) / Math.max(stop - start, 1e-9);
  const chosen = barsOf(view, scope, "activity", EXECUTE, SECONDS);
  const parts: Segment[] = chosen
    .flatMap((bar) => bar.parts)
    .map(({ name, value }) => ({
      name: activityName(name),
      seconds: value,
      colour: colour(name),
    }));
  const others =
    measured - parts.reduce((all, { seconds }) => all + seconds, 0);
  const all: Segment[] = [
    ...parts,
    // Ignore rounding errors from sums in different order.
    ...(others > measured * 1e-9
      ? [{ name: "not selected", seconds: others, class: "ds-fine-others" }]
      : []),
    { name: "still running", seconds: unfinished, class: "ds-fine-still" },
    ...idleCauses(totals.idle).map((cause) => ({
      name: CAUSE_NAMES[cause],
      seconds: totals.idle[cause],
      class: `ds-idle-${cause}`,
    })),
    { name: "unaccounted", seconds: unaccounted, class: "ds-unaccounted" },
  ];
  const whole = Math.max(counted, running + idleSum + unaccounted);
  const text = (seconds: number): string => formatSecondsAmong(seconds, whole);
  const share = (seconds: number): string => formatShare(seconds / whole, 1);
  const width = (seconds: number): string => `${(seconds / whole) * 100}%`;
  return (
    <section class="ds-part ds-fine-account" aria-label="Time accounted for">
      <header class="ds-part-head">
        <h3>{`Accounts for ${text(running + idleSum)} of ${text(whole)}`}</h3>
        <span class="ds-quiet">
          {`${formatMean(Number(threads.toFixed(1)))} threads × ${formatDuration(stop - start)}.`}
          {notCounted > 0 &&
            ` Not counted: ${text(notCounted)} with nothing to do.`}
        </span>
        <span class="ds-fine-end">
          <b>Unaccounted</b> {text(unaccounted)}{" "}
          <span class="ds-quiet">{share(unaccounted)}</span>
        </span>
      </header>
      <div class="ds-fine-bar">
        {all.map(
          ({ name, seconds, colour, class: kind }) =>
            seconds > 0 && (
              <i
                class={kind}
                style={{ width: width(seconds), background: colour }}
                title={`${name} ${text(seconds)}, ${share(seconds)}`}
              />
            ),
        )}
      </div>
      <div class="ds-fine-braces" aria-hidden="true">
        <i style={{ width: width(running) }} />
        <i style={{ width: width(idleSum) }} />
      </div>
      <p class="ds-columns">
        <span>
          <b>Running</b> {text(running)}{" "}
          <span class="ds-quiet">
            {share(running)}
            {unfinished > 0 &&
              `, including ${text(unfinished)} of running tasks`}
          </span>
        </span>
        <span style={{ marginRight: width(unaccounted) }}>
          <b>Idle</b> {text(idleSum)}{" "}
          <span class="ds-quiet">{share(idleSum)}</span>
        </span>
      </p>
    </section>
  );
}

export function IdleTable(props: {
  view: PanelView;
  scope: Scope;
}): JSX.Element {
  const { view, scope } = props;
  const { account, totals } = wholeOf(view, scope);
  const { idle, idleSum, counted } = totals;
  const causes = idleCauses(idle);
  const most = causes.length > 0 ? idle[causes[0]] : 0;
  const text = (seconds: number): string =>
    formatSecondsAmong(seconds, idleSum);
  const when = (cause: Cause): JSX.Element => {
    const found = whenOf(account, cause);
    const tasks = cause === "reading" ? tasksRead(view, scope) : "";
    const why = `${tasks}${CAUSE_WHY[cause]}`;
    if (!found) return <>{why}</>;
    const origin = view.origin.value;
    const among = [scope.time[0] - origin, scope.time[1] - origin] as const;
    const ends = [found.start - origin, found.stop - origin] as const;
    const range = formatRange(...ends, among);
    const mostly = found.share < 0.9 ? "mostly " : "";
    return (
      <>
        <b>{`${mostly}${range}`}</b>
        {", "}
        {why}
      </>
    );
  };
  return (
    <Part
      class="ds-fine-idle"
      title="Idle, by cause"
      detail="seconds of threads; share of threads × time"
    >
      <Table
        class="ds-idle-table"
        label="Idle time by cause"
        columns={[]}
        foot={
          <tr>
            <th scope="row">Idle</th>
            <td class="ds-idle-bar ds-quiet">
              {idle.paused > 0 ? "" : "paused: none"}
            </td>
            <td class="ds-number">{text(idleSum)}</td>
            <td class="ds-quiet ds-number">
              {formatShare(idleSum / counted, 1)}
            </td>
            <td />
          </tr>
        }
      >
        {causes.map((cause) => (
          <tr key={cause}>
            <th scope="row">
              <span class={`ds-swatch ds-idle-${cause}`} />
              {CAUSE_NAMES[cause]}
            </th>
            <td class="ds-idle-bar">
              <i
                class={`ds-idle-${cause}`}
                style={{ width: `${(idle[cause] / most) * 100}%` }}
              />
            </td>
            <td class="ds-number">{text(idle[cause])}</td>
            <td class="ds-quiet ds-number">
              {formatShare(idle[cause] / counted, 1)}
            </td>
            <td class="ds-idle-why">{when(cause)}</td>
          </tr>
        ))}
      </Table>
    </Part>
  );
}

function tasksRead(view: PanelView, { time: [start, stop] }: Scope): string {
  const { columns, rows } = view.table("computations");
  let tasks = 0;
  for (let row = 0; row < rows; row++) {
    const sent = columns.time[row];
    if (sent >= start && sent <= stop) tasks += columns.tasks[row];
  }
  return tasks > 0 ? `${plural(tasks, "task")} ` : "a graph ";
}
