// Runs in the page of the benchmark of memory: a panel as people have it, and the tables that
// it reads. `window.bench` is what the benchmark calls.

import { signal } from "@preact/signals";
import { bandOf, KeyedRows } from "../../../js_src/derive/keyed";
import { clusterLine, CLUSTER } from "../../../js_src/derive/memory";
import type { Series } from "../../../js_src/derive/series";
import type { PanelHost } from "../../../js_src/panel/host";
import { widgetKind } from "../../../js_src/panels";
import { runsOf } from "../../../js_src/panels/memory_plot/runs";
import { MEASURES } from "../../../js_src/schema";
import type { SessionStore } from "../../../js_src/session/session";
import type { TableView } from "../../../js_src/session/tables";
import { growingAxis } from "../../../js_src/timeline/window";
import { HarnessSession } from "../../js/harness/session";
import { T0 } from "../../js/model_rows";
import { DAY_S, memoryDay, samplesDay } from "./series";

const { native: nativeFrame } = (
  window as unknown as { noted: { native: typeof requestAnimationFrame } }
).noted;

const nextFrame = (): Promise<void> =>
  new Promise((resolve) => nativeFrame(() => resolve()));

const session = new HarnessSession("bench");
const host: PanelHost = {
  inline: false,
  live: true,
  emptyState: signal(null),
  chooser: signal(null),
  capturesWheel: true,
  actionsFor: () => [],
  save: () => true,
};
const place = document.getElementById("place")!;

/** The plot over time: of several the highest. */
function plot(): HTMLElement | null {
  const all = [...place.querySelectorAll<HTMLElement>(".ds-time-plot")];
  return all.sort((a, b) => b.clientHeight - a.clientHeight)[0] ?? null;
}

/** Whether a line down the middle of the plot crosses something that has a colour. */
function isDrawn(): boolean {
  const canvas = plot()?.querySelector("canvas");
  if (!canvas || canvas.height === 0) return false;
  const { width, height } = canvas;
  const context = canvas.getContext("2d")!;
  const { data } = context.getImageData(width >> 1, 0, 1, height);
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue] = data.subarray(at, at + 3);
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > 60)
      return true;
  }
  return false;
}

const bench = {
  /** What has arrived before the panel is opened. */
  fill(panel: string, workers: number): { rows: number; bytes: number } {
    session.origin.value = T0;
    session.now.value = T0 + DAY_S;
    const of = panel === "memory" ? ("memory" as const) : ("samples" as const);
    const day = of === "memory" ? memoryDay(workers) : samplesDay(workers);
    if (of === "samples") session.state.value = "stopped";
    session.table(of).value = day as TableView<typeof of>;
    const rows = day.rings.reduce((sum, ring) => sum + ring.rows, 0);
    const cells = day.rings.flatMap(({ columns }) => Object.values(columns));
    const sizes = cells.map((values) =>
      ArrayBuffer.isView(values) ? values.byteLength : values.length * 16,
    );
    return { rows, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  },

  async firstPicture(panel: string): Promise<number> {
    await bench.settle();
    const began = performance.now();
    const shown = signal<SessionStore | null>(session);
    widgetKind(panel)!.mount(place, { session: shown, host });
    while (!isDrawn()) await nextFrame();
    return performance.now() - began;
  },

  async settle(): Promise<void> {
    for (let i = 0; i < 20; i++) await nextFrame();
  },

  /** A time of day in the plot while it shows the whole, in pixels of the page. */
  placeOf(share: number): [number, number] {
    const hit = plot()!.querySelector(".ds-time-hit")!;
    const { left, top, width, height } = hit.getBoundingClientRect();
    const axis = growingAxis(DAY_S);
    const live = session.state.peek() === "live";
    const part = live ? (share * DAY_S) / axis : share;
    return [left + width * part, top + height / 2];
  },

  /** The lines that the panel draws, for the peer: times and values. */
  lines(panel: string): [number[], number[]][] {
    const points = ({ time, most }: Series): [number[], number[]] => [
      Array.from(time),
      Array.from(most, (value) => (Number.isNaN(value) ? 0 : value)),
    ];
    if (panel !== "memory") {
      const { rings } = session.table("samples").value;
      return runsOf(rings, MEASURES[0], false).map((run) =>
        points(run.cluster),
      );
    }
    const rows = new KeyedRows(session.table("memory").value.rings, "worker");
    const band = bandOf(rows, "process", (key) => key !== CLUSTER);
    return [
      ...["process", "optimistic", "managed", "spilled", "limit"].map(
        (column) => points(clusterLine(rows, column)),
      ),
      points(band),
      points({ ...band, most: band.least }),
      points({ ...band, most: band.values }),
    ];
  },
};

declare global {
  interface Window {
    memoryBench: typeof bench;
  }
}
window.memoryBench = bench;
