// The filters of a panel and the names of their parts.

import type { Focus } from "../model/types";
import type { SessionStore } from "../session/session";

/** The focus, plus the isolated actions, which only this page knows. */
export interface Narrowing extends Focus {
  readonly actions: readonly string[];
}

export function narrows({ actions, ...focus }: Narrowing): boolean {
  return actions.length > 0 || !isWhole(focus);
}

export function isWhole(focus: Focus): boolean {
  return (
    focus.time === null &&
    focus.prefixes.length === 0 &&
    focus.workers.length === 0 &&
    focus.spans.length === 0 &&
    focus.cells.length === 0
  );
}

/** A span's name includes the spans around it, outermost first. */
export const spanName = (name: readonly string[]): string => name.join(" › ");

export function spanNames(
  store: Pick<SessionStore, "spans"> | null,
  ids: readonly string[],
): string[] {
  return ids.map((id) => {
    const known = store?.spans.find((span) => span.id === id);
    return known ? spanName(known.name) : id;
  });
}

export function isolate(
  isolated: readonly string[],
  name: string,
  adds: boolean,
): string[] {
  const has = isolated.includes(name);
  if (adds) {
    return has
      ? isolated.filter((other) => other !== name)
      : [...isolated, name];
  }
  return has && isolated.length === 1 ? [] : [name];
}

export interface TimedRow {
  /** Seconds since the epoch; equal to `stop` for a moment. */
  readonly start: number;
  readonly stop: number;
  /** Address; null if it belongs to no worker: then only the time can exclude it. */
  readonly worker: string | null;
  readonly prefix: string | null;
}

/** A test for rows in the focus. Ignores spans and cells, which events do not have. */
export function inFocus(focus: Focus): (one: TimedRow) => boolean {
  const { time } = focus;
  const workers = new Set(focus.workers);
  const prefixes = new Set(focus.prefixes);
  return ({ start, stop, worker, prefix }) =>
    (!time || (stop >= time[0] && start <= time[1])) &&
    (worker === null || workers.size === 0 || workers.has(worker)) &&
    (prefix === null || prefixes.size === 0 || prefixes.has(prefix));
}

/** Minimum width as a share of the run, so that a moment is shown with its surroundings. */
const LEAST_SHARE = 0.02;

export function withRoom(
  [start, stop]: readonly [number, number],
  range: readonly [number, number],
): [number, number] {
  const least = (range[1] - range[0]) * LEAST_SHARE;
  const missing = Math.max(0, least - (stop - start)) / 2;
  return [start - missing, stop + missing];
}
