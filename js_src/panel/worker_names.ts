// What to call the workers of a stored recording: as the task stream calls them.

import type { SessionStore } from "../session";
import { groupLanes, plainAddress } from "./worker_groups";
import type { RecordTable } from "./record_tables";
import type { RecordingView } from "./recording_view";

export type NameOf = (address: string) => string;

const SCHEDULER = "scheduler";

interface Known {
  /** What the names follow from. */
  readonly from: readonly unknown[];
  readonly nameOf: NameOf;
}

/** Of the views that are open: who types into a filter draws a list anew with each key. */
const known = new WeakMap<RecordingView, Known>();

/**
 * Reads signals: a component that calls it is drawn again with the names. The same
 * function as before while they are the same.
 */
export function workerNames(view: RecordingView): NameOf {
  const store = view.session.value;
  const changes = view.tables.ready("workers");
  const from = [
    ...[store, store?.namesVersion.value, store?.workers.value],
    changes,
  ];
  const last = known.get(view);
  if (last?.from.every((one, at) => one === from[at])) return last.nameOf;
  const names = namesByAddress(store, changes);
  const nameOf = (address: string): string =>
    names.get(address) ??
    (address === "" || address === SCHEDULER ? address : plainAddress(address));
  known.set(view, { from, nameOf });
  return nameOf;
}

function namesByAddress(
  store: SessionStore | null,
  changes: RecordTable<"workers"> | null,
): Map<string, string> {
  const given = new Map<string, string>();
  for (let row = 0; row < (changes?.rows ?? 0); row++) {
    const { worker, name } = changes!;
    if (worker[row] && name[row]) given.set(worker[row], name[row]);
  }
  const workers = store?.workers.peek() ?? [];
  for (const { address, name } of workers) given.set(address, name);
  // Also those that never ran anything, and so have no lanes.
  const lanes = [...given.keys()].map((worker) => ({ worker, thread: "" }));
  const groups = groupLanes(
    [...(store?.lanes ?? []), ...lanes],
    workers,
    [],
    given,
  );
  return new Map(groups.map(({ address, name }) => [address, name]));
}
