// Figures of workers in the Memory panel: how much each had at a moment, or its peak.

import type { KeyedRows } from "./keyed";
import { type Series, usualStep } from "./series";

/** What the rows of the whole cluster have in place of a worker. */
export const CLUSTER = "";

/** A row of the cluster is written each time: where there is none, nothing is known. */
export function clusterLine(rows: KeyedRows, column: string): Series {
  const line = rows.line(CLUSTER, column);
  const usual_s = usualStep(line);
  return { ...line, usual_s, longest_s: Math.max(usual_s * 10, 5) };
}

export interface WorkerUse {
  readonly worker: string;
  readonly time: number;
  readonly process: number;
  readonly managed: number;
  /** With what else was there for long: the rest is recent. NaN without an agent. */
  readonly optimistic: number;
  readonly spilled: number;
  /** NaN without one. */
  readonly limit: number;
  /** Index into WORKER_STATUSES. */
  readonly status: number;
}

const COLUMNS = ["managed", "optimistic", "spilled", "limit"] as const;

/** Of each worker that was there: when its process had most from `start` to `stop`. */
export function usesOf(
  rows: KeyedRows,
  [start, stop]: readonly [number, number],
): WorkerUse[] {
  const columns = [...COLUMNS, "status"].map((name) => rows.column(name));
  const uses: WorkerUse[] = [];
  for (const key of rows.keys) {
    if (key === CLUSTER) continue;
    const peak = rows.peak(key, "process", start, stop);
    if (!peak) continue;
    const [managed, optimistic, spilled, limit, status] = columns.map(
      (column) => column[peak.at],
    );
    uses.push({
      ...{ worker: String(key), time: peak.time, process: peak.value },
      ...{ managed, optimistic, spilled, limit, status },
    });
  }
  return uses;
}

/** Of its limit; without one, of `most`, so that bars can be compared. */
export const shareOf = (
  { process, limit }: Pick<WorkerUse, "process" | "limit">,
  most: number,
): number => process / (limit > 0 ? limit : most);

/** The key that has most at a moment; null where none has anything. */
export function mostAt(
  rows: KeyedRows,
  column: string,
  moment: number,
  /** None means all. */
  only: readonly string[] = [],
): { readonly key: string | number; readonly value: number } | null {
  let most: ReturnType<typeof mostAt> = null;
  for (const key of rows.keys) {
    if (key === CLUSTER) continue;
    if (only.length > 0 && !only.includes(String(key))) continue;
    const value = rows.peak(key, column, moment, moment)?.value ?? 0;
    if (value > (most?.value ?? 0)) most = { key, value };
  }
  return most;
}
