// Events, changes of workers and gaps of a recording as one list, sorted by time.

import { byTime } from "../../model/search";
import type { Focus } from "../../model/types";
import { inFocus, type TimedRow } from "../../panel/narrowing";
import type { NameOf } from "../../panel/worker_groups";
import type { TableView } from "../../session/tables";
import { messageInWords } from "./event_text";

export const KINDS = ["worker", "dask", "yours", "gap"] as const;
export type Kind = (typeof KINDS)[number];

export const KIND_NAMES: Record<Kind, string> = {
  worker: "Workers",
  dask: "Dask",
  yours: "Yours",
  gap: "Gaps",
};

export interface ListedEvent extends TimedRow {
  readonly kind: Kind;
  /** The topics of an event, or the name of a worker. */
  readonly about: string;
  /** Made when it is read, since few of many events are shown. */
  readonly text: string;
  /** The message of an event as it was logged. */
  readonly logged?: string;
  readonly level: "info" | "warn";
}

export interface Tables {
  readonly events: TableView<"events">;
  readonly workers: TableView<"workers">;
  readonly gaps: TableView<"gaps">;
}

export function eventList(tables: Tables, nameOf: NameOf): ListedEvent[] {
  const { columns: events } = tables.events;
  const { columns: workers } = tables.workers;
  const { columns: gaps } = tables.gaps;
  const all: ListedEvent[] = [];
  const known = new Set(workers.worker);
  for (let row = 0; row < tables.events.rows; row++) {
    const time = events.time[row];
    const topics = events.topic[row].split(",").map((topic) => topic.trim());
    all.push({
      kind: topics.every((topic) => isOfDask(topic, known)) ? "dask" : "yours",
      start: time,
      stop: time,
      worker: topics.find((topic) => known.has(topic)) ?? null,
      prefix: null,
      about: topics
        .map((topic) => (known.has(topic) ? nameOf(topic) : topic))
        .join(", "),
      get text() {
        return messageInWords(events.message[row], events.topic[row], nameOf);
      },
      logged: events.message[row],
      level: "info",
    });
  }
  for (let row = 0; row < tables.workers.rows; row++) {
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
  for (let row = 0; row < tables.gaps.rows; row++) {
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

/** Topics of Dask's own events; its `print` and `warn` belong to their callers. */
const DASK_TOPICS: ReadonlySet<string> = new Set([
  ...["all", "scheduler", "stealing", "transitions", "p2p", "worker-client"],
  ...["worker-get-client", "worker-fail-hard", "worker-restart-memory"],
]);

const isOfDask = (topic: string, workers: ReadonlySet<string>): boolean =>
  DASK_TOPICS.has(topic) ||
  workers.has(topic) ||
  /^Client-|^[a-z]+:\/\//.test(topic);

const TROUBLE: ReadonlySet<string> = new Set([
  "paused",
  "spilling",
  "restarted",
]);

/** What happened, with its detail: `joined, 4 threads`. */
function changeInWords(what: string, detail: string): string {
  const word = CHANGES.get(what) ?? what;
  return detail === "" ? word : `${word}, ${detail}`;
}

const CHANGES: ReadonlyMap<string, string> = new Map([
  ["present", "present"],
  ["added", "joined"],
  ["removed", "left"],
  ["spilling", "began to spill to disk"],
  ["not-spilling", "stopped spilling"],
]);

export interface EventGroup {
  readonly first: ListedEvent;
  readonly all: readonly ListedEvent[];
}

const AT_ONCE_S = 1;

/** Groups equal changes of several workers within a second, such as four that joined. */
export function groupEvents(all: readonly ListedEvent[]): EventGroup[] {
  const found: { first: ListedEvent; all: ListedEvent[] }[] = [];
  for (const one of all) {
    const last = found[found.length - 1];
    const alike =
      last?.first.kind === "worker" &&
      one.kind === "worker" &&
      one.text === last.first.text &&
      one.start - last.first.start < AT_ONCE_S;
    if (alike) last.all.push(one);
    else found.push({ first: one, all: [one] });
  }
  return found;
}

export interface Narrowed {
  readonly focus: Focus;
  readonly kind: Kind | null;
  readonly has: ((text: string) => boolean) | null;
}

export function narrow(
  all: readonly ListedEvent[],
  { focus, kind, has }: Narrowed,
): ListedEvent[] {
  const focused = inFocus(focus);
  return all.filter(
    (one) =>
      (kind === null || one.kind === kind) &&
      focused(one) &&
      (!has || has(`${one.about} ${one.text} ${one.logged ?? ""}`)),
  );
}
