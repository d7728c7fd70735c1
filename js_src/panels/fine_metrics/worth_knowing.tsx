// Findings from the figures, with advice.

import type { JSX } from "preact";
import {
  formatDuration,
  formatExact,
  formatSeconds,
  formatShare,
} from "../../base/format";
import { LinkButton } from "../../panel/button";
import { Part } from "../../panel/parts";
import { namesOf } from "../../panel/metric_rows";
import type { PanelView } from "../../panel/panel_view";
import type { Change } from "../../model/types";
import { rowsOf } from "../../session/tables";
import type { Range } from "../../timeline/window";
import {
  type Bar,
  barsOf,
  EXECUTE,
  type Scope,
  wholeOf,
  type Whole,
} from "./data";

export interface Finding {
  readonly title: string;
  readonly text: string;
  /** Id of the panel that shows more. */
  readonly panel?: string;
  readonly prefix?: string;
}

const partOf = ({ parts }: Bar, activity: string): number =>
  parts.find(({ name }) => name === activity)?.value ?? 0;

/** Report off-CPU time above these shares of the function's and of all running time. */
const OFF_CPU_SHARE = 0.25;
const OFF_CPU_OF_ALL = 0.02;
/** With more disk and network time than this, the waiting is explained. */
const IO_SHARE = 0.02;
const isIo = (activity: string): boolean =>
  /^(disk|network|p2p)/.test(activity);

/** Functions that waited for something that metrics do not show. */
export function offCpu(bars: readonly Bar[], ran: number): Finding[] {
  const least = OFF_CPU_OF_ALL * ran;
  return bars
    .filter(({ total }) => total > least)
    .filter((bar) => {
      const off = partOf(bar, "thread-noncpu");
      const io = bar.parts.reduce(
        (sum, { name, value }) => sum + (isIo(name) ? value : 0),
        0,
      );
      const much = off > OFF_CPU_SHARE * bar.total && off > least;
      return much && io < IO_SHARE * bar.total;
    })
    .sort(
      (one, other) =>
        partOf(other, "thread-noncpu") - partOf(one, "thread-noncpu"),
    )
    .slice(0, 2)
    .map((bar, at) => {
      const off = partOf(bar, "thread-noncpu");
      const text = `${formatShare(off / bar.total)} of its time, with no disk or network counted`;
      return {
        title: `${bar.name} was ${formatSeconds(off)} off the CPU`,
        text: at > 0 ? `${text}.` : `${text}: ${WHY_OFF}`,
        ...{ panel: "profile", prefix: bar.name },
      };
    });
}

const WHY_OFF =
  "its threads wait for each other (the GIL), for something that Dask does not measure, such as S3, or for a CPU that others use. If it is Python code, use more processes with fewer threads; if it waits for a service, use more threads.";

/** The share of task inputs that came from memory instead of disk. */
export function cacheHits(
  bars: readonly Bar[],
  seconds: readonly Bar[],
): Finding[] {
  const count = (of: readonly Bar[], activity: string): number =>
    of.reduce((sum, bar) => sum + partOf(bar, activity), 0);
  const [memory, disk] = [count(bars, "memory-read"), count(bars, "disk-read")];
  if (disk === 0) return [];
  const all = memory + disk;
  const read = count(seconds, "disk-read");
  const took = read > 0 ? `, which took ${formatSeconds(read)}` : "";
  return [
    {
      title: `${formatShare(memory / all)} of inputs came from memory`,
      text: `${formatExact(memory)} of ${formatExact(all)}; the other ${formatExact(disk)} were read from disk${took}. To spill less, give workers more memory or use smaller partitions.`,
      panel: "memory",
    },
  ];
}

/** For shorter tasks the overhead is significant. */
const SHORT_S = 0.02;
/** Longer idle time per task cannot be explained by handing tasks over. */
const SLOW_HANDOVER_S = 0.02;
const OVERHEAD_SHARE = 0.1;

/** Reports if much time passes between tasks and most of them are short. */
export function shortTasks(
  prefixes: readonly { readonly tasks: number; readonly seconds: number }[],
  { totals }: Whole,
): Finding[] {
  const lost = totals.idle.handing + totals.idle.queued;
  if (lost < OVERHEAD_SHARE * totals.counted) return [];
  let [all, tasks, seconds] = [0, 0, 0];
  for (const one of prefixes) {
    all += one.tasks;
    if (!(one.seconds < SHORT_S * one.tasks)) continue;
    tasks += one.tasks;
    seconds += one.seconds;
  }
  if (tasks <= all / 2) return [];
  const cause =
    lost < SLOW_HANDOVER_S * tasks
      ? "since handing over each one takes about a millisecond"
      : `${formatDuration(lost / tasks)} for each: the scheduler or the workers were short of CPU`;
  return [
    {
      title: `${formatExact(tasks)} tasks are short: ${formatDuration(seconds / tasks)} on average`,
      text: `Threads were idle for ${formatSeconds(lost)} between tasks, ${cause}. Give each task more work: larger partitions or chunks, or several inputs in each.`,
    },
  ];
}

const UNACCOUNTED_SHARE = 0.05;

/** Number of workers that left in a time without closing first. */
export function lostWorkers(
  changes: readonly Pick<Change, "time" | "worker" | "what">[],
  [start, stop]: Range,
): number {
  const closing = new Set<string>();
  let lost = 0;
  for (const { time, worker, what } of changes) {
    if (what.startsWith("closing")) closing.add(worker);
    else if (what === "added") closing.delete(worker);
    else if (what === "removed" && !closing.has(worker)) {
      if (time >= start && time <= stop) lost += 1;
    }
  }
  return lost;
}

export function lowerBounds(lost: number): Finding[] {
  if (lost === 0) return [];
  const text =
    lost === 1
      ? "A worker was lost in this time, with its metrics since its last heartbeat."
      : `${formatExact(lost)} workers were lost in this time, with their metrics since their last heartbeats.`;
  return [{ title: "Figures are lower bounds", text }];
}

function unaccountedFor(view: PanelView, { totals }: Whole): Finding[] {
  const { unaccounted, counted } = totals;
  if (!(unaccounted > UNACCOUNTED_SHARE * counted)) return [];
  return [
    {
      title: `${formatShare(unaccounted / counted)} is not accounted for`,
      text: view.growing.value
        ? "Workers send metrics with their heartbeats, so the latest may arrive in a moment."
        : "Workers sent no metrics for some tasks in this time.",
    },
  ];
}

export function WorthKnowing(props: {
  view: PanelView;
  scope: Scope;
}): JSX.Element {
  const { view, scope } = props;
  const whole = wholeOf(view, scope);
  const units = namesOf(view, "units");
  const bars = (by: "prefix" | "activity", unit: string): readonly Bar[] =>
    barsOf(view, scope, by, EXECUTE, units.indexOf(unit));
  const findings = [
    ...offCpu(bars("prefix", "seconds"), whole.totals.measured),
    ...shortTasks(view.totals.value.prefixes, whole),
    ...cacheHits(bars("activity", "count"), bars("activity", "seconds")),
    ...lowerBounds(
      lostWorkers(rowsOf(view.table("workers"), "time"), scope.time),
    ),
    ...unaccountedFor(view, whole),
  ];
  return (
    <Part class="ds-fine-knowing" title="Worth knowing">
      {findings.length === 0 && (
        <p class="ds-sentence">Nothing stands out in this time.</p>
      )}
      {findings.map((one) => (
        <div class="ds-finding" key={one.title}>
          <p class="ds-columns">
            <b>{one.title}</b>
            <More view={view} finding={one} />
          </p>
          <p class="ds-quiet">{one.text}</p>
        </div>
      ))}
    </Part>
  );
}

function More(props: {
  view: PanelView;
  finding: Finding;
}): JSX.Element | null {
  const { view } = props;
  const { panel, prefix } = props.finding;
  const { show } = view;
  if (!show || !panel || !view.host.panels?.includes(panel)) return null;
  const focus = view.focus.value;
  const prefixes = prefix === undefined ? focus.prefixes : [prefix];
  return (
    <LinkButton onClick={() => show(panel, { ...focus, prefixes })}>
      {panel.charAt(0).toUpperCase() + panel.slice(1)}
    </LinkButton>
  );
}
