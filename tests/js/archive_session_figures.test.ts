// The figures of a stored recording: of all, of a focus, and where the file says others.

import { signal } from "@preact/signals";
import { afterEach, describe, expect, it, vi } from "vitest";
import { NO_FOCUS } from "../../js_src/model/types";
import type { SharedSession } from "../../js_src/session/session";
import { cutOff, goldenContent, goldenFile, saying } from "./archive_files";
import { figuresOf, lookAt, sessionOf } from "./archive_session_opened";

const golden = goldenContent();

let session: SharedSession;
afterEach(() => session.dispose());

/** The session of a file, watched, once all its rows have come. */
async function opened(file = goldenFile(), rows = 10): Promise<void> {
  session = await sessionOf(file);
  await lookAt(session, rows);
}

describe("the figures of a file", () => {
  it("counts what is in focus, and everything again without one", async () => {
    await opened();
    expect(figuresOf(session)).toEqual(golden.totals);
    session.setFocus({ ...golden.focus, prefixes: ["inc"] });
    await vi.waitFor(() =>
      expect(figuresOf(session)).toEqual(golden.totals_in_focus),
    );
    expect(session.totals.value.focus).toEqual(golden.focus);
    session.setFocus(NO_FOCUS);
    await vi.waitFor(() => expect(figuresOf(session)).toEqual(golden.totals));
  });

  it.each(["whole", "cut off, without figures of its own"])(
    "says figures of a focus that was set before anybody looked: a file that is %s",
    async (kind) => {
      const file = kind === "whole" ? goldenFile() : await cutOff();
      session = await sessionOf(file);
      session.setFocus(golden.focus);
      session.watch(signal(true), ["tasks"]);
      const said: unknown[] = [];
      session.totals.subscribe(({ focus }) => void said.push(focus));
      await vi.waitFor(() => {
        expect(figuresOf(session)).toEqual(golden.totals_in_focus);
        expect(session.have()).toHaveLength(2);
        expect(session.counts.value.rows).toBe(10);
      });
      session.setFocus(NO_FOCUS); // nothing of the whole run came meanwhile
      await vi.waitFor(() => expect(said.length).toBeGreaterThan(2));
      // Those of the whole run may come again once all of its rows have been counted.
      const [first, second, ...others] = said;
      expect([first, second]).toEqual([NO_FOCUS, golden.focus]);
      expect(others).toEqual(others.map(() => NO_FOCUS));
    },
  );

  it("says figures of the last focus only", async () => {
    await opened();
    const said: unknown[] = [];
    session.totals.subscribe(({ focus }) => void said.push(focus.workers));
    for (const worker of ["one", "two", "three"]) {
      session.setFocus({ ...NO_FOCUS, workers: [worker] });
    }
    await vi.waitFor(() => expect(said).toContainEqual(["three"]));
    expect(said).toEqual([[], ["three"]]);
  });

  it("says at once what the file says of tasks that its recording had dropped", async () => {
    const prefixes = [4, 7, 3].map((tasks, prefix) => ({
      ...{ prefix, tasks, seconds: 2.5, erred: 2, computes: 5 },
    }));
    const actions = [6, 3, 1, 1, 1, 1].map((rows, action) => ({
      ...{ action, rows, seconds: 4 },
    }));
    const counts = {
      ...{ captured: 14, kept: 8, rows: 10, erred: 6, changes: 9 },
      ...{ dropped_agent: 2, dropped_recording: 4 },
    };
    const said = { counts, totals: { prefixes, actions } };
    session = await sessionOf(await saying(said));
    const told: unknown[] = [];
    session.totals.subscribe((totals) => void told.push(totals));
    session.watch(signal(true), ["tasks"]);
    await vi.waitFor(() => expect(session.model.isCoarse).toBe(false));
    await vi.waitFor(() => expect(told.length).toBeGreaterThan(1));
    expect(told[1]).toEqual({ focus: NO_FOCUS, prefixes, actions });
    expect(told.at(-1)).toEqual(told[1]);
    expect(session.counts.value).toEqual(counts);
  });

  it.each([
    ["counts that are none", { counts: { captured: -1 } }],
    ["totals that are none", { totals: { prefixes: 5 } }],
    [
      "totals of a name that it has not",
      {
        totals: {
          prefixes: [{ prefix: 99, tasks: 1, seconds: 1, erred: 0 }],
          actions: [],
        },
      },
    ],
  ])("is counted where the file says %s", async (_, said) => {
    await opened(await saying(said));
    expect(figuresOf(session)).toEqual(golden.totals);
    await vi.waitFor(() =>
      expect(session.counts.value).toMatchObject({ kept: 8, rows: 10 }),
    );
    expect(session.notices.value.map(({ code }) => code)).toEqual([
      "plugins-refused",
    ]);
  });
});
