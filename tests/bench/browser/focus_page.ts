// Runs in the page of the benchmark of the focus: all panels with plots beside each other, and
// one session with many tasks. `window.focusBench` is what the benchmark calls.

import { signal } from "@preact/signals";
import { type Focus, NO_FOCUS } from "../../../js_src/model/types";
import { PANELS as ALL } from "../../../js_src/panels";
import type { PanelHost } from "../../../js_src/panel/host";
import type { SessionStore } from "../../../js_src/session";
import { decodeTasks } from "../../../js_src/wire_columns";
import { HarnessSession } from "../../js/harness/session";
import { fillTables, storedRun } from "../../js/harness/stored_run";
import { T0 } from "../../js/model_rows";
import { memoryDay } from "./memory_day";
import { bulkMessages } from "./messages";

const { native: nativeFrame } = (
  window as unknown as { noted: { native: typeof requestAnimationFrame } }
).noted;

const nextFrame = (): Promise<void> =>
  new Promise((resolve) => nativeFrame(() => resolve()));

/** Those with plots. The others are lists of texts, a page of them at a time. */
const PANELS = ALL.filter(({ id }) => id !== "events" && id !== "logs");
/** After so long nothing of a focus is still to be shown. */
const WAIT_MS = 1_000;
const THREADS = 8;
const GIB = 2 ** 30;

const session = new HarnessSession("bench");
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

const bench = {
  /** All panels beside each other. */
  async open(tasks: number, workers: number): Promise<string[]> {
    const prefixes = Array.from({ length: 12 }, (_, i) => `groupby-${i}`);
    const addressOf = (at: number): string => `tcp://10.0.0.${at}:40000`;
    const lanes = Array.from({ length: workers * THREADS }, (_, lane) => ({
      worker: addressOf(lane >> 3),
      thread: String(lane),
    }));
    session.addNames(prefixes, lanes);
    for (const message of bulkMessages(tasks, lanes.length)) {
      session.model.insert(decodeTasks(message.buffer, message));
      session.model.markCovered(message.first, message.tasks);
    }
    const { start, stop } = session.model.extent()!;
    const { rows } = session.model;
    const counts = { captured: tasks, kept: tasks, rows };
    session.counts.value = { ...session.counts.peek(), ...counts };
    session.workers.value = Array.from({ length: workers }, (_, at) => ({
      ...{ address: addressOf(at), name: String(at), threads: THREADS },
      ...{ running: 0, memory_limit: 16 * GIB, process: 4 * GIB, managed: GIB },
      ...{ spilled: 0, cpu: 100, status: "running" },
    })) as never;
    session.totals.value = totalsIn(NO_FOCUS);
    const stored = storedRun(session, start, stop, { many: true });
    fillTables(session, stored.tables);
    session.summary.value = stored.summary;
    session.table("memory").value = memoryDay(workers, stop - start);
    session.origin.value = T0;
    session.now.value = stop;
    session.dataVersion.value += 1;
    // What the kernel answers comes on its own: here at once.
    session.setFocus = (focus) => {
      session.focus.value = focus;
      session.totals.value = totalsIn(focus);
    };

    place.style.cssText += `display: grid; gap: 2px; grid-auto-rows: 1fr;
      grid-template-columns: repeat(${Math.ceil(Math.sqrt(PANELS.length))}, 1fr)`;
    for (const kind of PANELS) {
      const box = document.createElement("div");
      box.dataset["panel"] = kind.id;
      box.style.cssText = "min-width: 0; min-height: 0; position: relative";
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
    return PANELS.map(({ id }) => id);
  },

  /** Of each panel that shows a focus: when its first picture with it was on the screen. */
  async focus(some: Partial<Focus>): Promise<Record<string, number>> {
    await bench.settle();
    for (const times of changed.values()) times.length = 0;
    const frames: number[] = [];
    const began = performance.now();
    session.setFocus({ ...NO_FOCUS, ...some });
    while (performance.now() - began < WAIT_MS) {
      await nextFrame();
      frames.push(performance.now());
    }
    const shown = [...changed].flatMap(([panel, times]) => {
      if (times.length === 0) return [];
      const seen = frames.find((frame) => frame > times[0]) ?? Infinity;
      return [[panel, seen - began] as const];
    });
    return Object.fromEntries(shown);
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

function totalsIn(focus: Focus): HarnessSession["totals"]["value"] {
  const prefixes = session.prefixes.map((_, prefix) => ({
    ...{ prefix, tasks: 1_000, computes: 1_000, seconds: 11, erred: 1 },
  }));
  return { focus: { ...focus, prefixes: [] }, prefixes, actions: [] };
}

declare global {
  interface Window {
    focusBench: typeof bench;
  }
}
window.focusBench = bench;
