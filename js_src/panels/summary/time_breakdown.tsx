// Where the time went: bars by prefix, stacked by action, and a list of actions.

import type { JSX } from "preact";
import { activityColour } from "../../base/palette";
import {
  formatDuration,
  formatExact,
  formatSeconds,
  formatSecondsAmong,
  formatShare,
  plural,
} from "../../base/format";
import { Bars, Named } from "../../panel/bars";
import { Part } from "../../panel/parts";
import type { PanelView } from "../../panel/panel_view";
import { actionNote, capitalized } from "../../panel/action_words";
import { MAX_ROWS, someOf } from "../../base/bounds";
import { PrefixButton } from "../../panel/prefix_button";
import type { ReportSummary } from "./report_summary";

const SHOWN = 10;

export interface Bar {
  readonly name: string;
  readonly tasks: number;
  readonly erred: number;
  readonly seconds: number;
  readonly parts: readonly {
    readonly action: string;
    readonly seconds: number;
  }[];
}

/** Prefixes with the time of all their actions, longest first. */
export function barsOf(summary: ReportSummary): Bar[] {
  const parts = new Map<string, { action: string; seconds: number }[]>();
  for (const { prefix, action, seconds } of summary.by_prefix_action ?? []) {
    if (!(seconds > 0)) continue;
    const known = parts.get(prefix);
    if (known) known.push({ action, seconds });
    else parts.set(prefix, [{ action, seconds }]);
  }
  return (summary.prefixes ?? [])
    .map(({ name, tasks, erred, seconds }) => {
      const own = parts.get(name) ?? [{ action: "compute", seconds }];
      const sum = own.reduce((total, part) => total + part.seconds, 0);
      return { name, tasks, erred, seconds: sum, parts: own.sort(workFirst) };
    })
    .sort((one, other) => other.seconds - one.seconds);
}

const workFirst = (
  one: { action: string; seconds: number },
  other: { action: string; seconds: number },
): number =>
  Number(other.action === "compute") - Number(one.action === "compute") ||
  other.seconds - one.seconds;

export function TimeBreakdown(props: {
  view: PanelView;
  summary: ReportSummary;
}): JSX.Element | null {
  const { view, summary } = props;
  const bars = barsOf(summary);
  const actions = [...(summary.actions ?? [])].sort(
    (one, other) => other.seconds - one.seconds,
  );
  if (bars.length === 0 && actions.length === 0) return null;
  const { dark } = view.theme.value;
  const longest = bars[0]?.seconds ?? 0;
  const total = actions.reduce((sum, { seconds }) => sum + seconds, 0);
  const most = actions[0]?.seconds ?? 0;
  return (
    <Part title="Where the time went" detail={threadTime(summary)}>
      <div class="ds-pair">
        {bars.length > 0 && (
          <div>
            <p class="ds-part-note ds-columns">
              <span>by task prefix, stacked by action</span>
              <span>time, tasks</span>
            </p>
            <Bars
              view={view}
              label="Time by task prefix"
              first={SHOWN}
              bars={bars}
              make={(bar) => ({
                id: bar.name,
                name: <PrefixButton view={view} name={bar.name} />,
                title: wordsOf(bar),
                parts: someOf(bar.parts).shown.map(({ action, seconds }) => ({
                  width: seconds / longest,
                  background: activityColour(action, dark),
                })),
                value: formatSecondsAmong(bar.seconds, longest),
                share: formatExact(bar.tasks),
              })}
            />
          </div>
        )}
        {actions.length > 0 && (
          <div>
            <p class="ds-part-note ds-columns">
              <span>by action</span>
              <span>time, share</span>
            </p>
            <Bars
              view={view}
              label="Time by action"
              first={MAX_ROWS}
              bars={actions}
              make={({ name, seconds, rows }) => {
                const background = activityColour(name, dark);
                return {
                  id: name,
                  name: <Named colour={background}>{capitalized(name)}</Named>,
                  title: [plural(rows, "time"), actionNote(name)]
                    .filter(Boolean)
                    .join("\n"),
                  parts: [{ width: seconds / most, background }],
                  value: formatSecondsAmong(seconds, most),
                  share: percentOf(seconds, total),
                };
              }}
            />
          </div>
        )}
      </div>
    </Part>
  );
}

/** The part of threads × time in which tasks computed, both in the same unit. */
export function threadTime({ busy, duration }: ReportSummary): string {
  if (!busy) return "";
  const [part, all] = [busy.busy_seconds, busy.thread_seconds].map((seconds) =>
    formatSecondsAmong(seconds, busy.thread_seconds),
  );
  const computed = `${part} of ${all} computing`;
  if (duration === null) return computed;
  return `${computed}, ${plural(busy.threads, "thread")} × ${formatDuration(duration)}`;
}

function wordsOf(bar: Bar): string {
  const parts = bar.parts.map(
    ({ action, seconds }) => `${action} ${formatSeconds(seconds)}`,
  );
  const erred = bar.erred > 0 ? `, ${formatExact(bar.erred)} erred` : "";
  return `${bar.name}: ${plural(bar.tasks, "task")}${erred}\n${parts.join("\n")}`;
}

export const percentOf = (part: number, whole: number): string =>
  whole > 0 ? formatShare(part / whole, 1) : "";
