// The messages of a kernel, made from a recording in a file.

import { count, lax, list, num, record } from "../base/check";
import {
  type Counts,
  type Focus,
  NO_COUNTS,
  type Notice,
} from "../model/types";
import { counts, type Message, parseMessage } from "../link/wire";
import { BadFileError, FILE_CUT } from "./problems";
import type { StoredRecording } from "./recording";
import type { Figures, Sums } from "./totals";

/** A file has one session. */
export const SESSION_ID = "recording";

const ADDRESS = { page: null, session: SESSION_ID } as const;

/** What a check of facts says becomes a word about the file. */
function trusted<T>(check: () => T): T {
  try {
    return check();
  } catch {
    throw new BadFileError("contains unexpected JSON");
  }
}

/**
 * The state of the session. `sums` are of what is in the file, as far as it was counted;
 * `end` is when the last row stops, as far as that is known; `notices`
 * are those of this page.
 */
export async function statusOf(
  recording: StoredRecording,
  sums: Sums | null,
  end: number,
  notices: readonly Notice[],
): Promise<Message<"status">> {
  const { about, whole } = recording;
  const missing = Array.isArray(about["missing"]) ? about["missing"] : [];
  const stop = Math.max(end, ...[about["start"], about["stop"]].map(numberOf));
  const facts = {
    type: "status",
    ...ADDRESS,
    state: "stopped",
    counts: storedCounts(recording) ?? (sums ? counted(sums) : NO_COUNTS),
    now: stop > 0 ? stop : Date.now() / 1000,
    origin: about["origin"] ?? null,
    notices: [
      ...(whole ? [] : [FILE_CUT]),
      ...notices,
      ...(missing as unknown[]),
    ],
    workers: about["workers"] ?? (await workersOf(recording)),
  };
  return trusted(() => parseMessage(facts)) as Message<"status">;
}

/** How much was captured, as the file says it; null where it does not, or says no counts. */
export function storedCounts({ about }: StoredRecording): Counts | null {
  return lax(counts, null)(about["counts"], "counts");
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
  const figures = lax(storedFigures, null)(about["totals"], "totals");
  const known =
    figures?.prefixes.every(({ prefix }) => prefix in names.prefixes) &&
    figures.actions.every(({ action }) => action in names.actions);
  return known ? figures : null;
}

/** The counts of a file that says none, as that of one that was cut off. */
function counted({ tasks, nextTask, rows, erred }: Sums): Counts {
  const dropped_recording = nextTask - tasks;
  const seen = { captured: nextTask, kept: tasks, dropped_recording };
  return { ...NO_COUNTS, ...seen, rows, erred };
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** Those that were there, by the log, or else by the lanes: a file may not say it otherwise. */
async function workersOf(recording: StoredRecording): Promise<object[]> {
  const { worker, name, what, detail } = await recording.log("workers");
  const there = new Map<string, { name: string; threads: number }>();
  worker.forEach((address, row) => {
    if (what[row] === "present" || what[row] === "added") {
      const threads = Number.parseInt(detail[row], 10) || 0;
      there.set(address, { name: name[row], threads });
    } else if (what[row] === "removed") {
      there.delete(address);
    }
  });
  if (worker.length === 0) {
    for (const { worker: address } of recording.names.lanes) {
      const threads = there.get(address)?.threads ?? 0;
      there.set(address, { name: "", threads: threads + 1 });
    }
  }
  return [...there].map(([address, facts]) => ({ address, ...facts }));
}

export const summaryOf = ({ about }: StoredRecording): Message<"summary"> => ({
  type: "summary",
  ...ADDRESS,
  figures: about["summary"] ?? null,
  buffers: [],
});

export const totalsOf = (
  figures: Figures,
  focus: Focus,
): Message<"totals"> => ({
  type: "totals",
  ...ADDRESS,
  focus,
  ...figures,
  buffers: [],
});
