// Runs in the page of the benchmark of the focus: all panels beside each other, and one session
// with many tasks. `window.focusBench` is what the benchmark calls.

import { signal } from "@preact/signals";
import { type Focus, NO_FOCUS } from "../../../js_src/model/types";
import { PANELS } from "../../../js_src/panels";
import type { PanelHost } from "../../../js_src/panel/host";
import type { SessionStore } from "../../../js_src/session/session";
import type { HarnessSession } from "../../js/harness/session";
import { filledSession } from "./filled_session";
import { MeasuredRun } from "./metrics_run";

const { native: nativeFrame } = (
  window as unknown as { noted: { native: typeof requestAnimationFrame } }
).noted;

const nextFrame = (): Promise<void> =>
  new Promise((resolve) => nativeFrame(() => resolve()));

/** After so long nothing of a focus is still to be shown. */
const WAIT_MS = 1_000;

let session: HarnessSession;
const host: PanelHost = {
  ...{ inline: false, live: true, capturesWheel: true },
  ...{ emptyState: signal(null), chooser: signal(null) },
  actionsFor: () => [],
  save: () => true,
};
const place = document.getElementById("place")!;
/** When each panel changed, or drew, since the last focus. */
const changed = new Map<string, number[]>();

function note(panel: string): void {
  changed.get(panel)?.push(performance.now());
}

/** Canvases say nothing when they are drawn. */
function noteDrawing(): void {
  const { prototype } = CanvasRenderingContext2D;
  for (const name of ["fillRect", "putImageData", "drawImage"] as const) {
    const native = prototype[name] as (...args: unknown[]) => void;
    prototype[name] = function (
      this: CanvasRenderingContext2D,
      ...args: unknown[]
    ) {
      const { canvas } = this;
      const box = canvas.closest<HTMLElement>("[data-panel]");
      if (box) note(box.dataset["panel"]!);
      native.apply(this, args);
    } as never;
  }
}

/** Of a panel: the frames with its first and with its last change. */
export interface Shown {
  readonly first: number;
  readonly last: number;
}

const bench = {
  /** All panels beside each other. */
  async open(tasks: number, workers: number) {
    const run = new MeasuredRun(tasks, 200, 50, 80);
    const filled = filledSession(run, workers);
    session = filled.session;
    place.style.cssText += `width: 100vw; height: 100vh; display: grid; gap: 2px; grid-auto-rows: 1fr;
      grid-auto-flow: dense;
      grid-template-columns: repeat(${Math.ceil(Math.sqrt(PANELS.length + 1))}, 1fr)`;
    for (const kind of PANELS) {
      const box = document.createElement("div");
      box.dataset["panel"] = kind.id;
      box.style.cssText = "min-width: 0; min-height: 0; position: relative";
      // Its chart is below all others of its figures.
      if (kind.id === "fine-metrics") box.style.gridRow = "span 2";
      place.append(box);
      const shown = signal<SessionStore | null>(session);
      kind.mount(box, { session: shown, host });
      changed.set(kind.id, []);
      new MutationObserver(() => note(kind.id)).observe(box, {
        ...{ subtree: true, childList: true },
        ...{ attributes: true, characterData: true },
      });
    }
    noteDrawing();
    await bench.settle();
    return {
      panels: PANELS.map(({ id }) => id),
      increments: filled.increments,
    };
  },

  /** Of each panel that shows a focus: when pictures with it were on the screen; null: none. */
  async focus(some: Partial<Focus> | null): Promise<Record<string, Shown>> {
    await bench.settle();
    for (const times of changed.values()) times.length = 0;
    const frames: number[] = [];
    const began = performance.now();
    if (some) session.setFocus({ ...NO_FOCUS, ...some });
    while (performance.now() - began < WAIT_MS) {
      await nextFrame();
      frames.push(performance.now());
    }
    const shown = [...changed].flatMap(([panel, times]) => {
      if (times.length === 0) return [];
      const seen = (time: number): number =>
        (frames.find((frame) => frame > time) ?? Infinity) - began;
      return [[panel, { first: seen(times[0]), last: seen(times.at(-1)!) }]];
    });
    return Object.fromEntries(shown) as Record<string, Shown>;
  },

  /** The time of the run, as shares of it. */
  timeOf(from: number, to: number): [number, number] {
    const { start, stop } = session.model.extent()!;
    return [start + from * (stop - start), start + to * (stop - start)];
  },

  async settle(): Promise<void> {
    for (let i = 0; i < 60; i++) await nextFrame();
  },
};

declare global {
  interface Window {
    focusBench: typeof bench;
  }
}
window.focusBench = bench;
