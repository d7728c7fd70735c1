// A recording in a file as a link with one session, like a kernel's.

import { signal } from "@preact/signals";
import type { SessionFlow, SessionLink, Sink } from "../stream_link";
import type { SessionEntry } from "../wire";
import type { StoredRecording } from "./recording";
import { StoredFlow } from "./stored_flow";

export class StoredLink implements SessionLink {
  readonly kernelId = fileId();
  readonly live = false;
  readonly sessions;

  constructor(
    private readonly recording: StoredRecording,
    /** What errors call the file. */
    private readonly name: string,
    entry: SessionEntry,
  ) {
    this.sessions = signal<SessionEntry[]>([entry]);
  }

  stream(_sessionId: string, sink: Sink): SessionFlow {
    return new StoredFlow(this.recording, this.name, sink);
  }
}

/** Like a kernel's: the page keeps a store for each. */
export function fileId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  const id = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
  return `file-${id.join("")}`;
}
