// What is said of a file that cannot be opened, in the words of Python's reader.

import { plural } from "../base/format";
import { NoUnpackerError } from "../base/unpack";
import { DaskscopeError } from "../errors";
import type { Notice } from "../model/types";
import { FILE_FORMAT } from "../schema";

/** Bytes that daskscope did not write; the message goes on after "it …". */
export class BadFileError extends Error {
  override readonly name = "BadFileError";
}

/** Turn what reading a file threw into something with a sentence for a person. */
export function codedError(error: unknown, name: string): unknown {
  if (error instanceof NoUnpackerError) {
    return new DaskscopeError({
      code: "old-browser",
      text: `${name} is not damaged, but this browser cannot unpack it.`,
      next: "Open it in a newer one: Chrome or Edge from 103, Firefox from 113, Safari from 16.4.",
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
    text: "The recording does not hold this task any more.",
    next: "A larger daskscope.recording.memory-limit or disk-limit keeps more.",
  });

/** A question that a newer page part asks, or a wrong one. */
export const unknownQuestion = (what: string): DaskscopeError =>
  new DaskscopeError({
    code: "unknown-question",
    text: `A recording does not answer what was asked (${what}).`,
    next: "Reload the page. If it happens again, please report it.",
  });

/** This page has no room for so many tasks of a file. */
export const fileFull = (tasks: number): Notice => ({
  code: "page-full",
  level: "info",
  text: `This page holds as many rows as it may: ${plural(tasks, "older task")} ${tasks === 1 ? "is" : "are"} shown as a coarse picture.`,
  next: "daskscope.load(…).tasks has all that are in the file.",
});

/** What a file lacks that was cut off, since its program was stopped. */
export const FILE_CUT: Notice = {
  code: "file-cut",
  level: "warn",
  text: "This file was cut off: what was written last is missing.",
  next: "All that is whole in it is shown.",
};
