// Events of workers as marks: lasting states, and workers that joined, left or restarted.

import type { Change } from "../model/types";
import type { Item } from "../timeline/marks";

export interface WorkerItem extends Item {
  readonly what: string;
  /** Name of the worker; empty if it concerns all workers. */
  readonly worker: string;
}

/** Events that begin a state and those that end it; it also ends if the worker leaves. */
const STATES = { paused: "running", spilling: "not-spilling" } as const;

const MOMENTS: ReadonlyMap<string, string> = new Map([
  ["added", "joined"],
  ["removed", "left"],
  ["restarted", "restarted, all tasks forgotten"],
]);

/** Sorted by start; a state that continues stops at Infinity. */
export function workerItems(
  changes: readonly Change[],
  nameOf: (worker: string) => string,
): WorkerItem[] {
  type Open = { -readonly [K in keyof WorkerItem]: WorkerItem[K] };
  const all: WorkerItem[] = [];
  const open = new Map<string, Open>();
  const add = (address: string, what: string, start: number, stop = start) => {
    const worker = address && nameOf(address);
    const item: Open = {
      ...{ what, worker, start, stop },
      level: what === "joined" ? "info" : "warn",
      text: worker === "" ? what : `${worker} ${what}`,
      one: worker === "" ? "restart" : `worker ${what}`,
      many: worker === "" ? "restarts" : `workers ${what}`,
      few: worker === "" ? "restarts" : what,
    };
    all.push(item);
    return item;
  };
  const inOrder = [...changes].sort((one, other) => one.time - other.time);
  for (const { time, worker, what } of inOrder) {
    for (const [begins, ends] of Object.entries(STATES)) {
      const id = `${begins} ${worker}`;
      const since = open.get(id);
      if (what === begins && !since) {
        open.set(id, add(worker, begins, time, Infinity));
      } else if (since && (what === ends || what === "removed")) {
        since.stop = time;
        open.delete(id);
      }
    }
    const moment = MOMENTS.get(what);
    if (moment !== undefined) add(worker, moment, time);
  }
  return all;
}
