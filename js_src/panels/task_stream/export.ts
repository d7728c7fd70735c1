// What a person can take away: the picture, the rows that are on the screen,
// or all that the page holds.

import { csvField, download } from "../../base/save";
import { toCss } from "../../base/colour";
import type { Interval } from "../../model/types";
import { exportPng } from "../../render/png";
import { STATUSES } from "../../schema";
import type { SessionStore } from "../../session";
import type { PanelHost } from "../../panel/host";
import {
  coarseRows,
  firstRows,
  type Others,
  type Rows,
  savedWords,
} from "./export_rows";
import { drawChrome, drawWindow } from "./picture_chrome";
import { pictureWords } from "./picture_words";
import type { Stage } from "./stage";
import { viewLegend } from "./view_legend";
import type { ViewState } from "./view_state";
import { groupLanes } from "../../panel/worker_groups";

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

/** `task-stream-2026-11-18-140250`. */
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
  const groups = groupLanes(store.lanes, workers, [], view.workers.names);
  return new Map(groups.map(({ address, name }) => [address, name]));
}

async function saveCsv(
  view: ViewState,
  store: SessionStore,
  found: Rows,
  name: string,
  others: Others,
): Promise<string> {
  const tasks = found.rows.length <= MOST_KEYS ? tasksOf(found.rows) : null;
  const keys = await store.keys.texts(tasks ?? []);
  const text = toCsv(store, found.rows, keys, namesOf(view, store));
  const keyless = tasks && tasks.length - keys.size;
  return save(
    view.host,
    `${name}.csv`,
    new Blob([text], { type: "text/csv" }),
    savedWords(found, { ...others, keyless }, view.host.live),
  );
}

const tasksOf = (rows: readonly Interval[]): number[] =>
  [...new Set(rows.map(({ task }) => task))].sort((a, b) => a - b);

/** Rows that are on the screen and pass the filters. */
export function exportVisible(view: ViewState, stage: Stage): Promise<string> {
  const store = view.session.peek()?.store;
  if (!store) return Promise.resolve("Nothing to save yet");
  const { window } = view;
  // What came after a pause is not drawn.
  const end = view.paused.peek()?.time ?? Infinity;
  const time = [window.start, Math.min(window.stop, end)] as const;
  const options = { most: MOST_CSV_ROWS, onlyFiltered: true };
  const { shown } = stage.map;
  const found = firstRows(store.model, shown, time, options);
  const coarse = coarseRows(store.model, shown, time);
  return saveCsv(view, store, found, fileName(), { coarse });
}

/** Every row that this page holds. */
export function exportAll(view: ViewState): Promise<string> {
  const store = view.session.peek()?.store;
  if (!store) return Promise.resolve("Nothing to save yet");
  const lanes = store.lanes.map((_, lane) => lane);
  const options = { most: MOST_CSV_ROWS, onlyFiltered: false };
  const whole = [-Infinity, Infinity] as const;
  const found = firstRows(store.model, lanes, whole, options);
  const notHere = store.counts.peek().rows - found.of;
  return saveCsv(view, store, found, `${fileName()}-all`, { notHere });
}

/** The picture as it is, with what elements say on the screen around it. */
export async function exportPicture(
  view: ViewState,
  stage: Stage,
): Promise<string> {
  const { width: plotWidth, height: plotHeight, pixelRatio } = stage.plot.size;
  if (!view.session.peek()) return "Nothing to save yet";
  const geometry = view.geometry.peek();
  const gutter = Math.round(Math.max(geometry.gutter, 84) * pixelRatio);
  const width = gutter + plotWidth;
  const { overview } = stage;
  const overviewHeight =
    geometry.overview > 0 ? overview.view.canvas.height + 8 * pixelRatio : 0;
  const theme = view.environment.theme.peek();
  const { canvas, stageTop } = drawChrome({
    ...viewLegend(view),
    width,
    stageHeight: overviewHeight + plotHeight,
    overviewHeight,
    gutter,
    pixelRatio,
    theme,
    rows: view.rows.peek(),
    map: stage.map,
    words: pictureWords(view),
  });
  const bars = { source: overview.view.canvas, x: gutter, y: stageTop };
  const edges = overview.edges(view.window.start, view.window.stop);
  const window = edges && {
    ...bars,
    source: drawWindow(
      overview.view.canvas,
      [edges[0] * pixelRatio, edges[1] * pixelRatio],
      theme,
    ),
  };
  const picture = await exportPng(
    [
      { source: canvas, x: 0, y: 0 },
      ...(overviewHeight > 0 ? [bars, ...(window ? [window] : [])] : []),
      { source: stage.plot.canvas, x: gutter, y: stageTop + overviewHeight },
      // What is outside the selection, the pause, what is pinned.
      { source: stage.overlay.canvas, x: gutter, y: stageTop + overviewHeight },
    ],
    width,
    canvas.height,
    toCss(theme.panel),
  );
  return save(view.host, `${fileName()}.png`, picture, "Saved the picture");
}
