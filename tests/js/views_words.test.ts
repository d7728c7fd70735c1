// What the panel says: legend, status line, events, workers, tracebacks.

import { describe, expect, it } from "vitest";
import type { Counts, Focus, Worker } from "../../js_src/model/types";
import { NO_FOCUS } from "../../js_src/model/types";
import { crumbsOf } from "../../js_src/views/panel/crumbs";
import { factWords, fitFacts } from "../../js_src/views/panel/status_line";
import {
  eventMarks,
  mergedText,
  mergeMarks,
  nextError,
} from "../../js_src/views/task_stream/event_marks";
import {
  isolate,
  legendEntries,
} from "../../js_src/views/task_stream/legend_entries";
import { errorsInFocus } from "../../js_src/views/task_stream/errors_table";
import { NO_SEARCH } from "../../js_src/views/task_stream/search";
import {
  searchFact,
  searchSummary,
} from "../../js_src/views/task_stream/search_words";
import { shownPart } from "../../js_src/views/task_stream/shown_part";
import {
  statusFacts,
  type StatusInput,
} from "../../js_src/views/task_stream/status_facts";
import { readTaskDetail } from "../../js_src/views/task_stream/task_detail";
import { TimeWindow } from "../../js_src/views/task_stream/time_window";
import {
  frameName,
  parseTraceback,
  shortFile,
  splitException,
  tracebackToCopy,
} from "../../js_src/views/task_stream/traceback";
import {
  groupLanes,
  placeOf,
} from "../../js_src/views/task_stream/worker_groups";

const COUNTS: Counts = {
  captured: 1211,
  kept: 1211,
  dropped_agent: 0,
  dropped_recording: 0,
  rows: 2000,
  erred: 0,
};

const STATUS: StatusInput = {
  state: "live",
  counts: COUNTS,
  held: 1211,
  workers: 4,
  threads: 16,
  behind_s: 0.2,
  now: 0,
  notices: [],
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
    expect(text).toContain("1 older one dropped in the kernel");
    expect(text).not.toContain("nothing dropped");
  });

  it("says what is still on its way", () => {
    expect(said({ held: 1000 })).toContain("211 on the way");
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
    expect(text).toContain("paused, recording goes on");
    expect(text).not.toContain("live");
  });

  it("says what a filter leaves, of the errors too", () => {
    const text = said({
      counts: { ...COUNTS, erred: 5 },
      selected: { tasks: 320, erred: 1 },
    });
    expect(text).toContain("1,211 of 1,211 tasks");
    expect(text).toContain("320 selected · 1 of 5 erred");
  });

  it("does not call it trouble that a search is not through yet", () => {
    const search = {
      ...NO_SEARCH,
      text: "x",
      progress: { searched: 2, of: 5 },
      running: true,
    };
    expect(searchFact(search)).toEqual({ text: "2 of 5 keys searched" });
    expect(searchSummary(search)).toBe("…");
    expect(searchFact({ ...search, running: false })?.level).toBe("warn");
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

describe("the legend", () => {
  const entries = legendEntries(
    ["read", "add"],
    [3, 4],
    [
      "compute",
      "transfer",
      "disk-read",
      "disk-write",
      "deserialize",
      "new-one",
    ],
    {
      prefixes: [
        { prefix: 0, tasks: 256, seconds: 149.1, erred: 1 },
        { prefix: 1, tasks: 1_200_000, seconds: 3.04, erred: 0 },
      ],
      actions: [
        { action: 0, rows: 300, seconds: 150 },
        { action: 5, rows: 1, seconds: 0.1 },
        { action: 3, rows: 2, seconds: 1 },
        { action: 2, rows: 3, seconds: 2 },
        { action: 1, rows: 47, seconds: 12.3 },
      ],
    },
    false,
    "grey",
  );

  it("lists prefixes as they appeared, then actions, disk as one", () => {
    expect(entries.map(({ name, detail }) => `${name}: ${detail}`)).toEqual([
      "read: 256 · 149.1 s",
      "add: 1.2 M · 3.0 s",
      "transfer: 47 · 12.3 s",
      "disk: 5 · 3.0 s",
      "new-one: 1 · 0.1 s",
      "erred: 1 task",
    ]);
  });

  it("keeps an action that a filter leaves nothing of", () => {
    const left = legendEntries(
      ["read"],
      [3],
      ["compute", "transfer", "disk-read"],
      { prefixes: [], actions: [] },
      false,
      "grey",
      new Set(["transfer", "disk", "erred"]),
    );
    expect(left.map(({ name, detail }) => `${name}: ${detail}`)).toEqual([
      "read: 0 · 0.0 ms",
      "transfer: 0 · 0.0 ms",
      "disk: 0 · 0.0 ms",
      "erred: 0 tasks",
    ]);
  });

  it("keeps exact figures for the tooltip", () => {
    expect(entries[1]!.exact).toBe("add: 1,200,000 tasks · 3.0 s");
  });

  it("isolates with a click, frees with another, adds with Shift", () => {
    expect(isolate([], "a", false)).toEqual(["a"]);
    expect(isolate(["a"], "a", false)).toEqual([]);
    expect(isolate(["a", "b"], "a", false)).toEqual(["a"]);
    expect(isolate(["a"], "b", true)).toEqual(["a", "b"]);
    expect(isolate(["a", "b"], "a", true)).toEqual(["b"]);
  });
});

describe("the row of events", () => {
  const change = (time: number, worker: string, what: string) => ({
    time,
    worker,
    what,
    detail: "",
  });
  const name = (worker: string): string => `worker-${worker}`;

  it("makes runs of what a worker does until it stops", () => {
    const marks = eventMarks(
      [],
      [],
      [
        change(1, "a", "spilling"),
        change(2, "b", "spilling"),
        change(3, "a", "running"),
        change(4, "a", "not-spilling"),
        change(6, "b", "removed"),
      ],
      name,
    );
    expect(marks.map(({ start, stop, text }) => [start, stop, text])).toEqual([
      [1, 4, "worker-a spilling"],
      [2, 6, "worker-b spilling"],
      [6, 6, "worker-b left"],
    ]);
    const merged = mergeMarks(marks, 0);
    expect(merged.map((one) => mergedText(one, false))).toEqual([
      "2 workers spilling",
      "worker-b left",
    ]);
    expect(mergedText(merged[0]!, true)).toBe("2 spilling");
    expect([merged[0]!.start, merged[0]!.stop]).toEqual([1, 6]);
  });

  it("keeps what a paused worker spills apart from its pause", () => {
    const marks = eventMarks(
      [],
      [],
      [
        change(1, "a", "paused"),
        change(2, "a", "spilling"),
        change(3, "a", "running"),
      ],
      name,
    );
    expect(marks.map(({ start, stop, text }) => [start, stop, text])).toEqual([
      [1, 3, "worker-a paused"],
      [2, Infinity, "worker-a spilling"],
    ]);
  });

  it("goes on for a worker that still spills", () => {
    const [mark] = eventMarks([], [], [change(1, "a", "spilling")], name);
    expect(mark!.stop).toBe(Infinity);
  });

  it("merges errors that would overlap, and keeps others apart", () => {
    const error = (time: number, exception: string) => ({
      task: 0,
      prefix: 0,
      worker: "",
      time,
      exception,
    });
    const marks = eventMarks(
      [
        error(1, "ValueError('x')"),
        error(1.1, "ValueError('y')"),
        error(9, "KeyError(1)"),
      ],
      [],
      [],
      name,
    );
    expect(mergeMarks(marks, 0.5).map((one) => mergedText(one, false))).toEqual(
      ["2 × ValueError", "KeyError"],
    );
    expect(mergeMarks(marks, 20).map((one) => mergedText(one, false))).toEqual([
      "3 errors",
    ]);
  });

  it("pins the errors of one mark one after the other", () => {
    const errors = [7, 8, 9].map((task) => ({
      task,
      prefix: 0,
      worker: "a",
      time: 1,
      exception: "KeyError(1)",
    }));
    const [merged] = mergeMarks(eventMarks(errors, [], [], name), 1);
    const next = (pinned: number | null) => nextError(merged!, pinned)?.task;
    expect([next(null), next(7), next(9), next(100)]).toEqual([7, 8, 7, 7]);
    const [left] = mergeMarks(
      eventMarks([], [], [change(6, "b", "removed")], name),
      1,
    );
    expect(nextError(left!, null)).toBeNull();
  });

  it("shows gaps in the recording with their reason", () => {
    const [mark] = eventMarks(
      [],
      [{ start: 1, stop: 3, reason: "restarted", text: "scheduler restarted" }],
      [],
      name,
    );
    expect(mark).toMatchObject({ kind: "gap", text: "scheduler restarted" });
  });
});

describe("the table of errors", () => {
  it("lists only what is in focus", () => {
    const error = (task: number, time: number, worker: string) => ({
      task,
      prefix: task % 2,
      worker,
      time,
      exception: "",
    });
    const all = [error(0, 1, "a"), error(1, 2, "b"), error(2, 3, "a")];
    const found = (focus: Partial<Focus>): number[] =>
      errorsInFocus(all, { ...NO_FOCUS, ...focus }, ["x", "y"]).map(
        ({ task }) => task,
      );
    expect(found({})).toEqual([0, 1, 2]);
    expect(found({ time: [1.5, 3] })).toEqual([1, 2]);
    expect(found({ workers: ["a"] })).toEqual([0, 2]);
    expect(found({ prefixes: ["y"] })).toEqual([1]);
    expect(found({ prefixes: ["y"], workers: ["a"] })).toEqual([]);
  });
});

describe("the lanes of workers", () => {
  const worker = (address: string, given: string, threads: number): Worker => ({
    address,
    name: given,
    host: "",
    threads,
    memory_limit: 0,
    process: 0,
    managed: 0,
    spilled: 0,
    status: "running",
  });
  const lanes = [
    { worker: "tcp://h:10", thread: "1" },
    { worker: "tcp://h:2", thread: "1" },
    { worker: "tcp://h:10", thread: "2" },
    { worker: "tcp://gone:1", thread: "1" },
  ];
  const workers = [worker("tcp://h:10", "10", 2), worker("tcp://h:2", "2", 3)];

  it("are in the order of names, with room for idle threads", () => {
    const groups = groupLanes(lanes, workers);
    expect(
      groups.map(({ name, short, lanes: own }) => [name, short, own]),
    ).toEqual([
      ["worker-2", "w2", [1, -1, -1]],
      ["worker-10", "w10", [0, 2]],
      ["gone:1", "w2", [3]],
    ]);
    expect(placeOf(groups, 2)).toBe("worker-10 · thread 1");
  });

  it("keep the name of a worker that has left", () => {
    const names = new Map([["tcp://gone:1", "1"]]);
    const last = groupLanes(lanes, workers, [], names).at(-1);
    expect(last).toMatchObject({ name: "worker-1", short: "w1", info: null });
  });

  it("are only those of the focus", () => {
    const groups = groupLanes(lanes, workers, ["tcp://h:2"]);
    expect(groups.map(({ name }) => name)).toEqual(["worker-2"]);
  });
});

describe("a traceback", () => {
  const TEXT = `Traceback (most recent call last):
  File "/home/me/work.py", line 4, in totals
    g = part.reindex(region.index)
        ^^^^^^^^^^^^
  File "/env/lib/python3.13/site-packages/pandas/core/frame.py", line 5385, in reindex
    return super().reindex(
`;

  it("is told apart into own frames and those of libraries", () => {
    const { frames } = parseTraceback(TEXT);
    expect(frames).toEqual([
      {
        file: "/home/me/work.py",
        line: 4,
        name: "totals",
        code: "g = part.reindex(region.index)",
        library: false,
      },
      expect.objectContaining({ library: true, name: "reindex" }),
    ]);
    expect(shortFile(frames[1]!.file)).toBe("pandas/core/frame.py");
  });

  it("names lines of a cell and of a file", () => {
    const name = (file: string): string =>
      frameName({ file, line: 4, name: "f", code: "", library: false });
    expect(name("/tmp/ipykernel_4242/1234567.py")).toBe("cell, line 4");
    expect(name("/home/me/work.py")).toBe("me/work.py:4");
  });

  it("is copied whole, with the key of its task", () => {
    const exception = "ValueError('cannot reindex')";
    const whole = `Task ('x', 3)\n${TEXT}ValueError: cannot reindex\n`;
    expect(tracebackToCopy("('x', 3)", exception, TEXT)).toBe(whole);
    const [, ...withoutHead] = TEXT.split("\n");
    expect(tracebackToCopy("('x', 3)", exception, withoutHead.join("\n"))).toBe(
      whole,
    );
    const complete = `${TEXT}ValueError: cannot reindex\n`;
    expect(tracebackToCopy(null, exception, complete)).toBe(complete);
  });

  it("is kept as it came when it is none", () => {
    expect(parseTraceback("oh\nno").rest).toBe("oh\nno");
    expect(splitException("ValueError('a (b)')")).toEqual([
      "ValueError",
      "a (b)",
    ]);
    expect(splitException("my.KeyError: 'x'")).toEqual(["my.KeyError", "'x'"]);
    expect(splitException("whatever")).toEqual(["Error", "whatever"]);
  });
});

it("believes no answer of the kernel unchecked", () => {
  expect(readTaskDetail(null)).toMatchObject({
    key: "",
    startstops: [],
    error: null,
  });
  expect(
    readTaskDetail({
      key: 5,
      span: ["a", 3],
      startstops: [
        { action: "compute", start: 2, stop: 3 },
        null,
        { start: "x" },
      ],
      error: { exception: "E", traceback: 7 },
    }),
  ).toMatchObject({
    key: "",
    span: ["a"],
    startstops: [{ action: "compute", start: 2, stop: 3 }],
    error: { exception: "E", traceback: "" },
  });
});

it("names each part of a focus, and takes one away at a time", () => {
  const focus = {
    ...NO_FOCUS,
    time: [114.3, 121.3] as [number, number],
    workers: ["a", "b"],
    prefixes: ["inc"],
  };
  const crumbs = crumbsOf(focus, 100);
  expect(crumbs.map(({ text }) => text)).toEqual([
    "14.3 – 21.3 s",
    "inc",
    "2 workers",
  ]);
  expect(crumbs[2]!.without(focus)).toEqual({ ...focus, workers: [] });
});

describe("which part of the run is shown", () => {
  const extent = { start: 100, stop: 400 };
  const shown = (move: (window: TimeWindow) => void): string | null => {
    const window = new TimeWindow();
    window.still = true;
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

  it("is told as a stretch, as far as there are data", () => {
    expect(shown((window) => window.show(114, 121))).toBe("14.0 – 21.0 s");
    expect(shown((window) => window.show(390, 450))).toBe("4:50.0 – 5:00.0");
  });

  it("is the last seconds while it follows", () => {
    expect(shown(() => {})).toBe("last 60.0 s");
  });
});
