// The session of a recording in a file, for tests.

import { signal } from "@preact/signals";
import { expect, vi } from "vitest";
import { SESSION_ID } from "../../js_src/archive/messages";
import { openRecording } from "../../js_src/archive/stored_link";
import { SUMMARY, TABLES } from "../../js_src/schema";
import { SharedSession } from "../../js_src/session/session";
import type { Figures } from "./archive_files";

const EVERYTHING = [...Object.keys(TABLES), SUMMARY];
const NAME = "run.daskscope";

/** Nobody looks at it yet. */
export async function sessionOf(file: ArrayBuffer): Promise<SharedSession> {
  const { link } = await openRecording(new Blob([file]), NAME);
  return new SharedSession(link, SESSION_ID, signal(true), () => {});
}

/** Looked at from now on: waits until its rows and its figures have come. */
export async function lookAt(session: SharedSession, rows = 10): Promise<void> {
  session.watch(signal(true), EVERYTHING);
  await vi.waitFor(() => {
    const { odd } = session.model;
    expect(session.model.rows + odd.unplaceable).toBe(rows);
    expect(session.totals.peek().prefixes).not.toHaveLength(0);
  });
}

/** As they stand in `small.json`. */
export function figuresOf(session: SharedSession): Figures {
  const { prefixes, actions } = session.totals.peek();
  return {
    prefixes: prefixes.map(({ prefix, tasks, seconds, erred, computes }) => [
      prefix,
      tasks,
      seconds,
      erred,
      computes,
    ]),
    actions: actions.map(({ action, rows, seconds }) => [
      action,
      rows,
      seconds,
    ]),
  };
}
