// Events, changes of workers and gaps of a recording as one list in order of time.

import { byTime } from "../../model/search";
import type { Focus } from "../../model/types";
import { inFocus, type Happened } from "../../panel/in_focus";
import type { RecordTable } from "../../panel/record_tables";
import type { NameOf } from "../../panel/worker_names";
import { messageInWords } from "./event_words";

export const KINDS = ["event", "worker", "gap"] as const;
export type Kind = (typeof KINDS)[number];

export const KIND_NAMES: Record<Kind, string> = {
  event: "Events",
  worker: "Workers",
  gap: "Gaps",
};

export interface Happening extends Happened {
  readonly kind: Kind;
  /** What it is of: a topic, or a worker by its name. */
  readonly about: string;
  readonly text: string;
  /** Of an event, its message as it was logged. */
  readonly logged?: string;
  readonly level: "info" | "warn";
}

export interface Tables {
  readonly events: RecordTable<"events">;
  readonly workers: RecordTable<"workers">;
  readonly gaps: RecordTable<"gaps">;
}

export function happenings(
  { events, workers, gaps }: Tables,
  nameOf: NameOf,
): Happening[] {
  const all: Happening[] = [];
  const known = new Set(workers.worker);
  for (let row = 0; row < events.rows; row++) {
    const time = events.time[row];
    const topics = events.topic[row].split(",");
    const worker = topics.find((topic) => known.has(topic.trim())) ?? null;
    all.push({
      kind: "event",
      start: time,
      stop: time,
      worker: worker?.trim() ?? null,
      prefix: null,
      about: topics
        .map((topic) => nameIfWorker(topic, known, nameOf))
        .join(","),
      text: messageInWords(events.message[row], events.topic[row], nameOf),
      logged: events.message[row],
      level: "info",
    });
  }
  for (let row = 0; row < workers.rows; row++) {
    const time = workers.time[row];
    const worker = workers.worker[row];
    const what = workers.what[row];
    all.push({
      kind: "worker",
      start: time,
      stop: time,
      worker: worker === "" ? null : worker,
      prefix: null,
      about: worker === "" ? "all workers" : nameOf(worker),
      text: changeInWords(what, workers.detail[row]),
      level: TROUBLE.has(what) ? "warn" : "info",
    });
  }
  for (let row = 0; row < gaps.rows; row++) {
    all.push({
      kind: "gap",
      start: gaps.start[row],
      stop: gaps.stop[row],
      worker: null,
      prefix: null,
      about: "recording",
      text: gaps.text[row] || `nothing recorded: ${gaps.reason[row]}`,
      level: "warn",
    });
  }
  return all.sort((one, other) => byTime(one.start, other.start));
}

function nameIfWorker(
  topic: string,
  known: ReadonlySet<string>,
  nameOf: NameOf,
): string {
  return known.has(topic.trim()) ? nameOf(topic.trim()) : topic;
}

const TROUBLE: ReadonlySet<string> = new Set([
  "paused",
  "spilling",
  "restarted",
]);

/** What happened, and what the recording says about it: `came, 4 threads`. */
function changeInWords(what: string, detail: string): string {
  const word = CHANGES.get(what) ?? what;
  return detail === "" ? word : `${word}, ${detail}`;
}

const CHANGES: ReadonlyMap<string, string> = new Map([
  ["present", "was there"],
  ["added", "came"],
  ["removed", "left"],
  ["spilling", "began to spill to disk"],
  ["not-spilling", "spills no more"],
]);

export interface Narrowed {
  readonly focus: Focus;
  readonly kinds: ReadonlySet<Kind>;
  readonly has: (text: string) => boolean;
}

export function narrow(
  all: readonly Happening[],
  { focus, kinds, has }: Narrowed,
): Happening[] {
  const focused = inFocus(focus);
  return all.filter(
    (one) =>
      kinds.has(one.kind) &&
      focused(one) &&
      has(`${one.about} ${one.text} ${one.logged ?? ""}`),
  );
}
