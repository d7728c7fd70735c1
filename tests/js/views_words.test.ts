// What the panel calls things: legend and workers.

import { describe, expect, it, vi } from "vitest";
import { shortenMiddle } from "../../js_src/base/text_width";
import type { Worker } from "../../js_src/model/types";
import {
  chooseEntries,
  type LegendEntry,
  LegendOrder,
  mostShown,
} from "../../js_src/panel/legend";
import { legendEntries } from "../../js_src/panels/task_stream/legend";
import { threadsLabel } from "../../js_src/panel/threads_busy";
import { isolate } from "../../js_src/panel/narrowing";
import { groupLanes, placeOf } from "../../js_src/panel/worker_groups";

describe("the legend where there is no room for all", () => {
  const listed = (seconds: Record<string, number>, kind = "prefix" as const) =>
    Object.entries(seconds).map(([name, weight]): LegendEntry => ({
      ...{ id: name, kind, name, weight },
      ...{
        colour: "",
        detail: "",
        count: "",
        title: [],
        nothing: weight === 0,
      },
    }));
  /** Entries of 50 px: two fit beside the button for the rest. */
  const choose = (entries: LegendEntry[], before: Iterable<string> = []) => [
    ...chooseEntries(entries, () => 50, 170, new Set(before)),
  ];

  it("tells of all entries what all of them have room for", () => {
    const widths = { detail: 100, count: 70, name: 50 } as const;
    const shown = (room_px: number) =>
      mostShown(
        listed({ a: 1, b: 2, c: 3 }),
        (_, what) => widths[what],
        room_px,
      );
    expect([300, 299, 210, 209, 10].map(shown)).toEqual([
      ...["detail", "count", "count", "name", "name"],
    ]);
  });

  it("measures no more than it has room for, however many there are", () => {
    const many = listed(
      Object.fromEntries(
        Array.from({ length: 5_000 }, (_, at) => [`prefix-${at}`, at]),
      ),
    );
    const width_px = vi.fn(() => 50);
    expect(mostShown(many, width_px, 600)).toBe("name");
    expect(chooseEntries(many, width_px, 600, new Set()).size).toBe(10);
    expect(width_px.mock.calls.length).toBeLessThan(200);
  });

  it("shows all as soon as they fit without a button for the rest", () => {
    expect(choose(listed({ a: 1, b: 2, c: 3 }))).toEqual(["a", "b", "c"]);
  });

  it("shows those that took the most time, however late they came", () => {
    const shown = choose(listed({ a: 1, b: 5, c: 0, d: 90 }));
    expect(shown.sort()).toEqual(["b", "d"]);
  });

  it("lets one that is shown stay until another clearly overtakes it", () => {
    expect(choose(listed({ a: 10, b: 50, c: 11, d: 0 }), "ab")).toContain("a");
    expect(choose(listed({ a: 10, b: 50, c: 14, d: 0 }), "ab")).toContain("c");
  });

  it("shows before all others that there are errors", () => {
    const erred = {
      ...listed({ erred: Infinity })[0]!,
      kind: "action",
    } as const;
    const shown = choose([...listed({ a: 1, b: 2, c: 3 }), erred]);
    expect(shown[0]).toBe("erred");
  });
});

describe("the legend", () => {
  const entries = legendEntries(
    ["read", "add"],
    () => "",
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
        { prefix: 0, tasks: 256, seconds: 149.1, erred: 1, computes: 256 },
        {
          prefix: 1,
          tasks: 1_200_000,
          seconds: 3.04,
          erred: 0,
          computes: 1_200_000,
        },
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
  );

  it("lists prefixes as they appeared, then actions, disk as one", () => {
    expect(entries.map(({ name, detail }) => `${name}: ${detail}`)).toEqual([
      "read: 256 · 2 m 29 s",
      "add: 1.2 M · 3.04 s",
      "transfer: 47 · 12.3 s",
      "disk: 5 · 3.00 s",
      "new-one: 1 · 100 ms",
      "erred: 1 task",
    ]);
  });

  it("keeps an action that a filter leaves nothing of", () => {
    const left = legendEntries(
      ["read"],
      () => "",
      ["compute", "transfer", "disk-read"],
      { prefixes: [], actions: [] },
      false,
      new Set(["transfer", "disk", "erred"]),
    );
    expect(left.map(({ name, detail }) => `${name}: ${detail}`)).toEqual([
      "read: 0 · 0 s",
      "transfer: 0 · 0 s",
      "disk: 0 · 0 s",
      "erred: 0 tasks",
    ]);
  });

  it("gives no place to what a selection leaves nothing of", () => {
    const left = legendEntries(
      ["load", "step", "combine"],
      () => "",
      ["compute", "transfer"],
      {
        prefixes: [
          { prefix: 1, tasks: 4854, seconds: 29.1, erred: 0, computes: 4854 },
          { prefix: 2, tasks: 6, seconds: 0.05, erred: 0, computes: 6 },
        ],
        actions: [{ action: 1, rows: 6, seconds: 0.6 }],
      },
      false,
      new Set(["erred"]),
    );
    expect(left.map(({ name }) => name)).toEqual([
      ...["step", "combine", "load"],
      ...["transfer", "erred"],
    ]);
    const shown = chooseEntries(left, () => 50, 260, new Set());
    expect([...shown].map((id) => id.split(":")[1])).toEqual([
      ...["step", "transfer", "combine"],
    ]);
  });

  it("writes each time in a unit of its own: zero only where there is none", () => {
    const [long, short] = legendEntries(
      ["slow", "lambda"],
      () => "",
      [],
      {
        prefixes: [
          { prefix: 0, tasks: 3, seconds: 400, erred: 0, computes: 3 },
          { prefix: 1, tasks: 50, seconds: 0.0012, erred: 0, computes: 50 },
        ],
        actions: [],
      },
      false,
    );
    expect(long!.detail).toBe("3 · 6 m 40 s");
    expect(short!.detail).toBe("50 · 1.2 ms");
  });

  it("keeps exact figures for the tooltip", () => {
    expect(entries[1]!.title).toEqual(["add: 1,200,000 tasks · 3.04 s"]);
  });

  it("isolates with a click, frees with another, adds with Shift", () => {
    expect(isolate([], "a", false)).toEqual(["a"]);
    expect(isolate(["a"], "a", false)).toEqual([]);
    expect(isolate(["a", "b"], "a", false)).toEqual(["a"]);
    expect(isolate(["a"], "b", true)).toEqual(["a", "b"]);
    expect(isolate(["a", "b"], "a", true)).toEqual(["b"]);
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
    running: null,
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

describe("the height of the overview", () => {
  it("is said in whole threads, however short they were busy", () => {
    expect(threadsLabel(8, null, false).text).toBe("Threads busy, of 8");
    expect(threadsLabel(8, 0.015, true).text).toBe("Threads, peak 1");
    expect(threadsLabel(8, 0, true).text).toBe("Threads, peak 0");
    expect(threadsLabel(8, 3.2, true).text).toBe("Threads, peak 4");
    expect(threadsLabel(8, 12.0000001, false).text).toBe("Threads, peak 12");
  });
});

describe("a name that has no room", () => {
  const shorten = (text: string, room: number) =>
    shortenMiddle(text, room, (some) => [...some].length);

  it("keeps its end, which tells numbered names apart", () => {
    expect(shorten("worker-12", 9)).toBe("worker-12");
    expect(shorten("ip-10-4-0-21-worker-12", 10)).toBe("ip-1…er-12");
    expect(shorten("worker-12", 4)).toBe("w…12");
    expect(shorten("worker-12", 2)).toBe("…2");
    expect(shorten("worker-12", 1)).toBe("");
  });
});

describe("the order of the legend", () => {
  const entry = (name: string, weight: number): LegendEntry => ({
    ...{ id: `prefix:${name}`, kind: "prefix", name, weight },
    ...{ colour: "", detail: "", count: "", title: [], nothing: false },
  });
  const names = (entries: readonly LegendEntry[]) =>
    entries.map(({ name }) => name);

  it("is by weight, and changes every ten seconds while tasks come", () => {
    const order = new LegendOrder();
    const at = (now_ms: number, a: number, b: number, ...more: LegendEntry[]) =>
      names(order.sort([entry("a", a), entry("b", b), ...more], now_ms, true));
    expect(at(0, 1, 2)).toEqual(["b", "a"]);
    expect(at(9_000, 3, 2, entry("c", 9))).toEqual(["b", "a", "c"]);
    expect(at(10_000, 3, 2, entry("c", 9))).toEqual(["c", "a", "b"]);
  });

  it("is by weight at once where no task comes any more", () => {
    const order = new LegendOrder();
    order.sort([entry("a", 1), entry("b", 2)], 0, false);
    const later = order.sort([entry("a", 3), entry("b", 2)], 1, false);
    expect(names(later)).toEqual(["a", "b"]);
  });
});
