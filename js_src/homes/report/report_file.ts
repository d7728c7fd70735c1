// A report or a recording as a file: what it carries is taken out of it as text and
// bytes. Nothing of a report's page is run, or put into another one.

import { bytesOfBase64, type ByteSource } from "../../archive/bytes";
import { LazyLink } from "../../archive/lazy_link";
import { openRecording } from "../../archive/open";
import { codedError } from "../../archive/problems";
import { DaskscopeError } from "../../errors";
import type { SessionStore } from "../../session";
import type { SessionLink } from "../../stream_link";
import { checkSummary } from "../../panels/summary/report_summary";
import { parsed, sizeOf, wholeOf } from "./embedded";
import type { Place } from "./fragment";
import type { ReportSource } from "./source";

/** What a home adds to a file. */
export interface FileHome {
  /** The store of a recording that was opened. */
  storeOf(link: SessionLink): SessionStore;
  /** An address that others can open and see this place; null where there is none. */
  link(place: Place): string | null;
}

/** As Python writes them (report/html.py). */
export const SUMMARY =
  '<script type="application/json" id="daskscope-summary">';
const RECORDING =
  '<script type="application/octet-stream" id="daskscope-recording">';
const SCRIPT_END = "</script>";
const MAX_BEFORE_BYTES = 16_000_000;
const MAX_SUMMARY_BYTES = 16_000_000;
const SLICE_BYTES = 1_048_576;
/** As base64 it is one text, and browsers know none much longer. */
const MAX_REPORT_BYTES = 400_000_000;

export async function openReportFile(
  file: Blob,
  name: string,
  home: FileHome,
): Promise<ReportSource> {
  const link = (place: Place): string | null => home.link(place);
  if (!(await looksLikeHtml(file))) {
    const opened = await openRecording(file, name);
    const { title, source, summary } = opened.about;
    const named = [title, source].find((one) => typeof one === "string" && one);
    return {
      title: (named as string | undefined) ?? name,
      name,
      summary,
      size: file.size,
      session: home.storeOf(opened.link),
      file: () => Promise.resolve(file),
      link,
    };
  }
  const { summary: text, recording } = await partsOf(file, name);
  const summary = parsed(text);
  const what = `The recording in ${name}`;
  const bytes = (): ByteSource => {
    try {
      return bytesOfBase64(recording);
    } catch (error) {
      throw codedError(error, what);
    }
  };
  return {
    title: checkSummary(summary).summary.title || name,
    name,
    summary,
    size: sizeOf(recording),
    session: home.storeOf(
      new LazyLink(async () => openRecording(bytes(), what), what),
    ),
    file: async () => wholeOf(bytes()),
    link,
  };
}

async function looksLikeHtml(file: Blob): Promise<boolean> {
  const start = await file.slice(0, 1000).text(); // without a byte order mark
  return start.trimStart().startsWith("<");
}

interface Parts {
  readonly summary: string;
  /** Base64; of a file that was cut off, what is whole. */
  readonly recording: string;
}

async function partsOf(file: Blob, name: string): Promise<Parts> {
  if (file.size > MAX_REPORT_BYTES) {
    throw new DaskscopeError({
      code: "too-large",
      text: `${name} is larger than a page can take in (400 MB).`,
      next: `\`daskscope.load("${name}")\` opens it in Python, and its \`save\` makes a recording of it that a page opens.`,
    });
  }
  const atSummary = await find(file, SUMMARY, 0, MAX_BEFORE_BYTES);
  if (atSummary === null) {
    throw badReport(name, "it is no report of daskscope");
  }
  const from = atSummary + SUMMARY.length;
  const end = await find(file, SCRIPT_END, from, from + MAX_SUMMARY_BYTES);
  if (end === null) {
    throw badReport(name, "it was cut off, or its summary is too long");
  }
  const atRecording = await find(file, RECORDING, end, end + SLICE_BYTES);
  const summary = await file.slice(from, end).text();
  if (atRecording === null) return { summary, recording: "" };
  const start = atRecording + RECORDING.length;
  const stop = await find(file, SCRIPT_END, start, file.size);
  const text = (await file.slice(start, stop ?? file.size).text()).trim();
  const whole = stop === null ? text.length - (text.length % 4) : text.length;
  return { summary, recording: text.slice(0, whole) };
}

/** Where a mark begins; it is looked for in slices, so that little is in memory. */
async function find(
  file: Blob,
  mark: string,
  from: number,
  until: number,
): Promise<number | null> {
  const decoder = new TextDecoder("latin1"); // a byte a character
  const end = Math.min(until, file.size);
  for (let at = from; at < end; at += SLICE_BYTES) {
    const stop = Math.min(at + SLICE_BYTES + mark.length, end);
    const slice = await file.slice(at, stop).arrayBuffer();
    const found = decoder.decode(slice).indexOf(mark);
    if (found >= 0) return at + found;
  }
  return null;
}

const badReport = (name: string, why: string): DaskscopeError =>
  new DaskscopeError({
    code: "bad-file",
    text: `${name} cannot be read: ${why}.`,
    next: "Only files that daskscope wrote can be opened: recordings (.daskscope) and reports.",
  });
