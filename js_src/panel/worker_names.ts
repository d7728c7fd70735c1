// What to call the workers of a session in lists: as the task stream calls them.

import type { SessionStore } from "../session";
import type { TableView } from "../session_tables";
import type { PanelView } from "./panel_view";
import { groupLanes, plainAddress } from "./worker_groups";

export type NameOf = (address: string) => string;

const SCHEDULER = "scheduler";

interface Known {
  /** What the names follow from. */
  readonly from: readonly unknown[];
  readonly nameOf: NameOf;
}

/** Who types into a filter draws a list anew with each key: the names are the same. */
const known = new WeakMap<PanelView, Known>();

/**
 * Reads signals: a component that calls it is drawn again with the names. The same
 * function as before while they are the same.
 */
export function workerNames(view: PanelView): NameOf {
  const store = view.session.value;
  const changes = view.table("workers");
  const from = [store, view.namesVersion.value, view.workers.value, changes];
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
  { rows, columns: { worker, name } }: TableView<"workers">,
): Map<string, string> {
  const given = new Map<string, string>();
  for (let row = 0; row < rows; row++) {
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
