// Reads out of its page what a report carries.

import { type ByteSource, bytesOfBase64 } from "../../archive/bytes";
import { codedError } from "../../archive/problems";
import type { SessionStore } from "../../session";
import type { ReportSource } from "./source";

/** Ids of the elements, as Python writes them. */
const SUMMARY = "daskscope-summary";
const RECORDING = "daskscope-recording";
const READ_BYTES = 3_000_000;

export function embeddedSource(
  page: Document,
  openBytes: (bytes: ByteSource) => Promise<SessionStore>,
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
      throw codedError(error, "The recording in this report");
    }
  };
  return {
    title: page.title || name,
    name,
    summary: parsed(textOf(SUMMARY)),
    size: sizeOf(packed),
    open: () => coded(async () => openBytes(bytesOfBase64(packed))),
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
