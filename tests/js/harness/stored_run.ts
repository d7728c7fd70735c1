// A made-up report: a run's summary and small tables, as a stored recording has them.

import { type TableName, TABLES } from "../../../js_src/schema";
import { rowsOf } from "../../../js_src/session/tables";
import { random } from "./run";
import type { HarnessSession } from "./session";

const GIB = 2 ** 30;

export interface StoredRun {
  readonly summary: Record<string, unknown>;
  readonly tables: Record<string, Record<string, unknown[]>>;
}

export interface StoredOptions {
  /** Errors, events and lines of logs. */
  readonly many?: boolean;
  /** Texts of users that look like markup. */
  readonly hostile?: boolean;
  /** A recording of a scheduler that refused the plugin: no samples, no logs. */
  readonly bare?: boolean;
}

export const HOSTILE = `</script><img src=x onerror="window.injected = true">\u202E"'&\u0000`;

export function storedRun(
  session: HarnessSession,
  start: number,
  stop: number,
  options: StoredOptions = {},
): StoredRun {
  const text = (plain: string): string => (options.hostile ? HOSTILE : plain);
  const { prefixes, actions } = session.totals.peek();
  const nameOf = (prefix: number): string => session.prefixes[prefix] ?? "";
  const counts = session.counts.peek();
  const workers = session.workers.peek();
  const threads = workers.reduce((sum, one) => sum + one.threads, 0);
  const duration = stop - start;
  const busy = prefixes.reduce((sum, { seconds }) => sum + seconds, 0);
  const tables = tablesOf(session, start, stop, options);
  const errors = tables["errors"]!["time"]!.length;
  const worker = (at: number): string => `worker-${at}`;
  return {
    tables,
    summary: {
      title: text("Taxi shuffle, p2p"),
      ...{ start, stop, duration },
      user: text("ada"),
      host: text("node-7"),
      cluster: text("LocalCluster"),
      scheduler: text("tcp://10.4.0.10:8786"),
      daskscope: "0.1.0",
      tasks: {
        captured: counts.captured,
        kept: counts.kept,
        erred: errors,
        rows: counts.rows,
      },
      busy: {
        threads,
        thread_seconds: threads * duration,
        busy_seconds: busy,
        percent: (busy / (threads * duration)) * 100,
      },
      memory: { peak: 11.1 * GIB, peak_time: start + 17.3, limit: 16 * GIB },
      spilled: { peak: 1.23 * GIB, workers: [worker(2), worker(0)] },
      transfers: { rows: 2314, seconds: 12.4 },
      errors: { count: errors, types: [[text("ValueError"), errors]] },
      cost: { amount: 0.00776, per_hour: 0.06, unit: "$", thread_hours: 0.129 },
      prefixes: prefixes.map(({ prefix, tasks, seconds, erred }) => ({
        ...{ name: nameOf(prefix), tasks, seconds, erred },
      })),
      actions: actions.map(({ action, rows, seconds }) => ({
        ...{ name: session.actions[action], rows, seconds },
      })),
      by_prefix_action: prefixes.flatMap(({ prefix, seconds }, at) => [
        { prefix: nameOf(prefix), action: "compute", seconds },
        {
          prefix: nameOf(prefix),
          action: at % 2 ? "transfer" : "disk-read",
          seconds: seconds * 0.08,
        },
        {
          prefix: nameOf(prefix),
          action: "deserialize",
          seconds: seconds * 0.03,
        },
      ]),
      versions: [
        version("python", "3.13.7"),
        version("dask", "2026.8.0"),
        version("distributed", "2026.8.0"),
        {
          ...version("pandas", "2.3.3"),
          workers: [text("2.3.3"), "2.3.1"],
          differs: true,
        },
        version("pyarrow", "22.0.0"),
        version("numpy", "2.3.4"),
      ],
      cluster_facts: {
        workers: workers.length,
        hosts: workers.length,
        threads,
        memory_limit: workers.length * 4 * GIB,
      },
      needs_a_look: [
        {
          code: "errors",
          level: "error",
          title: text("ValueError in groupby-chunk"),
          text: text(
            "cannot reindex on an axis with duplicate labels, 1 task on worker-2",
          ),
          tab: "events",
          time: [start + 19.6, start + 19.9],
        },
        {
          code: "spilled",
          level: "warn",
          title: "worker-2 spilled 0.92 GiB",
          text: "its reads took 12 % longer than on the others",
          tab: "system",
          time: [start + 16.9, stop],
        },
        {
          code: "versions",
          level: "warn",
          title: "pandas differs",
          text: "2.3.1 on worker-3, 2.3.3 elsewhere",
          tab: "summary",
          time: null,
        },
        {
          code: "idle",
          level: "info",
          title: "0.7 s with idle threads",
          text: "at shuffle-barrier, 16.5 to 17.2 s",
          tab: "task-stream",
          time: [start + 16.5, start + 17.2],
        },
      ],
      code: text(CODE),
      source: text("analysis.ipynb, cell 7"),
      exception: null,
      counts,
      missing: options.bare
        ? [
            {
              code: "plugins-refused",
              level: "warn",
              text: "This scheduler refuses plugins: there are no samples and no logs.",
              next: "Allow them with `distributed.scheduler.pickle`.",
            },
          ]
        : [],
      redacted: [],
    },
  };
}

const CODE = `import dask.dataframe as dd

trips = dd.read_parquet("s3://taxi/2025/*.parquet")
trips = trips.rename(
    columns={"PULocationID": "zone"})
trips = trips.shuffle("zone")
out = (trips.map_partitions(totals, region)
       .groupby("zone").sum().compute())`;

const version = (name: string, number: string) => ({
  package: name,
  client: number,
  scheduler: number,
  workers: [number],
  differs: false,
});

const TRACEBACK = `Traceback (most recent call last):
  File "/tmp/ipykernel_4242/1234567.py", line 4, in totals
    g = part.reindex(region.index)
  File "/opt/env/lib/python3.13/site-packages/pandas/core/frame.py", line 5385, in reindex
    return super().reindex(
ValueError: cannot reindex on an axis with duplicate labels
`;

function tablesOf(
  session: HarnessSession,
  start: number,
  stop: number,
  options: StoredOptions,
): StoredRun["tables"] {
  const text = (plain: string): string => (options.hostile ? HOSTILE : plain);
  const next = random(23);
  const workers = session.workers.peek();
  const address = (at: number): string => workers[at % workers.length]!.address;
  const [known] = rowsOf(session.table("errors").peek(), "time");
  const errors = Array.from({ length: options.many ? 700 : 1 }, (_, at) => ({
    time: at === 0 && known ? known.time : start + next() * (stop - start),
    key: text(`('groupby-chunk-5b1f0c9d', ${at})`),
    prefix: "groupby-chunk",
    worker: at === 0 && known ? known.worker : address(at),
    exception:
      at % 3 === 2
        ? text(`KeyError('zone ${at % 5}')`)
        : text("ValueError('cannot reindex on an axis with duplicate labels')"),
    traceback: text(TRACEBACK),
    task: at === 0 && known ? (known.task ?? -1) : -1,
  }));
  const events = Array.from({ length: options.many ? 5000 : 6 }, (_, at) => ({
    time: start + next() * (stop - start),
    topic: text(
      ["all", "stealing", address(at), "worker-get-client", "my-topic"][
        at % 5
      ]!,
    ),
    message:
      at % 5 === 4
        ? JSON.stringify(text("half of the zones are done"))
        : text(
            JSON.stringify({
              action: "moved",
              tasks: at,
              note: "x".repeat(at % 7 === 3 ? 500 : 20),
            }),
          ),
  }));
  const changes = [
    ...workers.map((one) => ({
      time: start,
      worker: one.address,
      name: text(one.name),
      what: "present",
      detail: `${one.threads} threads`,
    })),
    ...rowsOf(session.table("workers").peek(), "time").map((change) => ({
      ...{ time: change.time, worker: change.worker, name: "" },
      ...{ what: change.what, detail: change.detail },
    })),
  ];
  const LEVELS = ["INFO", "INFO", "INFO", "WARNING", "ERROR"];
  const logs = Array.from(
    { length: options.bare ? 0 : options.many ? 20_000 : 12 },
    (_, at) => ({
      time:
        start + ((at + next()) / (options.many ? 20_000 : 12)) * (stop - start),
      source: at % 3 === 0 ? "scheduler" : address(at),
      level: LEVELS[at % LEVELS.length],
      text: text(
        at % 5 === 3
          ? "distributed.worker.memory - WARNING - Unmanaged memory use is high. This may indicate a memory leak or the memory may not be released to the OS; see https://distributed.dask.org/en/latest/worker-memory.html#memory-not-released-back-to-the-os for more information. -- Unmanaged memory: 2.31 GiB -- Worker memory limit: 4.00 GiB"
          : `distributed.core - INFO - Connection to tcp://10.4.0.${at % 200}:${40_000 + at} has been closed.`,
      ),
    }),
  );
  const samples = options.bare ? 0 : Math.ceil((stop - start) * 2);
  const at = Array.from({ length: samples }, (_, row) => row);
  const none = at.map(() => NaN);
  const share = (row: number): number => row / Math.max(1, samples - 1);
  const used = (row: number): number =>
    (1.5 + 9.6 * Math.sin(Math.PI * Math.min(1, share(row) * 1.1)) ** 2) * GIB;
  const kept = at.filter((row) => share(row) < 0.97);
  return {
    ...memoryTables(session, start, kept, used, (row) =>
      Math.max(0, share(row) * 2.4 - 1.2),
    ),
    errors: columns(errors, [
      "time",
      "key",
      "prefix",
      "worker",
      "exception",
      "traceback",
      "task",
    ]),
    events: columns(events, ["time", "topic", "message"]),
    workers: columns(changes, ["time", "worker", "name", "what", "detail"]),
    gaps: columns(
      rowsOf(session.table("gaps").peek(), "start").map((gap) => ({ ...gap })),
      ["start", "stop", "reason", "text"],
    ),
    logs: columns(logs, ["time", "source", "level", "text"]),
    // As they arrive: first those of the cluster, then those of the scheduler.
    system: {
      time: [...at, ...at].map((row) => start + row / 2),
      workers: at.map((row) => (share(row) < 0.05 ? 3 : workers.length)),
      threads: at.map((row) => (share(row) < 0.05 ? 12 : 4 * workers.length)),
      memory_limit: at.map(() => workers.length * 4 * GIB),
      process: at.map(used),
      managed: at.map((row) => used(row) * 0.7 - GIB),
      spilled: at.map((row) => Math.max(0, share(row) * 2.4 - 1.2) * GIB),
      cpu: [...none, ...at.map(() => 18 + next() * 60)],
      memory: [...none, ...at.map((row) => (0.31 + share(row) * 0.12) * GIB)],
      loop_interval: [...none, ...at.map(() => 0.02 + next() ** 8 * 0.3)],
    },
  };
}

/** Two samples a second, of each worker and of the cluster, which is their sum. */
function memoryTables(
  session: HarnessSession,
  start: number,
  samples: readonly number[],
  used: (row: number) => number,
  spilledOf: (row: number) => number,
): StoredRun["tables"] {
  const workers = session.workers.peek();
  const next = random(31);
  const limit = 4 * GIB;

  const rows = samples.flatMap((row) => {
    const time = start + row / 2;
    const each = workers.map((one, at) => {
      const process = Math.min(
        (used(row) / 4) * (1 + 0.22 * Math.sin(at * 1.7)) + next() * 0.1 * GIB,
        limit,
      );
      const managed = Math.max(0, process * 0.7 - 0.25 * GIB);
      const spilled = at % 4 === 2 ? spilledOf(row) * GIB : 0;
      const unmanaged_old = (process - managed) * 0.5;
      const worker = one.address;
      return { time, worker, process, managed, spilled, unmanaged_old, limit };
    });
    const sum = (
      name: "process" | "managed" | "spilled" | "unmanaged_old" | "limit",
    ): number => each.reduce((all, one) => all + one[name], 0);
    const cluster = {
      ...{ time, worker: "", process: sum("process"), managed: sum("managed") },
      ...{ spilled: sum("spilled"), unmanaged_old: sum("unmanaged_old") },
      limit: sum("limit"),
    };
    return [...each, cluster].map((one) => ({
      ...one,
      managed_total: one.managed + one.spilled,
      unmanaged: one.process - one.managed,
      unmanaged_recent: one.process - one.managed - one.unmanaged_old,
      optimistic: one.managed + one.unmanaged_old,
      ...{ cpu: 100 * next(), status: one.spilled > 0.9 * GIB ? 2 : 1 },
    }));
  });
  const held = rows
    .filter(({ worker }) => worker === "")
    .flatMap(({ time, managed }) =>
      [0.45, 0.2, 0.2, 0.1, 0.05].map((share, at) => ({
        ...{ time, prefix: session.prefixes[at], bytes: managed * share },
      })),
    );
  return {
    memory: columns(rows, Object.keys(rows[0] ?? { time: 0 })),
    held: columns(held, ["time", "prefix", "bytes"]),
  };
}

function columns(
  rows: readonly Record<string, unknown>[],
  names: readonly string[],
): Record<string, unknown[]> {
  return Object.fromEntries(
    names.map((name) => [name, rows.map((row) => row[name])]),
  );
}

const SAMPLED: ReadonlySet<string> = new Set(["system", "memory"]);

/** Gives a session its small tables; columns that are missing have no values. */
export function fillTables(
  session: HarnessSession,
  tables: StoredRun["tables"],
): void {
  for (const [name, given] of Object.entries(tables)) {
    const rows = Math.max(...Object.values(given).map(({ length }) => length));
    const columns = Object.keys(TABLES[name as TableName].columns);
    const cell = (column: string, row: number): unknown => {
      // As measured, the least and the most of a step are its value.
      const base = column.replace(/_(least|most)$/, "");
      const value = (given[column] ?? given[base])?.[row];
      if (column !== "prefix") return value ?? (SAMPLED.has(name) ? NaN : "");
      return session.prefixes.indexOf(value as string);
    };
    session.fill(
      name as TableName,
      Array.from({ length: rows }, (_, row) =>
        Object.fromEntries(
          columns.map((column) => [column, cell(column, row)]),
        ),
      ),
    );
  }
}
