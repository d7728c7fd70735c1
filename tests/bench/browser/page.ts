// Runs in the page of the benchmark: the panel as people have it, and a session whose
// rows come from memory. `window.bench` is what the benchmark calls.

import { signal } from "@preact/signals";
import type { SessionStore } from "../../../js_src/session/session";
import { RowIntake } from "../../../js_src/session/intake";
import { LIMITS } from "../../../js_src/schema";
import type { PanelHost } from "../../../js_src/panel/host";
import { TASK_STREAM } from "../../../js_src/panels/task_stream";
import { decodeTasks } from "../../../js_src/link/columns";
import { bulkMessages, type RowsMessage } from "./messages";
import { T0 } from "../../js/model_rows";
import { HarnessSession } from "../../js/harness/session";

/** As `noteFrames` in frames.mjs keeps them. */
interface Frames {
  readonly gaps: readonly number[];
  readonly native: typeof requestAnimationFrame;
}
const { gaps, native: nativeFrame } = (window as unknown as { noted: Frames })
  .noted;

/** What the kernel may have under way: about 20 bytes a row. */
const WINDOW_ROWS = LIMITS.window_bytes / 20;

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
let dispose = () => {};
let messages: Generator<RowsMessage> | null = null;

function mount(): void {
  dispose = TASK_STREAM.mount(place, {
    session: signal<SessionStore | null>(session),
    host,
  });
}

/** As the session does it. */
const intake = new RowIntake(session.model, () => {
  const { rows } = session.model;
  const end = session.model.have().at(-1)?.[1] ?? 0;
  const counts = { ...session.counts.peek(), captured: end, kept: end, rows };
  session.counts.value = counts;
  session.dataVersion.value += 1;
});

/** As a stream does it with a message of rows. */
function take(message: RowsMessage): void {
  const rows = decodeTasks(message.buffer, message);
  intake.add(rows, message.first, message.tasks);
}

const bench = {
  open(tasks: number, lanes: number): void {
    const prefixes = Array.from({ length: 12 }, (_, i) => `groupby-${i}`);
    const threads = Array.from({ length: lanes }, (_, lane) => ({
      worker: `tcp://10.0.0.${lane >> 3}:40000`,
      thread: String(lane),
    }));
    session.origin.value = T0;
    session.addNames(prefixes, threads);
    messages = bulkMessages(tasks, lanes);
    mount();
  },

  /** The first rows turn an empty panel into a plot: the longest frame of that. */
  async begin(): Promise<number> {
    const message = messages!.next().value as RowsMessage;
    await bench.settle();
    const first = gaps.length;
    take(message);
    await bench.settle();
    return Math.max(...gaps.slice(first));
  },

  /**
   * Take rows in as a stream delivers them, a batch a message, and draw them
   * meanwhile. The bytes are made before: what is measured begins with their decoding.
   */
  async ingest(atLeast: number) {
    const made: RowsMessage[] = [];
    let rows = 0;
    while (rows < atLeast) {
      const next = messages!.next();
      if (next.done) break;
      made.push(next.value);
      rows += next.value.rows;
    }
    await bench.settle();
    const first = gaps.length;
    const began = performance.now();
    const channel = new MessageChannel();
    await new Promise<void>((resolve) => {
      let at = 0;
      // A message a time, as long as the kernel would have credit.
      channel.port1.onmessage = () => {
        if (intake.waitingRows < WINDOW_ROWS && at < made.length) {
          take(made[at++]!);
        }
        if (at === made.length && intake.waitingRows === 0) resolve();
        else if (intake.waitingRows < WINDOW_ROWS && at < made.length) {
          channel.port2.postMessage(0);
        } else nativeFrame(() => channel.port2.postMessage(0));
      };
      channel.port2.postMessage(0);
    });
    const seconds = (performance.now() - began) / 1000;
    channel.port1.close();
    await nextFrame();
    await nextFrame();
    return { rows, seconds, frame_ms: Math.max(...gaps.slice(first)) };
  },

  /** Take in what is left, without measuring. */
  async fill(): Promise<void> {
    for (;;) {
      for (let i = 0; i < 10; i++) {
        const next = messages!.next();
        if (next.done) return intake.flush();
        take(next.value);
      }
      intake.flush();
      await nextFrame();
    }
  },

  /** From a full model without a panel to lanes that can be seen. */
  async firstPicture(): Promise<number> {
    dispose();
    await bench.settle();
    const began = performance.now();
    mount();
    while (!lanesAreDrawn()) await nextFrame();
    return performance.now() - began;
  },

  async settle(): Promise<void> {
    for (let i = 0; i < 20; i++) await nextFrame();
  },

  size() {
    const { rows, byteLength } = session.model;
    const tasks = session.model.have().reduce((sum, [a, b]) => sum + b - a, 0);
    return { tasks, rows, bytes: byteLength };
  },
};

/** Whether a line down the largest canvas crosses many colours. */
function lanesAreDrawn(): boolean {
  let largest: HTMLCanvasElement | null = null;
  for (const canvas of place.querySelectorAll("canvas")) {
    if (!largest || canvas.height > largest.height) largest = canvas;
  }
  if (!largest || largest.height === 0) return false;
  const { width, height } = largest;
  const context = largest.getContext("2d");
  if (!context) return false;
  const line = context.getImageData(width >> 1, 0, 1, height).data;
  const colours = new Set(new Uint32Array(line.buffer));
  return colours.size > 8;
}

declare global {
  interface Window {
    bench: typeof bench;
  }
}
window.bench = bench;
