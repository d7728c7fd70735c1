// Where the messages of a session come from, and who takes them: what a kernel and a
// stored recording have in common.

import type { Signal } from "@preact/signals";
import type { Packing } from "../base/unpack";
import type { Problem } from "../errors";
import type { TaskBatch } from "../model/tasks";
import type { Focus } from "../model/types";
import type { CoarseColumns } from "../schema";
import type { KernelMessage, Message, SessionEntry } from "./wire";
import type { TableRows } from "./columns";

/** Messages of one session, whatever the channel. */
export type SessionMessage = Exclude<
  KernelMessage,
  Message<"welcome"> | Message<"sessions"> | Message<"answer">
>;

/** Those that are words, not columns or keys. */
export type SessionNews = Exclude<
  SessionMessage,
  Message<"batch"> | Message<"keys"> | Message<"rows">
>;

/** Takes what a stream brings. */
export interface Sink {
  take(message: SessionNews): void;
  /** All rows of some consecutive tasks, checked. */
  takeRows(rows: TaskBatch, first: number, tasks: number): void;
  /**
   * Rows of another table, in the order in which they were sent, checked but for what they
   * point at.
   */
  takeTable(rows: TableRows): void;
  /** The preview of some consecutive tasks. */
  takeCoarse(stretches: CoarseColumns, first: number, tasks: number): void;
  /** The keys of some consecutive tasks. */
  takeKeys(
    first: number,
    tasks: number,
    packed: Uint8Array<ArrayBuffer>,
    packing: Packing,
  ): void;
  /** Rows that were taken and wait for a frame: who has all at hand waits for them. */
  waitingRows(): number;
  /** Ranges of task numbers that the page holds. */
  have(): [number, number][];
  /** The channel came (true) or went (false). */
  connected(alive: boolean): void;
  /** Something that came, or did not come, is missing now; of a table, if one is named. */
  failed(problem: Problem, table?: string): void;
}

/** The stream of one session, as its store uses it. */
export interface SessionFlow {
  /** Begin to receive tables, or change which, or whether anybody looks. */
  watch(visible: boolean, tables: readonly string[]): void;
  /** Not visible now, but may be again soon. */
  pause(): void;
  unwatch(): void;
  /** The session leaves the page. */
  close(): void;
  setFocus(focus: Focus): void;
  ask(what: string, args: object, timeout_ms?: number): Promise<unknown>;
  /** Rows or keys are lost for good: have all of them sent again. */
  startOver(): void;
}

/** A kernel, or a file: what has sessions. */
export interface SessionLink {
  readonly kernelId: string;
  /** A kernel; else a file, to which nothing comes any more. */
  readonly live: boolean;
  readonly sessions: Signal<SessionEntry[]>;
  /** The stream of one session; it sends nothing before it is watched. */
  stream(sessionId: string, sink: Sink): SessionFlow;
}
