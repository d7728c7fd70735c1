// A session of a page to which a whole run has come: its tasks, and all tables of it.

import { NO_FOCUS, type Focus } from "../../../js_src/model/types";
import { decodeTasks } from "../../../js_src/link/columns";
import { HarnessSession } from "../../js/harness/session";
import { fillTables, storedRun } from "../../js/harness/stored_run";
import { T0 } from "../../js/model_rows";
import { memoryDay } from "./series";
import { bulkMessages } from "./messages";
import { fillMetricsOf, functionNames, type MeasuredRun } from "./metrics_run";

const THREADS = 8;
const GIB = 2 ** 30;

export interface Filled {
  readonly session: HarnessSession;
  /** Rows of metrics, in all rings. */
  readonly increments: number;
}

export function filledSession(run: MeasuredRun, workers: number): Filled {
  const session = new HarnessSession("bench");
  const addressOf = (at: number): string => `tcp://10.0.0.${at}:40000`;
  const lanes = Array.from({ length: workers * THREADS }, (_, lane) => ({
    worker: addressOf(lane >> 3),
    thread: String(lane),
  }));
  session.addNames(functionNames(run.functions), lanes);
  for (const message of bulkMessages(run.tasks, lanes.length)) {
    const rows = decodeTasks(message.buffer, message);
    run.attribute(rows);
    session.model.insert(rows);
    session.model.markCovered(message.first, message.tasks);
  }
  const { start, stop } = session.model.extent()!;
  const { rows } = session.model;
  const counts = { captured: run.tasks, kept: run.tasks, rows };
  session.counts.value = { ...session.counts.peek(), ...counts };
  session.workers.value = Array.from({ length: workers }, (_, at) => ({
    ...{ address: addressOf(at), name: String(at), threads: THREADS },
    ...{ running: 0, memory_limit: 16 * GIB, process: 4 * GIB, managed: GIB },
    ...{ spilled: 0, cpu: 100, status: "running" },
  })) as never;
  session.totals.value = totalsIn(session, NO_FOCUS);
  const stored = storedRun(session, start, stop, { many: true });
  fillTables(session, stored.tables);
  session.table("system").peek().columns.threads.fill(lanes.length);
  session.summary.value = stored.summary;
  session.table("memory").value = memoryDay(workers, stop - start);
  const { increments } = fillMetricsOf(session, run, [start, stop]);
  session.origin.value = T0;
  session.now.value = stop;
  session.dataVersion.value += 1;
  // What the kernel answers comes on its own: here at once.
  session.setFocus = (focus) => {
    session.focus.value = focus;
    session.totals.value = totalsIn(session, focus);
  };
  return { session, increments };
}

function totalsIn(
  session: HarnessSession,
  focus: Focus,
): HarnessSession["totals"]["value"] {
  const prefixes = session.prefixes.map((_, prefix) => ({
    ...{ prefix, tasks: 1_000, computes: 1_000, seconds: 11, erred: 1 },
  }));
  return { focus: { ...focus, prefixes: [] }, prefixes, actions: [] };
}
