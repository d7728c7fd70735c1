// The figures that a file says of itself, of all that was captured, in it or not. Nobody
// vouches for them: none falls below what is counted in the file (file_figures.py).

import { CheckError, count, list, num, record } from "../base/check";
import { type Counts, NO_COUNTS } from "../model/types";
import { counts } from "../wire";
import { BadFileError } from "./problems";
import type { StoredRecording } from "./recording";
import type { Figures, Sums } from "./totals";

/** How much was captured, as the file says it; null where it does not, or says no counts. */
export function storedCounts({ about }: StoredRecording): Counts | null {
  return ifSound(() => counts(about["counts"], "counts"));
}

const storedFigures = record({
  prefixes: list(
    record({
      prefix: count,
      tasks: count,
      seconds: num,
      erred: count,
      computes: count,
    }),
  ),
  actions: list(record({ action: count, rows: count, seconds: num })),
});

/** Figures that the file has of the whole run; null where it has none that can be. */
export function storedTotals({
  about,
  names,
}: StoredRecording): Figures | null {
  return ifSound(() => {
    const figures = storedFigures(about["totals"], "totals");
    const known =
      figures.prefixes.every(({ prefix }) => prefix in names.prefixes) &&
      figures.actions.every(({ action }) => action in names.actions);
    return known ? figures : null;
  });
}

/**
 * The counts of the file, raised to what was counted in it; of one that says none, what
 * was counted. Before that there are no `sums`.
 */
export async function countsOf(
  recording: StoredRecording,
  sums: Sums | null,
): Promise<Counts> {
  const said = storedCounts(recording) ?? NO_COUNTS;
  if (!sums) return said;
  const { dropped_agent } = said;
  const kept = Math.max(said.kept, sums.tasks);
  const dropped_recording = Math.max(
    said.dropped_recording,
    sums.nextTask - kept,
  );
  const { errors, changes } = await loggedIn(recording);
  return {
    captured: Math.max(said.captured, kept + dropped_agent + dropped_recording),
    kept,
    dropped_agent,
    dropped_recording,
    rows: Math.max(said.rows, sums.rows),
    // A task that was dropped before it could be read is in the log alone.
    erred: Math.max(said.erred, sums.erred, errors),
    changes: Math.max(said.changes, changes),
  };
}

/** How many errors and changes of workers the file has; none of what cannot be read. */
async function loggedIn(recording: StoredRecording) {
  const [errors, workers] = await Promise.allSettled([
    recording.log("errors"),
    recording.log("workers"),
  ]);
  const what = workers.status === "fulfilled" ? workers.value.what : [];
  return {
    errors: errors.status === "fulfilled" ? errors.value.time.length : 0,
    changes: what.filter((one) => one !== "present").length,
  };
}

/** Nobody vouches for what a file says of itself: what is no such thing is not said. */
export function ifSound<T>(check: () => T): T | null {
  try {
    return check();
  } catch (error) {
    if (error instanceof CheckError || error instanceof BadFileError)
      return null;
    throw error;
  }
}
