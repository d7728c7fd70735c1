// What workers did, as marks: states that last, and that they came, left or restarted.

import type { Change } from "../model/types";
import type { Item } from "../timeline/marks";

export interface WorkerItem extends Item {
  readonly what: string;
  /** Name of the worker; empty where it is about all of them. */
  readonly worker: string;
}

/** What begins a state, and what ends it, beside the worker's leaving. */
const STATES = { paused: "running", spilling: "not-spilling" } as const;

const MOMENTS: ReadonlyMap<string, string> = new Map([
  ["added", "came"],
  ["removed", "left"],
  ["restarted", "restarted, all tasks forgotten"],
]);

/** In order of their start; a state that continues ends at Infinity. */
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
      level: what === "came" ? "info" : "warn",
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
