// Where the time went: by prefix, each bar stacked by action, and by action.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { activityColour } from "../../base/palette";
import {
  formatDuration,
  formatExact,
  formatSeconds,
  formatSecondsAmong,
  formatShare,
  plural,
} from "../../base/format";
import { LinkButton } from "../../panel/button";
import { Printed } from "../../panel/paging";
import { AndMore, Part } from "../../panel/parts";
import type { PanelView } from "../../panel/panel_view";
import { actionNote, capitalized } from "../../panel/action_words";
import { someOf } from "../../base/bounds";
import { PrefixButton } from "../../panel/prefix_button";
import type { ReportSummary } from "./report_summary";

const SHOWN = 10;
const MOST_SHOWN = 500;

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

/** Prefixes with the time of all their actions, the longest first. */
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
  const [all, setAll] = useState(false);
  const bars = barsOf(summary);
  const actions = [...(summary.actions ?? [])].sort(
    (one, other) => other.seconds - one.seconds,
  );
  if (bars.length === 0 && actions.length === 0) return null;
  const { dark } = view.theme.value;
  const printing = view.printing.value;
  const shown = bars.slice(0, all || printing ? MOST_SHOWN : SHOWN);
  const longest = bars[0]?.seconds ?? 0;
  const total = actions.reduce((sum, { seconds }) => sum + seconds, 0);
  const most = actions[0]?.seconds ?? 0;
  return (
    <Part title="Where the time went" detail={threadTime(summary)}>
      <div class="ds-part-pair">
        {bars.length > 0 && (
          <div>
            <p class="ds-part-note ds-columns">
              <span>by task prefix, stacked by action</span>
              <span>time, tasks</span>
            </p>
            <ul class="ds-bars" aria-label="Time by task prefix">
              {shown.map((bar) => (
                <li>
                  <PrefixButton view={view} name={bar.name} />
                  <span class="ds-bar" title={wordsOf(bar)}>
                    {someOf(bar.parts).shown.map(({ action, seconds }) => (
                      <i
                        style={{
                          width: share(seconds, longest),
                          background: activityColour(action, dark),
                        }}
                      />
                    ))}
                  </span>
                  <span class="ds-bar-value">
                    {formatSecondsAmong(bar.seconds, longest)}
                  </span>
                  <span class="ds-bar-share" title={plural(bar.tasks, "task")}>
                    {formatExact(bar.tasks)}
                  </span>
                </li>
              ))}
            </ul>
            {printing && (
              <Printed
                shown={shown.length}
                total={bars.length}
                noun="prefixes"
              />
            )}
            {bars.length > SHOWN && !printing && (
              <p class="ds-part-note">
                <LinkButton onClick={() => setAll(!all)}>
                  {all
                    ? "Show the longest only"
                    : `Show ${bars.length > MOST_SHOWN ? "the first " : "all "}${formatExact(Math.min(bars.length, MOST_SHOWN))}`}
                </LinkButton>
              </p>
            )}
          </div>
        )}
        {actions.length > 0 && (
          <div>
            <p class="ds-part-note ds-columns">
              <span>by action</span>
              <span>time, share</span>
            </p>
            <ul class="ds-bars ds-bars-actions" aria-label="Time by action">
              {someOf(actions).shown.map(({ name, seconds, rows }) => (
                <li
                  title={[plural(rows, "time"), actionNote(name)]
                    .filter(Boolean)
                    .join("\n")}
                >
                  <span class="ds-prefix">
                    <span
                      class="ds-swatch"
                      style={{ background: activityColour(name, dark) }}
                    />
                    <span class="ds-prefix-name">{capitalized(name)}</span>
                  </span>
                  <span class="ds-bar">
                    <i
                      style={{
                        width: share(seconds, most),
                        background: activityColour(name, dark),
                      }}
                    />
                  </span>
                  <span class="ds-bar-value">
                    {formatSecondsAmong(seconds, most)}
                  </span>
                  <span class="ds-bar-share">{percentOf(seconds, total)}</span>
                </li>
              ))}
            </ul>
            <AndMore count={someOf(actions).more} />
          </div>
        )}
      </div>
    </Part>
  );
}

/** How much of the time of all threads was computed, both in one unit. */
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

const share = (part: number, whole: number): string =>
  whole > 0 ? `${Math.max(0, part / whole) * 100}%` : "0";

export const percentOf = (part: number, whole: number): string =>
  whole > 0 ? formatShare(part / whole, 1) : "";
