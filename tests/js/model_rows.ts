// Rows for the tests of model, derive and render: small by hand, large by chance with a
// fixed seed.

import type { TaskBatch } from "../../js_src/model/tasks";
import type { Interval } from "../../js_src/model/types";

export const T0 = 1_790_000_000;

export type Row = Partial<Interval> & { start: number };

export function batchOf(rows: Row[]): TaskBatch {
  const batch = emptyBatch(rows.length);
  rows.forEach((row, i) => {
    batch.start[i] = row.start;
    batch.duration[i] = row.duration ?? 1;
    batch.lane[i] = row.lane ?? 0;
    batch.prefix[i] = row.prefix ?? 0;
    batch.action[i] = row.action ?? 0;
    batch.status[i] = row.status ?? 0;
    batch.nbytes[i] = row.nbytes ?? 0;
    batch.span[i] = row.span ?? 0;
    batch.task[i] = row.task ?? i;
    batch.computation[i] = row.computation ?? 0;
  });
  return batch;
}

export function emptyBatch(rows: number): TaskBatch {
  return {
    rows,
    start: new Float64Array(rows),
    duration: new Float32Array(rows),
    lane: new Uint16Array(rows),
    prefix: new Uint16Array(rows),
    action: new Uint8Array(rows),
    status: new Uint8Array(rows),
    nbytes: new Float32Array(rows),
    span: new Uint16Array(rows),
    task: new Uint32Array(rows),
    computation: new Uint16Array(rows),
  };
}

/** Numbers from 0 to 1, the same each time. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/**
 * A run in order of arrival: every lane computes one task after the other with short
 * pauses, a third of them after a transfer, one in a hundred erred.
 */
export function randomRun(
  tasks: number,
  lanes: number,
  seed = 1,
  firstTask = 0,
): Row[] {
  const random = randomOf(seed);
  const free = new Float64Array(lanes).fill(T0 + firstTask * 0.001);
  const rows: Row[] = [];
  for (let i = 0; i < tasks; i++) {
    const lane = i % lanes;
    const task = firstTask + i;
    const prefix = Math.floor(random() * 5);
    const status = random() < 0.01 ? 1 : 0;
    const span = Math.floor(random() * 3);
    const start = free[lane] + random() * 0.002;
    const duration = Math.fround(0.001 + random() * random() * 0.05);
    if (random() < 0.33) {
      const action = 1 + Math.floor(random() * 4);
      const early = start - random() * 0.01;
      rows.push({
        ...{ start: early, duration: Math.fround(0.004), lane, prefix },
        ...{ action, status, span, task, nbytes: 1 },
      });
    }
    rows.push({
      ...{ start, duration, lane, prefix, action: 0 },
      ...{ status, span, task, nbytes: 1 },
    });
    free[lane] = start + duration;
  }
  return rows;
}

export function shuffled<T>(items: readonly T[], seed = 7): T[] {
  const random = randomOf(seed);
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const out: T[][] = [];
  for (let i = 0; i < items.length; i += size) {
    out.push(items.slice(i, i + size));
  }
  return out;
}
