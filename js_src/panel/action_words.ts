// What actions of tasks and activities are called, wherever they are listed.

/** What the legend lists besides actions: tasks that erred. */
export const ERRED = "erred";

/** Actions as the legend groups them: disk-read and disk-write are one. */
export function legendAction(action: string): string {
  if (action === "compute") return "compute";
  return action.startsWith("disk-") ? "disk" : action;
}

/**
 * What an action is that is not what its name says, for a tooltip; empty for others. Dask
 * measures how long a worker takes to store a result, or to fetch what a task needs, and
 * calls it disk from 5 ms on: a busy worker that spills nothing has some, too.
 */
export function actionNote(action: string): string {
  return action === "disk" || action.startsWith("disk-")
    ? "Results that a worker took over 5 ms to store or fetch: Dask counts this as disk time even if nothing spilled"
    : "";
}

/** `Disk read`, `Transfer`: an action at the beginning of a line. */
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

/** Unknown ones keep their own names. */
export const activityName = (activity: string): string =>
  ACTIVITIES.get(activity) ?? activity;
