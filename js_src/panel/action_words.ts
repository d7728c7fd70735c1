// Names of task actions and activities, for all lists.

/** Legend entry for erred tasks, listed with the actions. */
export const ERRED = "erred";

/** Actions as the legend groups them: disk-read and disk-write are one. */
export function legendAction(action: string): string {
  if (action === "compute") return "compute";
  return action.startsWith("disk-") ? "disk" : action;
}

/**
 * Tooltip for actions with a misleading name; empty for others. Dask measures how long a
 * worker takes to store a result or to load what a task needs, and from 5 ms on calls this
 * disk time: a busy worker has some even if nothing spilled.
 */
export function actionNote(action: string): string {
  return action === "disk" || action.startsWith("disk-")
    ? "Results that a worker took over 5 ms to store or fetch: Dask counts this as disk time even if nothing spilled"
    : "";
}

/** An action at the beginning of a line: `Disk read`, `Transfer`. */
export function capitalized(action: string): string {
  const words = action.replace(/-/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const ACTIVITIES: ReadonlyMap<string, string> = new Map([
  ["thread-cpu", "thread CPU"],
  ["thread-noncpu", "thread not on CPU"],
  ["disk-read", "disk read"],
  ["disk-write", "disk write"],
  ["memory-read", "memory read"],
  ["", "(no activity)"],
]);

/** Unknown activities keep their own names. */
export const activityName = (activity: string): string =>
  ACTIVITIES.get(activity) ?? activity;
