// What the tabs of a stored recording share: the session as far as it is unpacked,
// its small tables, one focus, one axis of time. The home makes it.

import type { ReadonlySignal } from "@preact/signals";
import type { Theme } from "../base/theme";
import type { Focus } from "../model/types";
import type { SessionStore } from "../session";
import type { EmptyState } from "./host";
import type { RecordTables } from "./record_tables";

/** The tabs of a report, from the left. */
export const TABS = [
  "summary",
  "task-stream",
  "events",
  "logs",
  "system",
] as const;
export type TabId = (typeof TABS)[number];

export const isTab = (text: string): text is TabId =>
  (TABS as readonly string[]).includes(text);

/** From the start to the stop of a stretch of time, in seconds since the epoch. */
export type Range = readonly [start: number, stop: number];

export interface RecordingView {
  /** Null until the recording is open. */
  readonly session: ReadonlySignal<SessionStore | null>;
  /** Why there is no session (yet); null when there is one. */
  readonly emptyState: ReadonlySignal<EmptyState | null>;
  readonly tables: RecordTables;
  readonly focus: ReadonlySignal<Focus>;
  setFocus(focus: Focus): void;
  /** What every axis of time shows. */
  readonly range: ReadonlySignal<Range>;
  /** Seconds since the epoch: time zero of every axis. */
  readonly origin: ReadonlySignal<number>;
  readonly theme: ReadonlySignal<Theme>;
  /** The page is laid out for paper: there are no frames any more. */
  readonly printing: ReadonlySignal<boolean>;
  /** Opens a tab, with another focus where one is given. */
  show(tab: TabId, focus?: Focus): void;
}
