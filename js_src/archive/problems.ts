// Errors of files that cannot be opened, in the words of Python's reader.

import { plural } from "../base/format";
import { NoUnpackerError } from "../base/unpack";
import { DaskscopeError } from "../errors";
import type { Notice } from "../model/types";
import { FILE_FORMAT } from "../schema";

/** Bytes that daskscope did not write; the message follows after "it …". */
export class BadFileError extends Error {
  override readonly name = "BadFileError";
}

/** Turn what reading a file threw into an error with a code and a sentence. */
export function codedError(error: unknown, name: string): unknown {
  if (error instanceof NoUnpackerError) {
    return new DaskscopeError({
      code: "old-browser",
      text: `${name} is not damaged, but this browser cannot unpack it.`,
      next: "Use a newer browser: Chrome or Edge ≥ 103, Firefox ≥ 113, Safari ≥ 16.4.",
    });
  }
  if (!(error instanceof BadFileError)) return error;
  return new DaskscopeError({
    code: "bad-file",
    text: `${name} cannot be read: it ${error.message}.`,
    next: "Only files that daskscope wrote can be opened: recordings (.daskscope) and reports.",
  });
}

/** The file is of another version of the format. */
export const otherFormat = (version: number): DaskscopeError => {
  const newer = version > FILE_FORMAT;
  return new DaskscopeError({
    code: newer ? "newer-file" : "older-file",
    text: `This file has version ${version} of the format, and this daskscope reads version ${FILE_FORMAT}.`,
    next: newer
      ? "Upgrade daskscope to open it."
      : "Open it with the daskscope that wrote it, or record the run again.",
  });
};

export const unknownTask = (): DaskscopeError =>
  new DaskscopeError({
    code: "unknown-task",
    text: "This task is no longer in the recording.",
    next: "To keep more tasks, raise daskscope.recording.memory-limit or disk-limit.",
  });

/** A question of a newer part of the page, or a wrong one. */
export const unknownQuestion = (what: string): DaskscopeError =>
  new DaskscopeError({
    code: "unknown-question",
    text: `A file cannot answer this request (${what}).`,
    next: "Reload the page. If it happens again, please report it.",
  });

/** This page has no room for so many tasks of a file. */
export const fileFull = (tasks: number): Notice => ({
  code: "page-full",
  level: "info",
  text: `This page reached its limit of rows: ${plural(tasks, "older task")} ${tasks === 1 ? "is" : "are"} shown as a preview only.`,
  next: "`daskscope.load(…).tasks` has all tasks of the file.",
});

/** A truncated file, since its program was stopped. */
export const FILE_CUT: Notice = {
  code: "file-cut",
  level: "warn",
  text: "This file is truncated: its last part is missing.",
  next: "Everything before that is shown.",
};
