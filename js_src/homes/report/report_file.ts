// Opens a report or recording from a file. Its data is read as text and bytes; no part of
// a report's page is run or put into another page.

import { signal } from "@preact/signals";
import { SESSION_ID } from "../../archive/messages";
import { openRecording } from "../../archive/stored_link";
import { DaskscopeError } from "../../errors";
import { checkSummary } from "../../panels/summary/report_summary";
import type { OtherRecording } from "../../panel/host";
import { type SessionStore, SharedSession } from "../../session/session";
import type { SessionLink } from "../../link/types";
import type { Place } from "./fragment";
import { RECORDING, type ReportSource, reportSource, SUMMARY } from "./source";

/** What a home provides to open a file. */
export interface FileHome {
  /** Returns the store of an opened recording. */
  storeOf(link: SessionLink): SessionStore;
  /** A link that shows others this place; null if there is none. */
  link(place: Place): string | null;
}

/** Must match report/html.py. */
export const SUMMARY_TAG = `<script type="application/json" id="${SUMMARY}">`;
const RECORDING_TAG = `<script type="application/octet-stream" id="${RECORDING}">`;
const SCRIPT_END = "</script>";
/** Bound on all that precedes the recording. */
const MAX_HEAD_BYTES = 32_000_000;
/** A report is read as one string, and browsers limit its length. */
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
  const texts = await textsOf(file, name);
  const what = `The recording in ${name}`;
  const source = reportSource(name, texts, what, (made) => home.storeOf(made));
  const { title } = checkSummary(source.summary).summary;
  return { ...source, title: title || name, link };
}

/** Open the recording of a file, for a panel that shows it beside its own. */
export async function openOther(file: File): Promise<OtherRecording> {
  const storeOf = (link: SessionLink): SharedSession =>
    new SharedSession(link, SESSION_ID, signal(true), () => {});
  const home = { storeOf, link: () => null };
  const { title, session } = await openReportFile(file, file.name, home);
  return { name: title, session };
}

async function looksLikeHtml(file: Blob): Promise<boolean> {
  const start = await file.slice(0, 1000).text(); // `text` removes a byte order mark
  return start.trimStart().startsWith("<");
}

/** The texts of both elements; of a truncated file, as much as there is. */
async function textsOf(
  file: Blob,
  name: string,
): Promise<{ summary: string; recording: string }> {
  if (file.size > MAX_REPORT_BYTES) {
    throw new DaskscopeError({
      code: "too-large",
      text: `${name} is too large for a page (limit 400 MB).`,
      next: `In Python, \`daskscope.load("${name}").save("run.daskscope")\` saves its recording, which a page can open.`,
    });
  }
  // One character per byte, so that positions in the text are positions in the file.
  const head = new TextDecoder("latin1").decode(
    await file.slice(0, MAX_HEAD_BYTES).arrayBuffer(),
  );
  const atSummary = head.indexOf(SUMMARY_TAG);
  if (atSummary < 0) throw badReport(name, "it is not a daskscope report");
  const from = atSummary + SUMMARY_TAG.length;
  const end = head.indexOf(SCRIPT_END, from);
  if (end < 0) {
    throw badReport(name, "it is truncated, or its summary is too long");
  }
  const summary = await file.slice(from, end).text();
  const atRecording = head.indexOf(RECORDING_TAG, end);
  if (atRecording < 0) return { summary, recording: "" };
  const rest = await file.slice(atRecording + RECORDING_TAG.length).text();
  const [recording] = rest.split(SCRIPT_END, 1);
  return { summary, recording };
}

const badReport = (name: string, why: string): DaskscopeError =>
  new DaskscopeError({
    code: "bad-file",
    text: `${name} cannot be read: ${why}.`,
    next: "Only files that daskscope wrote can be opened: recordings (.daskscope) and reports.",
  });
