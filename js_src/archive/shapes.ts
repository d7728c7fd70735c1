// The tables of a file that only files have, and their columns: as in schema.py, to
// which a golden file holds them.

import { MAX_KEY_CHARACTERS } from "../schema";
import type { Records, RecordShape } from "./tables";

/** In each list names are numbered in order of the rows. */
export const NAMES_SHAPE = {
  /** One of NAME_KINDS. */
  kind: "utf8",
  /** Text, or a JSON list of texts: of a lane, of a span. */
  name: "utf8",
} as const satisfies RecordShape;

/** Tables of few rows of numbers and text. */
export const RECORD_SHAPES = {
  errors: {
    time: "float64",
    key: "utf8",
    prefix: "utf8",
    worker: "utf8",
    exception: "utf8",
    traceback: "utf8",
    /** Number of the task; -1 when it is not in the recording. */
    task: "int64",
  },
  workers: {
    time: "float64",
    /** Address; empty when all are meant. */
    worker: "utf8",
    name: "utf8",
    /** present, added, removed, a status, spilling, … */
    what: "utf8",
    /** Threads that it came with, or its status before. */
    detail: "utf8",
  },
  events: {
    time: "float64",
    /** Topic, or several with commas between. */
    topic: "utf8",
    /** JSON. */
    message: "utf8",
  },
  logs: {
    time: "float64",
    /** scheduler, or the worker's address. */
    source: "utf8",
    level: "utf8",
    text: "utf8",
  },
  cluster: {
    time: "float64",
    workers: "float64",
    threads: "float64",
    memory_limit: "float64",
    process: "float64",
    managed: "float64",
    spilled: "float64",
  },
  scheduler: {
    time: "float64",
    /** Percent of one core. */
    cpu: "float64",
    memory: "float64",
    /** Seconds between two ticks of its event loop. */
    loop_interval: "float64",
  },
  gaps: { start: "float64", stop: "float64", reason: "utf8", text: "utf8" },
  /** Tasks without rows: they ran nowhere, since their worker was killed. */
  rowless: {
    task: "int64",
    prefix: "utf8",
    /** Index into STATUSES. */
    status: "int64",
  },
} as const satisfies Record<string, RecordShape>;

const MAX_TEXT_CHARACTERS = 20_000;

/** As much of a text of a small table as the agent keeps: a page with more stands still. */
export const maxCharacters = (column: string): number =>
  column === "key" ? MAX_KEY_CHARACTERS : MAX_TEXT_CHARACTERS;

export type RecordTable = keyof typeof RECORD_SHAPES;
export type RecordsOf<T extends RecordTable> = Records<
  (typeof RECORD_SHAPES)[T]
>;
