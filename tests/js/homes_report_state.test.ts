// An open report with a real recording: what of it is decoded, and when.

import { signal } from "@preact/signals";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SESSION_ID } from "../../js_src/archive/messages";
import { StoredRecording } from "../../js_src/archive/recording";
import { StoredLink } from "../../js_src/archive/stored_link";
import { ReportState } from "../../js_src/homes/report/report_state";
import { NO_FOCUS } from "../../js_src/model/types";
import { panelKind } from "../../js_src/panels";
import { SharedSession } from "../../js_src/session/session";
import { bytesOfBuffer, goldenContent, goldenFile } from "./archive_files";

const golden = goldenContent();

let state: ReportState;
let session: SharedSession;
let opened: number;
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  state.dispose();
  session.dispose();
});

function report(summary: object | null | undefined): void {
  opened = 0;
  const link = new StoredLink(() => {
    opened += 1;
    return StoredRecording.open(bytesOfBuffer(goldenFile()));
  }, "The recording in this report");
  session = new SharedSession(link, SESSION_ID, signal(true), () => {});
  state = new ReportState({
    ...{ title: "run", name: "run.html", summary, size: 1, session },
    file: () => Promise.resolve(new Blob()),
  });
}

/** As the panel of a tab does that is on the screen. */
function show(tab: string): void {
  state.tab.value = tab;
  const { tables } = panelKind(tab)!;
  stops.push(session.watch(state.hostOf(tab).visible!, tables));
}

const START = { start: golden.about["start"] as number };
const haveTotals = (focus: object) =>
  vi.waitFor(() => {
    expect(session.totals.value.prefixes).not.toHaveLength(0);
    expect(session.totals.value.focus).toEqual(focus);
  });

describe("tabs of a report", () => {
  it("are all panels, or those that its summary names", () => {
    report(START);
    expect(state.panels.map(({ id }) => id)).toContain("summary");
    expect(state.tab.value).toBe("summary");
    report({ ...START, panels: ["profile", "of-the-future"] });
    expect(state.panels.map(({ id }) => id)).toEqual(["profile"]);
    expect(state.hostOf("profile").panels).toEqual(["profile"]);
    expect(state.tab.value).toBe("profile");
    state.go({ tab: "summary", focus: NO_FOCUS });
    expect(state.tab.value).toBe("profile");
    report({ ...START, panels: ["of-the-future"] });
    expect(state.tab.value).toBe("summary");
  });
});

describe("a report with its recording", () => {
  it("opens it once somebody looks", async () => {
    report(START);
    expect(session.origin.value).toBe(START.start);
    expect(session.summary.value).toEqual(START);
    expect(opened).toBe(0);
    show("logs");
    show("events");
    await vi.waitFor(() => expect(session.now.value).toBeGreaterThan(0));
    expect(opened).toBe(1);
  });

  it("decodes rows for a tab that draws them, and from then on", async () => {
    report(START);
    show("logs");
    const logs = session.table("logs");
    await vi.waitFor(() => expect(logs.value.state).toBe("ready"));
    expect(session.have()).toEqual([]);
    show("task-stream");
    await vi.waitFor(() => expect(session.have()).toHaveLength(2));
  });

  it("says times from the start of the block, whatever its first task says", async () => {
    report({ start: START.start - 5, stop: START.start + 5 });
    show("logs");
    await vi.waitFor(() => expect(session.now.value).toBeGreaterThan(0));
    expect(session.origin.value).toBe(START.start - 5);
    expect(session.run.value).toEqual({
      start: START.start - 5,
      stop: START.start + 5,
    });
  });

  it("does not mistake a summary that cannot be read for none", () => {
    report(null);
    expect([session.summary.value, state.leftOut]).toEqual([{}, null]);
    session.dispose();
    report(undefined);
    expect(session.summary.value).toBeNull();
  });

  it("counts no fewer errors than its recording, whatever its summary says", async () => {
    report({ ...START, errors: { count: 1, kept: 1, types: [] } });
    expect(state.erred.value).toBe(1);
    show("logs");
    await vi.waitFor(() => expect(state.erred.value).toBe(3));
  });

  it("has the figures of the focus that a link names", async () => {
    report(START);
    state.go({ tab: "task-stream", focus: golden.focus });
    show("task-stream");
    await vi.waitFor(() => expect(session.have()).toHaveLength(2));
    await haveTotals(golden.focus);
    session.setFocus(NO_FOCUS);
    await haveTotals(NO_FOCUS);
  });

  it("says why it cannot be opened", async () => {
    const link = new StoredLink(
      () => Promise.reject(new Error("its end is missing")),
      "The recording in this report",
    );
    session = new SharedSession(link, SESSION_ID, signal(true), () => {});
    stops.push(session.watch(signal(true), ["logs"]));
    await vi.waitFor(() =>
      expect(session.notices.value).toMatchObject([
        {
          level: "error",
          text: expect.stringContaining("its end is missing") as string,
        },
      ]),
    );
  });
});
