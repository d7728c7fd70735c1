// Whether what happened at a time, on a worker, to a prefix, is in the focus; and the
// focus that shows something.

import type { Focus } from "../model/types";

export interface Happened {
  /** Seconds since the epoch; of a stretch both ends. */
  readonly start: number;
  readonly stop: number;
  /** Address; null for what is of no worker: only a time leaves it out. */
  readonly worker: string | null;
  /** Null for what is of no prefix. */
  readonly prefix: string | null;
}

/** Of spans events know nothing: those leave nothing out. */
export function inFocus(focus: Focus): (one: Happened) => boolean {
  const { time } = focus;
  const workers = new Set(focus.workers);
  const prefixes = new Set(focus.prefixes);
  return ({ start, stop, worker, prefix }) =>
    (!time || (stop >= time[0] && start <= time[1])) &&
    (worker === null || workers.size === 0 || workers.has(worker)) &&
    (prefix === null || prefixes.size === 0 || prefixes.has(prefix));
}

/** Of the whole run: a moment has no width, and what is around it is shown, too. */
const LEAST_SHARE = 0.02;

export function withRoom(
  [start, stop]: readonly [number, number],
  range: readonly [number, number],
): [number, number] {
  const least = (range[1] - range[0]) * LEAST_SHARE;
  const missing = Math.max(0, least - (stop - start)) / 2;
  return [start - missing, stop + missing];
}
