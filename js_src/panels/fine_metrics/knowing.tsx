// What is worth knowing of the figures, and what to do.

import type { JSX } from "preact";
import {
  formatDuration,
  formatExact,
  formatSeconds,
  formatShare,
} from "../../base/format";
import { LinkButton } from "../../panel/button";
import { Part } from "../../panel/parts";
import type { PanelView } from "../../panel/panel_view";
import { rowsOf } from "../../session_tables";
import {
  type Bar,
  barsOf,
  EXECUTE,
  namesOf,
  type Scope,
  wholeOf,
  type Whole,
} from "./data";

export interface Finding {
  readonly title: string;
  readonly text: string;
  /** The panel that shows more. */
  readonly panel?: string;
  readonly prefix?: string;
}

const partOf = ({ parts }: Bar, activity: string): number =>
  parts.find(({ name }) => name === activity)?.value ?? 0;

/** Of a function's time that is not on a CPU, and of all that ran: less is usual. */
const OFF_CPU_SHARE = 0.25;
const OFF_CPU_OF_ALL = 0.02;
/** Of a function's time in disk and network: more explains it. */
const IO_SHARE = 0.02;
const isIo = (activity: string): boolean =>
  /disk|network|p2p|read|write/.test(activity);

/** Functions that waited for something which no metric names. */
export function offCpu(bars: readonly Bar[], ran: number): Finding[] {
  return bars
    .filter((bar) => {
      const off = partOf(bar, "thread-noncpu");
      const io = bar.parts.reduce(
        (sum, { name, value }) => sum + (isIo(name) ? value : 0),
        0,
      );
      const much =
        off > OFF_CPU_SHARE * bar.total && off > OFF_CPU_OF_ALL * ran;
      return much && io < IO_SHARE * bar.total;
    })
    .sort(
      (one, other) =>
        partOf(other, "thread-noncpu") - partOf(one, "thread-noncpu"),
    )
    .slice(0, 2)
    .map((bar) => {
      const off = partOf(bar, "thread-noncpu");
      return {
        title: `${bar.name} was ${formatSeconds(off)} off the CPU`,
        text: `${formatShare(off / bar.total)} of its time, with no disk or network counted: its threads wait for each other (the GIL), or for something that Dask does not measure, such as S3. If it is Python code, use more processes with fewer threads; if it waits for a service, use more threads.`,
        ...{ panel: "profile", prefix: bar.name },
      };
    });
}

/** How many inputs of tasks were in memory, and how many were read from disk. */
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
      text: `${formatExact(memory)} of ${formatExact(all)}; the other ${formatExact(disk)} were read from disk${took}. Give workers more memory or use smaller partitions, and less is spilled.`,
      panel: "memory",
    },
  ];
}

/** So short are tasks of which the overhead weighs. */
const SHORT_S = 0.02;
const OVERHEAD_SHARE = 0.1;

export function shortTasks(
  tasks: number,
  seconds: number,
  { totals }: Whole,
): Finding[] {
  const { handing, queued } = totals.idle;
  const lost = handing + queued;
  const mean = seconds / tasks;
  if (!(mean < SHORT_S) || lost < OVERHEAD_SHARE * totals.counted) return [];
  return [
    {
      title: `Tasks are short: ${formatDuration(mean)} on average`,
      text: `Threads were idle for ${formatSeconds(lost)} between ${formatExact(tasks)} tasks, since handing over each one takes about a millisecond. Give each task more to do: larger partitions or chunks, or \`batch_size=\` in \`client.map\`.`,
    },
  ];
}

const UNACCOUNTED_SHARE = 0.05;

function notSent(view: PanelView, scope: Scope, { totals }: Whole): Finding[] {
  const { unaccounted, counted } = totals;
  const [start, stop] = scope.time;
  const left = rowsOf(view.table("workers"), "time").some(
    ({ what, time }) => what === "removed" && time >= start && time <= stop,
  );
  if (left && unaccounted > 0) {
    return [
      {
        title: "Figures are lower bounds",
        text: "A worker left in this time. What it had measured since its last heartbeat was not sent.",
      },
    ];
  }
  if (!(unaccounted > UNACCOUNTED_SHARE * counted)) return [];
  return [
    {
      title: `${formatShare(unaccounted / counted)} is not accounted for`,
      text: view.growing.value
        ? "Workers send metrics with their heartbeats: what ran last may come in a moment."
        : "Tasks ran in this time of which workers sent no metrics.",
    },
  ];
}

export function WorthKnowing(props: {
  view: PanelView;
  scope: Scope;
}): JSX.Element {
  const { view, scope } = props;
  const whole = wholeOf(view, scope);
  const execute = (name: string): boolean => name === EXECUTE;
  const units = namesOf(view, "units");
  const bars = (unit: string): Bar[] =>
    barsOf(view, scope, "prefix", execute, units.indexOf(unit));
  const seconds = bars("seconds");
  const { prefixes } = view.totals.value;
  const sum = (of: "tasks" | "seconds"): number =>
    prefixes.reduce((all, one) => all + one[of], 0);
  const findings = [
    ...offCpu(seconds, whole.totals.measured),
    ...shortTasks(sum("tasks"), sum("seconds"), whole),
    ...cacheHits(bars("count"), seconds),
    ...notSent(view, scope, whole),
  ];
  return (
    <Part class="ds-fine-knowing" title="Worth knowing">
      {findings.length === 0 && (
        <p class="ds-sentence">
          No function waits without a reason, and no input was read from disk.
        </p>
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
