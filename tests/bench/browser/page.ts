// Runs in the page of the benchmark. `window.bench` is what the benchmark calls.

import { TaskModel, type TaskBatch } from "../../../js_src/model/tasks";
import { bulkBatches } from "../../js/bulk_rows";
import { Stage } from "./stage";

const model = new TaskModel();
let stage: Stage | null = null;
let batches: Generator<TaskBatch> | null = null;

/** Gaps between frames, by the browser's own clock for them. */
const frames: number[] = [];
let lastFrame = 0;
function watchFrames(now: number): void {
  if (lastFrame) frames.push(now - lastFrame);
  lastFrame = now;
  requestAnimationFrame(watchFrames);
}
requestAnimationFrame(watchFrames);

const bench = {
  /** Show the lanes, empty still. */
  open(rows: number, lanes: number): void {
    batches = bulkBatches(rows, lanes);
    stage = new Stage(document.getElementById("plot")!, model);
  },

  /**
   * Insert rows as a stream delivers them, one batch a message, and draw what has come
   * in every frame. They are made before, so that only taking them in is measured.
   */
  async ingest(rows: number): Promise<{ seconds: number; longest_ms: number }> {
    const made: TaskBatch[] = [];
    for (let count = 0; count < rows;) {
      const next = batches!.next();
      if (next.done) break;
      made.push(next.value);
      count += next.value.rows;
    }
    await bench.settle();
    const channel = new MessageChannel();
    const began = performance.now();
    const start = frames.length;
    let longest = 0;
    await new Promise<void>((resolve) => {
      let at = 0;
      channel.port1.onmessage = () => {
        const batch = made[at++];
        if (!batch) return resolve();
        const before = performance.now();
        model.insert(batch);
        const first = batch.task[0];
        model.markCovered(first, batch.task[batch.rows - 1] - first + 1);
        longest = Math.max(longest, performance.now() - before);
        stage!.view.request();
        channel.port2.postMessage(0);
      };
      channel.port2.postMessage(0);
    });
    const seconds = (performance.now() - began) / 1000;
    channel.port1.close();
    await bench.nextFrame();
    return {
      seconds,
      longest_ms: longest,
      ...{ frame_ms: Math.max(...frames.slice(start)) },
    };
  },

  /** Fill up with what is left, without measuring, frame by frame. */
  async fill(): Promise<void> {
    for (;;) {
      for (let i = 0; i < 10; i++) {
        const next = batches!.next();
        if (next.done) return;
        model.insert(next.value);
      }
      await bench.nextFrame();
    }
  },

  /** From a model that is full to the first complete picture. */
  async firstPicture(): Promise<number> {
    const began = performance.now();
    const element = document.createElement("div");
    element.style.cssText = "position:absolute;inset:0";
    document.body.append(element);
    const other = new Stage(element, model);
    other.fit();
    while (other.work_ms.length === 0) await bench.nextFrame();
    const took = performance.now() - began;
    other.view.dispose();
    element.remove();
    return took;
  },

  nextFrame(): Promise<void> {
    return new Promise((resolve) => requestAnimationFrame(() => resolve()));
  },

  async settle(): Promise<void> {
    for (let i = 0; i < 20; i++) await bench.nextFrame();
  },

  size(): { rows: number; bytes: number; lanes: number } {
    const { rows, byteLength, laneCount } = model;
    return { rows, bytes: byteLength, lanes: laneCount };
  },

  clear(): void {
    frames.length = 0;
    stage!.work_ms.length = 0;
  },

  frames(): { frames: number[]; work: number[] } {
    return { frames, work: stage!.work_ms };
  },
};

declare global {
  interface Window {
    bench: typeof bench;
  }
}
window.bench = bench;
