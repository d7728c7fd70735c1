// Runs in the page of the benchmark: the panel as people have it, and a session whose
// rows come from memory. `window.bench` is what the benchmark calls.

import { signal } from "@preact/signals";
import type { TaskBatch } from "../../../js_src/model/tasks";
import type { SessionStore } from "../../../js_src/session";
import { RowIntake } from "../../../js_src/session_intake";
import { LIMITS } from "../../../js_src/schema";
import type { PanelHost } from "../../../js_src/views/host";
import { mountTaskStream } from "../../../js_src/views/task_stream";
import { bulkBatches } from "../../js/bulk_rows";
import { T0 } from "../../js/model_rows";
import { HarnessSession } from "../../js/harness/session";

/** Frames from one to the next, and the main thread's work in each, in milliseconds. */
const gaps: number[] = [];
const work: number[] = [];

const nativeFrame = window.requestAnimationFrame.bind(window);
let workNow = 0;
window.requestAnimationFrame = (callback) =>
  nativeFrame((now) => {
    const began = performance.now();
    callback(now);
    workNow += performance.now() - began;
  });
let last = 0;
function watchFrames(now: number): void {
  if (last) gaps.push(now - last);
  if (workNow > 0) work.push(workNow);
  workNow = 0;
  last = now;
  nativeFrame(watchFrames);
}
nativeFrame(watchFrames);

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
  save: () => {},
};
const place = document.getElementById("place")!;
let dispose = () => {};
let batches: Generator<TaskBatch> | null = null;

function mount(): void {
  dispose = mountTaskStream(place, {
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

function insert(batch: TaskBatch): void {
  const first = batch.task[0]!;
  intake.add(batch, first, batch.task[batch.rows - 1]! + 1 - first);
}

const bench = {
  open(rows: number, lanes: number): void {
    const prefixes = Array.from({ length: 12 }, (_, i) => `groupby-${i}`);
    const threads = Array.from({ length: lanes }, (_, lane) => ({
      worker: `tcp://10.0.0.${lane >> 3}:40000`,
      thread: String(lane),
    }));
    session.origin.value = T0;
    session.addNames(prefixes, threads);
    batches = bulkBatches(rows, lanes);
    mount();
  },

  /** The first rows turn an empty panel into a plot: the longest frame of that. */
  async begin(): Promise<number> {
    await bench.settle();
    const first = gaps.length;
    insert(batches!.next().value!);
    await bench.settle();
    return Math.max(...gaps.slice(first));
  },

  /**
   * Take rows in as a stream delivers them, a batch a message, and draw them meanwhile.
   * They are made before, so that only taking them in is measured.
   */
  async ingest(rows: number) {
    const made: TaskBatch[] = [];
    for (let count = 0; count < rows;) {
      const next = batches!.next();
      if (next.done) break;
      made.push(next.value);
      count += next.value.rows;
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
          insert(made[at++]!);
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
    return { seconds, frame_ms: Math.max(...gaps.slice(first)) };
  },

  /** Take in what is left, without measuring. */
  async fill(): Promise<void> {
    for (;;) {
      for (let i = 0; i < 10; i++) {
        const next = batches!.next();
        if (next.done) return intake.flush();
        insert(next.value);
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
    return { rows, bytes: byteLength };
  },

  clear(): void {
    gaps.length = 0;
    work.length = 0;
  },

  frames: () => ({ gaps, work }),
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
