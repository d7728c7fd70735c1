// What a report's page carries: a summary as JSON, and a recording as base64.

import type { SessionStore } from "../../session";
import type { Place } from "./fragment";

export interface ReportSource {
  /** Shown where the summary has no title. */
  readonly title: string;
  /** Name of the file of the page. */
  readonly name: string;
  /** As it was parsed: nothing of it is checked. Undefined where a file has none. */
  readonly summary: unknown;
  /** Of the recording, which is opened when somebody first looks. */
  readonly session: SessionStore;
  /** Bytes of the recording; 0 where there is none. */
  readonly size: number;
  /** The recording's file, as it was. */
  file(): Promise<Blob>;
  /**
   * An address that others can open and see this place, or null. Missing where the page is
   * the report's own: then its address holds tab and focus.
   */
  link?(place: Place): string | null;
}
