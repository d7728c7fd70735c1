// Plain data types of the model. Must not know about comms, DOM or Dask.

import type { TableColumns, TableName } from "../schema";

/** One start/stop interval of one task. Times in seconds since the epoch. */
export interface Interval {
  start: number;
  duration: number;
  lane: number;
  prefix: number;
  action: number;
  status: number;
  nbytes: number;
  span: number;
  task: number;
  computation: number;
}

/** A worker thread. `thread` is the thread's ident on its worker, as text. */
export interface Lane {
  worker: string;
  thread: string;
}

/** A span; its name lists the spans around it, outermost first. */
export interface Span {
  id: string;
  name: string[];
}

/** The filter that all panels of a session share. Empty lists mean all. */
export interface Focus {
  time: [number, number] | null;
  prefixes: string[];
  workers: string[];
  spans: string[];
  /** Cell names, such as `In [7]`. */
  cells: string[];
}

export const NO_FOCUS: Focus = {
  time: null,
  prefixes: [],
  workers: [],
  spans: [],
  cells: [],
};

/** Exact figures from the kernel. */
export interface Counts {
  captured: number;
  kept: number;
  dropped_agent: number;
  dropped_recording: number;
  rows: number;
  erred: number;
  /** Number of times a worker joined, changed or left. */
  changes: number;
}

export const NO_COUNTS: Counts = {
  captured: 0,
  kept: 0,
  dropped_agent: 0,
  dropped_recording: 0,
  rows: 0,
  erred: 0,
  changes: 0,
};

export interface Notice {
  code: string;
  level: "info" | "warn" | "error";
  text: string;
  next: string;
}

export interface Worker {
  address: string;
  name: string;
  host: string;
  threads: number;
  memory_limit: number;
  process: number;
  managed: number;
  spilled: number;
  status: string;
  /** Number of running tasks; null if unknown. */
  running: number | null;
}

/** A row of a table, by column name. */
export type TableRow<N extends TableName> = {
  readonly [C in keyof TableColumns[N]]: TableColumns[N][C] extends ArrayLike<
    infer T
  >
    ? T
    : never;
};

/** `task` is -1 if the scheduler dropped the task before it could be read. */
export type TaskError = Omit<TableRow<"errors">, "key" | "traceback">;
export type Change = Omit<TableRow<"workers">, "name">;
export type Gap = TableRow<"gaps">;

export interface PrefixTotal {
  prefix: number;
  tasks: number;
  /** Time spent computing. */
  seconds: number;
  erred: number;
  /** Number of rows that `seconds` sums. */
  computes: number;
}

export interface ActionTotal {
  action: number;
  rows: number;
  seconds: number;
}

/** Everything about one task: the kernel's answer to `ask task`. */
export interface TaskDetail {
  task: number;
  key: string;
  prefix: string;
  worker: string;
  thread: string;
  nbytes: number;
  span: string[];
  status: string;
  startstops: { action: string; start: number; stop: number }[];
  error: { exception: string; traceback: string } | null;
}
