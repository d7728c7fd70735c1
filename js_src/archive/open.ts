// A recording opened in a page, without a kernel: from a file, or from a report.

import { type ByteSource, bytesOfBlob, bytesOfBuffer } from "./bytes";
import { SESSION_ID, statusOf } from "./messages";
import { codedError } from "./problems";
import { StoredRecording } from "./recording";
import { StoredLink } from "./stored_link";

export interface OpenedRecording {
  /** For the page: `thePage().session(link, sessionId)`. */
  readonly link: StoredLink;
  readonly sessionId: string;
  /** What is known of the whole; `daskscope.load(…).about` in Python. */
  readonly about: Readonly<Record<string, unknown>>;
  /** False when the file was cut off. */
  readonly whole: boolean;
}

/**
 * Open a recording; `name` is what errors call it.
 *
 * @throws DaskscopeError with the code `bad-file`, `newer-file` or `older-file`.
 */
export async function openRecording(
  bytes: ArrayBuffer | Blob | ByteSource,
  name = "This file",
): Promise<OpenedRecording> {
  try {
    const recording = await StoredRecording.open(sourceOf(bytes));
    const { about, whole } = recording;
    const { state, workers } = await statusOf(recording, null, 0, []);
    const link = new StoredLink(recording, name, {
      id: SESSION_ID,
      name: textOf(about["cluster"]) || "recording",
      address: textOf(about["scheduler"]),
      state,
      workers: workers.length,
      threads: workers.reduce((sum, { threads }) => sum + threads, 0),
      active: false,
    });
    return { link, sessionId: SESSION_ID, about, whole };
  } catch (error) {
    throw codedError(error, name);
  }
}

function sourceOf(bytes: ArrayBuffer | Blob | ByteSource): ByteSource {
  if (bytes instanceof Blob) return bytesOfBlob(bytes);
  return "read" in bytes ? bytes : bytesOfBuffer(bytes);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
