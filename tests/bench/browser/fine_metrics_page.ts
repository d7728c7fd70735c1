// Runs in the page of the benchmark of Fine Performance Metrics: the panel alone, and a session
// with many functions. `window.fineBench` is what the benchmark calls.

import { signal } from "@preact/signals";
import { type Focus, NO_FOCUS } from "../../../js_src/model/types";
import { FINE_METRICS } from "../../../js_src/panels/fine_metrics";
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

/** After so many frames without a change nothing is still to come. */
const QUIET_FRAMES = 15;

const host: PanelHost = {
  ...{ inline: false, live: true, capturesWheel: true },
  ...{ emptyState: signal(null), chooser: signal(null) },
  actionsFor: () => [],
  save: () => true,
};
const place = document.getElementById("place")!;
let session: HarnessSession;

/** Of the panel: when it last changed, or drew. */
let changed = 0;

function noteChanges(): void {
  const note = (): void => {
    changed = performance.now();
  };
  new MutationObserver(note).observe(place, {
    ...{ subtree: true, childList: true },
    ...{ attributes: true, characterData: true },
  });
  const { prototype } = CanvasRenderingContext2D;
  for (const name of ["fillRect", "putImageData", "drawImage"] as const) {
    const native = prototype[name] as (...args: unknown[]) => void;
    prototype[name] = function (this: unknown, ...args: unknown[]) {
      native.apply(this, args);
      note();
    } as never;
  }
}

const bench = {
  async open(tasks: number, workers: number, functions: number) {
    // Each cell runs a part of the functions, and some of those of the next.
    const cells = 50;
    const run = new MeasuredRun(
      tasks,
      functions,
      cells,
      (2 * functions) / cells,
    );
    const filled = filledSession(run, workers);
    session = filled.session;
    const shown = signal<SessionStore | null>(session);
    FINE_METRICS.mount(place, { session: shown, host });
    noteChanges();
    await bench.settle();
    return { increments: filled.increments };
  },

  /** The time of the run, as shares of it. */
  timeOf(from: number, to: number): [number, number] {
    const { start, stop } = session.model.extent()!;
    return [start + from * (stop - start), start + to * (stop - start)];
  },

  focus(some: Partial<Focus>): void {
    session.setFocus({ ...NO_FOCUS, ...some });
  },

  /** From now until nothing changes any more: to the end of the last frame with a change. */
  async work(begin: () => void): Promise<number> {
    await bench.settle();
    const began = performance.now();
    changed = began;
    begin();
    let end = performance.now();
    for (let quiet = 0; quiet < QUIET_FRAMES; quiet++) {
      const before = changed;
      await nextFrame();
      // What a frame does comes after what is asked for before it: the next one is its end.
      if (changed > before || quiet === 0) {
        await nextFrame();
        end = performance.now();
        quiet = 0;
      }
    }
    return end - began;
  },

  async settle(): Promise<void> {
    for (let i = 0; i < 30; i++) await nextFrame();
  },
};

declare global {
  interface Window {
    fineBench: typeof bench;
  }
}
window.fineBench = bench;
