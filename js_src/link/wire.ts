// The messages between kernel and page (docs/protocol.md, part B): their types, the
// checks of incoming messages, and the page's own messages. Knows nothing of comms,
// stores or the DOM.

import {
  anything,
  bool,
  type Check,
  CheckError,
  count,
  fields,
  list,
  nullable,
  num,
  oneOf,
  or,
  record,
  str,
  tuple,
} from "../base/check";
import { badMessage } from "../errors";
import { isTime } from "../model/search";
import type { Focus } from "../model/types";
import {
  BATCH_KINDS,
  type KernelMessageType,
  type PageMessageType,
  STATES,
} from "../schema";

export type BinaryBuffer = ArrayBuffer | ArrayBufferView;

const session = record({
  id: str,
  name: or(str, ""),
  address: or(str, ""),
  state: or(oneOf(STATES), "waiting" as const),
  workers: or(count, 0),
  threads: or(count, 0),
  active: or(bool, false),
});

const worker = record({
  address: str,
  name: or(nameText, ""),
  host: or(str, ""),
  threads: or(count, 0),
  memory_limit: or(num, 0),
  process: or(num, 0),
  managed: or(num, 0),
  spilled: or(num, 0),
  status: or(str, ""),
  running: or(count, null),
});

export const counts = record({
  captured: count,
  kept: count,
  dropped_agent: count,
  dropped_recording: count,
  rows: count,
  erred: count,
  changes: or(count, 0),
});

const notice = record({
  code: str,
  level: or(oneOf(["info", "warn", "error"]), "info" as const),
  text: str,
  next: or(str, ""),
});

/** Worker names are often numbers in Dask; on the page they are text. */
function nameText(value: unknown, path: string): string {
  return typeof value === "number" ? String(value) : str(value, path);
}

/** Null if a worker's broken clock set it; the page then takes the origin from its rows. */
function origin(value: unknown, path: string): number | null {
  const time = num(value, path);
  return isTime(time) ? time : null;
}

const focus: Check<Focus> = record({
  time: or(tuple(num, num), null),
  prefixes: or(list(str), []),
  workers: or(list(str), []),
  spans: or(list(str), []),
  cells: or(list(str), []),
});

const addressed = { page: nullable(str), session: str };

const prefixTotal = (value: unknown, path: string) => {
  const row = tuple(count, count, num, count, count)(value, path);
  const [prefix, tasks, seconds, erred, computes] = row;
  return { prefix, tasks, seconds, erred, computes };
};

const actionTotal = (value: unknown, path: string) => {
  const [action, rows, seconds] = tuple(count, count, num)(value, path);
  return { action, rows, seconds };
};

const problem = record({ code: str, text: str, next: or(str, "") });

const shapes = {
  welcome: record({
    page: str,
    protocol: count,
    version: str,
    kernel: str,
    subshells: or(bool, false),
    resumed: or(bool, false),
    sessions: list(session),
    recorder: or(bool, true),
  }),
  sessions: record({ sessions: list(session), recorder: or(bool, true) }),
  status: record({
    ...addressed,
    state: oneOf(STATES),
    counts,
    behind_s: or(num, 0),
    now: num,
    origin: or(origin, null),
    last_seq: or(count, null),
    notices: or(list(notice), []),
    workers: or(list(worker), []),
  }),
  batch: record({
    ...addressed,
    seq: count,
    kind: oneOf(BATCH_KINDS),
    first: count,
    tasks: count,
    rows: count,
  }),
  keys: record({
    ...addressed,
    seq: count,
    blocks: list(record({ first: count, tasks: count, bytes: count })),
  }),
  rows: record({
    ...addressed,
    seq: count,
    table: str,
    ring: or(count, 0),
    first: count,
    count,
    rows: count,
    numbered: or(bool, false),
    oldest: or(count, 0),
    dropped: or(count, 0),
    begin: or(num, null),
    complete: or(bool, false),
    /** Cells of each column of texts; `decodeRows` checks them. */
    texts: fields,
  }),
  summary: record({ ...addressed, figures: anything }),
  totals: record({
    ...addressed,
    focus: or(focus, null),
    prefixes: list(prefixTotal),
    actions: list(actionTotal),
  }),
  answer: record({
    page: nullable(str),
    session: or(str, ""),
    id: str,
    result: or(anything, null),
    error: or(problem, null),
  }),
  focus: record({
    ...addressed,
    focus,
    by: or(str, ""),
    setting: or(count, 0),
  }),
  error: record({
    page: or(str, null),
    session: or(str, null),
    code: str,
    text: str,
    next: or(str, ""),
    protocol: or(count, null),
    version: or(str, null),
  }),
  bye: record({ page: or(str, null), session: str, text: or(str, "") }),
  code: record({}),
} satisfies Record<KernelMessageType, Check<object>>;

type Shapes = typeof shapes;
type Fields<K extends keyof Shapes> = ReturnType<Shapes[K]>;

export type Message<K extends keyof Shapes> = Fields<K> & {
  type: K;
  buffers: BinaryBuffer[];
};
export type KernelMessage = {
  [K in keyof Shapes]: Message<K>;
}[keyof Shapes];
/** A message of an unknown type, which is reported once and then ignored. */
export interface UnknownMessage {
  type: "unknown";
  name: string;
}
export type SessionEntry = ReturnType<typeof session>;

/** How many buffers the message must have. */
function buffersWanted(message: KernelMessage): number {
  if (message.type === "batch" || message.type === "code") return 1;
  // Rows without numeric columns have none, because some hosts drop empty buffers.
  if (message.type === "rows") return Math.min(1, message.buffers.length);
  return message.type === "keys" ? message.blocks.length : 0;
}

/**
 * Check a message and give it a type.
 *
 * @throws DaskscopeError with the code `bad-message`, which names the wrong field.
 */
export function parseMessage(
  data: unknown,
  buffers: readonly BinaryBuffer[] = [],
): KernelMessage | UnknownMessage {
  try {
    const { type } = record({ type: str })(data, "message");
    if (!Object.hasOwn(shapes, type)) return { type: "unknown", name: type };
    const name = type as keyof Shapes;
    const message = {
      ...shapes[name](data, name),
      type: name,
      buffers: [...buffers],
    } as KernelMessage;
    const wanted = buffersWanted(message);
    if (buffers.length !== wanted) {
      throw new CheckError(`${name}.buffers`, `a list of ${wanted}`);
    }
    return message;
  } catch (error) {
    if (error instanceof CheckError) throw badMessage(error.message);
    throw error;
  }
}

const addressFields = record({
  page: or(str, null),
  session: or(str, null),
  seq: or(count, null),
});

/** Page, session and number of an unreadable message; null if these are unreadable too. */
export function addressOf(
  data: unknown,
): ReturnType<typeof addressFields> | null {
  try {
    return addressFields(data, "message");
  } catch {
    return null;
  }
}

/** Fields of a page's messages, in addition to `type` and `page`. */
interface PageFields extends Record<PageMessageType, object> {
  hello: { protocol: number; version: string; build: string };
  watch: {
    session: string;
    visible: boolean;
    tables: readonly string[];
    have: [number, number][];
    restart: boolean;
    setting: number;
  };
  unwatch: { session: string };
  ack: { session: string; seq: number; missing: number[] };
  /** A question without a session is about the kernel. */
  ask: { session: string | null; id: string; what: string; args: object };
  focus: { session: string; focus: Focus; setting: number };
  bye: object;
}

export interface PageMessage {
  type: PageMessageType;
  page: string;
  [field: string]: unknown;
}

/** Build a message of a page. */
export const pageMessage = <K extends PageMessageType>(
  type: K,
  page: string,
  fields: PageFields[K],
): PageMessage => ({ type, page, ...fields });
