// Threads × time: what ran, what was idle and why, and what is not accounted for.

import { describe, expect, it } from "vitest";
import {
  accountOf,
  type Cause,
  CAUSES,
  type Inputs,
  totalsOf,
  whenOf,
} from "../../js_src/derive/accounting";
import { BusyBins } from "../../js_src/model/busy";

type State = Partial<
  Record<
    | "waiting"
    | "queued"
    | "no_worker"
    | "processing"
    | "executing"
    | "fetching"
    | "start",
    number
  >
>;

/** Of four threads for 8 s, as far as a test says nothing else. */
const GRID = { start: 0, width: 1, columns: 8 };

function account(
  states: readonly (readonly [time: number, state: State])[],
  more: Partial<Inputs> & {
    tasks?: readonly (readonly [start: number, seconds: number])[];
  } = {},
) {
  const busy = new BusyBins();
  for (const [start, seconds] of more.tasks ?? []) busy.add(start, seconds, 0);
  const cells = (name: keyof State) =>
    states.map(([, state]) => state[name] ?? 0);
  const made = accountOf(GRID, {
    threads: { time: [0], value: [4] },
    states: {
      time: states.map(([time]) => time),
      ...{ waiting: cells("waiting"), queued: cells("queued") },
      ...{ no_worker: cells("no_worker"), processing: cells("processing") },
      ...{ executing: cells("executing"), fetching: cells("fetching") },
      start: states.map(([, { start }]) => start ?? NaN),
    },
    ...{ graphs: [], paused: { time: [], value: [] }, present: 8 },
    measured: new Float64Array(8),
    busy,
    ...more,
  });
  return { made, totals: totalsOf(made) };
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
      totals.measured + totals.still + totals.idleSum + totals.unaccounted,
    ).toBeCloseTo(totals.counted, 6);
  });

  it("counts tasks that still run as running", () => {
    const one = account([[0, { ...BUSY, start: 2 }]], {
      measured: new Float64Array(8),
    });
    expect(one.totals.still).toBeCloseTo(24, 6);
    expect(one.totals.idleSum).toBeCloseTo(8, 6);
    const columns = [...one.made.still].map(round);
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
      threads: { time: [0, 2, 6], value: [1, 4, 2] },
    });
    expect(totals.counted).toBeCloseTo(1 * 2 + 4 * 4 + 2 * 2, 6);
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
      paused: { time: [0, 4], value: [2, 0] },
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
