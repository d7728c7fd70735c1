// The profile of a made-up run, as workers would have sent it until some moment: stacks like
// those of a shuffle, in cycles of a second, one sample each 10 ms a thread.

import { IN_ONE_OF } from "../../../js_src/schema";
import { rowAt, type Run } from "./run";
import type { HarnessSession } from "./session";

const LIB = "/opt/env/lib/python3.13";
const SITE = `${LIB}/site-packages`;
const CELL = "/tmp/ipykernel_4242/1234567.py";

/** Name, file, first line, line, source. */
type Frame = readonly [string, string, number, number, string];

const FRAMES: Record<string, Frame> = {
  run: [
    "_concurrent_futures_thread.run",
    `${SITE}/distributed/threadpoolexecutor.py`,
    50,
    57,
    "task.run()",
  ],
  apply: [
    "apply_function_simple",
    `${SITE}/distributed/worker.py`,
    2990,
    3007,
    "result = function(*args, **kwargs)",
  ],
  call: [
    "Task.__call__",
    `${SITE}/dask/_task_spec.py`,
    730,
    741,
    "return self.func(*new_argspec, **kwargs)",
  ],
  fragment: ["read_fragment", `${SITE}/dask/io/parquet.py`, 60, 71, ""],
  toTable: [
    "Fragment.to_table",
    `${SITE}/pyarrow/_dataset.pyx`,
    1400,
    1411,
    "",
  ],
  scan: [
    "Scanner.to_table",
    `${SITE}/pyarrow/_dataset.pyx`,
    3500,
    3541,
    "result = self.scanner.ToTable()",
  ],
  transfer: [
    "shuffle_transfer",
    `${SITE}/distributed/shuffle/_core.py`,
    90,
    96,
    "",
  ],
  partition: [
    "ShuffleRun.add_partition",
    `${SITE}/distributed/shuffle/_core.py`,
    340,
    352,
    "",
  ],
  shard: [
    "_shard_partition",
    `${SITE}/distributed/shuffle/_shuffle.py`,
    500,
    511,
    "",
  ],
  split: [
    "split_by_worker",
    `${SITE}/distributed/shuffle/_shuffle.py`,
    330,
    344,
    "",
  ],
  fromPandas: [
    "Table.from_pandas",
    `${SITE}/pyarrow/table.pxi`,
    4700,
    4711,
    "",
  ],
  arrays: [
    "dataframe_to_arrays",
    `${SITE}/pyarrow/pandas_compat.py`,
    570,
    611,
    "",
  ],
  ndarray: ["_ndarray_to_array", `${SITE}/pyarrow/array.pxi`, 80, 83, ""],
  sort: ["Table.sort_by", `${SITE}/pyarrow/table.pxi`, 2100, 2131, ""],
  unpack: [
    "shuffle_unpack",
    `${SITE}/distributed/shuffle/_core.py`,
    100,
    110,
    "",
  ],
  convert: [
    "convert_shards",
    `${SITE}/distributed/shuffle/_arrow.py`,
    150,
    166,
    "",
  ],
  toPandas: [
    "Table.to_pandas",
    `${SITE}/pyarrow/array.pxi`,
    840,
    885,
    "mgr = table_to_dataframe(options, self, categories)",
  ],
  dataframe: [
    "table_to_dataframe",
    `${SITE}/pyarrow/pandas_compat.py`,
    780,
    796,
    "",
  ],
  blocks: [
    "_table_to_blocks",
    `${SITE}/pyarrow/pandas_compat.py`,
    1200,
    1211,
    "",
  ],
  blocksC: ["table_to_blocks", `${SITE}/pyarrow/pandas.pxi`, 1180, 1187, ""],
  make: [
    "make_block",
    `${SITE}/pandas/core/internals/api.py`,
    88,
    101,
    "return new_block(values, placement=placement, ndim=ndim)",
  ],
  totals: ["totals", CELL, 1, 4, 'return g.groupby("zone").sum()'],
  margin: [
    "add_margin",
    CELL,
    7,
    9,
    'part["margin"] = part.fare.map(lambda v: v * rate(v))',
  ],
  map: ["Series.map", `${SITE}/pandas/core/series.py`, 4600, 4630, ""],
  lambda: ["<lambda>", CELL, 9, 9, ""],
  groupby: [
    "DataFrameGroupBy.sum",
    `${SITE}/pandas/core/groupby/groupby.py`,
    3000,
    3047,
    "",
  ],
  agg: [
    "_cython_agg_general",
    `${SITE}/pandas/core/groupby/groupby.py`,
    1900,
    1944,
    "",
  ],
  sum: ["group_sum", `${SITE}/pandas/_libs/groupby.pyx`, 700, 731, ""],
  putmask: ["putmask", `${SITE}/numpy/core/multiarray.py`, 1100, 1130, ""],
  recursive: [
    "<b>flatten</b>",
    "/home/me/trips/tools.py",
    3,
    6,
    "return [x for part in parts for x in flatten(part)]",
  ],
  oneOf: [`${IN_ONE_OF}_ndarray_to_array, make_block`, "", 0, 0, ""],
  loop: [
    "BaseAsyncIOLoop.start",
    `${SITE}/tornado/platform/asyncio.py`,
    200,
    211,
    "",
  ],
  once: [
    "BaseEventLoop._run_once",
    `${LIB}/asyncio/base_events.py`,
    1900,
    1936,
    "",
  ],
  handle: [
    "Worker.handle_stimulus",
    `${SITE}/distributed/worker.py`,
    1900,
    1911,
    "",
  ],
  transitions: [
    "WorkerState._transitions",
    `${SITE}/distributed/worker_state_machine.py`,
    2600,
    2640,
    "",
  ],
  select: [
    "EpollSelector.select",
    `${LIB}/selectors.py`,
    450,
    468,
    "fd_event_list = self._selector.poll(timeout, max_ev)",
  ],
  scheduler: [
    "Scheduler.transitions",
    `${SITE}/distributed/scheduler.py`,
    8000,
    8042,
    "",
  ],
};

/** Of a second of a prefix: stacks below the call of a task, and how often each is seen. */
const STACKS: Record<string, readonly (readonly [string, number])[]> = {
  "read-parquet": [
    ["fragment toTable scan", 0.9],
    ["fragment toTable", 0.06],
    ["fragment", 0.04],
  ],
  rename: [
    ["totals", 0.6],
    ["recursive recursive recursive", 0.4],
  ],
  "shuffle-transfer": [
    ["transfer partition shard split fromPandas arrays ndarray", 0.35],
    ["transfer partition shard split sort", 0.3],
    ["transfer partition shard split", 0.2],
    ["transfer partition shard", 0.1],
    ["transfer", 0.05],
  ],
  "shuffle-barrier": [["transfer", 1]],
  "shuffle-p2p": [
    ["unpack convert toPandas dataframe blocks blocksC oneOf", 0.22],
    ["unpack convert toPandas dataframe blocks blocksC ndarray", 0.2],
    ["unpack convert toPandas dataframe blocks blocksC make", 0.2],
    ["unpack convert toPandas dataframe blocks", 0.15],
    ["unpack convert toPandas", 0.05],
    ["unpack convert sort", 0.18],
  ],
  "groupby-chunk": [
    ["totals margin map lambda", 0.2],
    ["totals margin map", 0.1],
    ["totals groupby agg sum", 0.5],
    ["totals groupby agg putmask", 0.15],
    ["totals toPandas dataframe blocks", 0.05],
  ],
  "groupby-agg": [["totals groupby agg sum", 1]],
};
const BASE = "run apply call";
const LOOPS: readonly (readonly [number, string, number])[] = [
  [1, "loop once select", 0.8],
  [1, "loop once handle transitions", 0.12],
  [1, "loop once", 0.08],
  [2, "loop once select", 0.6],
  [2, "loop once scheduler", 0.4],
];

const CYCLE_S = 1;

/** Frames and stacks, in the order in which they are met. */
class Met {
  readonly frames: string[] = [""];
  readonly parent: number[] = [0];
  readonly frame: number[] = [0];
  private readonly known = new Map<string, number>([["", 0]]);

  of(path: string): number {
    const known = this.known.get(path);
    if (known !== undefined) return known;
    const at = path.lastIndexOf(" ");
    const above = this.of(at < 0 ? "" : path.slice(0, at));
    const name = path.slice(at + 1);
    if (!this.frames.includes(name)) this.frames.push(name);
    this.known.set(path, this.parent.length);
    this.parent.push(above);
    this.frame.push(this.frames.indexOf(name));
    return this.parent.length - 1;
  }
}

export interface ProfileOptions {
  /** Also the event loops; "python-3.11" has none. */
  readonly administrative?: string;
  readonly compute?: string;
  /** Seconds from sample to sample. */
  readonly interval?: number;
  /** Calls of `add_margin` take twice as long. */
  readonly slower?: boolean;
}

export function fillProfile(
  session: HarnessSession,
  run: Run,
  start: number,
  now: number,
  {
    administrative = "ok",
    compute = "ok",
    interval = 0.01,
    slower = false,
  }: ProfileOptions = {},
): void {
  const met = new Met();
  for (const prefix of run.prefixes) {
    for (const [path] of STACKS[prefix] ?? []) met.of(`${BASE} ${path}`);
  }
  for (const [, path] of LOOPS) met.of(path);
  if (!session.prefixes.includes("")) session.addNames([""], []);
  const none = session.prefixes.indexOf("");
  const read = start + Math.floor((now - start) / CYCLE_S) * CYCLE_S;
  const counts = new Map<string, number>();
  const add = (cells: readonly (string | number)[], count: number): void => {
    const id = JSON.stringify(cells);
    counts.set(id, (counts.get(id) ?? 0) + count);
  };
  for (const row of run.batch.start.keys()) {
    const task = rowAt(run.batch, row);
    if (task.action !== 0 || compute === "off") continue;
    const { worker } = run.lanes[task.lane]!;
    const stacks = STACKS[run.prefixes[task.prefix]!] ?? [];
    const stop = task.start + task.duration;
    const first = Math.floor((task.start - start) / CYCLE_S);
    for (let at = first; start + at * CYCLE_S < Math.min(stop, read); at++) {
      const from = Math.max(task.start, start + at * CYCLE_S);
      const to = Math.min(stop, start + (at + 1) * CYCLE_S);
      const samples = Math.max(0, to - from) / interval;
      for (const [path, share] of stacks) {
        const stack = met.of(`${BASE} ${path}`);
        const factor = slower && path.includes("margin") ? 2 : 1;
        add([at, 0, worker, task.prefix, stack], samples * share * factor);
      }
    }
  }
  const workers = [...new Set(run.lanes.map(({ worker }) => worker))];
  for (let at = 0; start + (at + 1) * CYCLE_S <= now; at++) {
    if (administrative !== "ok") break;
    for (const [scope, path, share] of LOOPS) {
      for (const worker of scope === 1 ? workers : [""]) {
        // Once a cycle.
        add([at, scope, worker, none, met.of(path)], share);
      }
    }
  }
  session.fill(
    "frames",
    met.frames.map((id) => {
      const [name, file, first_line, line, source] = FRAMES[id] ?? [
        "",
        "",
        0,
        0,
        "",
      ];
      return { name, file, first_line, line, source };
    }),
  );
  session.fill(
    "stacks",
    met.parent.map((parent, at) => ({ parent, frame: met.frame[at]! })),
  );
  session.fill(
    "profile_counts",
    [...counts]
      .map(([id, count]) => ({
        cells: JSON.parse(id) as [number, number, string, number, number],
        count,
      }))
      .filter(({ count }) => count > 0)
      .sort((one, other) => one.cells[0] - other.cells[0])
      .map(({ cells: [at, scope, worker, prefix, stack], count }) => ({
        ...{ time: start + at * CYCLE_S, duration: CYCLE_S },
        ...{ scope, worker, prefix, stack, count },
      })),
  );
  session.fill(
    "profiled",
    [...workers, ""].map((worker) => ({
      ...{ worker, time: start, until: read, interval },
      ...{ cycle: CYCLE_S, compute, administrative, lost: 0 },
    })),
  );
}
