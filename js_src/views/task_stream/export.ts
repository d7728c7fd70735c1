// What a person can take away: the picture, the rows that are on the screen,
// or all that the page holds.

import { csvField, download } from "../../base/save";
import { toCss } from "../../base/colour";
import type { Interval } from "../../model/types";
import { exportPng } from "../../render/png";
import type { SessionStore } from "../../session";
import type { PanelHost } from "../host";
import { geometryOf } from "./geometry";
import { legendEntries } from "./legend_entries";
import { drawLegend, LEGEND_PX } from "./picture_legend";
import type { Stage } from "./stage";
import type { ViewState } from "./view_state";

/** A spreadsheet takes about this many rows. */
export const MOST_CSV_ROWS = 1_000_000;
/** Keys are asked for only for files of this many rows. */
const MOST_KEYS = 50_000;

const HEADER =
  "start,duration,worker,thread,prefix,action,status,nbytes,span,task,key";

function save(host: PanelHost, name: string, content: Blob): void {
  if (host.save) host.save(name, content);
  else download(name, content);
}

/** `task-stream-2026-11-18-140250`. */
function fileName(): string {
  const now = new Date().toISOString().slice(0, 19);
  return `task-stream-${now.replace("T", "-").replace(/:/g, "")}`;
}

interface Rows {
  readonly rows: Interval[];
  /** There were more than fit. */
  readonly cut: boolean;
}

function collect(
  store: SessionStore,
  lanes: Iterable<number>,
  start: number,
  stop: number,
  onlyFiltered: boolean,
): Rows {
  const rows: Interval[] = [];
  const { model } = store;
  let cut = false;
  const filter = onlyFiltered ? model.filter : null;
  const take = (row: Readonly<Interval>): boolean => {
    if (filter && !passes(filter, row)) return true;
    if (rows.length >= MOST_CSV_ROWS) {
      cut = true;
      return false;
    }
    rows.push({ ...row });
    return true;
  };
  for (const lane of lanes) {
    if (lane < 0 || (filter && !filter.hasLane(lane))) continue;
    model.forEachVisible(lane, start, stop, 0, take);
    model.forEachVisible(lane, start, stop, 0, take, true);
  }
  rows.sort((one, other) => one.start - other.start);
  return { rows, cut };
}

/** Asks the filter about one row as if it were a column. */
function passes(
  filter: NonNullable<SessionStore["model"]["filter"]>,
  row: Readonly<Interval>,
): boolean {
  return filter.matches(
    {
      start: Float64Array.of(row.start),
      duration: Float32Array.of(row.duration),
      prefix: Uint16Array.of(row.prefix),
      action: Uint8Array.of(row.action),
      status: Uint8Array.of(row.status),
      nbytes: Float32Array.of(row.nbytes),
      span: Uint16Array.of(row.span),
      task: Uint32Array.of(row.task),
    },
    0,
  );
}

async function toCsv(
  store: SessionStore,
  rows: readonly Interval[],
): Promise<string> {
  const lines = [HEADER];
  const withKeys = rows.length <= MOST_KEYS;
  for (const row of rows) {
    const lane = store.lanes[row.lane];
    const key = withKeys ? await store.keys.text(row.task) : "";
    lines.push(
      [
        csvField(row.start),
        csvField(row.duration),
        csvField(lane?.worker ?? ""),
        csvField(lane?.thread ?? ""),
        csvField(store.prefixes[row.prefix] ?? ""),
        csvField(store.actions[row.action] ?? ""),
        row.status === 1 ? "error" : "OK",
        csvField(row.nbytes),
        csvField(store.spans[row.span]?.name.join(" / ") ?? ""),
        csvField(row.task),
        csvField(key ?? ""),
      ].join(","),
    );
  }
  return `${lines.join("\n")}\n`;
}

async function saveCsv(
  view: ViewState,
  store: SessionStore,
  { rows, cut }: Rows,
  name: string,
): Promise<string> {
  const text = await toCsv(store, rows);
  save(view.host, `${name}.csv`, new Blob([text], { type: "text/csv" }));
  const count = rows.length.toLocaleString("en-US");
  const keys =
    rows.length > MOST_KEYS ? ", without keys: there are too many" : "";
  return cut
    ? `Saved the first ${count} rows; zoom in to save the others${keys}`
    : `Saved ${count} rows${keys}`;
}

/** Rows that are on the screen and pass the filters. */
export function exportVisible(view: ViewState, stage: Stage): Promise<string> {
  const store = view.session.peek()?.store;
  if (!store) return Promise.resolve("Nothing to save yet");
  const { start, stop } = view.window;
  const found = collect(store, stage.map.shown, start, stop, true);
  return saveCsv(view, store, found, fileName());
}

/** Every row that this page holds. */
export function exportAll(view: ViewState): Promise<string> {
  const store = view.session.peek()?.store;
  if (!store) return Promise.resolve("Nothing to save yet");
  const lanes = store.lanes.map((_, lane) => lane);
  const found = collect(store, lanes, -Infinity, Infinity, false);
  return saveCsv(view, store, found, `${fileName()}-all`);
}

/** The picture as it is, with worker names and a legend. */
export async function exportPicture(
  view: ViewState,
  stage: Stage,
): Promise<string> {
  const { width, height, pixelRatio } = stage.plot.size;
  const store = view.session.peek()?.store;
  if (!store) return "Nothing to save yet";
  const geometry = geometryOf(
    view.breadth.peek(),
    view.environment.height.peek(),
  );
  const gutter = Math.round(Math.max(geometry.gutter, 84) * pixelRatio);
  const bars = stage.overview.view.canvas;
  const top = Math.round(LEGEND_PX * pixelRatio);
  const overview = geometry.overview > 0 ? bars.height + 8 * pixelRatio : 0;
  const theme = view.environment.theme.peek();
  const chrome = drawLegend({
    width: gutter + width,
    height: top + overview + height,
    gutter,
    lanesTop: top + overview,
    pixelRatio,
    theme,
    entries: legendEntries(
      store.prefixes,
      store.slots,
      store.actions,
      store.totals.peek(),
      theme.dark,
      toCss(theme.text2),
    ),
    map: stage.map,
  });
  const picture = await exportPng(
    [
      { source: chrome, x: 0, y: 0 },
      ...(overview > 0 ? [{ source: bars, x: gutter, y: top }] : []),
      { source: stage.plot.canvas, x: gutter, y: top + overview },
    ],
    gutter + width,
    top + overview + height,
    toCss(theme.panel),
  );
  save(view.host, `${fileName()}.png`, picture);
  return "Saved the picture";
}
