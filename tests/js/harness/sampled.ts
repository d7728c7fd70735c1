// What a MemorySampler has measured: made-up runs of a few labels.

import { MEASURES } from "../../../js_src/schema";
import type { TableRow } from "../../../js_src/model/types";
import { random } from "./run";
import type { HarnessSession } from "./session";

const GIB = 2 ** 30;
const WORKERS = 4;
const LIMIT = 4 * GIB;
const INTERVAL_S = 0.5;
/** From the end of a run to the start of the next. */
const PAUSE_S = 12;

type Sample = Partial<TableRow<"samples">>;

export interface SampledRun {
  readonly label: string;
  readonly length_s: number;
  readonly peak_gib: number;
}

export const TWO_RUNS: readonly SampledRun[] = [
  { label: "tasks shuffle", length_s: 41.5, peak_gib: 3.1 },
  { label: "p2p shuffle", length_s: 29, peak_gib: 2 },
];

/** Rows of runs one after the other; up to a moment of the last one, if that is given. */
export function samplesOf(
  runs: readonly SampledRun[],
  origin: number,
  until_s = Infinity,
): Sample[] {
  const rows: Sample[] = [];
  const next = random(5);
  let start = origin;
  runs.forEach(({ label, length_s, peak_gib }, at) => {
    const end = at === runs.length - 1 ? Math.min(length_s, until_s) : length_s;
    const wobble = Array.from({ length: WORKERS }, () => next() * 0.3 - 0.12);
    for (let passed = 0; passed <= end; passed += INTERVAL_S) {
      const share = passed / length_s;
      const hill = Math.sin(Math.PI * share ** 1.2) ** 1.4;
      const memory = wobble.map(
        (by) => (0.4 + peak_gib * hill * (1 + by) + next() * 0.06) * GIB,
      );
      for (const measure of MEASURES) {
        const part =
          measure === "process" ? 1 : measure === "spilled" ? 0 : 0.6;
        const sorted = memory.map((one) => one * part).sort((a, b) => a - b);
        rows.push(
          sampleOf(start + passed, label, measure, sorted, LIMIT * WORKERS),
        );
      }
    }
    start += length_s + PAUSE_S;
  });
  return rows;
}

export function sampleOf(
  time: number,
  label: string,
  measure: string,
  sorted: readonly number[],
  limit: number,
): Sample {
  const cluster = sorted.reduce((sum, one) => sum + one, 0);
  const [least, median, most] = [
    sorted[0] ?? NaN,
    sorted[sorted.length >> 1] ?? NaN,
    sorted.at(-1) ?? NaN,
  ];
  return {
    ...{ time, label, measure, cluster, least, median, most, limit },
    ...{ cluster_least: cluster, cluster_most: cluster },
    ...{ least_least: least, least_most: least },
    ...{ median_least: median, median_most: median },
    ...{ most_least: most, most_most: most },
    ...{ limit_least: limit, limit_most: limit },
  };
}

/** The session of a sampler, which samples still if a moment of its last run is given. */
export function showSamples(
  session: HarnessSession,
  runs: readonly SampledRun[],
  origin: number,
  until_s?: number,
): void {
  session.fill("samples", samplesOf(runs, origin, until_s));
  session.state.value = until_s === undefined ? "stopped" : "live";
  session.now.value = origin + (until_s ?? 0);
}
