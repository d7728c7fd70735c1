// What is known of cells, spans and functions, out of the rows of tasks.

import { describe, expect, it } from "vitest";
import { MetricKeys, MetricRows } from "../../js_src/derive/metrics";
import { ThreadsBusy } from "../../js_src/derive/threads_busy";
import { groupKey } from "../../js_src/model/groups";
import { TaskModel } from "../../js_src/model/tasks";
import { cellsOf, firstLine, sendersOf } from "../../js_src/panel/cells";
import { linesOfSpan } from "../../js_src/panels/spans/detail";
import { TimeSpent } from "../../js_src/panels/spans/spent";
import {
  type Node,
  rowsShown,
  spansIn,
  treeOf,
} from "../../js_src/panels/spans/tree";
import { emptyTable } from "../../js_src/session/tables";
import { HarnessSession } from "./harness/session";
import { batchOf, T0 } from "./model_rows";

const TRANSFER = 1;
const READ = 2;
const SPANS = [
  { id: "", name: [] },
  { id: "d", name: ["default"] },
  { id: "a", name: ["outer"] },
  { id: "b", name: ["outer", "inner"] },
];

function modelWith(): TaskModel {
  const model = new TaskModel();
  model.insert(
    batchOf(
      [
        // A task with three rows counts once; what it transferred was not executed.
        {
          start: T0,
          duration: 1,
          action: TRANSFER,
          computation: 2,
          nbytes: 100,
        },
        {
          start: T0 + 1,
          duration: 1,
          action: READ,
          computation: 2,
          nbytes: 100,
        },
        { start: T0 + 2, duration: 2, computation: 2, nbytes: 100 },
      ].map((row) => ({ ...row, task: 0, span: 3 })),
    ),
  );
  model.insert(
    batchOf([
      { start: T0 + 4, task: 1, prefix: 1, span: 2, computation: 2, status: 1 },
      { start: T0 + 6, task: 2, prefix: 1, span: 1, computation: 3 },
      { start: T0 + 8, task: 3, prefix: 1, computation: 1 },
      { start: T0 + 8, task: 4, prefix: 1, computation: 4 },
      { start: T0 + 8, task: 5, prefix: 1, computation: 0 },
    ]),
  );
  return model;
}

function tree(mode: "cells" | "spans"): Node[] {
  const session = new HarnessSession("one");
  const sent = { "In [1]": 9, "In [2]": 2, "In [5]": 3, "": 4 };
  const times = [T0 - 9, T0 - 1, T0 + 5, T0 + 7];
  const rows = Object.entries(sent).map(([cell, computation], at) => ({
    ...{ cell, computation, graphs: 1, tasks: 2, code: "x", status: "ok" },
    ...{ time: times[at], stop: times[at] + 1 },
  }));
  session.fill("computations", rows);
  session.fill("cells", rows.slice(0, 3));
  const tables = [
    session.table("cells").value,
    session.table("computations").value,
  ] as const;
  return treeOf({
    mode,
    groups: modelWith().groups.all,
    cells: cellsOf(...tables),
    senderOf: sendersOf(...tables),
    spans: SPANS,
    prefixes: ["load", "sum"],
    spanTimes: emptyTable("span_times"),
  });
}

const shown = (roots: Node[], words = "") => {
  const all = new Set<string>();
  const visit = (one: Node): void => {
    if (one.kind === "cell" && ![...one.children.values()].some(isSpan)) {
      all.add(one.id);
    }
    if (one.kind === "rest") all.add(one.id);
    one.children.forEach(visit);
  };
  const isSpan = ({ kind }: Node): boolean => kind === "span";
  roots.forEach(visit);
  const has = words === "" ? null : (text: string) => text.includes(words);
  return rowsShown(roots, all, has).map(
    ({ depth, name, tasks }) => `${"  ".repeat(depth)}${name} ${tasks}`,
  );
};

describe("groups of tasks", () => {
  it("count a task once, whatever rows it has, and what it executed", () => {
    const [group] = modelWith().groups.all;
    expect(group).toEqual({
      ...{ computation: 2, span: 3, prefix: 0, tasks: 1, erred: 0 },
      ...{ nbytes: 100, seconds: 3, start: T0, stop: T0 + 4 },
    });
    expect(modelWith().groups.tasks).toBe(6);
  });

  it("tell threads busy from each other, column by column", () => {
    const rows = new Map([
      [groupKey(2, 3, 0), [0, 2]],
      [groupKey(2, 2, 1), [1, 2]],
    ]);
    const window = { start: T0, secondsPerPixel: 2, width_px: 4 };
    const busy = new ThreadsBusy(modelWith(), window, rows, 3);
    while (!busy.work(1));
    expect([...busy.busy]).toEqual([
      ...[0, 1, 0, 0],
      ...[0, 0, 0.5, 0],
      ...[0, 1, 0.5, 0],
    ]);
  });
});

describe("the tree of cells and spans", () => {
  it("has each task in the cell whose graph brought it, in order of begin", () => {
    expect(shown(tree("cells"))).toEqual([
      "[1] x 0",
      "[2] x 2",
      "  outer 2",
      "    inner 1",
      "      load 1",
      "    sum 1",
      // The span that Dask makes around all is none.
      "[5] x 1",
      "  sum 1",
      "(recomputed) 1",
      "  sum 1",
      "(outside of cells) 1",
      "  sum 1",
      "(unknown) 1",
      "  sum 1",
    ]);
    expect(shown(tree("cells"), "inner")).toEqual([
      "[2] x 2",
      "  outer 2",
      "    inner 1",
      "      load 1",
    ]);
  });

  it("is of spans alone where asked for, and knows the spans inside", () => {
    const roots = tree("spans");
    expect(shown(roots)).toEqual([
      "outer 2",
      "  inner 1",
      "    load 1",
      "  sum 1",
      "(no span) 4",
      "  sum 4",
    ]);
    expect(spansIn(roots[0]!, SPANS).sort()).toEqual(["a", "b"]);
  });

  it("marks what a span has inside of its cell", () => {
    const code = ['with span("a"):', "  one()", "", "  two()", "three()"];
    expect([...linesOfSpan(code, "a")]).toEqual([0, 1, 2, 3]);
    expect([...linesOfSpan(code, "b")]).toEqual([]);
  });
});

it("shares what was measured among the groups that ran in that time", () => {
  const session = new HarnessSession("one");
  session.fill("metrics", [
    { time: 10, duration: 10, prefix: 0, span: 2, activity: 0, value: 6 },
    { time: 10, duration: 10, prefix: 0, span: 2, activity: 1, value: 2 },
    { time: 10, duration: 10, prefix: 0, activity: 1, value: 50 }, // another span
    { time: 10, duration: 10, prefix: 0, span: 2, unit: 1, value: 70 }, // bytes
    { time: 30, duration: 10, prefix: 0, span: 2, activity: 1, value: 8 }, // later
  ]);
  const { rings } = session.table("metrics").value;
  const OTHER = 3;
  const rows = new MetricRows(rings, new MetricKeys(), new Set([OTHER]));
  const spent = new TimeSpent(rows);
  const none = { computation: 2, span: 2, prefix: 0, tasks: 1, erred: 0 };
  const group = { ...none, nbytes: 0, start: 10, stop: 20 };
  expect(spent.of([{ ...group, seconds: 8 }])).toEqual([
    { activity: 0, seconds: 6 },
    { activity: 1, seconds: 2 },
  ]);
  // Its tasks ran for a quarter of that: others had the rest.
  expect(spent.of([{ ...group, seconds: 2 }])).toEqual([
    { activity: 0, seconds: 1.5 },
    { activity: 1, seconds: 0.5 },
  ]);
});

it("leaves a function that ran alone all that was measured, beside its tasks too", () => {
  const session = new HarnessSession("one");
  const row = { time: 10, duration: 10, prefix: 0, span: 2 };
  session.fill("metrics", [
    { ...row, activity: 0, value: 10 },
    { ...row, activity: 3, value: 10 },
  ]);
  const { rings } = session.table("metrics").value;
  const rows = new MetricRows(rings, new MetricKeys(), new Set([3]));
  const none = { computation: 2, span: 2, prefix: 0, tasks: 1, erred: 0 };
  const group = { ...none, nbytes: 0, start: 10, stop: 20, seconds: 10 };
  expect(new TimeSpent(rows).of([group])).toEqual([
    { activity: 0, seconds: 10 },
    { activity: 3, seconds: 10 },
  ]);
});

it.each([
  ["import dask\n\nx = dask.delayed(1)", "x = dask.delayed(1)"],
  ["def f(x):\n    return x\n\nwith span('a'):\n    f(1)", "with span('a'):"],
  ["from a import (\n    b,\n)\nb()", "b()"],
  ["class A:\n    pass", "class A:"],
  ["%%time\n# totals\ntotals.compute()", "totals.compute()"],
  [
    "# only this\nfrom dask.distributed import Client",
    "from dask.distributed import Client",
  ],
  ["%matplotlib inline", "%matplotlib inline"],
])("names a cell by what it does: %j", (code, name) => {
  expect(firstLine(code)).toBe(name);
});
