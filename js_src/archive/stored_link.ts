// A recording in a file, or in a report, as a link with one session, like a kernel's.

import { type Signal, signal } from "@preact/signals";
import type { SessionFlow, SessionLink, Sink } from "../link/types";
import type { SessionEntry } from "../link/wire";
import { bytesOfBlob } from "./bytes";
import { SESSION_ID } from "./messages";
import { codedError } from "./problems";
import { StoredRecording } from "./recording";
import { StoredFlow } from "./stored_flow";

let files = 0;

export class StoredLink implements SessionLink {
  /** Like a kernel's: the page keeps a store for each. */
  readonly kernelId = `file-${++files}`;
  readonly live = false;
  readonly sessions: Signal<SessionEntry[]> = signal([]);
  private opened: Promise<StoredRecording> | null = null;

  constructor(
    /** Called once, when a panel first needs the rows. */
    private readonly open: () => Promise<StoredRecording>,
    /** What errors call the recording. */
    private readonly name: string,
  ) {}

  stream(_sessionId: string, sink: Sink): SessionFlow {
    const open = () => (this.opened ??= this.begin());
    return new StoredFlow(open, this.name, sink);
  }

  private async begin(): Promise<StoredRecording> {
    const recording = await this.open();
    const { title, source, cluster, scheduler } = recording.about;
    const named = [title, source, cluster].find(
      (one) => typeof one === "string" && one !== "",
    );
    this.sessions.value = [
      {
        id: SESSION_ID,
        name: (named as string | undefined) ?? "recording",
        address: typeof scheduler === "string" ? scheduler : "",
        state: "stopped",
        workers: 0,
        threads: 0,
        active: false,
      },
    ];
    return recording;
  }
}

/**
 * Open a recording; `name` is what errors call it.
 *
 * @throws DaskscopeError with the code `bad-file`, `newer-file` or `older-file`.
 */
export async function openRecording(
  file: Blob,
  name = "This file",
): Promise<{ link: StoredLink; about: StoredRecording["about"] }> {
  try {
    const recording = await StoredRecording.open(bytesOfBlob(file));
    const link = new StoredLink(() => Promise.resolve(recording), name);
    return { link, about: recording.about };
  } catch (error) {
    throw codedError(error, name);
  }
}
