// Threads × time: what ran, what was idle and why, and what is not accounted for.

import { describe, expect, it } from "vitest";
import {
  accountOf,
  beganAt,
  type Cause,
  CAUSES,
  gridOver,
  type Inputs,
  totalsOf,
  whenOf,
} from "../../js_src/derive/accounting";
import { secondsRun } from "../../js_src/derive/threads_busy";
import { TaskModel } from "../../js_src/model/tasks";
import { batchOf } from "./model_rows";

type State = Partial<
  Record<
    | "waiting"
    | "queued"
    | "no_worker"
    | "processing"
    | "executing"
    | "fetching",
    number
  >
>;

/** Of four threads for 8 s, as far as a test says nothing else. */
const GRID = { start: 0, width: 1, columns: 8 };

function account(
  states: readonly (readonly [time: number, state: State])[],
  more: Partial<Inputs> & {
    tasks?: readonly (readonly [start: number, seconds: number])[];
    grid?: typeof GRID;
  } = {},
) {
  const { tasks = [], grid = GRID, ...inputs } = more;
  const cells = (name: keyof State) =>
    states.map(([, state]) => state[name] ?? 0);
  const made = accountOf(grid, {
    threads: { time: Float64Array.of(0), value: [4] },
    states: {
      time: Float64Array.from(states, ([time]) => time),
      ...{ waiting: cells("waiting"), queued: cells("queued") },
      ...{ no_worker: cells("no_worker"), processing: cells("processing") },
      ...{ executing: cells("executing"), fetching: cells("fetching") },
    },
    ...{ graphs: [], running: [], since: 0 },
    paused: { time: new Float64Array(0), value: [] },
    present: grid.start + grid.width * grid.columns,
    measured: new Float64Array(grid.columns),
    beside: new Float64Array(grid.columns),
    busy: secondsRun(modelOf(tasks), grid),
    ...inputs,
  });
  return { made, totals: totalsOf(made) };
}

function modelOf(
  tasks: readonly (readonly [start: number, seconds: number])[],
  action = 0,
): TaskModel {
  const model = new TaskModel();
  if (tasks.length === 0) return model;
  const rows = tasks.map(([start, duration], task) => ({
    ...{ start, duration, task, action },
  }));
  model.insert(batchOf(rows));
  return model;
}

const causes = ({ totals }: ReturnType<typeof account>) =>
  Object.fromEntries(
    CAUSES.flatMap((cause) =>
      totals.idle[cause] > 1e-9 ? [[cause, round(totals.idle[cause])]] : [],
    ),
  );
const round = (value: number): number => Math.round(value * 1e6) / 1e6;
const NOTHING: State = {};
const BUSY: State = { processing: 4, executing: 4 };

describe("threads × time", () => {
  it("keeps the causes of idle time while nothing runs any more", () => {
    const at = (present: number) =>
      causes(
        account(
          [
            [0, { processing: 8, executing: 3 }],
            [7.3, { processing: 2, executing: 1 }],
            [11.9, { queued: 5 }],
            [13.7, NOTHING],
          ],
          {
            grid: gridOver(0, present, true) as typeof GRID,
            tasks: [
              [0.3, 6.6],
              [2.1, 11],
            ],
            present,
          },
        ),
      );
    expect(Object.keys(at(17)).length).toBeGreaterThan(2);
    for (const later of [18, 19.5, 25]) expect(at(later)).toEqual(at(17));
  });

  it("of a time that does not grow ends where that ends", () => {
    const { start, width, columns } = gridOver(3, 10, false);
    expect(start + width * columns).toBeCloseTo(10, 9);
  });

  it("is running, idle, unaccounted, and what is not counted", () => {
    // Two threads run for 6 s, and metrics tell of 11 of these 12 seconds.
    const one = account(
      [
        [0, { processing: 2, executing: 2 }],
        [6, NOTHING],
      ],
      {
        tasks: [
          [0, 6],
          [0, 6],
        ],
        measured: Float64Array.from([2, 2, 2, 2, 2, 1, 0, 0]),
      },
    );
    const { totals } = one;
    expect(totals.counted).toBeCloseTo(24, 6);
    expect(totals.notCounted).toBeCloseTo(8, 6);
    expect(totals.measured).toBeCloseTo(11, 6);
    expect(totals.unaccounted).toBeCloseTo(1, 6);
    expect(causes(one)).toEqual({ tail: 12 });
    expect(
      totals.measured + totals.unfinished + totals.idleSum + totals.unaccounted,
    ).toBeCloseTo(totals.counted, 6);
  });

  it("counts tasks that still run as running", () => {
    const one = account([[0, BUSY]], { running: [{ tasks: 4, since: 2 }] });
    expect(one.totals.unfinished).toBeCloseTo(24, 6);
    expect(one.totals.idleSum).toBeCloseTo(8, 6);
    const columns = [...one.made.unfinished].map(round);
    expect(columns).toEqual([0, 0, 4, 4, 4, 4, 4, 4]);
  });

  it("ends now, while the run goes on", () => {
    const { totals } = account([[0, { processing: 1, executing: 1 }]], {
      present: 5,
      tasks: [[0, 5]],
      measured: Float64Array.from([1, 1, 1, 1, 1, 0, 0, 0]),
    });
    expect(totals.counted).toBeCloseTo(20, 6);
    expect(totals.idleSum).toBeCloseTo(15, 6);
  });

  it("is never less than what ran, where tasks seceded", () => {
    const { totals } = account([[0, BUSY]], {
      tasks: Array.from({ length: 6 }, () => [0, 8] as const),
      measured: new Float64Array(8).fill(6),
    });
    expect(totals.idleSum).toBe(0);
    expect(totals.unaccounted).toBe(0);
    expect(totals.measured).toBe(48);
  });

  it("follows threads that come and go", () => {
    const { totals } = account([[0, BUSY]], {
      threads: { time: Float64Array.of(0, 2, 6), value: [1, 4, 2] },
    });
    expect(totals.counted).toBeCloseTo(1 * 2 + 4 * 4 + 2 * 2, 6);
  });

  it("counts what still runs from when it began, also beside shorter tasks", () => {
    // Of one function: one task since 0 s, three that began in the last second.
    const since = [299.2, 299.5, 299.8];
    const mean = since.reduce((all, one) => all + one, 0) / 4;
    const expected = 60 + since.reduce((all, one) => all + 300 - one, 0);
    const grid = { start: 240, width: 1, columns: 60 };
    const { totals, made } = account([[0, BUSY]], {
      grid,
      running: beganAt(4, mean, 0),
      measured: new Float64Array(60).fill(3).fill(1.5, 59),
    });
    expect(totals.unfinished).toBeGreaterThan(60);
    expect(totals.unfinished).toBeLessThanOrEqual(expected + 1e-9);
    expect(totals.unfinished).toBeCloseTo(expected, 0);
    made.unfinished.forEach((seconds, at) => {
      expect(seconds + made.measured[at]!).toBeLessThanOrEqual(4 + 1e-9);
    });
    expect(totals.measured + totals.unfinished).toBeLessThanOrEqual(240);
  });

  it("has a task of ten minutes that still runs in any window", () => {
    const since = 17.3;
    const present = since + 600;
    for (const [start, seconds] of [
      ...[
        [0, 10],
        [0, 640],
        [10, 20],
        [17, 1],
        [100, 7],
        [300, 300],
      ],
      ...[
        [600, 17.3],
        [617, 0.3],
        [610, 600],
      ],
    ] as const) {
      const grid = { start, width: seconds / 240, columns: 240 };
      const { totals } = account([[0, BUSY]], {
        ...{ grid, present },
        running: [...beganAt(1, since, since), ...beganAt(1, present, present)],
      });
      const from = Math.max(start, since);
      const expected = Math.min(start + seconds, present) - from;
      expect(Math.abs(totals.unfinished - Math.max(0, expected))).toBeLessThan(
        0.02 * Math.max(expected, 0.01),
      );
    }
  });

  it("misses compute that no metric tells of, whatever else metrics tell of", () => {
    // Two threads run all the time; of their 16 s metrics know 10, and besides 6 s in which
    // no task ran.
    const one = account([[0, { processing: 2, executing: 2 }]], {
      tasks: [
        [0, 8],
        [0, 8],
      ],
      measured: new Float64Array(8).fill(2),
      beside: new Float64Array(8).fill(0.75),
    });
    expect(one.totals.unaccounted).toBeCloseTo(6, 6);
    expect(causes(one)).toEqual({ tail: 10 });
  });

  it("knows reading from disk as running", () => {
    const grid = GRID;
    const DISK_READ = 2;
    const busy = secondsRun(modelOf([[1, 4]], DISK_READ), grid);
    expect([...busy]).toEqual([0, 1, 1, 1, 1, 0, 0, 0]);
    const one = account([[0, { processing: 1, executing: 1 }]], {
      busy,
      measured: Float64Array.of(0, 1, 1, 0, 0, 0, 0, 0),
    });
    expect(one.totals.unaccounted).toBeCloseTo(2, 6);
  });

  it("has no idle time where metrics say that its threads ran", () => {
    // Disk reads lie beside the time of tasks, and are measured.
    const { totals } = account([[0, BUSY]], {
      tasks: Array.from({ length: 4 }, () => [0, 7] as const),
      measured: new Float64Array(8).fill(3.9),
    });
    expect(totals.idleSum).toBeCloseTo(32 - 31.2, 6);
    expect(totals.unaccounted).toBeCloseTo(0, 6);
  });
});

describe("the cause of idle time", () => {
  const cases: readonly [string, State, Partial<Inputs>, Cause, number][] = [
    ["a graph is read", NOTHING, { graphs: [[0, 8]] }, "reading", 32],
    ["tasks are queued", { queued: 9, processing: 4 }, {}, "queued", 32],
    ["inputs are fetched", { processing: 4, fetching: 2 }, {}, "data", 32],
    ["nothing executes", { processing: 4 }, {}, "data", 32],
    ["all wait for others", { waiting: 3 }, {}, "none", 32],
    ["no worker may run them", { no_worker: 3 }, {}, "none", 32],
    [
      "tasks are handed over",
      { processing: 9, executing: 4 },
      {},
      "handing",
      32,
    ],
  ];
  for (const [name, state, inputs, cause, seconds] of cases) {
    it(`is said where ${name}`, () => {
      const states = [[0, state]] as const;
      const { idle } = account(states, { ...inputs }).totals;
      expect(idle[cause]).toBeCloseTo(seconds, 6);
      const others = CAUSES.filter((one) => one !== cause);
      expect(others.map((one) => idle[one])).toEqual(others.map(() => 0));
    });
  }

  it("is the tail for threads without a task, and data for those that wait", () => {
    const one = account([[0, { processing: 3, executing: 1, fetching: 1 }]], {
      tasks: [[0, 8]],
      measured: new Float64Array(8).fill(1),
    });
    expect(causes(one)).toEqual({ data: 16, tail: 8 });
  });

  it("is a paused worker first", () => {
    const one = account([[0, { queued: 5, processing: 1 }]], {
      paused: { time: Float64Array.of(0, 4), value: [2, 0] },
    });
    expect(causes(one)).toEqual({ paused: 8, queued: 24 });
  });

  it("is not known before the first sample of states", () => {
    const one = account([[6, { waiting: 1 }]]);
    expect(causes(one)).toEqual({ none: 8, unknown: 24 });
  });

  it("says when it was", () => {
    const { made } = account([
      [0, BUSY],
      [3, { waiting: 1 }],
      [5, BUSY],
    ]);
    expect(whenOf(made, "none")).toEqual({ start: 3, stop: 5, share: 1 });
    expect(whenOf(made, "paused")).toBeNull();
  });
});

describe("seconds in which tasks ran", () => {
  it("are exact in a short time of a long and dense run", () => {
    // A task every 8 s for a day: the bins of the model are wider than that.
    const day = Array.from({ length: 10_800 }, (_, at) => [at * 8, 4] as const);
    const model = modelOf(day);
    expect(model.wholeBusy.binWidth_s).toBeGreaterThan(4);
    const none = secondsRun(model, { start: 40_005, width: 1, columns: 3 });
    expect([...none]).toEqual([0, 0, 0]);
    const some = secondsRun(model, { start: 40_002, width: 1, columns: 8 });
    expect([...some]).toEqual([1, 1, 0, 0, 0, 0, 1, 1]);
    const all = secondsRun(model, { start: 0, width: 8_640, columns: 10 });
    expect(all[4]).toBeCloseTo(4_320, 0);
  });
});
