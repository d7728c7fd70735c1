// What stands in the place of a plot that has nothing to draw yet.

import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { whyEmpty } from "../../js_src/panels/task_stream/empty_panel";
import type { State } from "../../js_src/schema";
import type { PanelState } from "../../js_src/panels/task_stream/panel_state";

/** A panel whose session has said so much. */
function panel(said: {
  now: number;
  workers?: number;
  running?: number | null;
  captured?: number;
  state?: State;
  notice?: string;
  /** False: out of a file. */
  live?: boolean;
}) {
  return {
    now: signal(said.now),
    workers: signal(
      Array.from({ length: said.workers ?? 0 }, () => ({
        running: said.running === undefined ? 0 : said.running,
      })),
    ),
    counts: signal({ captured: said.captured ?? 0 }),
    state: signal(said.state ?? "live"),
    notices: signal(said.notice ? [{ code: said.notice }] : []),
    host: { emptyState: signal(null), live: said.live ?? true },
    holdsAny: signal(false),
    arrived: signal(false),
    session: signal({}),
  } as unknown as PanelState;
}

describe("a panel without tasks", () => {
  it("does not speak of workers before it has heard of any", () => {
    expect(whyEmpty(panel({ now: 0 }))?.title).toBe("Connecting");
  });

  it("says how many workers there are once it knows", () => {
    const now = 1_700_000_000;
    expect(whyEmpty(panel({ now }))).toMatchObject({
      title: "No workers yet",
      text: "Tasks wait for one, and appear here as they finish.",
    });
    expect(whyEmpty(panel({ now, workers: 1 }))?.title).toBe(
      "1 worker connected, nothing has run",
    );
  });

  it("says how many tasks run, which appear only as they finish", () => {
    const now = 1_700_000_000;
    const why = whyEmpty(panel({ now, workers: 2, running: 3 }))!;
    expect(why.title).toBe("6 tasks running on 2 workers");
    expect(why.text).toBe("Tasks appear as they finish.");
    expect(why.status).toBe("0 tasks · 2 workers · 6 running");
  });

  it("does not claim that nothing has run where nobody tells what runs", () => {
    const said = { now: 1_700_000_000, workers: 2, running: null };
    expect(whyEmpty(panel(said))?.title).toBe(
      "2 workers connected, nothing has finished",
    );
    expect(whyEmpty(panel({ ...said, notice: "tasks-before" }))?.title).toBe(
      "2 workers connected, nothing has finished since recording began",
    );
    expect(whyEmpty(panel({ ...said, running: 1, state: "lost" }))?.title).toBe(
      "Connection lost, nothing has finished",
    );
  });

  it("says that tasks are on their way", () => {
    const now = 1_700_000_000;
    expect(whyEmpty(panel({ now, captured: 3 }))?.title).toBe(
      "3 tasks on the way",
    );
  });

  it("promises nothing to a page that is full", () => {
    const now = 1_700_000_000;
    const full = { now, captured: 3, notice: "page-full" };
    expect(whyEmpty(panel(full))?.title).toBe(
      "3 tasks recorded, none on this page",
    );
  });

  it("asks for nothing that a file cannot have", () => {
    const stored = {
      now: 1_700_000_000,
      live: false,
      state: "stopped",
    } as const;
    const why = (said: Partial<Parameters<typeof panel>[0]>) =>
      whyEmpty(panel({ ...stored, ...said }))!;
    expect(why({ now: 0 }).title).toBe("Reading the recording");
    expect(why({ workers: 2 })).toMatchObject({
      state: "stopped",
      title: "This recording has no tasks",
      text: "None finished or failed while it was made.",
    });
    const full = why({ captured: 3, notice: "page-full" });
    expect(full.text).toBe("`daskscope.load(…).tasks` has all that are kept.");
    const coming = why({ captured: 3 });
    expect(coming.title).toBe("3 tasks on the way");
    expect(coming.text).toContain("from the file");
  });

  it("waits for no task of a session that has stopped or is lost", () => {
    const why = (state: State) =>
      whyEmpty(panel({ now: 1_700_000_000, workers: 2, state }));
    for (const state of ["stopped", "lost"] as const) {
      expect(why(state)?.title).toMatch(/^(Stopped|Connection lost), nothing/);
      expect(why(state)?.text).not.toContain("Tasks appear");
    }
    expect(why("stopped")?.state).toBe("stopped");
  });
});
