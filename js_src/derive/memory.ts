// Figures of workers in the Memory panel: memory at a moment, or the peak of a time.

import type { KeyedRows } from "./keyed";
import { type Series, usualStep } from "./series";

/** The key of rows of the whole cluster, in place of a worker. */
export const CLUSTER = "";

/** Cluster rows are written at every step, so a missing one means missing data. */
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
  /** Managed plus old unmanaged memory; the rest is recent. NaN without an agent. */
  readonly optimistic: number;
  readonly spilled: number;
  /** NaN if it has no limit. */
  readonly limit: number;
  /** Index into WORKER_STATUSES. */
  readonly status: number;
}

const COLUMNS = ["managed", "optimistic", "spilled", "limit"] as const;

/** The peak of process memory in `start..stop`, for each worker present. */
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

/** Process memory as a share of the limit or, without one, of `most`. */
export const shareOf = (
  { process, limit }: Pick<WorkerUse, "process" | "limit">,
  most: number,
): number => process / (limit > 0 ? limit : most);

/** The key with the largest value at a moment; null if there is none above 0. */
export function mostAt(
  rows: KeyedRows,
  column: string,
  moment: number,
  /** Empty means all. */
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
