// What the status line says, and what of it fits; how far a search reached; which
// part of the run is shown.

import { describe, expect, it } from "vitest";
import { type Counts, NO_FOCUS } from "../../js_src/model/types";
import { evictedNotice } from "../../js_src/session/session";
import { crumbsOf } from "../../js_src/panel/crumbs";
import { factWords, fitFacts } from "../../js_src/panel/status_line";
import {
  NO_SEARCH,
  searchFact,
  searchSummary,
} from "../../js_src/panel/selection";
import {
  statusFacts,
  type StatusInput,
} from "../../js_src/panels/task_stream/status_facts";
import { shownPart, TimeWindow } from "../../js_src/timeline/window";

const COUNTS: Counts = {
  captured: 1211,
  kept: 1211,
  dropped_agent: 0,
  dropped_recording: 0,
  rows: 2000,
  erred: 0,
  changes: 0,
};

const STATUS: StatusInput = {
  state: "live",
  counts: COUNTS,
  loaded: 1211,
  workers: 4,
  threads: 16,
  running: 0,
  behind_s: 0.2,
  now: 0,
  notices: [],
  live: true,
  kept: null,
  moreComes: true,
  pausedAt: null,
  outside: 0,
  backwards: 0,
  search: null,
  selected: null,
};

function said(change: Partial<StatusInput>): string {
  return statusFacts({ ...STATUS, ...change })
    .map(({ lead, text }) => (lead ? `${lead} ${text}` : text))
    .join(" · ");
}

describe("the status line", () => {
  it("says what is shown of what there is", () => {
    expect(said({ counts: { ...COUNTS, erred: 1 } })).toBe(
      "1,211 of 1,211 tasks · 4 workers · 16 threads · live, 0.2 s behind · 1 erred · nothing dropped",
    );
  });

  it("says on a picture when that was taken", () => {
    const taken = said({ pictured: true, now: 1_795_010_551 });
    expect(taken).toMatch(/16 threads · live at \d\d:\d\d:\d\d ·/);
    const lost = said({ pictured: true, state: "lost" });
    expect(lost).toContain("connection lost");
  });

  it("says what runs, as long as that is known", () => {
    expect(said({ running: 7 })).toContain("16 threads · 7 running · live");
    expect(said({ running: 7, state: "partly" })).toContain("7 running");
    expect(said({ running: 7, state: "lost" })).not.toContain("running");
    expect(said({ running: 7, state: "stopped" })).not.toContain("running");
    const kept = { text: "Kernel restarted", trouble: false };
    expect(said({ running: 7, kept })).not.toContain("running");
    expect(said({ running: 0 })).not.toContain("running");
    expect(said({ running: null })).not.toContain("running");
  });

  it("says what was dropped, and where", () => {
    const text = said({
      counts: {
        ...COUNTS,
        captured: 5000,
        dropped_agent: 3000,
        dropped_recording: 1,
      },
    });
    expect(text).toContain("1,211 of 5,000 tasks");
    expect(text).toContain("3,000 older ones dropped on the scheduler");
    expect(text).toContain("1 older one dropped from the recording");
    expect(text).not.toContain("nothing dropped");
  });

  it("says nothing of a kernel where there is none", () => {
    const counts = {
      ...{ ...COUNTS, captured: 5000, kept: 2000 },
      ...{ dropped_agent: 2000, dropped_recording: 1000 },
    };
    const of = (live: boolean) =>
      JSON.stringify(
        statusFacts({
          ...{ ...STATUS, counts, live, selected: "uncounted" },
          search: searchFact(
            { ...NO_SEARCH, progress: { searched: 2, of: 5 } },
            live,
          ),
        }),
      );
    expect(of(true)).toContain("kernel");
    expect(of(false)).not.toMatch(/kernel|subshell/);
    expect(of(false)).toContain("counted in the file");
  });

  it("says where the rows are that a page has let go", () => {
    const next = (live: boolean) => evictedNotice(20e6, 1e6, live).next;
    expect(next(true)).toMatch(/session\.recording\.tasks.*Reload/);
    expect(next(false)).toMatch(/^daskscope\.load\(…\)\.tasks/);
    expect(next(false)).not.toContain("Reload");
  });

  it("vouches for nothing where the scheduler takes no agent", () => {
    expect(said({ state: "live" })).toContain("nothing dropped");
    expect(said({ state: "partly" })).not.toContain("nothing dropped");
  });

  it("names the bound that dropped them", () => {
    const counts = { ...COUNTS, captured: 5000, dropped_agent: 3000 };
    const titles = (state: "live" | "partly") =>
      statusFacts({ ...STATUS, counts, state })
        .map((fact) => fact.title ?? "")
        .join();
    expect(titles("live")).toContain("daskscope.agent.memory-limit");
    expect(titles("partly")).toContain("task-stream-length");
    expect(titles("partly")).not.toContain("daskscope.agent");
  });

  it("says what is still loading", () => {
    expect(said({ loaded: 1000 })).toContain("211 loading");
  });

  it("does not say so once nothing of the past comes any more", () => {
    const text = said({ loaded: 1000, moreComes: false });
    expect(text).toContain("211 without details");
    expect(text).not.toContain("loading");
  });

  it("says what came while it was paused", () => {
    const text = said({ pausedAt: 842 });
    expect(text).toContain("842 of 1,211 tasks shown");
    expect(text).toContain("369 arrived since you paused");
  });

  it("says that the connection is lost, and since when", () => {
    const text = said({ state: "lost" });
    expect(text).toMatch(/^1,211 tasks until \d\d:\d\d:\d\d/);
    expect(text).toContain("connection lost");
    expect(text).not.toContain("nothing dropped");
  });

  it("says of a picture that is only kept why, and that this is no trouble", () => {
    const input = { ...STATUS, state: "lost" as const };
    const why = { text: "Not connected to a kernel", trouble: false };
    const kept = statusFacts({ ...input, kept: why });
    const [first] = kept;
    expect(first?.text).toMatch(/^tasks until/);
    expect(kept.map(({ text }) => text)).toContain("not connected to a kernel");
    expect(kept.map(({ text }) => text)).not.toContain("connection lost");
    expect(kept.filter(({ level }) => level)).toEqual([]);
    const died = statusFacts({ ...input, kept: { ...why, trouble: true } });
    expect(died.filter(({ level }) => level === "error")).toHaveLength(1);
  });

  it("keeps what is wrong where there is little room", () => {
    const facts = statusFacts({
      ...STATUS,
      counts: { ...COUNTS, dropped_agent: 7, erred: 11 },
    });
    const fitted = (room_px: number): string =>
      fitFacts(facts, room_px, (text) => text.length * 6)
        .shown.map(({ fact, text }) => factWords(fact, text))
        .join(" · ");
    expect(fitted(2000)).toContain("16 threads · live, 0.2 s behind");
    expect(fitted(390)).toBe(
      "1,211 of 1,211 · 4 workers · live · 11 erred · 7 dropped",
    );
    expect(fitted(330)).toBe("1,211 of 1,211 · live · 11 erred · 7 dropped");
    expect(fitted(261)).toBe("1,211 of 1,211 · 11 erred · 7 dropped");
    expect(fitted(175)).toBe("1,211 of 1,211 · 11 erred");
    expect(fitted(165)).toBe("1,211 of 1,211");
    expect(fitted(60)).toBe("1,211 of 1,211");
  });

  it("lets a long warning end in an ellipsis rather than push others out", () => {
    const facts = [
      { text: "10 tasks", rank: 0 },
      { text: "w".repeat(300), level: "warn" as const },
      { text: "1 erred", level: "error" as const, rank: 1 },
      { text: "all is well", rank: 6 },
    ];
    const { shown, hidden } = fitFacts(facts, 400, (text) => text.length * 6);
    expect(shown.map(({ text, shrinks }) => [text.length, shrinks])).toEqual([
      [8, false],
      [300, true],
      [7, false],
    ]);
    expect(hidden.map(({ text }) => text)).toEqual(["all is well"]);
  });

  it("does not say live while it is paused", () => {
    const text = said({ pausedAt: 842 });
    expect(text).toContain("paused, still recording");
    expect(text).not.toContain("live");
  });

  it("says what a filter leaves, of the errors too", () => {
    const text = said({
      counts: { ...COUNTS, erred: 5 },
      selected: { count: "320", erred: 1 },
    });
    expect(text).toContain("1,211 of 1,211 tasks");
    expect(text).toContain("320 selected · 1 of 5 erred");
  });

  it("gives no figures of another selection than what is selected", () => {
    const text = said({
      counts: { ...COUNTS, erred: 5 },
      selected: "uncounted",
    });
    expect(text).toContain("selection not counted yet · 5 erred in all");
    expect(text).not.toContain(" selected");
  });

  it("does not colour errors that a filter leaves out", () => {
    const levelFor = (erred: number) =>
      statusFacts({
        ...STATUS,
        counts: { ...COUNTS, erred: 5 },
        selected: { count: "320", erred },
      }).find(({ text }) => text.endsWith("of 5 erred"))?.level;
    expect([levelFor(0), levelFor(2)]).toEqual([undefined, "error"]);
  });

  it("does not call it trouble that a search is not through yet", () => {
    const search = {
      ...NO_SEARCH,
      text: "x",
      progress: { searched: 2, of: 5 },
      running: true,
    };
    expect(searchFact(search, true)).toEqual({ text: "2 of 5 keys searched" });
    expect(searchSummary(search)).toBe("…");
    expect(searchFact({ ...search, running: false }, true)?.level).toBe("warn");
  });

  it("repeats the kernel's notices with what to do", () => {
    const notice = {
      code: "x",
      level: "warn" as const,
      text: "This scheduler refuses plugins.",
      next: "Allow them.",
    };
    expect(said({ notices: [notice] })).toContain(
      "This scheduler refuses plugins: Allow them.",
    );
  });
});

describe("which part of the run is shown", () => {
  const extent = { start: 100, stop: 400 };
  const shown = (move: (window: TimeWindow) => void): string | null => {
    const window = new TimeWindow();
    window.noAnimation = true;
    window.setExtent(extent);
    move(window);
    window.advance(1000);
    return shownPart(window, extent, 100);
  };

  it("is nothing to speak of while it is all of it", () => {
    expect(shown((window) => window.fit())).toBeNull();
    expect(shown((window) => window.show(90, 410))).toBeNull();
    expect(shownPart(new TimeWindow(), null, 0)).toBeNull();
  });

  it("is written as a range, as far as there are data", () => {
    expect(shown((window) => window.show(114, 121))).toBe("14.0 – 21.0 s");
    expect(shown((window) => window.show(390, 450))).toBe("4:50.0 – 5:00.0");
  });

  it("is the last seconds while it follows", () => {
    expect(shown(() => {})).toBe("last 60.0 s");
    const window = new TimeWindow();
    window.setExtent({ start: 100, stop: 106 });
    window.setExtent({ start: 100, stop: 109 }); // the picture is on its way
    expect(shownPart(window, { start: 100, stop: 109 }, 100)).toBeNull();
  });
});
it("names each part of what narrows the view", () => {
  const narrowing = {
    ...NO_FOCUS,
    actions: ["erred"],
    time: [114.3, 121.3] as [number, number],
    workers: ["a", "b"],
    prefixes: ["inc"],
    spans: ["read › csv"],
  };
  const crumbs = crumbsOf(narrowing, 100);
  expect(crumbs.map(({ part, text }) => [part, text])).toEqual([
    ["time", "14.3 – 21.3 s"],
    ["prefixes", "inc"],
    ["actions", "erred"],
    ["workers", "2 workers"],
    ["spans", "read › csv"],
  ]);
  expect(crumbs[3]!.full).toBe("a\nb");
});
