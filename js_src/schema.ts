// Generated from py_src/daskscope/schema.py by `make schema`. Do not edit.

export const PROTOCOL = 2 as const;
export const COMM_TARGET = "daskscope" as const;
export const STEPS = [0, 10, 60, 600] as const;
export const ACTIONS = ["compute", "transfer", "disk-read", "disk-write", "deserialize"] as const;
export const MEASURES = ["process", "managed", "managed_total", "spilled", "unmanaged", "unmanaged_old", "unmanaged_recent", "optimistic"] as const;
export const WORKER_STATUSES = ["", "running", "paused", "closing_gracefully", "closing", "init"] as const;
export const BESIDE_TASKS = ["executor", "other"] as const;
export const UNKNOWN_GRAPH = 0 as const;
export const RECOMPUTED = 1 as const;
export const WITHOUT_GRAPH = ["(unknown)", "(recomputed)"] as const;
export const SCOPES = ["compute", "worker", "scheduler"] as const;
export const IN_ONE_OF = "in one of: " as const;
export const SUMMARY = "summary" as const;
export const FILE_FORMAT = 3 as const;
export const FILE_PART_TASKS = 65536 as const;
export const FILE_PART_ROWS = 1000000 as const;
export const STATUSES = ["OK", "error"] as const;
export const NAME_KINDS = ["prefixes", "lanes", "actions", "spans"] as const;
export const OTHER_NAME = "(other)" as const;
export const MAX_NAMES = 60000 as const;
export const KEY_SEPARATOR = "\u0000" as const;
export const MAX_KEY_CHARACTERS = 100000 as const;
export const MAX_TEXT_CHARACTERS = 20000 as const;
export const STATES = ["live", "waiting", "lost", "partly", "stopped", "no-client"] as const;
export const BATCH_KINDS = ["live", "detail", "coarse"] as const;
export const KERNEL_MESSAGES = ["welcome", "sessions", "status", "batch", "keys", "rows", "summary", "totals", "answer", "focus", "error", "bye", "code"] as const;
export const PAGE_MESSAGES = ["hello", "watch", "unwatch", "ack", "ask", "focus", "bye", "code"] as const;
export const MIN_RECORDING_BYTES = 4000000 as const;

export type State = (typeof STATES)[number];
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

export const COARSE_COLUMNS = {
  start: {"type": "float64"},
  duration: {"type": "float32"},
  lane: {"type": "uint16", "into": "lanes"},
  prefix: {"type": "uint16", "into": "prefixes"},
  busy: {"type": "float32"},
  rows: {"type": "uint32"},
  erred: {"type": "uint8"},
} as const;

/** How each table is made; what arrives is checked against this. */
export const TABLES = {
  prefixes: {
    kind: "dictionary",
    limit: 60000,
    first: [],
    columns: { name: {"type": "utf8"}, colour: {"type": "uint8"} },
  },
  lanes: {
    kind: "dictionary",
    limit: 60000,
    first: [],
    columns: { worker: {"type": "utf8"}, thread: {"type": "utf8"} },
  },
  actions: {
    kind: "dictionary",
    limit: 128,
    first: [["compute"], ["transfer"], ["disk-read"], ["disk-write"], ["deserialize"]],
    columns: { name: {"type": "utf8"} },
  },
  spans: {
    kind: "dictionary",
    limit: 60000,
    first: [["", []]],
    columns: { id: {"type": "utf8"}, name: {"type": "texts"} },
  },
  tasks: {
    kind: "tasks",
    columns: {
      start: {"type": "float64"},
      duration: {"type": "float32"},
      lane: {"type": "uint16", "into": "lanes"},
      prefix: {"type": "uint16", "into": "prefixes"},
      action: {"type": "uint8", "into": "actions"},
      status: {"type": "uint8"},
      nbytes: {"type": "float32"},
      span: {"type": "uint16", "into": "spans"},
      task: {"type": "uint32", "into": "tasks"},
      computation: {"type": "uint16"},
    },
  },
  errors: {
    kind: "log",
    rows: 1000,
    columns: {
      time: {"type": "float64"},
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
    rows: 10000,
    columns: {
      time: {"type": "float64"},
      worker: {"type": "utf8"},
      name: {"type": "utf8"},
      what: {"type": "utf8"},
      detail: {"type": "utf8"},
    },
  },
  events: {
    kind: "log",
    rows: 10000,
    group: "topic",
    group_rows: 2000,
    columns: { time: {"type": "float64"}, topic: {"type": "utf8"}, message: {"type": "utf8"} },
  },
  logs: {
    kind: "log",
    rows: 50000,
    columns: {
      time: {"type": "float64"},
      source: {"type": "utf8"},
      level: {"type": "utf8"},
      text: {"type": "utf8"},
    },
  },
  gaps: {
    kind: "log",
    rows: 1000,
    columns: {
      start: {"type": "float64"},
      stop: {"type": "float64"},
      reason: {"type": "utf8"},
      text: {"type": "utf8"},
    },
  },
  rowless: {
    kind: "log",
    rows: 100000,
    columns: {
      task: {"type": "int64", "into": "tasks"},
      prefix: {"type": "uint16", "into": "prefixes"},
      status: {"type": "uint8"},
    },
  },
  system: {
    kind: "series",
    bytes: 8000000,
    columns: {
      time: {"type": "float64"},
      workers: {"type": "float64", "combine": "extremes"},
      workers_least: {"type": "float64", "of": "workers", "combine": "extremes"},
      workers_most: {"type": "float64", "of": "workers", "combine": "extremes"},
      threads: {"type": "float64", "combine": "extremes"},
      threads_least: {"type": "float64", "of": "threads", "combine": "extremes"},
      threads_most: {"type": "float64", "of": "threads", "combine": "extremes"},
      memory_limit: {"type": "float64", "combine": "extremes"},
      memory_limit_least: {"type": "float64", "of": "memory_limit", "combine": "extremes"},
      memory_limit_most: {"type": "float64", "of": "memory_limit", "combine": "extremes"},
      process: {"type": "float64", "combine": "extremes"},
      process_least: {"type": "float64", "of": "process", "combine": "extremes"},
      process_most: {"type": "float64", "of": "process", "combine": "extremes"},
      managed: {"type": "float64", "combine": "extremes"},
      managed_least: {"type": "float64", "of": "managed", "combine": "extremes"},
      managed_most: {"type": "float64", "of": "managed", "combine": "extremes"},
      spilled: {"type": "float64", "combine": "extremes"},
      spilled_least: {"type": "float64", "of": "spilled", "combine": "extremes"},
      spilled_most: {"type": "float64", "of": "spilled", "combine": "extremes"},
      replicas: {"type": "float64", "combine": "extremes"},
      replicas_least: {"type": "float64", "of": "replicas", "combine": "extremes"},
      replicas_most: {"type": "float64", "of": "replicas", "combine": "extremes"},
      scattered: {"type": "float64", "combine": "extremes"},
      scattered_least: {"type": "float64", "of": "scattered", "combine": "extremes"},
      scattered_most: {"type": "float64", "of": "scattered", "combine": "extremes"},
      cpu: {"type": "float64", "combine": "extremes"},
      cpu_least: {"type": "float64", "of": "cpu", "combine": "extremes"},
      cpu_most: {"type": "float64", "of": "cpu", "combine": "extremes"},
      memory: {"type": "float64", "combine": "extremes"},
      memory_least: {"type": "float64", "of": "memory", "combine": "extremes"},
      memory_most: {"type": "float64", "of": "memory", "combine": "extremes"},
      loop_interval: {"type": "float64", "combine": "extremes"},
      loop_interval_least: {"type": "float64", "of": "loop_interval", "combine": "extremes"},
      loop_interval_most: {"type": "float64", "of": "loop_interval", "combine": "extremes"},
    },
  },
  memory: {
    kind: "series",
    bytes: 40000000,
    columns: {
      time: {"type": "float64"},
      worker: {"type": "utf8", "combine": "key"},
      process: {"type": "float32", "combine": "extremes"},
      process_least: {"type": "float32", "of": "process", "combine": "extremes"},
      process_most: {"type": "float32", "of": "process", "combine": "extremes"},
      managed: {"type": "float32", "combine": "extremes"},
      managed_least: {"type": "float32", "of": "managed", "combine": "extremes"},
      managed_most: {"type": "float32", "of": "managed", "combine": "extremes"},
      managed_total: {"type": "float32", "combine": "extremes"},
      managed_total_least: {"type": "float32", "of": "managed_total", "combine": "extremes"},
      managed_total_most: {"type": "float32", "of": "managed_total", "combine": "extremes"},
      spilled: {"type": "float32", "combine": "extremes"},
      spilled_least: {"type": "float32", "of": "spilled", "combine": "extremes"},
      spilled_most: {"type": "float32", "of": "spilled", "combine": "extremes"},
      unmanaged: {"type": "float32", "combine": "extremes"},
      unmanaged_least: {"type": "float32", "of": "unmanaged", "combine": "extremes"},
      unmanaged_most: {"type": "float32", "of": "unmanaged", "combine": "extremes"},
      unmanaged_old: {"type": "float32", "combine": "extremes"},
      unmanaged_old_least: {"type": "float32", "of": "unmanaged_old", "combine": "extremes"},
      unmanaged_old_most: {"type": "float32", "of": "unmanaged_old", "combine": "extremes"},
      unmanaged_recent: {"type": "float32", "combine": "extremes"},
      unmanaged_recent_least: {"type": "float32", "of": "unmanaged_recent", "combine": "extremes"},
      unmanaged_recent_most: {"type": "float32", "of": "unmanaged_recent", "combine": "extremes"},
      optimistic: {"type": "float32", "combine": "extremes"},
      optimistic_least: {"type": "float32", "of": "optimistic", "combine": "extremes"},
      optimistic_most: {"type": "float32", "of": "optimistic", "combine": "extremes"},
      limit: {"type": "float32", "combine": "extremes"},
      limit_least: {"type": "float32", "of": "limit", "combine": "extremes"},
      limit_most: {"type": "float32", "of": "limit", "combine": "extremes"},
      cpu: {"type": "float32", "combine": "extremes"},
      cpu_least: {"type": "float32", "of": "cpu", "combine": "extremes"},
      cpu_most: {"type": "float32", "of": "cpu", "combine": "extremes"},
      status: {"type": "uint8", "combine": "last"},
    },
  },
  held: {
    kind: "series",
    bytes: 8000000,
    columns: {
      time: {"type": "float64"},
      prefix: {"type": "uint16", "into": "prefixes", "combine": "key"},
      bytes: {"type": "float32", "combine": "extremes"},
      bytes_least: {"type": "float32", "of": "bytes", "combine": "extremes"},
      bytes_most: {"type": "float32", "of": "bytes", "combine": "extremes"},
    },
  },
  samples: {
    kind: "series",
    bytes: 40000000,
    columns: {
      time: {"type": "float64"},
      label: {"type": "utf8", "combine": "key"},
      measure: {"type": "utf8", "combine": "key"},
      cluster: {"type": "float32", "combine": "extremes"},
      cluster_least: {"type": "float32", "of": "cluster", "combine": "extremes"},
      cluster_most: {"type": "float32", "of": "cluster", "combine": "extremes"},
      least: {"type": "float32", "combine": "extremes"},
      least_least: {"type": "float32", "of": "least", "combine": "extremes"},
      least_most: {"type": "float32", "of": "least", "combine": "extremes"},
      median: {"type": "float32", "combine": "extremes"},
      median_least: {"type": "float32", "of": "median", "combine": "extremes"},
      median_most: {"type": "float32", "of": "median", "combine": "extremes"},
      most: {"type": "float32", "combine": "extremes"},
      most_least: {"type": "float32", "of": "most", "combine": "extremes"},
      most_most: {"type": "float32", "of": "most", "combine": "extremes"},
      limit: {"type": "float32", "combine": "extremes"},
      limit_least: {"type": "float32", "of": "limit", "combine": "extremes"},
      limit_most: {"type": "float32", "of": "limit", "combine": "extremes"},
    },
  },
  contexts: {
    kind: "dictionary",
    limit: 255,
    first: [["execute"], ["gather-dep"], ["get-data"], ["memory-monitor"]],
    columns: { name: {"type": "utf8"} },
  },
  activities: {
    kind: "dictionary",
    limit: 60000,
    first: [],
    columns: { name: {"type": "utf8"}, colour: {"type": "uint8"} },
  },
  units: {
    kind: "dictionary",
    limit: 255,
    first: [["seconds"], ["bytes"], ["count"]],
    columns: { name: {"type": "utf8"} },
  },
  metrics: {
    kind: "series",
    bytes: 40000000,
    columns: {
      time: {"type": "float64"},
      duration: {"type": "float32"},
      context: {"type": "uint8", "into": "contexts", "combine": "key"},
      prefix: {"type": "uint16", "into": "prefixes", "combine": "key"},
      activity: {"type": "uint16", "into": "activities", "combine": "key"},
      span: {"type": "uint16", "into": "spans", "combine": "key"},
      unit: {"type": "uint8", "into": "units", "combine": "key"},
      value: {"type": "float64", "combine": "sum"},
    },
  },
  states: {
    kind: "series",
    bytes: 8000000,
    columns: {
      time: {"type": "float64"},
      prefix: {"type": "uint16", "into": "prefixes", "combine": "key"},
      worker: {"type": "utf8", "combine": "key"},
      waiting: {"type": "uint32", "combine": "last"},
      queued: {"type": "uint32", "combine": "last"},
      no_worker: {"type": "uint32", "combine": "last"},
      processing: {"type": "uint32", "combine": "last"},
      executing: {"type": "uint32", "combine": "last"},
      fetching: {"type": "uint32", "combine": "last"},
      memory: {"type": "uint32", "combine": "last"},
      start: {"type": "float64", "combine": "last"},
      earliest: {"type": "float64", "combine": "last"},
    },
  },
  computations: {
    kind: "log",
    rows: 60000,
    group: "computation",
    group_rows: 1,
    columns: {
      computation: {"type": "uint16"},
      time: {"type": "float64"},
      stop: {"type": "float64"},
      graphs: {"type": "uint32"},
      tasks: {"type": "uint32"},
      client: {"type": "utf8"},
      cell: {"type": "utf8"},
      code: {"type": "utf8"},
    },
  },
  cells: {
    kind: "log",
    rows: 10000,
    group: "cell",
    group_rows: 1,
    columns: {
      cell: {"type": "utf8"},
      time: {"type": "float64"},
      stop: {"type": "float64"},
      status: {"type": "utf8"},
      id: {"type": "utf8"},
      code: {"type": "utf8"},
    },
  },
  span_times: {
    kind: "log",
    rows: 10000,
    group: "span",
    group_rows: 1,
    columns: {
      span: {"type": "uint16", "into": "spans"},
      parent: {"type": "uint16", "into": "spans"},
      time: {"type": "float64"},
      start: {"type": "float64"},
      stop: {"type": "float64"},
      tasks: {"type": "uint32"},
      erred: {"type": "uint32"},
      nbytes: {"type": "float64"},
      code: {"type": "utf8"},
    },
  },
  frames: {
    kind: "dictionary",
    limit: 60000,
    first: [["", "", 0, 0, ""]],
    columns: {
      name: {"type": "utf8"},
      file: {"type": "utf8"},
      first_line: {"type": "uint32"},
      line: {"type": "uint32"},
      source: {"type": "utf8"},
    },
  },
  stacks: {
    kind: "dictionary",
    limit: 1000000,
    first: [[0, 0]],
    columns: { parent: {"type": "uint32", "into": "stacks"}, frame: {"type": "uint32", "into": "frames"} },
  },
  profile_counts: {
    kind: "series",
    bytes: 40000000,
    columns: {
      time: {"type": "float64"},
      duration: {"type": "float32"},
      scope: {"type": "uint8", "combine": "key"},
      worker: {"type": "utf8", "combine": "key"},
      prefix: {"type": "uint16", "into": "prefixes", "combine": "key"},
      stack: {"type": "uint32", "into": "stacks", "combine": "key"},
      count: {"type": "float32", "combine": "sum"},
    },
  },
  profiled: {
    kind: "log",
    rows: 10000,
    group: "worker",
    group_rows: 1,
    columns: {
      worker: {"type": "utf8"},
      time: {"type": "float64"},
      until: {"type": "float64"},
      interval: {"type": "float64"},
      cycle: {"type": "float64"},
      compute: {"type": "utf8"},
      administrative: {"type": "utf8"},
      lost: {"type": "uint32"},
    },
  },
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
