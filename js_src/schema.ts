// Generated from py_src/daskscope/schema.py by `make schema`. Do not edit.

export const PROTOCOL = 2;
export const COMM_TARGET = "daskscope";
export const OTHER_NAME = "(other)";
export const MAX_NAMES = 60000;
export const SUMMARY = "summary";
export const STEPS = [0, 10, 60, 600] as const;
export const FILE_FORMAT = 2;
export const FILE_PART_TASKS = 65536;
export const FILE_PART_ROWS = 1000000;
export const KEY_SEPARATOR = "\u0000";
export const MAX_KEY_CHARACTERS = 100000;
export const MAX_TEXT_CHARACTERS = 20000;

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
  "batch",
  "keys",
  "rows",
  "summary",
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

/** How each table is made; what arrives of it is checked by this. */
export const TABLES = {
  prefixes: {
    kind: "dictionary",
    nouns: ["prefix", "prefixes"],
    limit: 60000,
    first: [],
    columns: {
      name: {"type": "utf8"},
      colour: {"type": "uint8"},
    },
  },
  lanes: {
    kind: "dictionary",
    nouns: ["thread of a worker", "threads of workers"],
    limit: 60000,
    first: [],
    columns: {
      worker: {"type": "utf8"},
      thread: {"type": "utf8"},
    },
  },
  actions: {
    kind: "dictionary",
    nouns: ["action", "actions"],
    limit: 255,
    first: [["compute"], ["transfer"], ["disk-read"], ["disk-write"], ["deserialize"]],
    columns: {
      name: {"type": "utf8"},
    },
  },
  spans: {
    kind: "dictionary",
    nouns: ["span", "spans"],
    limit: 60000,
    first: [["", []]],
    columns: {
      id: {"type": "utf8"},
      name: {"type": "texts"},
    },
  },
  tasks: {
    kind: "tasks",
    columns: {
      start: {"type": "float64", "unit": "s"},
      duration: {"type": "float32", "unit": "s"},
      lane: {"type": "uint16", "into": "lanes"},
      prefix: {"type": "uint16", "into": "prefixes"},
      action: {"type": "uint8", "into": "actions"},
      status: {"type": "uint8"},
      nbytes: {"type": "float32", "unit": "B"},
      span: {"type": "uint16", "into": "spans"},
      task: {"type": "uint32", "into": "tasks"},
    },
  },
  errors: {
    kind: "log",
    nouns: ["error", "errors"],
    rows: 1000,
    time: "time",
    stop: "",
    group: "",
    group_rows: 0,
    columns: {
      time: {"type": "float64", "unit": "s"},
      key: {"type": "utf8"},
      prefix: {"type": "uint16", "into": "prefixes"},
      worker: {"type": "utf8"},
      exception: {"type": "utf8"},
      traceback: {"type": "utf8"},
      task: {"type": "int64", "into": "tasks"},
    },
  },
  workers: {
    kind: "log",
    nouns: ["change of a worker", "changes of workers"],
    rows: 10000,
    time: "time",
    stop: "",
    group: "",
    group_rows: 0,
    columns: {
      time: {"type": "float64", "unit": "s"},
      worker: {"type": "utf8"},
      name: {"type": "utf8"},
      what: {"type": "utf8"},
      detail: {"type": "utf8"},
    },
  },
  events: {
    kind: "log",
    nouns: ["event", "events"],
    rows: 10000,
    time: "time",
    stop: "",
    group: "topic",
    group_rows: 2000,
    columns: {
      time: {"type": "float64", "unit": "s"},
      topic: {"type": "utf8"},
      message: {"type": "utf8"},
    },
  },
  logs: {
    kind: "log",
    nouns: ["line of a log", "lines of logs"],
    rows: 50000,
    time: "time",
    stop: "",
    group: "",
    group_rows: 0,
    columns: {
      time: {"type": "float64", "unit": "s"},
      source: {"type": "utf8"},
      level: {"type": "utf8"},
      text: {"type": "utf8"},
    },
  },
  gaps: {
    kind: "log",
    nouns: ["gap", "gaps"],
    rows: 1000,
    time: "start",
    stop: "stop",
    group: "",
    group_rows: 0,
    columns: {
      start: {"type": "float64", "unit": "s"},
      stop: {"type": "float64", "unit": "s"},
      reason: {"type": "utf8"},
      text: {"type": "utf8"},
    },
  },
  rowless: {
    kind: "log",
    nouns: ["task that ran nowhere", "tasks that ran nowhere"],
    rows: 100000,
    time: "",
    stop: "",
    group: "",
    group_rows: 0,
    columns: {
      task: {"type": "int64", "into": "tasks"},
      prefix: {"type": "uint16", "into": "prefixes"},
      status: {"type": "uint8"},
    },
  },
  system: {
    kind: "series",
    nouns: ["sample", "samples"],
    bytes: 8000000,
    columns: {
      time: {"type": "float64", "unit": "s"},
      workers: {"type": "float64", "combine": "extremes"},
      workers_least: {"type": "float64", "combine": "extremes", "of": "workers"},
      workers_most: {"type": "float64", "combine": "extremes", "of": "workers"},
      threads: {"type": "float64", "combine": "extremes"},
      threads_least: {"type": "float64", "combine": "extremes", "of": "threads"},
      threads_most: {"type": "float64", "combine": "extremes", "of": "threads"},
      memory_limit: {"type": "float64", "unit": "B", "combine": "extremes"},
      memory_limit_least: {"type": "float64", "unit": "B", "combine": "extremes", "of": "memory_limit"},
      memory_limit_most: {"type": "float64", "unit": "B", "combine": "extremes", "of": "memory_limit"},
      process: {"type": "float64", "unit": "B", "combine": "extremes"},
      process_least: {"type": "float64", "unit": "B", "combine": "extremes", "of": "process"},
      process_most: {"type": "float64", "unit": "B", "combine": "extremes", "of": "process"},
      managed: {"type": "float64", "unit": "B", "combine": "extremes"},
      managed_least: {"type": "float64", "unit": "B", "combine": "extremes", "of": "managed"},
      managed_most: {"type": "float64", "unit": "B", "combine": "extremes", "of": "managed"},
      spilled: {"type": "float64", "unit": "B", "combine": "extremes"},
      spilled_least: {"type": "float64", "unit": "B", "combine": "extremes", "of": "spilled"},
      spilled_most: {"type": "float64", "unit": "B", "combine": "extremes", "of": "spilled"},
      cpu: {"type": "float64", "combine": "extremes"},
      cpu_least: {"type": "float64", "combine": "extremes", "of": "cpu"},
      cpu_most: {"type": "float64", "combine": "extremes", "of": "cpu"},
      memory: {"type": "float64", "unit": "B", "combine": "extremes"},
      memory_least: {"type": "float64", "unit": "B", "combine": "extremes", "of": "memory"},
      memory_most: {"type": "float64", "unit": "B", "combine": "extremes", "of": "memory"},
      loop_interval: {"type": "float64", "unit": "s", "combine": "extremes"},
      loop_interval_least: {"type": "float64", "unit": "s", "combine": "extremes", "of": "loop_interval"},
      loop_interval_most: {"type": "float64", "unit": "s", "combine": "extremes", "of": "loop_interval"},
    },
  },
} as const;

export const COARSE_COLUMNS = {
  start: {"type": "float64", "unit": "s"},
  duration: {"type": "float32", "unit": "s"},
  lane: {"type": "uint16", "into": "lanes"},
  prefix: {"type": "uint16", "into": "prefixes"},
  busy: {"type": "float32", "unit": "s"},
  rows: {"type": "uint32"},
  erred: {"type": "uint8"},
} as const;

interface Arrays {
  float64: Float64Array;
  float32: Float32Array;
  /** Exact up to 2^53. */
  int64: Float64Array;
  uint32: Uint32Array;
  uint16: Uint16Array;
  uint8: Uint8Array;
  utf8: string[];
  texts: string[][];
}
type ColumnsOf<S extends Record<string, { type: keyof Arrays }>> = {
  -readonly [C in keyof S]: Arrays[S[C]["type"]];
};
export type TableName = keyof typeof TABLES;
/** The columns of each table, by its name; schema.py has the meaning of each. */
export type TableColumns = {
  [N in TableName]: ColumnsOf<(typeof TABLES)[N]["columns"]>;
};
export type TasksColumns = TableColumns["tasks"];
/** A row is one stretch of the preview of tasks. */
export type CoarseColumns = ColumnsOf<typeof COARSE_COLUMNS>;
