// What the panel of fine performance metrics finds worth knowing.

import { describe, expect, it } from "vitest";
import type { Bar } from "../../js_src/panels/fine_metrics/data";
import type { Whole } from "../../js_src/panels/fine_metrics/data";
import {
  cacheHits,
  offCpu,
  shortTasks,
} from "../../js_src/panels/fine_metrics/knowing";

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
