// A made-up run as a live session has it some seconds after its begin: its rows, its small
// tables, and the figures that a kernel sends.

import { type Run, rowAt, toBatch } from "./run";
import type { HarnessSession } from "./session";
import { fillTables, storedRun } from "./stored_run";

const GIB = 2 ** 30;

export class LiveRun {
  private readonly order: number[];
  private readonly tables: Record<string, Record<string, unknown[]>>;
  private readonly stored: Record<string, unknown>;
  private readonly numbers = new Map<number, number>();
  private at = 0;

  /** `whole` has all of the run, from which the figures of its beginning are made. */
  constructor(
    private readonly session: HarnessSession,
    whole: HarnessSession,
    private readonly run: Run,
    private readonly start: number,
    many: boolean,
    /** Fills further tables, up to a moment. */
    private readonly more: (now: number) => void,
  ) {
    const made = storedRun(whole, start, run.stop + 0.3, { many });
    this.tables = made.tables;
    this.stored = made.summary;
    this.order = [...run.batch.start.keys()].sort(
      (one, other) => this.stopOf(one) - this.stopOf(other),
    );
  }

  get over(): boolean {
    return this.at >= this.order.length;
  }

  /** Brings the session to a moment, in seconds from the begin. */
  show(seconds: number): void {
    const now = this.start + seconds;
    const { session, run } = this;
    const rows = [];
    const first = this.numbers.size;
    for (; this.at < this.order.length; this.at++) {
      const row = this.order[this.at]!;
      if (this.stopOf(row) > now) break;
      const task = run.batch.task[row]!;
      if (!this.numbers.has(task)) this.numbers.set(task, this.numbers.size);
      rows.push({ ...rowAt(run.batch, row), task: this.numbers.get(task)! });
    }
    const more = this.numbers.size - first;
    if (rows.length > 0) session.addRows(toBatch(rows), first, more);
    const running = this.runningAt(now);
    session.now.value = now;
    session.workers.value = session.workers.value.map((worker) => ({
      ...worker,
      running: running.filter(
        (row) => run.lanes[run.batch.lane[row]!]!.worker === worker.address,
      ).length,
      process: (1.4 + Math.sin(seconds / 12)) * GIB,
    }));
    fillTables(session, this.tablesUntil(now));
    this.more(now);
    session.summary.value = this.summaryAt(now, running);
  }

  private stopOf(row: number): number {
    const { start, duration } = this.run.batch;
    return start[row]! + duration[row]!;
  }

  private runningAt(now: number): number[] {
    const { start, action } = this.run.batch;
    return this.order.filter(
      (row) =>
        action[row] === 0 && start[row]! <= now && this.stopOf(row) > now,
    );
  }

  private tablesUntil(now: number): typeof this.tables {
    const until = (table: Record<string, unknown[]>) => {
      const times = (table["time"] ?? table["stop"]) as number[];
      const kept = [...times.keys()].filter((row) => times[row]! <= now);
      if (times.length > 1_000) kept.sort((a, b) => times[a]! - times[b]!);
      return Object.fromEntries(
        Object.entries(table).map(([name, values]) => [
          name,
          kept.map((row) => values[row]),
        ]),
      );
    };
    return Object.fromEntries(
      Object.entries(this.tables).map(([name, table]) => [name, until(table)]),
    );
  }

  private summaryAt(now: number, running: readonly number[]): object {
    const { session, run, stored, start } = this;
    const { batch } = run;
    const of = (rows: readonly number[], prefix: number): number[] =>
      rows.filter(
        (row) => batch.prefix[row] === prefix && batch.action[row] === 0,
      );
    const ended = this.order.slice(0, this.at);
    const rows = run.prefixes.map((name, prefix) => {
      const [gone, runs] = [of(ended, prefix), of(running, prefix)];
      const total = of(this.order, prefix).length;
      const erred = gone.filter((row) => batch.status[row] === 1).length;
      const recent = gone.filter((row) => this.stopOf(row) > now - 3).length;
      const waiting = total - gone.length - runs.length;
      return {
        ...{ name, total, erred, waiting, raised: erred, running: runs.length },
        began: start,
        done: gone.length - erred,
        rate: waiting + runs.length > 0 && recent > 0 ? recent / 3 : null,
        left: waiting > 0 && recent > 0 ? (waiting / recent) * 3 : null,
      };
    });
    const sum = (name: "done" | "running" | "waiting" | "erred" | "total") =>
      rows.reduce((all, row) => all + row[name], 0);
    const left = Math.max(0, ...rows.map((row) => row.left ?? 0)) || null;
    const isDone = sum("waiting") + sum("running") === 0;
    const totals = session.totals.value;
    const { length: threads } = run.lanes;
    const busy = totals.prefixes.reduce((all, { seconds }) => all + seconds, 0);
    return {
      ...stored,
      stop: now,
      duration: now - start,
      answer: {
        state: !isDone ? "running" : sum("erred") > 0 ? "failed" : "finished",
        ...{ time: now, since: start, left, cancelled: 0 },
        ended: ended.length > 0 ? this.stopOf(ended.at(-1)!) : null,
        exception: sum("erred") > 0 ? "ValueError" : "",
      },
      progress: {
        rows,
        all: {
          ...{ name: "", began: start, raised: sum("erred"), left },
          ...{ done: sum("done"), running: sum("running") },
          ...{ waiting: sum("waiting"), erred: sum("erred") },
          ...{ total: sum("total"), rate: sum("running") > 0 ? 43 : null },
        },
      },
      busy: {
        threads,
        thread_seconds: threads * (now - start),
        busy_seconds: busy,
        percent: (busy / (threads * (now - start))) * 100,
      },
      prefixes: totals.prefixes.map((total) => ({
        ...total,
        name: session.prefixes[total.prefix],
      })),
      actions: totals.actions.map(({ action, ...total }) => ({
        ...total,
        name: session.actions[action],
      })),
      by_prefix_action: totals.prefixes.map(({ prefix, seconds }) => ({
        ...{ prefix: session.prefixes[prefix], action: "compute", seconds },
      })),
      ...{ code: "", cost: null },
      needs_a_look: (
        stored["needs_a_look"] as { code: string; time: number[] | null }[]
      ).filter(
        ({ code, time }) => code !== "idle" && !(time && time[0]! > now),
      ),
    };
  }
}
