// An open report with a real recording: what of it is decoded, and when.

import { signal } from "@preact/signals";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openRecording } from "../../js_src/archive/open";
import type { Theme } from "../../js_src/base/theme";
import { ReportState } from "../../js_src/homes/report/report_state";
import { NO_FOCUS } from "../../js_src/model/types";
import { SharedSession } from "../../js_src/session";
import { goldenContent, goldenFile } from "./archive_files";

const golden = goldenContent();

let state: ReportState;
let session: SharedSession;
afterEach(() => {
  state.dispose();
  session.dispose();
});

async function report(
  summary: object,
  unpacked: Promise<unknown> = Promise.resolve(),
): Promise<void> {
  const { link, sessionId } = await openRecording(goldenFile());
  session = new SharedSession(link, sessionId, signal(true), () => {});
  state = new ReportState(
    {
      title: "run",
      name: "run.html",
      summary,
      size: 1,
      open: () => unpacked.then(() => session),
      file: () => Promise.resolve(new Blob()),
    },
    signal({} as Theme),
  );
}

const START = { start: golden.about["start"] as number };
const haveTotals = (focus: object) =>
  vi.waitFor(() => {
    expect(session.totals.value.prefixes).not.toHaveLength(0);
    expect(session.totals.value.focus).toEqual(focus);
  });

describe("a report with its recording", () => {
  it("decodes rows for a tab that draws them, and from then on", async () => {
    await report(START);
    state.go({ tab: "logs", focus: NO_FOCUS });
    state.start();
    await haveTotals(NO_FOCUS);
    await vi.waitFor(() =>
      expect(state.tables.get("logs").value.kind).toBe("ready"),
    );
    expect(session.have()).toEqual([]);
    state.show("task-stream");
    state.show("logs");
    await vi.waitFor(() => expect(session.have()).toHaveLength(2));
  });

  it("decodes rows where only they say when the run was", async () => {
    await report({});
    state.go({ tab: "logs", focus: NO_FOCUS });
    state.start();
    await vi.waitFor(() => expect(session.have()).toHaveLength(2));
  });

  it("goes by samples where no task says when the run was", async () => {
    await report({});
    vi.spyOn(session.model, "extent").mockReturnValue(null);
    state.start();
    const times: number[] = [];
    for (const name of ["scheduler", "cluster"] as const) {
      await vi.waitFor(() => expect(state.tables.ready(name)).not.toBeNull());
      times.push(...Array.from(state.tables.ready(name)!.time));
    }
    expect(times.length).toBeGreaterThan(1);
    expect(state.range.value).toEqual([Math.min(...times), Math.max(...times)]);
  });

  it("leaves it alone where its tab was given back before it was unpacked", async () => {
    let unpack = (): void => {};
    await report({}, new Promise<void>((resolve) => (unpack = resolve)));
    state.start();
    state.dispose();
    unpack();
    // Who asks for a table hears of it when the recording is there.
    await vi.waitFor(() =>
      expect(state.tables.get("logs").value.kind).toBe("ready"),
    );
    expect(session.idle).toBe(true);
    expect(state.session.value).toBeNull();
  });

  it("counts no fewer tasks than its recording, whatever its summary says", async () => {
    const errors = { count: 1, kept: 1, types: [] };
    const tasks = { captured: 2, kept: 1, erred: 0 };
    await report({ ...START, tasks, errors });
    expect(state.figures.value.tasks).toEqual(tasks);
    state.start();
    await vi.waitFor(() =>
      expect(state.figures.value).toMatchObject({
        tasks: { captured: 10, kept: 8, erred: 3 },
        errors: { ...errors, count: 3 },
      }),
    );
    expect(state.erred.value).toBe(3);
  });

  it("has the figures of the focus that a link names", async () => {
    await report(START);
    state.go({ tab: "task-stream", focus: golden.focus });
    state.start();
    await vi.waitFor(() => expect(session.have()).toHaveLength(2));
    await haveTotals(golden.focus);
    state.setFocus(NO_FOCUS);
    await haveTotals(NO_FOCUS);
  });
});
