// The figures at the top of a live summary: what is going on now, with what it is of.

import {
  formatBytes,
  formatBytesOf,
  formatExact,
  formatShare,
} from "../../base/format";
import type { PanelView } from "../../panel/panel_view";
import { runningTasks } from "../../panel/running";
import type { Figure } from "./figures";
import type { ReportSummary } from "./report_summary";

export function liveFigures(view: PanelView, summary: ReportSummary): Figure[] {
  const workers = view.workers.value;
  const sum = (
    of: "threads" | "process" | "memory_limit" | "spilled",
  ): number => workers.reduce((all, worker) => all + worker[of], 0);
  const all = summary.progress?.all;
  const { busy, answer } = summary;
  const running = runningTasks(workers);
  const figures: Figure[] = [];
  if (all) {
    const { done, total } = all;
    figures.push({
      name: "Done",
      value: formatExact(done),
      unit: total === null ? "" : `of ${formatExact(total)}`,
      below: total ? `${formatShare(done / total)} of all` : "",
    });
  }
  if (running !== null && workers.length > 0) {
    const threads = sum("threads");
    figures.push({
      name: "Threads busy",
      value: formatExact(Math.min(running, threads)),
      unit: `of ${formatExact(threads)}`,
      below: busy ? `${formatShare(busy.percent / 100)} since the start` : "",
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

/** `9.8 of 16.0 GiB`; where their units differ, what it is of stands below. */
function usedOf(
  used: number,
  limit: number,
): Pick<Figure, "value" | "unit" | "below"> {
  const [value, of] = formatBytesOf(used, limit).split(" / ");
  if (/^[\d.,]+$/.test(value)) return { value, unit: `of ${of}`, below: "" };
  const [amount, unit] = value.split(" ");
  return { value: amount, unit, below: of ? `of ${of}` : "" };
}
