// How many tasks run just now. They have no rows yet: those come when they finish.

import type { Worker } from "../model/types";

/** Of all workers, by their last heartbeats; null where nobody tells. */
export function runningTasks(workers: readonly Worker[]): number | null {
  let sum = 0;
  for (const { running } of workers) {
    if (running === null) return null;
    sum += running;
  }
  return sum;
}
