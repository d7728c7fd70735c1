// The page of the harness for reports: shows one with the scenario that the query of
// the address asks for (the fragment is the report's own).

import type { HarnessSession } from "./session";
import { mountReport } from "../../../js_src/homes/report/mount";
import type { ReportSource } from "../../../js_src/homes/report/source";
import type { SessionStore } from "../../../js_src/session";
import { scenario } from "./scenarios";
import { fillTables, storedRun } from "./stored_run";

const wanted = new URLSearchParams(location.search);
const made = await scenario(wanted.get("scenario") ?? "full", wanted);
const session = made.session as HarnessSession;
session.state.value = "stopped";
if (wanted.has("cut")) {
  const text = "This file was cut off: what was written last is missing.";
  session.notices.value = [{ code: "file-cut", level: "warn", text, next: "" }];
}
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

let openNow: () => void = () => {};
const asked = new Promise<void>((done) => (openNow = done));
let opened = 0;

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
  summary: wanted.has("unsaid")
    ? undefined
    : other && { ...stored.summary, ...other },
  size: 1_153_434,
  async open(): Promise<SessionStore> {
    opened += 1;
    if (wanted.has("slow")) await asked;
    if (wanted.has("broken")) throw new Error("the end of a member is missing");
    return fillTables(session, { ...stored.tables, ...tables });
  },
  file: () => Promise.resolve(new Blob(["PK"])),
};

const place = document.getElementById("daskscope-report")!;
const dispose = mountReport(place, source);
Object.assign(window, {
  report: {
    ...{ session, dispose, corners, widths },
    openNow: () => openNow(),
    opened: () => opened,
    tablesAsked: () => session.watched,
  },
});
document.body.dataset["ready"] = "true";
