// What a kernel would say of a session, said of a recording in a file.

import { bool, count, fields, or, record } from "../base/check";
import type { Focus, Notice } from "../model/types";
import { TABLES } from "../schema";
import { type Message, parseMessage } from "../wire";
import { countsOf, ifSound } from "./figures";
import { BadFileError, FILE_CUT, namesMerged, rowsDropped } from "./problems";
import { numberIn, type StoredRecording } from "./recording";
import type { Figures, Sums } from "./totals";

/** A file has one session. */
export const SESSION_ID = "recording";

const ADDRESS = { page: null, session: SESSION_ID } as const;

const someNames = record({ names: count, exact: or(bool, false) });

/** What a check of facts says becomes a word about the file. */
function trusted<T>(check: () => T): T {
  try {
    return check();
  } catch {
    throw new BadFileError("has JSON of another kind");
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
    counts: await countsOf(recording, sums),
    now: stop > 0 ? stop : Date.now() / 1000,
    origin: about["origin"] ?? null,
    notices: [
      ...(whole ? [] : [FILE_CUT]),
      ...notices,
      ...(missing as unknown[]),
      ...lossesOf(about, missing as unknown[]),
    ],
    workers: about["workers"] ?? (await workersOf(recording)),
  };
  return trusted(() => parseMessage(facts)) as Message<"status">;
}

/** What the file says was dropped or merged, where its own notices do not tell it already. */
function lossesOf(
  { dropped, merged }: StoredRecording["about"],
  told: readonly unknown[],
): Notice[] {
  const codes = new Set(
    told.map((one) => (one as Partial<Notice> | null)?.code),
  );
  const found: Notice[] = [];
  for (const [table, shape] of Object.entries(TABLES)) {
    if (!("nouns" in shape)) continue;
    const rows = numberIn(dropped, table);
    if (rows > 0) found.push(rowsDropped(table, shape.nouns, rows));
    const some = ifSound(() =>
      someNames(fields(merged, "merged")[table], table),
    );
    if (some?.names) found.push(namesMerged(table, shape.nouns, some));
  }
  return found.filter(({ code }) => !codes.has(code));
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
