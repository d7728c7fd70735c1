// Fine Performance Metrics, states of tasks, graphs and cells of a made-up run, as workers
// would have sent them until some moment.

import type { TableRow } from "../../../js_src/model/types";
import { rowAt, type Run } from "./run";
import type { HarnessSession } from "./session";

const ACTIVITIES = [
  ...["thread-cpu", "thread-noncpu", "executor", "disk-read", "disk-write"],
  ...["deserialize", "network", "p2p-shard", "memory-read", "decompress"],
  '("<b>mine</b>", 1)',
  // Made up by distributed, so that sums match.
  "idle or other spans",
];
const CONTEXTS = ["execute", "gather-dep", "get-data", "memory-monitor"];
const UNITS = ["seconds", "bytes", "count", "apples"];

/** Of a second of a task: by its function. */
const SHARES: readonly (readonly (readonly [string, number])[])[] = [
  [
    ["thread-cpu", 0.58],
    ["thread-noncpu", 0.36],
    ["executor", 0.04],
  ],
  [
    ["thread-cpu", 0.9],
    ["executor", 0.08],
  ],
  [
    ["thread-cpu", 0.62],
    ["p2p-shard", 0.22],
    ["disk-write", 0.1],
    ["executor", 0.04],
  ],
  [
    ["thread-cpu", 0.4],
    ["executor", 0.4],
  ],
  [
    ["thread-cpu", 0.5],
    ["p2p-shard", 0.2],
    ["disk-read", 0.13],
    ["deserialize", 0.11],
    ["executor", 0.04],
  ],
  [
    ["thread-cpu", 0.86],
    ["thread-noncpu", 0.08],
    ["executor", 0.04],
  ],
  [
    ["thread-cpu", 0.55],
    ["network", 0.25],
    ["decompress", 0.08],
    ['("<b>mine</b>", 1)', 0.08],
  ],
];
const STEP_S = 0.5;

export function fillMetrics(
  session: HarnessSession,
  run: Run,
  start: number,
  now: number,
): void {
  Object.assign(session.dictionaries, {
    ...{ activities: ACTIVITIES, contexts: CONTEXTS, units: UNITS },
  });
  if (!session.prefixes.includes("")) session.addNames([""], []);
  const none = session.prefixes.indexOf("");
  const tasks = Array.from(run.batch.start, (_, row) =>
    rowAt(run.batch, row),
  ).filter(({ action }) => action === 0);
  const ended = tasks.filter((task) => task.start + task.duration <= now);
  const sums = new Map<string, number>();
  const add = (cells: readonly (string | number)[], value: number): void => {
    const id = JSON.stringify(cells);
    sums.set(id, (sums.get(id) ?? 0) + value);
  };
  for (const task of ended) {
    const from = Math.floor((task.start - start) / STEP_S);
    const to = Math.floor((task.start + task.duration - start) / STEP_S);
    const span = task.prefix < 4 ? 1 : 2;
    for (let step = from; step <= to; step++) {
      const left = Math.max(task.start, start + step * STEP_S);
      const right = Math.min(
        task.start + task.duration,
        start + (step + 1) * STEP_S,
      );
      for (const [activity, share] of SHARES[task.prefix]!) {
        add(
          [step, "execute", task.prefix, activity, span, "seconds"],
          share * (right - left),
        );
      }
    }
    const cells = [to, "execute", task.prefix];
    add([...cells, "memory-read", span, "count"], 2);
    add([...cells, "memory-read", span, "bytes"], task.nbytes);
    if (task.prefix === 4) add([...cells, "disk-read", span, "count"], 1);
    add([...cells, '("<b>mine</b>", 1)', span, "apples"], 3);
    add([...cells, "idle or other spans", span, "seconds"], 5);
    add([to, "gather-dep", none, "network", 0, "seconds"], 0.01);
    add([to, "gather-dep", none, "decompress", 0, "seconds"], 0.002);
    add([to, "get-data", none, "network", 0, "seconds"], 0.008);
    add([to, "gather-dep", none, "network", 0, "bytes"], task.nbytes);
  }
  session.fill(
    "metrics",
    [...sums].map(([id, value]) => {
      const [step, context, prefix, activity, span, unit] = JSON.parse(id) as [
        ...[number, string, number, string, number, string],
      ];
      return {
        ...{ time: start + step * STEP_S, duration: STEP_S, prefix, span },
        ...{ context: CONTEXTS.indexOf(context), value },
        ...{
          activity: ACTIVITIES.indexOf(activity),
          unit: UNITS.indexOf(unit),
        },
      };
    }),
  );
  const phases = [0, 17.1].map((phase) => start + 0.36 + phase);
  const states: Partial<TableRow<"states">>[] = [];
  for (let time = start; time <= now; time += STEP_S) {
    const runs = tasks.filter(
      (task) => task.start <= time && task.start + task.duration > time,
    );
    // The second half of the run waits for the first.
    const second = time >= phases[1]!;
    const open = tasks.filter((task) => task.start > time);
    const ready = open.filter((task) => second || task.prefix < 3).length;
    states.push({
      ...{ time, prefix: none, worker: "", no_worker: 0, memory: 0 },
      waiting: time < phases[0]! ? 0 : open.length - ready,
      queued: time < phases[0]! ? 0 : Math.max(0, ready - run.lanes.length),
      processing:
        time < phases[0]! ? 0 : runs.length + Math.min(ready, run.lanes.length),
      ...{ executing: runs.length, fetching: second ? 2 : 0 },
    });
    for (const prefix of new Set(tasks.map((task) => task.prefix))) {
      const own = runs.filter((task) => task.prefix === prefix);
      const sum = own.reduce((all, task) => all + task.start, 0);
      states.push({
        ...{ time, prefix, worker: "", executing: own.length },
        start: sum / own.length,
        earliest: Math.min(...own.map((task) => task.start)),
      });
    }
  }
  session.fill("states", states);
  session.fill("computations", [
    {
      ...{ computation: 2, time: start, stop: start + 0.36, graphs: 1 },
      ...{ tasks: run.tasks, cell: "In [7]", client: "Client-1" },
      code: "df.groupby('region').total.sum().compute()",
    },
  ]);
  session.fill("cells", [
    {
      ...{ cell: "In [7]", time: start, stop: now, status: "running" },
      code: "df.groupby('region').total.sum().compute()",
    },
  ]);
}
