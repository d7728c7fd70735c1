// The workers of the session that a panel shows: what they are called, which lanes are
// theirs, how many threads they have.

import { computed, type ReadonlySignal } from "@preact/signals";
import type { Focus } from "../../model/types";
import type { SeenSession } from "../../panel/seen_session";
import { rowsOf } from "../../session_tables";
import {
  groupLanes,
  lieAlike,
  type WorkerGroup,
} from "../../panel/worker_groups";

export class ViewWorkers {
  /** What workers were called, by address, also those that have left. */
  readonly names = new Map<string, string>();
  readonly groups: ReadonlySignal<readonly WorkerGroup[]> = computed(() => {
    const session = this.session.value;
    if (!session) return [];
    void session.namesVersion.value;
    const workers = session.workers.value;
    const changes = rowsOf(session.table("workers").value, "time");
    for (const { worker, name } of changes) {
      if (name) this.names.set(worker, name); // it may have left before this page came
    }
    for (const { address, name } of workers) this.names.set(address, name);
    return groupLanes(
      session.store.lanes,
      workers,
      this.focus.value.workers,
      this.names,
    );
  });
  /**
   * The same, new only when something lies elsewhere or is called otherwise. What
   * a group says of its worker's memory may be old.
   */
  readonly placed: ReadonlySignal<readonly WorkerGroup[]> = computed(() => {
    const groups = this.groups.value;
    if (!lieAlike(groups, this.lastPlaced)) this.lastPlaced = groups;
    return this.lastPlaced;
  });
  /** Threads of the cluster, or of the workers that are isolated. */
  readonly threadsShown: ReadonlySignal<number> = computed(() => {
    if (this.focus.value.workers.length === 0) return this.threads();
    return this.groups.value.reduce(
      (sum, { info, lanes }) => sum + (info?.threads ?? lanes.length),
      0,
    );
  });
  private lastPlaced: readonly WorkerGroup[] = [];

  constructor(
    private readonly session: ReadonlySignal<SeenSession | null>,
    private readonly focus: ReadonlySignal<Focus>,
  ) {}

  /** Threads of the cluster; of the lanes, while its workers are not known. */
  threads(): number {
    const session = this.session.value;
    if (!session) return 0;
    const workers = session.workers.value;
    const haveLeft = workers.length === 0 && session.now.value > 0;
    if (haveLeft) return 0;
    const sum = workers.reduce((all, { threads }) => all + threads, 0);
    return sum || session.store.lanes.length;
  }
}
