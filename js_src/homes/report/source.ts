// What a report carries: a summary as JSON, and a recording as base 85.

import { bytesOfText, type ByteSource } from "../../archive/bytes";
import { codedError } from "../../archive/problems";
import { StoredRecording } from "../../archive/recording";
import { StoredLink } from "../../archive/stored_link";
import type { SessionStore } from "../../session/session";
import type { SessionLink } from "../../link/types";
import type { Place } from "./fragment";
import { decoded } from "./lab_address";

export interface ReportSource {
  /** Shown where the summary has no title. */
  readonly title: string;
  /** Name of the file of the page. */
  readonly name: string;
  /** As it was parsed, unchecked. Undefined if the file has none. */
  readonly summary: unknown;
  /** Of the recording, which is opened when it is first shown. */
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

const READ_BYTES = 3_000_000;
/** Ids of the elements, as Python writes them (report/html.py). */
export const [SUMMARY, RECORDING] = [
  "daskscope-summary",
  "daskscope-recording",
];

/** A report, out of the texts of its two elements; `what` is what errors call its recording. */
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

/** Resolves when the next frame is on the screen; a hidden page has none, and need not wait. */
const afterPaint = (): Promise<void> =>
  new Promise((painted) => {
    if (document.visibilityState === "hidden") setTimeout(painted);
    else requestAnimationFrame(() => setTimeout(painted));
  });

/** Of what cannot be read, every part is left out, and the page says so. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** In parts: a browser keeps a large file outside of the page's memory. */
async function wholeOf(bytes: ByteSource): Promise<Blob> {
  const parts: BlobPart[] = [];
  for (let at = 0; at < bytes.size; at += READ_BYTES) {
    parts.push(new Blob([await bytes.read(at, at + READ_BYTES)]));
  }
  return new Blob(parts, { type: "application/octet-stream" });
}

/** The report that a page is. */
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
