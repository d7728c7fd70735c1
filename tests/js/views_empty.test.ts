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
    hasTasks: signal(false),
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
    expect(whyEmpty(panel({ now }))?.title).toMatch(/^No workers/);
    expect(whyEmpty(panel({ now, workers: 1 }))?.title).toMatch(/^1 worker/);
  });

  it("says how many tasks run, which appear only as they finish", () => {
    const now = 1_700_000_000;
    const why = whyEmpty(panel({ now, workers: 2, running: 3 }))!;
    expect(why.title).toMatch(/^6 tasks .* 2 workers/);
    expect(why.status).toBe("0 tasks · 2 workers · 6 running");
  });

  it("does not claim that nothing has run where nobody tells what runs", () => {
    const said = { now: 1_700_000_000, workers: 2, running: null };
    const title = (more: object) =>
      whyEmpty(panel({ ...said, ...more }))?.title;
    expect(title({})).toMatch(/nothing has finished$/);
    expect(title({ notice: "tasks-before" })).toMatch(/since recording began/);
    expect(title({ running: 1, state: "lost" })).toMatch(
      /nothing has finished/,
    );
  });

  it("says that tasks are on their way", () => {
    const now = 1_700_000_000;
    const why = whyEmpty(panel({ now, captured: 3 }));
    expect(why).toMatchObject({ state: "waiting", title: "Loading 3 tasks" });
  });

  it("promises nothing to a page that is full", () => {
    const now = 1_700_000_000;
    const full = { now, captured: 3, notice: "page-full" };
    const why = whyEmpty(panel(full));
    expect(why).toMatchObject({ state: "stopped", status: "0 of 3 tasks" });
  });

  it("asks for nothing that a file cannot have", () => {
    const stored = {
      now: 1_700_000_000,
      live: false,
      state: "stopped",
    } as const;
    const why = (said: Partial<Parameters<typeof panel>[0]>) =>
      whyEmpty(panel({ ...stored, ...said }))!;
    expect(why({ now: 0 }).state).toBe("waiting");
    expect(why({ workers: 2 }).state).toBe("stopped");
    const full = why({ captured: 3, notice: "page-full" });
    expect(full.text).toContain("`daskscope.load(…).tasks`");
    const coming = why({ captured: 3 });
    expect(coming.state).toBe("waiting");
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
