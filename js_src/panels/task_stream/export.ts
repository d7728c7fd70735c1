// What a person can take away: the picture, the rows that are on the screen,
// or all that the page holds.

import { drawPicture } from "./picture";
import { blankInterval, readRow } from "../../model/query";
import { csvField, download } from "../../base/save";
import type { Interval } from "../../model/types";
import { STATUSES } from "../../schema";
import type { SessionStore } from "../../session";
import type { PanelHost } from "../../panel/host";
import type { Stage } from "./stage";
import type { ViewState } from "./view_state";
import { groupLanes } from "../../panel/worker_groups";
import { formatExact, plural } from "../../base/format";
import type { TaskModel } from "../../model/tasks";
import { allTasks } from "../../session";

/** A spreadsheet takes about this many rows. */
const MOST_CSV_ROWS = 1_000_000;
/** Keys are asked for only for files of this many rows. */
const MOST_KEYS = 50_000;

const HEADER =
  "start,start_from_origin,duration,worker,worker_name,thread,prefix,action,status,nbytes,span,task,key";

/** Returns what to say of it: nothing where the home refused, and said why. */
function save(
  host: PanelHost,
  name: string,
  content: Blob,
  words: string,
): string {
  if (host.save) return host.save(name, content) ? words : "";
  download(name, content);
  return words;
}

function fileName(): string {
  const now = new Date().toISOString().slice(0, 19);
  return `task-stream-${now.replace("T", "-").replace(/:/g, "")}`;
}

function toCsv(
  store: SessionStore,
  rows: readonly Interval[],
  keys: ReadonlyMap<number, string>,
  names: ReadonlyMap<string, string>,
): string {
  const lines = [HEADER];
  const origin = store.origin.peek();
  for (const row of rows) {
    const lane = store.lanes[row.lane];
    lines.push(
      [
        csvField(row.start),
        csvField(Number((row.start - origin).toFixed(6))),
        csvField(row.duration),
        csvField(lane?.worker ?? ""),
        csvField(names.get(lane?.worker ?? "") ?? ""),
        csvField(lane?.thread ?? ""),
        csvField(store.prefixes[row.prefix] ?? ""),
        csvField(store.actions[row.action] ?? ""),
        STATUSES[row.status] ?? "",
        csvField(row.nbytes),
        csvField(store.spans[row.span]?.name.join(" / ") ?? ""),
        csvField(row.task),
        csvField(keys.get(row.task) ?? ""),
      ].join(","),
    );
  }
  return `${lines.join("\n")}\n`;
}

/** What the panel calls workers, those outside of the focus, too. */
function namesOf(view: ViewState, store: SessionStore): Map<string, string> {
  const workers = view.session.peek()?.workers.peek() ?? [];
  const groups = groupLanes(store.lanes, workers, [], view.namesSeen);
  return new Map(groups.map(({ address, name }) => [address, name]));
}

async function saveCsv(
  view: ViewState,
  store: SessionStore,
  rows: readonly Interval[],
  name: string,
  others: Others,
): Promise<string> {
  const tasks = rows.length <= MOST_KEYS ? tasksOf(rows) : null;
  const keys = await store.keys.texts(tasks ?? []);
  const text = toCsv(store, rows, keys, namesOf(view, store));
  const keyless = tasks && tasks.length - keys.size;
  return save(
    view.host,
    `${name}.csv`,
    new Blob([text], { type: "text/csv" }),
    savedWords(rows.length, { ...others, keyless }, view.host.live),
  );
}

const tasksOf = (rows: readonly Interval[]): number[] =>
  [...new Set(rows.map(({ task }) => task))].sort((a, b) => a - b);

/** Rows that are on the screen and pass the filters. */
export async function exportVisible(
  view: ViewState,
  stage: Stage,
): Promise<string> {
  const store = view.session.peek();
  if (!store) return "Nothing to save yet";
  const { window } = view;
  // What came after a pause is not drawn.
  const end = view.paused.peek() ?? Infinity;
  const time = [window.start, Math.min(window.stop, end)] as const;
  const { shown } = stage.map;
  const found = rowsOfLanes(store.model, shown, time, store.model.filter);
  const coarse = coarseRows(store.model, shown, time);
  return saveCsv(view, store, found, fileName(), { coarse });
}

export async function exportAll(view: ViewState): Promise<string> {
  const store = view.session.peek();
  if (!store) return "Nothing to save yet";
  const lanes = store.lanes.map((_, lane) => lane);
  const whole = [-Infinity, Infinity] as const;
  const found = rowsOfLanes(store.model, lanes, whole, null);
  const notHere = store.counts.peek().rows - found.length;
  return saveCsv(view, store, found, `${fileName()}-all`, { notHere });
}

export async function exportPicture(
  view: ViewState,
  stage: Stage,
): Promise<string> {
  if (!view.session.peek()) return "Nothing to save yet";
  const canvas = drawPicture(view, stage);
  const picture = await new Promise<Blob | null>((done) =>
    canvas.toBlob(done, "image/png"),
  );
  if (!picture) throw new Error("the browser made no PNG of the picture");
  return save(view.host, `${fileName()}.png`, picture, "Saved the picture");
}

/** Rows of some lanes that touch a time, in order of their start. */
export function rowsOfLanes(
  model: TaskModel,
  lanes: Iterable<number>,
  [start, stop]: readonly [number, number],
  filter: TaskModel["filter"],
  most = MOST_CSV_ROWS,
): Interval[] {
  const rows: Interval[] = [];
  let of = 0;
  for (const lane of lanes) {
    if (lane < 0 || filter?.hasLane(lane) === false) continue;
    const tracks = [model.track(lane, false), model.track(lane, true)];
    for (const track of tracks) {
      for (const segment of track?.segments ?? []) {
        for (let row = 0; track && row < segment.rows; row++) {
          const from = segment.start[row];
          const to = from + Math.max(0, segment.duration[row]);
          if (from >= stop || to < start) continue;
          if (filter?.matches(segment, row) === false) continue;
          of += 1;
          if (of > most) continue;
          rows.push(readRow(track, segment, row, blankInterval()));
        }
      }
    }
  }
  if (of > most) {
    throw new Error(
      `${formatExact(of)} rows, and a CSV file takes ${formatExact(most)}. Zoom in, or use Python`,
    );
  }
  return rows.sort((one, other) => one.start - other.start);
}

/** Rows of some lanes that are only a coarse picture there: those of all prefixes. */
export function coarseRows(
  model: TaskModel,
  lanes: Iterable<number>,
  [start, stop]: readonly [number, number],
): number {
  let rows = 0;
  for (const lane of lanes) {
    const stretches = lane < 0 ? undefined : model.coarseLane(lane);
    if (!stretches || model.filter?.hasLane(lane) === false) continue;
    for (let i = 0; i < stretches.count; i++) {
      const from = stretches.start[i];
      const to = from + stretches.duration[i];
      const isSeen = stretches.hidden[i] === 0 && from <= stop && to >= start;
      if (isSeen) rows += stretches.rows[i];
    }
  }
  return rows;
}

export interface Others {
  /** Rows that only the kernel has, or the file. */
  readonly notHere?: number;
  /** Rows of the time that was saved, at most: they are only a coarse picture here. */
  readonly coarse?: number;
  /** Tasks whose keys did not come; null where there were too many to ask for. */
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
      ? `. The ${live ? "kernel keeps" : "file has"} ${formatExact(notHere)} more that are not in this page: ${allTasks(live)}`
      : "";
  const unseen =
    coarse > 0
      ? `. Up to ${formatExact(coarse)} more are only a coarse picture in this page: ${allTasks(live)} has those that are kept`
      : "";
  return saved + keys + elsewhere + unseen;
}
