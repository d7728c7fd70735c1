// Generated from py_src/daskscope/schema.py by `make schema`. Do not edit.

export const PROTOCOL = 1;
export const COMM_TARGET = "daskscope";
export const OTHER_NAME = "(other)";
export const MAX_NAMES = 60000;
export const FILE_FORMAT = 1;
export const FILE_PART_TASKS = 65536;
export const FILE_PART_ROWS = 1000000;
export const KEY_SEPARATOR = "\u0000";
export const MAX_KEY_CHARACTERS = 100000;

export const STATUSES = [
  "OK",
  "error",
] as const;

export const ACTIONS = [
  "compute",
  "transfer",
  "disk-read",
  "disk-write",
  "deserialize",
] as const;

export const NAME_KINDS = [
  "prefixes",
  "lanes",
  "actions",
  "spans",
] as const;

export const STATES = [
  "live",
  "waiting",
  "lost",
  "partly",
  "stopped",
  "no-client",
] as const;

export const BATCH_KINDS = [
  "live",
  "detail",
  "coarse",
] as const;

export const KERNEL_MESSAGES = [
  "welcome",
  "sessions",
  "status",
  "names",
  "batch",
  "keys",
  "events",
  "totals",
  "answer",
  "focus",
  "error",
  "bye",
  "code",
] as const;

export const PAGE_MESSAGES = [
  "hello",
  "watch",
  "unwatch",
  "ack",
  "ask",
  "focus",
  "bye",
  "code",
] as const;

export type NameKind = (typeof NAME_KINDS)[number];
export type State = (typeof STATES)[number];
export type BatchKind = (typeof BATCH_KINDS)[number];
export type KernelMessageType = (typeof KERNEL_MESSAGES)[number];
export type PageMessageType = (typeof PAGE_MESSAGES)[number];

export const LIMITS = {
  batch_rows: 16384,
  batch_bytes: 1000000,
  window_bytes: 8000000,
  bytes_per_s: 30000000,
  messages_per_s: 100,
  ack_bytes: 1000000,
  ack_ms: 2000,
  blind_bytes_per_s: 4000000,
  blind_bytes: 64000000,
  page_rows: 20000000,
  page_key_bytes: 200000000,
} as const;

/** A row is one start/stop interval of one task. */
export interface TasksColumns {
  /** seconds since the epoch, scheduler's clock */
  start: Float64Array;
  /** seconds; negative when the clocks disagree */
  duration: Float32Array;
  /** index into lanes: a worker thread */
  lane: Uint16Array;
  /** index into prefixes */
  prefix: Uint16Array;
  /** index into actions */
  action: Uint8Array;
  /** index into STATUSES, of the task */
  status: Uint8Array;
  /** size of the task's result in bytes */
  nbytes: Float32Array;
  /** index into spans; 0 is no span */
  span: Uint16Array;
  /** number of the task, in order of arrival */
  task: Uint32Array;
}

export const TASKS_COLUMNS = {
  start: Float64Array,
  duration: Float32Array,
  lane: Uint16Array,
  prefix: Uint16Array,
  action: Uint8Array,
  status: Uint8Array,
  nbytes: Float32Array,
  span: Uint16Array,
  task: Uint32Array,
} as const;

/** A row is one stretch of one lane in the first, coarse picture of a long run. */
export interface CoarseColumns {
  /** seconds since the epoch, scheduler's clock */
  start: Float64Array;
  /** seconds */
  duration: Float32Array;
  /** index into lanes */
  lane: Uint16Array;
  /** the prefix that took most of this stretch */
  prefix: Uint16Array;
  /** seconds of the stretch that the lane was busy */
  busy: Float32Array;
  /** how many rows of tasks this stretch stands for */
  rows: Uint32Array;
  /** 1 when a task of this stretch erred */
  erred: Uint8Array;
}

export const COARSE_COLUMNS = {
  start: Float64Array,
  duration: Float32Array,
  lane: Uint16Array,
  prefix: Uint16Array,
  busy: Float32Array,
  rows: Uint32Array,
  erred: Uint8Array,
} as const;
