// Interfaces between a source of a session's messages, which is a kernel or a file, and
// the store that takes them.

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

/** Messages without columns or keys. */
export type ControlMessage = Exclude<
  SessionMessage,
  Message<"batch"> | Message<"keys"> | Message<"rows">
>;

/** Takes the messages of a stream. */
export interface Sink {
  take(message: ControlMessage): void;
  /** All rows of some consecutive tasks, checked. */
  takeRows(rows: TaskBatch, first: number, tasks: number): void;
  /**
   * Rows of another table, in the order in which they were sent. Everything is checked,
   * except whether the entries that they point at exist.
   */
  takeTable(rows: TableRows): void;
  /** The preview of some consecutive tasks. */
  takeCoarse(blocks: CoarseColumns, first: number, tasks: number): void;
  /** The keys of some consecutive tasks. */
  takeKeys(
    first: number,
    tasks: number,
    packed: Uint8Array<ArrayBuffer>,
    packing: Packing,
  ): void;
  /** Number of rows that wait for a frame; a file sends more only when there are few. */
  waitingRows(): number;
  /** Ranges of task numbers that the page holds. */
  have(): [number, number][];
  /** The channel opened (true) or closed (false). */
  connected(alive: boolean): void;
  /** Data is missing, because a message was lost or unreadable; `table` if only that one. */
  failed(problem: Problem, table?: string): void;
}

/** The stream of one session, as its store uses it. */
export interface SessionFlow {
  /** Start to receive tables, or change which, or whether a panel is visible. */
  watch(visible: boolean, tables: readonly string[]): void;
  /** Receive no rows while no panel is visible; one may return soon. */
  pause(): void;
  unwatch(): void;
  /** Called when the page drops the session. */
  close(): void;
  setFocus(focus: Focus): void;
  ask(what: string, args: object, timeout_ms?: number): Promise<unknown>;
  /** Request rows and keys again, because some were lost for good. */
  startOver(): void;
}

/** A source of sessions: a kernel or a file. */
export interface SessionLink {
  readonly kernelId: string;
  /** True for a kernel, false for a file, which gets no new data. */
  readonly live: boolean;
  readonly sessions: Signal<SessionEntry[]>;
  /** The stream of one session; it sends nothing before it is watched. */
  stream(sessionId: string, sink: Sink): SessionFlow;
}
