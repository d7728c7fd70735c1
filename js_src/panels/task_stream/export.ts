// Saves the picture, the rows on the screen, or all rows that the page holds.

import { drawPicture } from "./png";
import { coarseRows, rowsOfLanes } from "../../derive/lane_rows";
import { csvText } from "../../base/save";
import type { Interval } from "../../model/types";
import { STATUSES } from "../../schema";
import type { SessionStore } from "../../session/session";
import { fileName, saveFile, savePng } from "../../panel/export";
import type { TaskPlot } from "./plot";
import type { PanelState } from "./panel_state";
import { type NameOf, workerNames } from "../../panel/worker_groups";
import { formatExact, plural } from "../../base/format";
import { allTasks } from "../../session/session";

/** Keys are requested only for files with at most this many rows. */
const MOST_KEYS = 50_000;

const HEADER = [
  ...["start", "start_from_origin", "duration", "worker", "worker_name"],
  ...["thread", "prefix", "action", "status", "nbytes", "span", "task", "key"],
];

const NAME = "task-stream";

function* csvRows(
  store: SessionStore,
  rows: readonly Interval[],
  keys: ReadonlyMap<number, string>,
  nameOf: NameOf,
) {
  const origin = store.origin.peek();
  for (const row of rows) {
    const { worker = "", thread = "" } = store.lanes[row.lane] ?? {};
    yield [
      row.start,
      Number((row.start - origin).toFixed(6)),
      row.duration,
      worker,
      worker && nameOf(worker),
      thread,
      store.prefixes[row.prefix] ?? "",
      store.actions[row.action] ?? "",
      STATUSES[row.status] ?? "",
      row.nbytes,
      store.spans[row.span]?.name.join(" / ") ?? "",
      row.task,
      keys.get(row.task) ?? "",
    ];
  }
}

/** Returns a message; empty if the host refused and has shown the reason. */
async function saveCsv(
  view: PanelState,
  store: SessionStore,
  rows: readonly Interval[],
  name: string,
  others: Others,
): Promise<string> {
  const tasks = rows.length <= MOST_KEYS ? tasksOf(rows) : null;
  const keys = await store.keys.texts(tasks ?? []);
  const nameOf = workerNames(view);
  const text = csvText(HEADER, csvRows(store, rows, keys, nameOf));
  const keyless = tasks && tasks.length - keys.size;
  const words = savedWords(rows.length, { ...others, keyless }, view.host.live);
  return saveFile(view.host, `${name}.csv`, text) ? words : "";
}

const tasksOf = (rows: readonly Interval[]): number[] =>
  [...new Set(rows.map(({ task }) => task))].sort((a, b) => a - b);

/** Saves the rows that are on the screen and pass the filters. */
export async function exportVisible(
  view: PanelState,
  plot: TaskPlot,
): Promise<string> {
  const store = view.session.peek();
  if (!store) return "Nothing to save yet";
  const { window } = view;
  // Rows after a pause are not drawn, so they are not saved.
  const end = view.paused.peek() ?? Infinity;
  const time = [window.start, Math.min(window.stop, end)] as const;
  const { shown } = plot.lanes.map;
  const { filter } = store.model;
  const found = rowsOfLanes(store.model, shown, time, filter);
  const coarse = coarseRows(store.model, shown, time);
  return saveCsv(view, store, found, fileName(NAME), { coarse });
}

export async function exportAll(view: PanelState): Promise<string> {
  const store = view.session.peek();
  if (!store) return "Nothing to save yet";
  const lanes = store.lanes.map((_, lane) => lane);
  const whole = [-Infinity, Infinity] as const;
  const found = rowsOfLanes(store.model, lanes, whole, null);
  const notHere = store.counts.peek().rows - found.length;
  return saveCsv(view, store, found, `${fileName(NAME)}-all`, { notHere });
}

export async function exportPicture(
  view: PanelState,
  plot: TaskPlot,
): Promise<string> {
  if (!view.session.peek()) return "Nothing to save yet";
  const picture = drawPicture(view, plot);
  return (await savePng(view.host, NAME, picture)) ? "Saved the picture" : "";
}

export interface Others {
  /** Number of rows that only the kernel or the file has. */
  readonly notHere?: number;
  /** Upper bound of missing rows, of which the page has only a preview. */
  readonly coarse?: number;
  /** Number of tasks without a key; null if there were too many keys to request. */
  readonly keyless?: number | null;
}

export function savedWords(
  rows: number,
  { notHere = 0, coarse = 0, keyless = 0 }: Others,
  live: boolean,
): string {
  const saved = `Saved ${plural(rows, "row")}`;
  const keys =
    keyless === null
      ? ", without keys: there are too many"
      : keyless > 0
        ? `, without the keys of ${plural(keyless, "task")}, which ${live ? "the kernel did not send" : "could not be read"}`
        : "";
  const elsewhere =
    notHere > 0
      ? `. The ${live ? "kernel" : "file"} has ${formatExact(notHere)} more, see ${allTasks(live)}`
      : "";
  const unseen =
    coarse > 0
      ? `. Up to ${formatExact(coarse)} more are shown as a preview only, see ${allTasks(live)}`
      : "";
  return saved + keys + elsewhere + unseen;
}
