// What a report says in figures, and what it makes of a summary that is not whole.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cutText, someOf } from "../../js_src/base/bounds";
import { answerWords } from "../../js_src/panels/summary/answer";
import { briefRows } from "../../js_src/panels/summary/progress";
import { figuresOf } from "../../js_src/panels/summary/figures";
import { checkSummary } from "../../js_src/panels/summary/report_summary";
import {
  barsOf,
  percentOf,
  threadTime,
} from "../../js_src/panels/summary/time_breakdown";

/** Read by Python's tests, too. */
const amounts = JSON.parse(
  readFileSync("tests/contract/words/amounts.json", "utf-8"),
) as [amount: number, text: string][];

const GIB = 2 ** 30;
const whole = {
  title: "Taxi shuffle",
  ...{ start: 1000, stop: 1029.1, duration: 29.1 },
  ...{ user: "ada", host: "node-7", cluster: "LocalCluster" },
  ...{ scheduler: "tcp://10.4.0.10:8786", daskscope: "0.1.0" },
  tasks: { captured: 1211, kept: 1211, erred: 1, rows: 3000 },
  busy: {
    ...{ threads: 16, thread_seconds: 465.6, busy_seconds: 414.4 },
    percent: 89,
  },
  memory: { peak: 11.1 * GIB, peak_time: 1017.3, limit: 16 * GIB },
  spilled: { peak: 1.23 * GIB, workers: ["worker-2", "worker-0", "worker-1"] },
  transfers: { rows: 2314, seconds: 12.4 },
  errors: { count: 1, types: [["ValueError", 1]] },
  cost: { amount: 0.00776, per_hour: 0.06, unit: "$", thread_hours: 0.129 },
  prefixes: [
    { name: "rename", tasks: 10, seconds: 1, erred: 0 },
    { name: "read-parquet", tasks: 4, seconds: 20, erred: 0 },
  ],
  actions: [{ name: "compute", rows: 14, seconds: 21 }],
  by_prefix_action: [
    { prefix: "read-parquet", action: "disk-read", seconds: 22 },
    { prefix: "read-parquet", action: "compute", seconds: 20 },
  ],
  versions: [
    {
      ...{ package: "pandas", client: "2.3.3", scheduler: null },
      ...{ workers: ["2.3.3", "2.3.1"], differs: true },
    },
  ],
  cluster_facts: { workers: 4, hosts: 4, threads: 16, memory_limit: 16 * GIB },
  needs_a_look: [
    {
      ...{ code: "errors", level: "error", title: "ValueError", text: "one" },
      ...{ tab: "events", time: null },
    },
  ],
  ...{ code: "x = 1", source: "a.ipynb", exception: null },
  ...{ missing: [], redacted: [] },
};

describe("a summary from outside", () => {
  it("is believed whole where every part is as it should be", () => {
    const { summary, leftOut } = checkSummary(whole);
    expect(leftOut).toEqual([]);
    expect(summary.versions?.[0]?.scheduler).toBe("");
    expect(summary.prefixes?.[1]?.name).toBe("read-parquet");
  });

  it("loses only the parts that are wrong or missing, and names them", () => {
    const { summary, leftOut } = checkSummary({
      ...whole,
      cost: undefined,
      duration: "29 seconds",
      needs_a_look: [{ code: "errors" }],
    });
    expect(leftOut).toEqual(["duration", "cost", "needs a look"]);
    expect(summary.needs_a_look).toBeNull();
    expect(summary.tasks?.captured).toBe(1211);
  });

  it.each([[null], [7], ["text"], [[whole]], [{ __proto__: whole }]])(
    "has nothing where it is no object of its own: %j",
    (value) => {
      const { summary, leftOut } = checkSummary(value);
      expect(Object.values(summary).every((part) => part === null)).toBe(true);
      expect(leftOut).toContain("tasks");
    },
  );

  it("is bounded where somebody made it up: texts here, rows where they are shown", () => {
    const long = "x".repeat(1_000_000);
    const { summary } = checkSummary({
      ...whole,
      title: long,
      code: long,
      versions: [{ ...whole.versions[0], workers: [long] }],
    });
    const cut = `${"x".repeat(19_999)}…`;
    expect(summary.title).toBe(cut);
    expect(summary.versions?.[0]?.workers).toEqual([cut]);
    expect(summary.code).toBe(long); // to be copied
    expect(cutText(long)).toBe(cut);
    const all = Array.from({ length: 130 }, (_, at) => at);
    expect(someOf(all)).toEqual({ shown: all.slice(0, 100), more: 30 });
    expect(someOf([1, 2])).toEqual({ shown: [1, 2], more: 0 });
  });

  it("refuses figures that no figure can be", () => {
    const { leftOut } = checkSummary({
      ...whole,
      start: Infinity,
      tasks: { ...whole.tasks, kept: -1 },
    });
    expect(leftOut).toEqual(["start", "tasks"]);
  });
});

describe("the row of figures", () => {
  const told = (other: object = {}) =>
    Object.fromEntries(
      figuresOf(checkSummary({ ...whole, ...other }).summary).map((figure) => [
        figure.name,
        [figure.value, figure.unit, figure.below],
      ]),
    );

  it("has value, unit, and what it is of", () => {
    const figures = told();
    expect(figures["Duration"]?.slice(0, 2)).toEqual(["29.1", "s"]);
    expect(figures["Tasks"]).toEqual(["1,211", "", "all kept, 1 erred"]);
    expect(figures["Threads busy"]).toEqual(["89", "%", "of 16 × 29.1 s"]);
    expect(figures["Peak memory"]).toEqual([
      ...["11.1", "GiB", "of 16.0 GiB, at 17.3 s"],
    ]);
    expect(figures["Transfers"]).toEqual(["12.4", "s", "2,314 transfers"]);
    expect(figures["Spilled"]).toEqual([
      ...["1.23", "GiB", "worker-2, worker-0 and 1 more"],
    ]);
    expect(figures["Cost"]).toEqual(["0.0078", "$", "0.06 $ a thread-hour"]);
  });

  it("says when it was, with the day where it ended on another one", () => {
    const when = (start: number, stop: number) =>
      told({ start, stop, duration: stop - start })["Duration"]?.[2];
    const noon = new Date(2026, 10, 18, 12, 0, 0).getTime() / 1000;
    expect(when(noon, noon + 29)).toBe("12:00:00 to 12:00:29");
    expect(when(noon, noon + 0.2)).toBe("at 12:00:00");
    expect(when(noon, noon + 80 * 3600)).toBe(
      "12:00:00 to 21 Nov 2026, 20:00:00",
    );
  });

  it("says of a run in which nothing ran that nothing did", () => {
    const tasks = { captured: 0, kept: 0, erred: 0, rows: 0 };
    expect(told({ tasks })["Tasks"]).toEqual([
      ...["0", "", "none finished or failed"],
    ]);
  });

  it("has a long duration in minutes, or in hours", () => {
    expect(told({ duration: 149 })["Duration"]?.slice(0, 2)).toEqual([
      ...["2 m 29 s", ""],
    ]);
    expect(told({ duration: 5760 })["Duration"]?.slice(0, 2)).toEqual([
      ...["1.6", "h"],
    ]);
  });

  it("has a cost in digits that say something, and as zero only where there was none", () => {
    const costs = (amount: number) =>
      told({ cost: { amount, per_hour: 1, unit: "$", thread_hours: 1 } })[
        "Cost"
      ]?.slice(0, 2);
    for (const [amount, shown] of amounts) {
      expect(costs(amount), String(amount)).toEqual([shown, "$"]);
    }
  });

  it("says what was not kept", () => {
    const tasks = { captured: 1211, kept: 1000, erred: 0, rows: 1000 };
    expect(told({ tasks })["Tasks"]?.[2]).toBe("1,000 kept, none erred");
  });

  it("says of how many errors the types are, where not all are kept", () => {
    const types = [
      ["ValueError", 900],
      ["KeyError", 100],
    ];
    const below = (kept?: number) =>
      told({ errors: { count: 2600, kept, types } })["Errors"]?.[2];
    expect(below(1000)).toBe("newest 1,000: ValueError, KeyError");
    expect(below(2600)).toBe("ValueError, KeyError");
    expect(below()).toBe("ValueError, KeyError");
  });

  it("leaves out what nobody knows or what did not happen", () => {
    const names = Object.keys(
      told({ cost: null, memory: null, spilled: null, busy: null }),
    );
    expect(names).toEqual(["Duration", "Tasks", "Transfers", "Errors"]);
  });
});

describe("where the time went", () => {
  it("has the longest first, with work before overhead in each bar", () => {
    const bars = barsOf(checkSummary(whole).summary);
    expect(bars.map(({ name, seconds }) => [name, seconds])).toEqual([
      ["read-parquet", 42],
      ["rename", 1],
    ]);
    expect(bars[0]!.parts.map(({ action }) => action)).toEqual([
      "compute",
      "disk-read",
    ]);
  });

  it("tells the time that threads computed in the unit of all of it", () => {
    const told = (busy_seconds: number, thread_seconds: number) => {
      const busy = { ...whole.busy, busy_seconds, thread_seconds };
      const { summary } = checkSummary({ ...whole, busy, duration: null });
      return threadTime(summary);
    };
    expect(told(9_800, 96_120)).toBe("2.7 h of 26.7 h computing");
    expect(told(0.25, 465.6)).toBe("0.3 s of 465.6 s computing");
    expect(told(414.4, 465.6)).toBe("414.4 s of 465.6 s computing");
  });

  it("says of no action that took time that it took none of it", () => {
    const told = [0.0002, 0.05, 99.95, 0].map((part) => percentOf(part, 100));
    expect(told).toEqual(["< 0.1 %", "0.1 %", "100.0 %", "0.0 %"]);
    expect(percentOf(0, 0)).toBe("");
  });
});

describe("the answer", () => {
  const row = {
    ...{ name: "", began: 1000, done: 882, running: 14, waiting: 313 },
    ...{ erred: 2, raised: 1, total: 1211, rate: 43, left: 8.1 },
  };
  const said = (answer: object, live = true) => {
    const { summary } = checkSummary({
      answer: {
        ...{ state: "running", time: 1020.9, since: 1000, ended: 1020.8 },
        ...{ left: 7.2, cancelled: 0, exception: "ValueError", ...answer },
      },
      progress: { rows: [row], all: row },
    });
    const { title, level, below } = answerWords(summary, live);
    return [title, below, ...(level ? [level] : [])];
  };

  it.each([
    [
      { state: "running" },
      "Running, about 8 s left",
      "20.9 s so far · last task ended 0.1 s ago",
    ],
    [{ state: "running", left: null }, "Running"],
    [
      { state: "stuck", ended: 980 },
      "Stuck: nothing ended for 20.9 s",
      "20.9 s so far · last task ended 40.9 s ago",
      "warn",
    ],
    [{ state: "finished" }, "Finished in 20.8 s", "0.1 s ago"],
    [
      { state: "failed" },
      "Failed: ValueError",
      "after 20.8 s, 0.1 s ago",
      "error",
    ],
    [{ state: "cancelled" }, "Cancelled after 20.8 s"],
    [{ state: "idle" }, "Nothing has run yet", ""],
  ])("says of %j how the computation is", (answer, title, below?, level?) => {
    const words = said(answer as object);
    expect(words[0]).toBe(title);
    if (below !== undefined) expect(words[1]).toBe(below);
    expect(words[2]).toBe(level);
  });

  it("says of a recording how it ended", () => {
    expect(said({ state: "stuck" }, false)[0]).toBe(
      "Not finished: 327 tasks left",
    );
    expect(said({ state: "failed" }, false)[1]).toBe("after 20.8 s");
  });

  it("is left out with what it is of where it is no answer", () => {
    const { summary, leftOut } = checkSummary({
      ...whole,
      answer: { state: "fine" },
      progress: { rows: [{ ...row, done: -1 }], all: row },
    });
    expect([summary.answer, summary.progress]).toEqual([null, null]);
    expect(leftOut).toEqual(["answer", "progress"]);
  });

  it("lists of many prefixes what is open and what came last, in their order", () => {
    const rows = Array.from({ length: 40 }, (_, at) => ({
      ...row,
      name: String(at),
      waiting: at === 3 ? 5 : 0,
      running: at === 20 ? 1 : 0,
    }));
    const names = briefRows(rows).map(({ name }) => name);
    expect(names).toHaveLength(12);
    expect(names.slice(0, 3)).toEqual(["3", "20", "30"]);
    expect(names.at(-1)).toBe("39");
  });
});
