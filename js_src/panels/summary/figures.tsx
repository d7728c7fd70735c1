// The row of figures at the top of the summary.

import type { JSX } from "preact";
import {
  formatBytes,
  formatClock,
  formatDay,
  formatDuration,
  formatExact,
  formatMoment,
  formatShare,
  plural,
  formatBytesOf,
} from "../../base/format";
import { isCutOff, type ReportSummary } from "./report_summary";
import type { PanelView } from "../../panel/panel_view";
import { runningTasks } from "../../panel/status_line";

interface Figure {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
  readonly below: string;
  readonly level?: "error";
  readonly belowLevel?: "warn";
}

const MOST_NAMES = 2;

/** Figures of a recording, without unknown ones. */
export function figuresOf(summary: ReportSummary): Figure[] {
  const { start, stop, tasks, busy, memory, spilled } = summary;
  const { transfers, errors, cost } = summary;
  const figures: Figure[] = [];
  const add = (
    name: string,
    text: string,
    below: string,
    level?: "error",
  ): void => {
    const [value, unit] = splitUnit(text);
    figures.push({ name, value, unit, below, ...(level ? { level } : {}) });
  };
  const duration =
    summary.duration ?? (start !== null && stop !== null ? stop - start : null);
  if (duration !== null) {
    const times = start !== null && stop !== null ? timesOf(start, stop) : "";
    add("Duration", formatDuration(duration), times);
  }
  if (tasks) {
    const kept = isCutOff(summary)
      ? "incomplete"
      : tasks.kept < tasks.captured
        ? `${formatExact(tasks.kept)} kept`
        : "all kept";
    const erred =
      tasks.erred > 0 ? `${formatExact(tasks.erred)} erred` : "none erred";
    const none = tasks.captured === 0 && !isCutOff(summary);
    const below = none ? "none finished or failed" : `${kept}, ${erred}`;
    add("Tasks", formatExact(tasks.captured), below);
  }
  if (busy) {
    const of =
      duration === null
        ? plural(busy.threads, "thread")
        : `of ${formatExact(busy.threads)} × ${formatDuration(duration)}`;
    add("Threads busy", formatShare(busy.percent / 100), of);
  }
  if (memory) {
    const parts = [];
    if (memory.limit !== null) parts.push(`of ${formatBytes(memory.limit)}`);
    if (memory.peak_time !== null && start !== null) {
      parts.push(`at ${formatMoment(memory.peak_time - start, 1)}`);
    }
    add("Peak memory", formatBytes(memory.peak), parts.join(", "));
  }
  if (transfers && transfers.rows > 0) {
    add(
      "Transfers",
      formatDuration(transfers.seconds),
      plural(transfers.rows, "transfer"),
    );
  }
  if (spilled && spilled.peak > 0) {
    add("Spilled", formatBytes(spilled.peak), firstNames(spilled.workers));
  }
  if (errors) {
    const types = firstNames(errors.types.map(([type]) => type));
    const kept = errors.kept ?? errors.count;
    const some = errors.count > 0;
    add(
      "Errors",
      formatExact(errors.count),
      types !== "" && kept < errors.count
        ? `newest ${formatExact(kept)}: ${types}`
        : types,
      some ? "error" : undefined,
    );
  }
  if (cost) {
    add(
      "Cost",
      `${formatAmount(cost.amount)} ${cost.unit}`,
      `${formatAmount(cost.per_hour)} ${cost.unit} a thread-hour`,
    );
  }
  return figures;
}

/** `14:02:31 to 14:03:00`; with the day if it differs. */
function timesOf(start: number, stop: number): string {
  const [from, to] = [formatClock(start, 0), formatClock(stop, 0)];
  if (formatDay(start) !== formatDay(stop)) {
    return `${from} to ${formatDay(stop)}, ${to}`;
  }
  return from === to ? `at ${from}` : `${from} to ${to}`;
}

/** `29.1 s` as `29.1` and `s`; other texts, such as `2 m 29 s`, are all value. */
function splitUnit(text: string): [string, string] {
  const match = /^((?:< )?[\d,.−]+) (\D+)$/.exec(text);
  return match ? [match[1] ?? "", match[2] ?? ""] : [text, ""];
}

function firstNames(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  const shown = names.slice(0, MOST_NAMES).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

const MOST_DECIMALS = 6;

/** `0.0078`, `1.2`, `153`: two decimals or, below 1, two digits; never `0` unless it is 0. */
function formatAmount(amount: number): string {
  const size = Math.abs(amount);
  const least = 10 ** -MOST_DECIMALS;
  if (size > 0 && size < least) return `< ${least.toFixed(MOST_DECIMALS)}`;
  // Rounded first, so that 99.999 is shown as 100.
  if (size === 0 || Math.round(size * 100) >= 10_000) {
    return formatExact(amount);
  }
  const decimals =
    size >= 1 ? 2 : Math.min(MOST_DECIMALS, 1 - Math.floor(Math.log10(size)));
  return amount.toFixed(decimals).replace(/(\.\d*?[1-9])0+$/, "$1");
}

export function Figures(props: {
  figures: readonly Figure[];
}): JSX.Element | null {
  const { figures } = props;
  if (figures.length === 0) return null;
  return (
    <dl class="ds-figures">
      {figures.map((figure) => (
        <div class="ds-figure">
          <dt>{figure.name}</dt>
          <dd
            class={
              figure.level
                ? `ds-figure-value ds-${figure.level}`
                : "ds-figure-value"
            }
          >
            {figure.value}
            {figure.unit !== "" && (
              <span class="ds-figure-unit">{figure.unit}</span>
            )}
          </dd>
          <dd
            class={
              figure.belowLevel
                ? `ds-figure-below ds-${figure.belowLevel}`
                : "ds-figure-below"
            }
            title={figure.below}
          >
            {figure.below}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function liveFigures(view: PanelView, summary: ReportSummary): Figure[] {
  const workers = view.workers.value;
  const sum = (
    of: "threads" | "process" | "memory_limit" | "spilled",
  ): number => workers.reduce((all, worker) => all + worker[of], 0);
  const all = summary.progress?.all;
  const { answer } = summary;
  const running = runningTasks(workers);
  const figures: Figure[] = [];
  if (all) {
    const { done, total } = all;
    const cancelled = answer?.cancelled ?? 0;
    // Rounded down, so that only all tasks are 100 %.
    const share = total ? Math.floor((done / total) * 100) / 100 : 0;
    const rest = cancelled > 0 ? `, ${formatExact(cancelled)} cancelled` : "";
    figures.push({
      name: "Done",
      value: formatExact(done),
      unit: total === null ? "" : `of ${formatExact(total)}`,
      below: total ? `${formatShare(share)} of all${rest}` : "",
    });
  }
  if (running !== null && workers.length > 0) {
    const threads = sum("threads");
    figures.push({
      name: "Threads busy",
      value: formatExact(Math.min(running, threads)),
      unit: `of ${formatExact(threads)}`,
      below: `on ${plural(workers.length, "worker")}`,
    });
  }
  const [used, limit] = [sum("process"), sum("memory_limit")];
  if (used > 0) {
    const spilled = sum("spilled");
    figures.push({
      ...{ name: "Memory", ...usedOf(used, limit) },
      ...(spilled > 0
        ? { below: `${formatBytes(spilled)} on disk`, belowLevel: "warn" }
        : {}),
    });
  }
  if (all) {
    figures.push({
      ...{ name: "Erred", value: formatExact(all.erred), unit: "" },
      below: all.erred > 0 ? (answer?.exception ?? "") : "none",
      ...(all.erred > 0 ? { level: "error" } : {}),
    });
  }
  return figures;
}

/** `9.8 of 16.0 GiB`; if their units differ, the total is below. */
function usedOf(
  used: number,
  limit: number,
): Pick<Figure, "value" | "unit" | "below"> {
  const [value, of] = formatBytesOf(used, limit).split(" / ");
  if (/^[\d.,]+$/.test(value)) return { value, unit: `of ${of}`, below: "" };
  const [amount, unit] = value.split(" ");
  return { value: amount, unit, below: of ? `of ${of}` : "" };
}
