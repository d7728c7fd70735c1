// Reads the contents of a report: a summary as JSON, and a recording in base 85.

import { bytesOfText, type ByteSource } from "../../archive/bytes";
import { codedError } from "../../archive/problems";
import { StoredRecording } from "../../archive/recording";
import { StoredLink } from "../../archive/stored_link";
import type { SessionStore } from "../../session/session";
import type { SessionLink } from "../../link/types";
import type { Place } from "./fragment";
import { decoded } from "./lab_address";

export interface ReportSource {
  /** Shown if the summary has no title. */
  readonly title: string;
  /** File name of the page. */
  readonly name: string;
  /** As parsed, unchecked; undefined if the file has none. */
  readonly summary: unknown;
  /** The session of the recording, which is opened when it is first shown. */
  readonly session: SessionStore;
  /** Bytes of the recording; 0 if there is none. */
  readonly size: number;
  /** The recording as a file, unchanged. */
  file(): Promise<Blob>;
  /**
   * A link that shows others this place, or null. Undefined if the page is the report's
   * own, whose address contains tab and focus.
   */
  link?(place: Place): string | null;
}

const READ_BYTES = 3_000_000;
/** Ids of the elements, as Python writes them (report/html.py). */
export const [SUMMARY, RECORDING] = [
  "daskscope-summary",
  "daskscope-recording",
];

/** Make a source from the texts of a report's elements; errors call its recording `what`. */
export function reportSource(
  name: string,
  texts: { readonly summary: string; readonly recording: string },
  what: string,
  storeOf: (link: SessionLink) => SessionStore,
): ReportSource {
  const bytes = bytesOfText(texts.recording.trim());
  const open = async () => {
    await afterPaint();
    return StoredRecording.open(bytes);
  };
  return {
    title: name,
    name,
    summary: parsed(texts.summary),
    size: bytes.size,
    session: storeOf(new StoredLink(open, what)),
    async file() {
      try {
        return await wholeOf(bytes);
      } catch (error) {
        throw codedError(error, what);
      }
    },
  };
}

/** Resolves after the next frame is painted; a hidden page paints none and does not wait. */
const afterPaint = (): Promise<void> =>
  new Promise((painted) => {
    if (document.visibilityState === "hidden") setTimeout(painted);
    else requestAnimationFrame(() => setTimeout(painted));
  });

/** Null if the JSON is invalid; the page then shows that the summary cannot be read. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Read in parts, because a browser keeps large Blobs outside of the page's memory. */
async function wholeOf(bytes: ByteSource): Promise<Blob> {
  const parts: BlobPart[] = [];
  for (let at = 0; at < bytes.size; at += READ_BYTES) {
    parts.push(new Blob([await bytes.read(at, at + READ_BYTES)]));
  }
  return new Blob(parts, { type: "application/octet-stream" });
}

/** The report of the page itself. */
export function embeddedSource(
  page: Document,
  storeOf: (link: SessionLink) => SessionStore,
): ReportSource {
  const textOf = (id: string): string =>
    page.getElementById(id)?.textContent ?? "";
  const file = page.location.pathname.split("/").at(-1)!;
  const name = decoded(file) || "report.html";
  const texts = { summary: textOf(SUMMARY), recording: textOf(RECORDING) };
  const what = "The recording in this report";
  const source = reportSource(name, texts, what, storeOf);
  return { ...source, title: page.title || name };
}
