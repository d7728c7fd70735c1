// What the harness can show: each state of the panel that somebody may meet.

import type { Chooser, EmptyState } from "../../../js_src/panel/host";
import type { TaskBatch } from "../../../js_src/model/tasks";
import type { TaskDetail } from "../../../js_src/model/types";
import { makeRun, random, rowAt, toBatch, type Row, type Run } from "./run";
import { LiveRun } from "./live_run";
import { fillMetrics } from "./metrics_run";
import { fillProfile } from "./profile_run";
import { showSamples, TWO_RUNS } from "./sampled";
import { HarnessSession } from "./session";

export interface Made {
  readonly session: HarnessSession | null;
  readonly empty: EmptyState | null;
  readonly chooser?: Chooser;
  /** Plays the run as if it happened now. */
  live?(): void;
  /** Shows a moment of the run, in seconds from its begin; no earlier one. */
  show?(seconds: number): void;
}

const ORIGIN = 1_795_010_551;
const GIB = 2 ** 30;

const TRACEBACK = `Traceback (most recent call last):
  File "/tmp/ipykernel_4242/1234567.py", line 4, in totals
    g = part.reindex(region.index)
  File "/opt/env/lib/python3.13/site-packages/pandas/core/frame.py", line 5385, in reindex
    return super().reindex(
           ~~~~~~~~~~~~~~~^
  File "/opt/env/lib/python3.13/site-packages/pandas/core/indexes/base.py", line 4429, in reindex
    raise ValueError("cannot reindex on an axis with duplicate labels")
`;

export async function scenario(
  name: string,
  wanted: URLSearchParams,
): Promise<Made> {
  const number = (key: string, fallback: number): number =>
    Number(wanted.get(key) ?? fallback);
  if (name === "no-client") {
    return {
      session: null,
      empty: {
        state: "no-client",
        title: "No Dask client in this kernel yet",
        text: "Run `Client()` in analysis.ipynb, and this panel starts automatically.",
        status: "Waiting for a client in Python 3, analysis.ipynb",
        actions: [
          { label: "Insert client code", run: () => {} },
          { label: "Choose a notebook", run: () => {} },
        ],
      },
    };
  }
  if (name === "stopped") {
    return {
      session: null,
      empty: {
        state: "stopped",
        trouble: true,
        title: "This panel stopped: the kernel sends a newer format",
        text: "The kernel has daskscope 0.3.0, this page 0.1.0. Upgrade the extension where JupyterLab runs, then reload: `pip install -U daskscope`",
        status: "Protocol 3 asked, 1 known · recording goes on in the kernel",
        actions: [
          { label: "Reload", primary: true, run: () => {} },
          { label: "Copy details", run: () => {} },
        ],
      },
    };
  }
  const session = new HarnessSession("one");
  session.origin.value = ORIGIN;
  if (name === "samples") return sampledScenario(session, wanted);
  const workers = number("workers", 4);
  const threads = number("threads", 4);
  const run = makeRun({
    workers,
    threads,
    origin: ORIGIN + 0.36,
    scale: number("scale", 1),
    repeat: number("repeat", 1),
  });
  addWorkers(session, run, workers, threads);
  if (name === "waiting") {
    session.now.value = ORIGIN + 4;
    return { session, empty: null };
  }
  session.addNames(
    name === "hostile" ? hostileNames(run) : run.prefixes,
    run.lanes,
  );
  session.answer = (task) => detailOf(session, run, task);
  if (name === "live") return liveScenario(session, run, wanted);

  if (name === "coarse") {
    coarse(session, run);
    return { session, empty: null };
  }
  const { batch } = run;
  if (name === "many") {
    const names = Array.from({ length: 20 }, (_, at) => `step-${at + 8}`);
    session.addNames(names, []);
    batch.task.forEach((task, row) => {
      batch.prefix[row] = task % session.prefixes.length;
    });
  }
  if (name === "skew") skew(batch.start, batch.duration, batch.lane);
  session.addRows(batch, 0, run.tasks);
  await session.addKeys(0, keysOf(session, run));
  session.now.value = run.stop + (name === "idle" ? 60 : 0.2);
  const erredRow = batch.task.indexOf(run.erredTask);
  session.fill("errors", [
    {
      task: run.erredTask,
      prefix: 5,
      worker: run.lanes[batch.lane[erredRow] ?? 0]?.worker ?? "",
      time: erredStop(batch, run.erredTask),
      exception:
        "ValueError('cannot reindex on an axis with duplicate labels')",
    },
  ]);
  spill(session, run);
  if (name === "cells") addCells(session, run);
  if (name === "busy") session.answer = null;
  if (name === "lost" || name === "restarted") {
    session.state.value = "lost";
    session.now.value = ORIGIN + 15;
    cut(session, run, ORIGIN + 14.9);
  }
  if (name === "partly") {
    session.state.value = "partly";
    session.notices.value = [
      {
        code: "plugins-refused",
        level: "warn",
        text: "This scheduler refuses plugins",
        next: "Tasks since the panel opened; no spans, at most 100,000 tasks.",
      },
    ];
    session.counts.value = {
      ...session.counts.peek(),
      captured: 241_860,
      dropped_agent: 241_860 - run.tasks,
    };
  }
  if (name === "gap") {
    session.fill("gaps", [
      {
        start: ORIGIN + 9,
        stop: ORIGIN + 11.5,
        reason: "restarted",
        text: "scheduler restarted, nothing recorded",
      },
    ]);
    session.fill(
      "workers",
      [3, 3.2, 3.3, 12].map((time, at) => ({
        time: ORIGIN + time,
        worker: run.lanes[(at * threads) % run.lanes.length]!.worker,
        what: "removed",
        detail: "",
      })),
    );
  }
  const empty: EmptyState | null =
    name === "restarted"
      ? {
          state: "no-client",
          title: "No Dask client in the new kernel yet",
          text: "Run `Client()` in analysis.ipynb, and this panel starts automatically.",
          status:
            "no Dask client yet; the last data of the old kernel is shown",
          actions: [{ label: "Insert client code", run: () => {} }],
        }
      : null;
  const chooser: Chooser | undefined =
    name === "chooser"
      ? {
          chosen: "one",
          choose: () => {},
          sessions: [
            {
              id: "one",
              name: "LocalCluster :37219",
              detail: "live · 4 workers",
              state: "live",
            },
            {
              id: "busy",
              name: "SSHCluster :8786",
              detail: "live · 12 workers · running tasks",
              state: "live",
              active: true,
            },
            {
              id: "two",
              name: "Gateway, team-prod :8786",
              detail: "stopped, 1,394 tasks kept",
              state: "stopped",
            },
          ],
        }
      : undefined;
  return { session, empty, ...(chooser ? { chooser } : {}) };
}

/** When the task that failed stopped: the mark of its error is at its end. */
function erredStop(batch: TaskBatch, task: number): number {
  let stop = 0;
  batch.task.forEach((other, row) => {
    if (other !== task) return;
    stop = Math.max(stop, batch.start[row]! + batch.duration[row]!);
  });
  return stop;
}

/** What a late page gets first: preview blocks of lanes, no tasks yet. */
function coarse(session: HarnessSession, run: Run): void {
  const each = 60;
  const width = (run.stop - ORIGIN) / each;
  const count = run.lanes.length * each;
  const at = Array.from({ length: count }, (_, row) => row);
  session.model.setCoarse({
    rows: new Uint32Array(count).fill(23),
    first: 0,
    tasks: run.tasks,
    start: Float64Array.from(at, (row) => ORIGIN + (row % each) * width),
    duration: new Float32Array(count).fill(width),
    lane: Uint16Array.from(at, (row) => Math.floor(row / each)),
    prefix: Uint16Array.from(at, (row) => Math.floor((row % each) / 10)),
    // One in seven is not idle, and next to it.
    busy: Float32Array.from(at, (row) =>
      row % 7 === 1 ? width / 1000 : width * ((row % 7) / 7),
    ),
    erred: new Uint8Array(count),
  });
  session.counts.value = {
    ...session.counts.peek(),
    captured: run.tasks,
    kept: run.tasks,
  };
  session.now.value = run.stop;
  session.dataVersion.value += 1;
}

/** Two cells that each sent the graph of a pass, one that failed, and one that runs. */
function addCells(session: HarnessSession, run: Run): void {
  const { batch } = run;
  const first = batch.computation.indexOf(3);
  const second = batch.start[first]!;
  const at = (seconds: number): number => ORIGIN + seconds;
  const cell = (
    number: number,
    time: number,
    stop: number,
    code: string,
    status = "ok",
  ) => ({
    ...{ cell: `In [${number}]`, time, stop, code, status },
    id: `cell-${number}`,
  });
  session.fill("cells", [
    cell(1, at(0), at(0.04), "from dask.distributed import Client, span"),
    cell(2, at(0.1), at(30), 'with span("read"):\n    a = load()\na.compute()'),
    cell(3, at(30.1), at(30.4), "1 / 0", "error"),
    cell(4, second - 0.3, NaN, "trips.fare.mean().compute()", "running"),
  ]);
  const graph = (computation: number, cell: number, time: number) => ({
    ...{ computation, time, stop: time + 0.2, graphs: 1, client: "Client-1" },
    ...{ cell: `In [${cell}]`, code: "", tasks: run.tasks / 2 },
  });
  session.fill("computations", [
    graph(2, 2, at(0.15)),
    graph(3, 4, second - 0.25),
  ]);
  session.fill(
    "span_times",
    [1, 2].map((span) => ({
      ...{ span, parent: 0, time: at(0.2), start: at(0.4), stop: at(29) },
      ...{ tasks: 10, erred: 0, nbytes: GIB, code: "" },
    })),
  );
  // Half of what computes is CPU, and what was read from disk is beside it.
  session.fill(
    "metrics",
    Array.from(batch.start, (_, row) => row)
      .filter((row) => batch.action[row] !== 1)
      .flatMap((row) => {
        const { start, duration, prefix, span } = batch;
        const reads = batch.action[row] === 2;
        return (reads ? [2] : [0, 1]).map((activity) => ({
          ...{ time: start[row], duration: duration[row], activity },
          ...{ prefix: prefix[row], span: span[row], context: 0, unit: 0 },
          value: duration[row]! / (reads ? 1 : 2),
        }));
      })
      .sort((one, other) => one.time! - other.time!),
  );
}

function addWorkers(
  session: HarnessSession,
  run: Run,
  workers: number,
  threads: number,
): void {
  const next = random(3);
  session.workers.value = Array.from({ length: workers }, (_, at) => ({
    address: run.lanes[at * threads]!.worker,
    name: String(at),
    host: `10.4.0.${21 + at}`,
    threads,
    memory_limit: 4 * GIB,
    process: (2.3 + next() * 0.9) * GIB,
    managed: 1.6 * GIB,
    spilled: at === 2 ? 0.92 * GIB : 0,
    status: "running",
    running: 0,
  }));
}

function keysOf(session: HarnessSession, run: Run): string[] {
  const next = random(11);
  const keys = new Array<string>(run.tasks).fill("");
  const { batch } = run;
  for (let row = 0; row < batch.rows; row++) {
    const prefix = session.prefixes[batch.prefix[row]!]!;
    const token = Math.floor(next() * 0xffffffff).toString(16);
    keys[batch.task[row]!] = `('${prefix}-${token}', ${row % 256})`;
  }
  return keys;
}

function detailOf(session: HarnessSession, run: Run, task: number): TaskDetail {
  const { batch } = run;
  const rows: number[] = [];
  for (let row = 0; row < batch.rows; row++) {
    if (batch.task[row] === task) rows.push(row);
  }
  const first = rows[0] ?? 0;
  const erred = batch.status[first] === 1;
  const lane = run.lanes[batch.lane[first]!]!;
  return {
    task,
    key: `('${session.prefixes[batch.prefix[first]!]}-5b1f0c9d', 147)`,
    prefix: session.prefixes[batch.prefix[first]!]!,
    worker: lane.worker,
    thread: lane.thread,
    nbytes: 50_646_220,
    span: session.spans[batch.span[first]!]!.name,
    status: erred ? "error" : "OK",
    startstops: rows.map((row) => ({
      action: session.actions[batch.action[row]!]!,
      start: batch.start[row]!,
      stop: batch.start[row]! + batch.duration[row]!,
    })),
    error: erred
      ? {
          exception:
            "ValueError('cannot reindex on an axis with duplicate labels')",
          traceback: TRACEBACK,
        }
      : null,
  };
}

function spill(session: HarnessSession, run: Run): void {
  const addresses = session.workers.peek().map((worker) => worker.address);
  const at = (seconds: number, worker: number, what: string, detail = "") => ({
    time: ORIGIN + seconds,
    worker: addresses[worker] ?? "",
    what,
    detail,
  });
  if (addresses.length < 3) return;
  void run;
  session.fill("workers", [
    at(9.71, 2, "paused", "was running"),
    at(13.8, 0, "paused", "was running"),
    at(16.8, 0, "running", "was paused"),
    at(16.8, 2, "running", "was paused"),
    at(16.9, 2, "spilling"),
  ]);
}

/** Keeps what was there before the connection went. */
function cut(session: HarnessSession, run: Run, time: number): void {
  const fresh = new HarnessSession("cut");
  const { batch } = run;
  const rows: Row[] = [];
  const tasks = new Set<number>();
  for (let row = 0; row < batch.rows; row++) {
    if (batch.start[row]! + batch.duration[row]! > time) continue;
    tasks.add(batch.task[row]!);
    rows.push(rowAt(batch, row));
  }
  void fresh;
  Object.assign(session, { model: fresh.model });
  session.model.insert(toBatch(rows));
  session.model.markCovered(0, tasks.size);
  session.counts.value = {
    ...session.counts.peek(),
    captured: tasks.size,
    kept: tasks.size,
    erred: 0,
  };
  session.fill("errors", []);
}

/** One worker's clock is three hours late, another's tasks stop before they start. */
function skew(
  start: Float64Array,
  duration: Float32Array,
  lane: Uint16Array,
): void {
  for (let row = 0; row < start.length; row++) {
    if (lane[row]! === 3) start[row]! -= 3 * 3600;
    if (lane[row]! === 7) duration[row] = -duration[row]!;
  }
}

function hostileNames(run: Run): string[] {
  const hostile = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    `long-${"x".repeat(10_000)}`,
    "emoji-🦜-\u202Ereversed",
    "new\nline\ttab",
    "=cmd|' /C calc'!A0",
    "",
  ];
  return run.prefixes.map((_, at) => hostile[at]!);
}

/** A MemorySampler of `labels`, of which the last is sampled still `at` a moment. */
function sampledScenario(
  session: HarnessSession,
  wanted: URLSearchParams,
): Made {
  const labels = Number(wanted.get("labels") ?? 2);
  const more = Array.from({ length: Math.max(0, labels - 2) }, (_, at) => ({
    label: wanted.get("label") ?? `attempt ${at + 3} with a longer name`,
    length_s: 12 + ((at * 7) % 31),
    peak_gib: 0.7 + ((at * 5) % 9) / 4,
  }));
  const runs = [...TWO_RUNS, ...more].slice(0, labels);
  const show = (seconds?: number): void =>
    showSamples(session, runs, ORIGIN, seconds);
  const at = wanted.get("at");
  if (labels === 0) session.fill("samples", []);
  else show(at === null ? undefined : Number(at));
  return { session, empty: null, show };
}

/** Shows a moment of the run; or plays it from its begin on, in real time. */
async function liveScenario(
  session: HarnessSession,
  run: Run,
  wanted: URLSearchParams,
): Promise<Made> {
  const others = new URLSearchParams(wanted);
  others.delete("at");
  const { session: whole } = await scenario("full", others);
  const live = new LiveRun(
    ...([session, whole!, run, ORIGIN, wanted.has("many")] as const),
    (now) => {
      if (wanted.has("metrics")) fillMetrics(session, run, ORIGIN, now);
      if (wanted.has("profile")) {
        fillProfile(session, run, ORIGIN, now, {
          compute: wanted.get("compute") ?? "ok",
          administrative: wanted.get("administrative") ?? "ok",
          interval: Number(wanted.get("interval") ?? 0.01),
          slower: wanted.has("slower"),
        });
      }
    },
  );
  const at = wanted.get("at");
  if (at !== null) live.show(Number(at));
  return {
    session,
    empty: null,
    show: (seconds) => live.show(seconds),
    live() {
      const began = performance.now();
      const timer = setInterval(() => {
        live.show(0.36 + (performance.now() - began) / 1000);
        if (live.over) clearInterval(timer);
      }, 100);
    },
  };
}
