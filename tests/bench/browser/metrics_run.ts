// Fine Performance Metrics of a run, its states, graphs, cells and spans, as a page gets them
// when as many increments have come as it keeps.

import type { TaskBatch } from "../../../js_src/model/tasks";
import { STEPS, type TableColumns, TABLES } from "../../../js_src/schema";
import {
  emptyTable,
  type RingView,
  type TableView,
} from "../../../js_src/session/tables";
import { numbersType } from "../../../js_src/link/columns";
import type { HarnessSession } from "../../js/harness/session";
import { randomOf } from "../../js/model_rows";

/** What a function measures: activity, and unit. */
const MEASURED: readonly (readonly [activity: string, unit: number])[] = [
  ...(
    [
      ...["thread-cpu", "thread-noncpu", "executor", "deserialize", "other"],
      ...["disk-read", "disk-write", "decompress", "network"],
    ] as const
  ).map((name) => [name, 0] as const),
  ["memory-read", 1],
  ["memory-read", 2],
  ["disk-read", 2],
];
const OTHERS = ["gather-dep", "get-data"];
/** So often the agent reads them. */
const READING_S = 0.5;
/** Each cell sends so many graphs. */
const GRAPHS = 2;
/** As the schema numbers them: 0 and 1 have a meaning of their own. */
const FIRST_GRAPH = 2;
const ROW_BYTES = 28;
/** So much of threads × time is measured. */
const BUSY = 0.9;
const CODE = `# %% The busiest zones of each month
trips = read("s3://taxi/2025/*.parquet")
trips = trips.rename(columns={"PULocationID": "zone"})
totals = trips.groupby(["zone", "month"]).total.sum()
totals.nlargest(20).compute()`;

/** A run whose cells follow each other, each with a span of its own. */
export class MeasuredRun {
  constructor(
    readonly tasks: number,
    readonly functions: number,
    readonly cells: number,
    /** Each cell runs so many of the functions. */
    readonly ofCell: number,
  ) {}

  cellOf(task: number): number {
    return Math.min(
      this.cells - 1,
      Math.floor((task / this.tasks) * this.cells),
    );
  }

  functionOf(cell: number, turn: number): number {
    const first = Math.floor((cell * this.functions) / this.cells);
    return (first + (turn % this.ofCell)) % this.functions;
  }

  /** Let the tasks of a batch be those of this run. */
  attribute({ rows, task, prefix, span, computation }: TaskBatch): void {
    for (let row = 0; row < rows; row++) {
      const cell = this.cellOf(task[row]);
      prefix[row] = this.functionOf(cell, Math.imul(task[row], 7919) >>> 8);
      span[row] = 1 + cell;
      computation[row] = FIRST_GRAPH + GRAPHS * cell + (task[row] % GRAPHS);
    }
  }
}

export const functionNames = (functions: number): string[] =>
  Array.from({ length: functions }, (_, at) => `function-${at}`);

export function fillMetricsOf(
  session: HarnessSession,
  run: MeasuredRun,
  [start, stop]: readonly [number, number],
): { increments: number } {
  const activities = [...new Set(MEASURED.map(([name]) => name))];
  Object.assign(session.dictionaries, {
    ...{ activities, contexts: ["execute", ...OTHERS] },
    units: ["seconds", "bytes", "count"],
  });
  session.addNames([""], []);
  session.spans.length = 0;
  session.spans.push({ id: "", name: [] });
  for (let cell = 0; cell < run.cells; cell++) {
    session.spans.push({ id: `span-${cell}`, name: ["run", `part ${cell}`] });
  }
  const increments = metricsOf(session, run, activities, start, stop);
  session.table("metrics").value = increments;
  session.table("states").value = statesOf(session, run, start, stop);
  const length = (stop - start) / run.cells;
  const cells = Array.from({ length: run.cells }, (_, cell) => ({
    ...{ cell: `In [${cell + 1}]`, id: `cell-${cell}`, status: "ok" },
    ...{ code: CODE, time: start + cell * length },
    stop: start + (cell + 1) * length,
  }));
  session.fill("cells", cells);
  session.fill(
    "computations",
    cells.flatMap(({ cell, code, time }, at) =>
      Array.from({ length: GRAPHS }, (_, graph) => ({
        computation: FIRST_GRAPH + GRAPHS * at + graph,
        ...{ time: time + 0.01 * graph, stop: time + 0.01 * graph + 0.005 },
        ...{ graphs: 1, tasks: run.tasks / run.cells / GRAPHS },
        ...{ client: "Client-1", cell, code },
      })),
    ),
  );
  session.fill(
    "span_times",
    cells.map(({ time, stop, code }, at) => ({
      ...{ span: 1 + at, parent: 0, time, start: time, stop, code },
      ...{ tasks: run.tasks / run.cells, erred: 1, nbytes: 8e9 },
    })),
  );
  return {
    increments: increments.rings.reduce((all, one) => all + one.rows, 0),
  };
}

/** The finest ring is full and has the whole run; the wider ones have the same in their steps. */
function metricsOf(
  session: HarnessSession,
  run: MeasuredRun,
  activities: readonly string[],
  start: number,
  stop: number,
): TableView<"metrics"> {
  const random = randomOf(5);
  const none = session.prefixes.indexOf("");
  const threads = session.lanes.length;
  const room = Math.floor(TABLES.metrics.bytes / STEPS.length / ROW_BYTES);
  const rings = STEPS.map((step) => {
    const length = step || READING_S;
    const readings = Math.max(1, Math.floor((stop - start) / length));
    const keys = run.ofCell * MEASURED.length;
    const each = Math.floor(room / readings) - OTHERS.length;
    const table = emptyColumns(
      "metrics",
      Math.min(room, readings * (keys + 2)),
    );
    let row = 0;
    let seconds = 0;
    const put = (
      time: number,
      context: number,
      prefix: number,
      [activity, unit]: (typeof MEASURED)[number],
      span: number,
    ): void => {
      if (row >= table.time.length) return;
      table.time[row] = time;
      table.duration[row] = length;
      table.context[row] = context;
      table.prefix[row] = prefix;
      table.activity[row] = activities.indexOf(activity);
      table.span[row] = span;
      table.unit[row] = unit;
      table.value[row] = 2 * random() * (unit === 0 ? seconds : 1e3 ** unit);
      row += 1;
    };
    for (let at = 0; at < readings; at++) {
      const time = start + at * length;
      const cell = run.cellOf(((at + 0.5) / readings) * run.tasks);
      const first = Math.floor(random() * keys);
      seconds = (BUSY * threads * length) / Math.min(keys, each);
      for (let key = first; key < first + Math.min(keys, each); key++) {
        const prefix = run.functionOf(cell, Math.floor(key / MEASURED.length));
        put(time, 0, prefix, MEASURED[key % MEASURED.length], 1 + cell);
      }
      OTHERS.forEach((_, other) => put(time, 1 + other, none, MEASURED[8], 0));
    }
    return { step, rows: row, columns: cut(table, row) };
  });
  return tableOf("metrics", rings);
}

/** Of all, of the workers, and of functions. */
function statesOf(
  session: HarnessSession,
  run: MeasuredRun,
  start: number,
  stop: number,
): TableView<"states"> {
  const none = session.prefixes.indexOf("");
  const workers = session.workers.peek().map(({ address }) => address);
  const rows = [];
  for (let time = start; time < stop; time += READING_S) {
    const cell = run.cellOf(((time - start) / (stop - start)) * run.tasks);
    const some = {
      ...{ waiting: 100, queued: 40, no_worker: 0, processing: 90 },
      ...{ executing: 60, fetching: 1, memory: 500, start: time - 0.01 },
    };
    rows.push({ ...some, time, prefix: none, worker: "" });
    for (const worker of workers) {
      rows.push({ ...some, time, prefix: none, worker, executing: 7 });
    }
    for (let at = 0; at < Math.min(run.ofCell, 80); at++) {
      const prefix = run.functionOf(cell, at);
      rows.push({ ...some, time, prefix, worker: "", executing: 1 });
    }
  }
  session.fill("states", rows);
  return session.table("states").peek();
}

function emptyColumns(name: "metrics", rows: number): TableColumns["metrics"] {
  return Object.fromEntries(
    Object.entries(TABLES[name].columns).map(([column, { type }]) => [
      column,
      new (numbersType(type)!)(rows),
    ]),
  ) as unknown as TableColumns["metrics"];
}

function cut(
  columns: TableColumns["metrics"],
  rows: number,
): TableColumns["metrics"] {
  return Object.fromEntries(
    Object.entries(columns).map(([name, cells]) => [
      name,
      cells.slice(0, rows),
    ]),
  ) as unknown as TableColumns["metrics"];
}

function tableOf(
  name: "metrics",
  rings: readonly RingView<TableColumns["metrics"]>[],
): TableView<"metrics"> {
  const [{ rows, columns }] = rings;
  return { ...emptyTable(name), state: "ready", rows, columns, rings };
}
