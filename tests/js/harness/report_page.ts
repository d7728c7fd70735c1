// The page of the harness for reports: shows one with the scenario that the query of
// the address asks for (the fragment is the report's own).

import { batch, type Signal } from "@preact/signals";
import type { HarnessSession } from "./session";
import { mountReport } from "../../../js_src/homes/report/mount";
import type { ReportSource } from "../../../js_src/homes/report/source";
import { NO_COUNTS, type Notice } from "../../../js_src/model/types";
import type { TableName } from "../../../js_src/schema";
import type { TableView } from "../../../js_src/session/tables";
import { scenario } from "./scenarios";
import { fillTables, storedRun } from "./stored_run";

const wanted = new URLSearchParams(location.search);
const made = await scenario(wanted.get("scenario") ?? "full", wanted);
const session = made.session as HarnessSession;
session.state.value = "stopped";
const extent = session.model.extent()!;
const stored = storedRun(session, extent.start - 0.2, extent.stop + 0.3, {
  many: wanted.has("many"),
  hostile: wanted.get("scenario") === "hostile",
  bare: wanted.has("bare"),
});
/** What a test wants other than usual, as JSON. */
const other = JSON.parse(wanted.get("summary") ?? "{}") as object | null;

/** Tables in place of the usual ones, as JSON; null stands for NaN. */
const tables = JSON.parse(wanted.get("tables") ?? "{}", (_, value: unknown) =>
  value === null ? NaN : value,
) as typeof stored.tables;

const summary = other && { ...stored.summary, ...other };

/** What a file says of itself when it is opened. */
const notices = new Map<string, Notice>();
for (const one of (summary?.["missing"] ?? []) as Notice[]) {
  notices.set(one.code, { ...one, next: one.next ?? "" });
}
if (wanted.has("cut") && !notices.has("file-cut")) {
  const text = "This file is truncated: its last part is missing.";
  notices.set("file-cut", { code: "file-cut", level: "warn", text, next: "" });
}

/** What the session knows once its recording is open. */
const known = {
  now: session.now.value,
  counts: session.counts.value,
  workers: session.workers.value,
  rows: session.dataVersion.value,
};
session.now.value = session.dataVersion.value = 0;
session.counts.value = NO_COUNTS;
session.workers.value = [];

function openNow(): void {
  batch(() => {
    session.now.value = known.now;
    session.notices.value = [...notices.values()];
    session.counts.value = known.counts;
    session.workers.value = known.workers;
    session.dataVersion.value = known.rows;
    fillTables(session, { ...stored.tables, ...tables });
  });
}

/** As a recording does that cannot be opened. */
function fail(): void {
  const code = "bad-file";
  const text = "The recording in this report cannot be opened";
  const next = "the end of a member is missing";
  session.notices.value = [{ code, level: "error", text, next }];
  for (const name of Object.keys(stored.tables) as TableName[]) {
    const table = session.table(name) as Signal<TableView<TableName>>;
    const problem = { code, text: `${text}:`, next };
    table.value = { ...table.value, state: "failed", problem };
  }
}

/** Of the charts of the summary, in pixels: as they are drawn, and as they are shown. */
function widths(): [drawn: number, shown: number][] {
  const charts =
    document.querySelectorAll<HTMLCanvasElement>(".ds-summary canvas");
  return [...charts].map((canvas) => [
    canvas.width / devicePixelRatio,
    canvas.getBoundingClientRect().width,
  ]);
}

function corners(tab: "summary" | "system"): number[][] {
  const charts = document.querySelectorAll<HTMLCanvasElement>(
    `.ds-${tab} canvas`,
  );
  return [...charts].map((canvas) => {
    const pixel = canvas.getContext("2d")!.getImageData(0, 0, 1, 1);
    return [...pixel.data.slice(0, 3)];
  });
}

const source: ReportSource = {
  title: "dask-report",
  name: wanted.get("name") ?? "dask-report.html",
  summary: wanted.has("unsaid") ? undefined : summary,
  size: 1_153_434,
  session,
  file: () => Promise.resolve(new Blob(["PK"])),
};

const place = document.getElementById("daskscope-report")!;
const dispose = mountReport(place, source);
if (wanted.has("broken")) fail();
else if (!wanted.has("slow")) openNow();
Object.assign(window, {
  report: {
    ...{ session, dispose, corners, widths },
    openNow,
    tablesAsked: () => session.watched,
  },
});
document.body.dataset["ready"] = "true";
