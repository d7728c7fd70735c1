// What the panel of fine performance metrics finds worth knowing.

import { describe, expect, it } from "vitest";
import type { Bar } from "../../js_src/panels/fine_metrics/data";
import type { Whole } from "../../js_src/panels/fine_metrics/data";
import { pausedThreads } from "../../js_src/panels/fine_metrics/data";
import {
  cacheHits,
  lostWorkers,
  lowerBounds,
  offCpu,
  shortTasks,
} from "../../js_src/panels/fine_metrics/worth_knowing";

const bar = (name: string, parts: Readonly<Record<string, number>>): Bar => ({
  name,
  total: Object.values(parts).reduce((all, one) => all + one, 0),
  parts: Object.entries(parts).map(([name, value]) => ({ name, value })),
});
const titles = (found: readonly { title: string }[]): string[] =>
  found.map(({ title }) => title);
/** Idle between tasks, of 100 s of threads. */
const whole = (handing: number): Whole =>
  ({ totals: { counted: 100, idle: { handing, queued: 0 } } }) as Whole;

describe("functions off the CPU", () => {
  it("are named, those that waited longest first", () => {
    const found = offCpu(
      [
        bar("short", { "thread-cpu": 6, "thread-noncpu": 4 }),
        bar("long", { "thread-cpu": 50, "thread-noncpu": 40 }),
        bar("fast", { "thread-cpu": 90, "thread-noncpu": 10 }),
      ],
      200,
    );
    expect(titles(found)).toEqual(["long was 40.0 s off the CPU"]);
    expect(found[0]!.text).toMatch(/^44 % of its time, .* \(the GIL\)/);
  });

  it("are not those of which disk or network explains it", () => {
    for (const io of ["disk-read", "network", "p2p-shard"]) {
      const parts = { "thread-cpu": 10, "thread-noncpu": 40, [io]: 5 };
      expect(offCpu([bar("read", parts)], 55)).toEqual([]);
    }
  });
});

describe("inputs of tasks", () => {
  it("are counted by where they came from", () => {
    const [found] = cacheHits(
      [
        bar("one", { "memory-read": 1_000, "disk-read": 92 }),
        bar("two", { "memory-read": 43 }),
      ],
      [bar("one", { "disk-read": 13 })],
    );
    expect(found!.title).toBe("92 % of inputs came from memory");
    expect(found!.text).toMatch(
      /^1,043 of 1,135; the other 92 were read from disk, which took 13\.0 s\./,
    );
  });

  it("are not mentioned where none came from disk", () => {
    expect(cacheHits([bar("one", { "memory-read": 9 })], [])).toEqual([]);
  });
});

describe("short tasks", () => {
  const many = { tasks: 20_000, seconds: 42 };

  it("are said where much time passes between them", () => {
    expect(titles(shortTasks([many], whole(30)))).toEqual([
      "20,000 tasks are short: 2.1 ms on average",
    ]);
    expect(shortTasks([many], whole(5))).toEqual([]);
  });

  it("are not a few among long ones", () => {
    const few = { tasks: 10, seconds: 0.01 };
    const long = { tasks: 100, seconds: 100 };
    expect(shortTasks([few, long], whole(30))).toEqual([]);
  });
});

const change = (time: number, worker: string, what: string) => ({
  ...{ time, worker, what },
});

describe("workers that left", () => {
  it("make lower bounds of figures if they did not say that they close", () => {
    const changes = [
      ...[change(0, "a", "present"), change(0, "b", "present")],
      ...[change(1, "a", "closing_gracefully"), change(2, "a", "removed")],
      change(5, "b", "removed"),
      // It came again, and was killed.
      ...[change(6, "a", "added"), change(7, "a", "removed")],
    ];
    expect(lostWorkers(changes, [0, 4])).toBe(0);
    expect(lostWorkers(changes, [0, 6])).toBe(1);
    expect(lostWorkers(changes, [5.5, 8])).toBe(1);
    expect(titles(lowerBounds(2))).toEqual(["Figures are lower bounds"]);
    expect(lowerBounds(0)).toEqual([]);
  });
});

describe("paused threads", () => {
  const threads = (worker: string): number => (worker === "a" ? 4 : 2);
  const now = (address: string, status: string) => ({ address, status });
  const at = (steps: ReturnType<typeof pausedThreads>) =>
    [...steps.time].map((time, row) => [time, steps.value[row]]);

  it("are known of workers that were paused before anybody looked", () => {
    const changes = [change(0, "a", "present"), change(0, "b", "present")];
    const workers = [now("a", "paused"), now("b", "running")];
    expect(at(pausedThreads(changes, workers, threads))).toEqual([
      [-Infinity, 4],
    ]);
  });

  it("follow what each worker changed from, and those that leave", () => {
    const changes = [
      ...[change(3, "b", "running"), change(4, "a", "paused")],
      ...[change(6, "b", "paused"), change(8, "a", "removed")],
    ];
    expect(at(pausedThreads(changes, [now("b", "paused")], threads))).toEqual([
      ...[
        [-Infinity, 2],
        [3, 0],
        [4, 4],
        [6, 6],
        [8, 2],
      ],
    ]);
    // One that came later was not paused before.
    const added = [change(5, "a", "added"), change(6, "a", "paused")];
    expect(at(pausedThreads(added, [now("a", "paused")], threads))).toEqual([
      ...[
        [-Infinity, 0],
        [6, 4],
      ],
    ]);
  });
});
