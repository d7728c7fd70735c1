// Runs in the page of the benchmark of an hour of profiles: the Profile panel, with as many rows
// as a page gets of 100 workers. `window.hourBench` is what the benchmark calls.

import { signal } from "@preact/signals";
import { NO_FOCUS } from "../../../js_src/model/types";
import type { PanelHost } from "../../../js_src/panel/host";
import { PANELS } from "../../../js_src/panels";
import type { SessionStore } from "../../../js_src/session/session";
import { madeStacks } from "../../js/harness/profile";
import { HarnessSession } from "../../js/harness/session";
import { T0 } from "../../js/model_rows";
import { seriesOf } from "./series";

const HOUR_S = 3_600;
const CYCLE_S = 1;
const WORKERS = 100;
const THREADS = 4;
const PREFIXES = 12;
const STACKS = 20_000;
/** Rows of a thread in a step, as measured on real workers. */
const ROWS: Readonly<Record<number, number>> = {
  0: 9.5,
  10: 39,
  60: 72,
  600: 120,
};
/** After so long nothing of a focus is still to be drawn. */
const WAIT_MS = 1_500;

const { native: nativeFrame } = (
  window as unknown as { noted: { native: typeof requestAnimationFrame } }
).noted;
const nextFrame = (): Promise<void> =>
  new Promise((resolve) => nativeFrame(() => resolve()));

const session = new HarnessSession("bench");
const host: PanelHost = {
  ...{ inline: false, live: true, capturesWheel: true },
  ...{ emptyState: signal(null), chooser: signal(null) },
  actionsFor: () => [],
  save: () => true,
};
const place = document.getElementById("place")!;
/** When the flame graph was drawn, since the last focus. */
let drawn: number[] = [];

const addressOf = (worker: number): string => `tcp://10.0.0.${worker}:40000`;

/** The same for each number, and spread well. */
function mixed(number: number): number {
  const product = Math.imul(number ^ (number >>> 15), 0x2c1b3c6d);
  return (product ^ (product >>> 12)) >>> 0;
}

const bench = {
  fill(): { rows: number; bytes: number; stacks: number } {
    session.addNames(
      Array.from({ length: PREFIXES }, (_, at) => `function-${at}`),
      [],
    );
    const { parent, frame, frames } = madeStacks(STACKS);
    session.fill(
      "frames",
      Array.from({ length: frames }, (_, at) => ({
        ...{ name: `f${at}`, file: `/src/m${at % 40}.py`, source: "" },
        ...{ first_line: at, line: at + 1 },
      })),
    );
    session.fill(
      "stacks",
      Array.from(parent, (of, at) => ({ parent: of, frame: frame[at]! })),
    );
    const counts = seriesOf(
      "profile_counts",
      (_sample, step) =>
        Array.from(
          { length: Math.round(WORKERS * THREADS * ROWS[step]!) },
          (_, key) => key,
        ),
      (key, column, time, length) => {
        const thread = key % (WORKERS * THREADS);
        const draw = mixed(key * 65_537 + Math.floor(time - T0));
        if (column === "duration") return length;
        if (column === "worker") return addressOf(thread >> 2);
        if (column === "prefix") return draw % PREFIXES;
        if (column === "stack") return draw % parent.length;
        return column === "count" ? 1 + (draw % 10) : 0;
      },
      HOUR_S,
      CYCLE_S,
    );
    session.table("profile_counts").value = counts;
    session.fill(
      "profiled",
      Array.from({ length: WORKERS }, (_, worker) => ({
        ...{ worker: addressOf(worker), time: T0, until: T0 + HOUR_S },
        ...{ interval: 0.01, cycle: CYCLE_S, lost: 0 },
        ...{ compute: "ok", administrative: "ok" },
      })),
    );
    session.origin.value = T0;
    session.now.value = T0 + HOUR_S;
    session.dataVersion.value += 1;
    const cells = counts.rings.flatMap(({ columns }) => Object.values(columns));
    const sizes = cells.map((values) =>
      ArrayBuffer.isView(values) ? values.byteLength : values.length * 16,
    );
    return {
      rows: counts.rings.reduce((sum, ring) => sum + ring.rows, 0),
      bytes: sizes.reduce((sum, size) => sum + size, 0),
      stacks: parent.length,
    };
  },

  async firstPicture(): Promise<number> {
    const { prototype } = CanvasRenderingContext2D;
    const native = prototype.fillRect;
    prototype.fillRect = function (this: CanvasRenderingContext2D, ...args) {
      if (this.canvas.closest(".ds-flame")) drawn.push(performance.now());
      native.apply(this, args);
    };
    const began = performance.now();
    const kind = PANELS.find(({ id }) => id === "profile")!;
    const shown = signal<SessionStore | null>(session);
    kind.mount(place, { session: shown, host });
    while (drawn.length === 0 && performance.now() - began < 10_000) {
      await nextFrame();
    }
    await nextFrame();
    return performance.now() - began;
  },

  /** From a brush to the frame with the last of its picture, in ms. */
  async brush(from_s: number, to_s: number): Promise<number> {
    for (let i = 0; i < 60; i++) await nextFrame();
    drawn = [];
    const frames: number[] = [];
    const began = performance.now();
    session.setFocus({ ...NO_FOCUS, time: [T0 + from_s, T0 + to_s] });
    while (performance.now() - began < WAIT_MS) {
      await nextFrame();
      frames.push(performance.now());
    }
    const last = drawn.at(-1) ?? Infinity;
    return (frames.find((frame) => frame > last) ?? Infinity) - began;
  },
};

declare global {
  interface Window {
    hourBench: typeof bench;
  }
}
window.hourBench = bench;
