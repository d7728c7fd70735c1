// Reads out of its page what a report carries.

import { type ByteSource, bytesOfBase64 } from "../../archive/bytes";
import { LazyLink } from "../../archive/lazy_link";
import { openRecording } from "../../archive/open";
import { codedError } from "../../archive/problems";
import type { SessionStore } from "../../session";
import type { SessionLink } from "../../stream_link";
import { afterPaint } from "./mount";
import type { ReportSource } from "./source";

/** Ids of the elements, as Python writes them. */
const SUMMARY = "daskscope-summary";
const RECORDING = "daskscope-recording";
const READ_BYTES = 3_000_000;

const RECORDING_NAME = "The recording in this report";

export function embeddedSource(
  page: Document,
  storeOf: (link: SessionLink) => SessionStore,
): ReportSource {
  const textOf = (id: string): string =>
    page.getElementById(id)?.textContent?.trim() ?? "";
  const text = textOf(RECORDING);
  // What is whole of a file that was cut off.
  const packed = text.slice(0, text.length - (text.length % 4));
  const name = fileName(page.location.pathname);
  const coded = async <T>(read: () => Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      throw codedError(error, RECORDING_NAME);
    }
  };
  return {
    title: page.title || name,
    name,
    summary: parsed(textOf(SUMMARY)),
    size: sizeOf(packed),
    session: storeOf(
      new LazyLink(async () => {
        await afterPaint();
        return coded(async () =>
          openRecording(bytesOfBase64(packed), RECORDING_NAME),
        );
      }, RECORDING_NAME),
    ),
    file: () => coded(() => wholeOf(bytesOfBase64(packed))),
  };
}

/** Of what cannot be read, every part is left out, and the page says so. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function sizeOf(base64: string): number {
  const padding = /=*$/.exec(base64.slice(-2))?.[0].length ?? 0;
  return Math.floor((base64.length / 4) * 3) - padding;
}

/** In parts: a browser keeps a large file outside of the page's memory. */
export async function wholeOf(bytes: ByteSource): Promise<Blob> {
  const parts: BlobPart[] = [];
  for (let at = 0; at < bytes.size; at += READ_BYTES) {
    parts.push(new Blob([await bytes.read(at, at + READ_BYTES)]));
  }
  return new Blob(parts, { type: "application/octet-stream" });
}

function fileName(path: string): string {
  const last = path.split("/").pop() ?? "";
  try {
    return decodeURIComponent(last) || "report.html";
  } catch {
    return last;
  }
}
