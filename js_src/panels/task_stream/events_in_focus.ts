// Which of the events beside the tasks are in focus: for the row of events and
// for the table of errors.

import type { Change, Focus, TaskError } from "../../model/types";

/** Of spans errors know nothing: those filter none out. */
export function errorsInFocus(
  errors: readonly TaskError[],
  focus: Focus,
  prefixes: readonly string[],
): TaskError[] {
  const { time } = focus;
  const wanted = new Set(focus.prefixes);
  const workers = new Set(focus.workers);
  return errors.filter(
    (error) =>
      (!time || (error.time >= time[0] && error.time <= time[1])) &&
      (wanted.size === 0 || wanted.has(prefixes[error.prefix] ?? "")) &&
      (workers.size === 0 || workers.has(error.worker)),
  );
}

/** What the workers in focus went through; a restart is of all. */
export function changesInFocus(
  changes: readonly Change[],
  focus: Focus,
): readonly Change[] {
  if (focus.workers.length === 0) return changes;
  const workers = new Set(focus.workers);
  return changes.filter(
    ({ worker, what }) => what === "restarted" || workers.has(worker),
  );
}
