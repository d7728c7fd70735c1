// The status line of the task stream: how much is shown, dropped or lost.

import { formatClock, formatExact, plural } from "../../base/format";
import type { Counts, Notice, Focus, PrefixTotal } from "../../model/types";
import type { State } from "../../schema";
import {
  livenessFact,
  noticeFact,
  type Fact,
  keptOf,
  runningTasks,
} from "../../panel/status_line";
import { searchFact } from "../../panel/selection";
import type { PanelState } from "./panel_state";
import { narrows } from "../../panel/narrowing";
import { ERRED, legendAction } from "../../panel/action_words";

export interface StatusInput {
  readonly state: State;
  readonly counts: Counts;
  readonly loaded: number;
  readonly workers: number;
  readonly threads: number;
  /** Number of running tasks; null if unknown. */
  readonly running: number | null;
  readonly behind_s: number;
  readonly now: number;
  readonly notices: readonly Notice[];
  /** Connected to a kernel; false for a file. */
  readonly live: boolean;
  /** Why the picture no longer updates, in the host's words; null if it does. */
  readonly kept: { readonly text: string; readonly trouble: boolean } | null;
  readonly moreComes: boolean;
  /** Number of tasks held at the pause; null while not paused. */
  readonly pausedAt: number | null;
  /** Rows outside of the axis, because their clocks disagree. */
  readonly outside: number;
  readonly backwards: number;
  readonly search: Fact | null;
  readonly selected: Selected | "uncounted" | null;
  readonly showErrors?: () => void;
  /** For a saved picture, which needs absolute times. */
  readonly pictured?: boolean;
}

function shown(input: StatusInput): Fact {
  const { counts, loaded, pausedAt } = input;
  const captured = Math.max(counts.captured, loaded);
  const lead = formatExact(pausedAt ?? loaded);
  if (input.state === "lost") {
    const until = formatClock(input.now, 0);
    return { lead, text: `tasks until ${until}`, brief: "tasks", rank: 0 };
  }
  const noun = captured === 1 ? "task" : "tasks";
  const brief = `of ${formatExact(captured)}`;
  const text = `${brief} ${noun}${pausedAt === null ? "" : " shown"}`;
  return { lead, text, brief, rank: 0 };
}

function missing(input: StatusInput): Fact[] {
  const { counts, loaded, pausedAt } = input;
  const facts: Fact[] = [];
  if (pausedAt !== null) {
    const later = loaded - pausedAt;
    if (later > 0) {
      facts.push({
        text: `${formatExact(later)} arrived since you paused`,
        brief: `${formatExact(later)} since`,
        rank: 4,
      });
    }
  }
  const dropped = counts.dropped_agent + counts.dropped_recording;
  const away = counts.kept - loaded;
  if (away > 0) {
    facts.push({
      rank: 4,
      ...(input.moreComes
        ? {
            text: `${formatExact(away)} loading`,
            title: `They are shown as a preview until ${input.live ? "their details arrive, newest first" : "they are read from the file"}.`,
          }
        : {
            text: `${formatExact(away)} without details`,
            title:
              "They are shown as a preview: older tasks will not be loaded.",
          }),
    });
  }
  if (counts.dropped_agent > 0) {
    const bound =
      input.state === "partly"
        ? "distributed.scheduler.dashboard.tasks.task-stream-length on the scheduler"
        : "daskscope.agent.memory-limit";
    facts.push({
      level: "warn",
      text: `${plural(counts.dropped_agent, "older one")} dropped on the scheduler`,
      brief: `${formatExact(counts.dropped_agent)} dropped`,
      title: `They finished faster than they were fetched, and memory for them on the scheduler is limited. To keep more, raise ${bound}.`,
    });
  }
  if (counts.dropped_recording > 0) {
    facts.push({
      level: "warn",
      text: `${plural(counts.dropped_recording, "older one")} dropped from the recording`,
      brief: `${formatExact(counts.dropped_recording)} dropped`,
      title:
        "The recording reached its limit. To keep more, raise daskscope.recording.memory-limit.",
    });
  }
  // Not when "partly" recorded: without an agent, tasks lost in a gap are not counted.
  if (dropped === 0 && ["live", "stopped", "no-client"].includes(input.state)) {
    facts.push({
      text: pausedAt === null ? "nothing dropped" : "none lost",
      rank: 6,
    });
  }
  if (input.outside > 0) {
    facts.push({
      level: "warn",
      text: `${plural(input.outside, "row")} outside the axis`,
      brief: `${formatExact(input.outside)} outside`,
      title:
        "Their times are far from the scheduler's clock, so a worker's clock is wrong. They are in the recording, and the legend counts them.",
    });
  }
  if (input.backwards > 0) {
    facts.push({
      level: "warn",
      text: `${plural(input.backwards, "row stops", "rows stop")} before ${input.backwards === 1 ? "it starts" : "they start"}`,
      title:
        "The clocks of a worker and the scheduler disagree. These rows are drawn as ticks without length.",
    });
  }
  return facts;
}

function selection({
  counts,
  selected,
  live,
  showErrors,
}: StatusInput): Fact[] {
  const facts: Fact[] = [];
  const counted = selected === "uncounted" ? null : selected;
  if (selected === "uncounted") {
    facts.push({
      text: "selection not counted yet",
      brief: "not counted yet",
      title: live
        ? "The kernel is counting the selection. Without subshells, it does so only after the running cell."
        : "The selection is being counted in the file.",
      rank: 2,
    });
  } else if (counted?.count) {
    facts.push({
      text: `${counted.count} selected`,
      title: "Tasks that match the filters.",
      rank: 2,
    });
  }
  if (counts.erred > 0) {
    const all = formatExact(counts.erred);
    facts.push({
      ...(counted?.erred === 0 ? {} : { level: "error" as const }),
      rank: 1,
      ...(counted
        ? {
            text: `${formatExact(counted.erred)} of ${all} erred`,
            title: "Erred tasks that match the filters, and all erred tasks.",
          }
        : {
            text: selected ? `${all} erred in all` : `${all} erred`,
            title: "Click to isolate them",
          }),
      ...(showErrors ? { run: showErrors } : {}),
    });
  }
  return facts;
}

/** Running tasks, which have no rows until they finish. */
function running({ running: tasks, state, kept }: StatusInput): Fact[] {
  const current = (state === "live" || state === "partly") && !kept;
  if (!tasks || !current) return [];
  const text = `${formatExact(tasks)} running`;
  const title = "Tasks that workers run now. They appear as they finish.";
  return [{ text, title, rank: 4 }];
}

export function statusFacts(input: StatusInput): Fact[] {
  const facts: Fact[] = [
    shown(input),
    { text: plural(input.workers, "worker"), rank: 5 },
    { text: plural(input.threads, "thread"), rank: 7 },
    ...running(input),
    livenessFact({ ...input, paused: input.pausedAt !== null }),
  ];
  facts.push(...selection(input), ...missing(input));
  if (input.search) facts.push(input.search);
  facts.push(...input.notices.map(noticeFact));
  return facts;
}

/** `inBanner`: the notice in the banner. Reads signals. */
export function panelFacts(
  view: PanelState,
  inBanner: Notice | null,
  pictured = false,
): Fact[] {
  if (!view.session.value) return [];
  const counts = view.counts.value;
  const showErrors = () => view.isolateEntry("action", "erred", false);
  return statusFacts({
    state: view.state.value,
    counts,
    loaded: view.loadedTasks.value,
    workers: view.workers.value.length,
    threads: view.threads(),
    running: runningTasks(view.workers.value),
    behind_s: view.behind_s.value,
    now: view.now.value,
    live: view.host.live,
    notices: view.notices.value.filter((notice) => notice !== inBanner),
    pictured,
    kept: keptOf(view.host.emptyState.value),
    moreComes: moreComes(view),
    pausedAt: view.paused.value === null ? null : view.loadedAtPause,
    outside: view.outside.value,
    backwards: view.backwards.value,
    search: searchFact(view.search.value, view.host.live),
    selected: selectedOf(view),
    ...(counts.erred > 0 ? { showErrors } : {}),
  });
}

interface Selected {
  /** Such as `135` tasks or `47 × transfer`; null if unknown. */
  readonly count: string | null;
  readonly erred: number;
}

/**
 * Null without filters, and after the kernel has shut down.
 * "uncounted" until the kernel's figures for this selection arrive.
 */
function selectedOf(view: PanelState): Selected | "uncounted" | null {
  const narrowing = view.narrowing.value;
  if (!narrows(narrowing) || view.state.value === "lost") return null;
  if (!isCounted(view)) return "uncounted";
  let [tasks, erred] = [0, 0];
  for (const row of prefixesInFocus(view)) {
    tasks += row.tasks;
    erred += row.erred;
  }
  const { actions, prefixes } = narrowing;
  const only = actions.length === 1 ? actions[0] : undefined;
  if (actions.length === 0) return { count: formatExact(tasks), erred };
  if (only === ERRED) return { count: formatExact(erred), erred };
  // The kernel counts rows by prefix and by action, but not by both together.
  if (prefixes.length > 0) return { count: null, erred };
  const counts = actions.map((name) => {
    const count = name === ERRED ? erred : rowsOf(view, name);
    return `${formatExact(count)} × ${name}`;
  });
  return { count: counts.join(", "), erred };
}

function rowsOf(view: PanelState, name: string): number {
  const actions = view.session.value?.actions ?? [];
  return view.totals.value.actions.reduce(
    (sum, { action, rows }) =>
      legendAction(actions[action] ?? "") === name ? sum + rows : sum,
    0,
  );
}

export function prefixesInFocus(view: PanelState): PrefixTotal[] {
  const { prefixes } = view.focus.value;
  const rows = view.totals.value.prefixes;
  if (prefixes.length === 0) return [...rows];
  const wanted = new Set(prefixes);
  return rows.filter((row) =>
    wanted.has(view.session.value?.prefixes[row.prefix] ?? ""),
  );
}

/**
 * Whether the figures belong to the current selection. A kernel needs a moment; one
 * without subshells receives a selection only when its cell has finished.
 */
export function isCounted(view: PanelState): boolean {
  const asked = view.focus.value;
  const { focus } = view.totals.value;
  return (
    String(asked.time) === String(focus.time) &&
    (["workers", "spans", "cells"] as const).every((part) =>
      haveSame(asked[part], focus[part]),
    )
  );
}

function haveSame(some: Focus["workers"], others: Focus["workers"]): boolean {
  const [one, other] = [new Set(some), new Set(others)];
  return one.size === other.size && some.every((name) => other.has(name));
}

/** Notices after which no older rows are sent. */
const NO_HISTORY = ["page-full", "bye", "bad-file"];

/** False once the page is full, or if the host reports that the kernel has shut down. */
export function moreComes(view: PanelState): boolean {
  return (
    view.session.value !== null &&
    view.host.emptyState.value === null &&
    !view.notices.value.some(({ code }) => NO_HISTORY.includes(code))
  );
}
