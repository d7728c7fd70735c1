// The stream of a recording in a file: the messages that a kernel would send, a part at a
// time, and answers to what a panel asks.

import { count, record } from "../base/check";
import { asProblem } from "../errors";
import { type Focus, NO_FOCUS, type TaskDetail } from "../model/types";
import {
  COARSE_COLUMNS,
  type CoarseColumns,
  LIMITS,
  STATUSES,
  SUMMARY,
  type TableName,
} from "../schema";
import { noRows, tableShape } from "../link/columns";
import type { SessionFlow, ControlMessage, Sink } from "../link/types";
import {
  statusOf,
  storedCounts,
  storedTotals,
  summaryOf,
  totalsOf,
} from "./messages";
import { codedError, fileFull, unknownQuestion, unknownTask } from "./problems";
import type { Part, StoredRecording } from "./recording";
import { type Figures, isNarrow, type Sums, sumUp } from "./totals";
import { nextTurn } from "./zip";

/** More than a frame takes in need not lie in wait. */
const MAX_WAITING_ROWS = 200_000;
const TASKS: TableName = "tasks";
/** How often the figures are said of a file that has to be counted first. */
const COUNTED_MS = 300;

export class StoredFlow implements SessionFlow {
  /** What has been sent, or is on its way. */
  private readonly requested = new Set<string>();
  /** Settled once dictionaries and the status have been sent. */
  private beginning: Promise<void> | null = null;
  private preview: Promise<void> | null = null;
  /** Whether tasks are visible; tables are short, and sent whenever they are asked for. */
  private tasksVisible = false;
  private closed = false;
  /** Continue with what waits until the panel is visible. */
  private readonly waiting: (() => void)[] = [];
  /** What figures are wanted of: those of another focus are not said any more. */
  private focus = NO_FOCUS;
  private whole: Promise<Figures | null> | null = null;
  /** What is in the file, as far as it was counted. */
  private counted: Sums | null = null;
  /** When the last row stops, as far as that is known. */
  private end = 0;
  /** Tasks that this page has no room for. */
  private left = 0;

  constructor(
    /** The same recording each time. */
    private readonly open: () => Promise<StoredRecording>,
    private readonly name: string,
    private readonly sink: Sink,
    private readonly maxRows: number = LIMITS.page_rows,
  ) {}

  watch(visible: boolean, tables: readonly string[]): void {
    this.tasksVisible = visible && tables.includes(TASKS);
    this.wake();
    for (const name of tables.filter((one) => !this.requested.has(one))) {
      this.requested.add(name);
      this.beginning ??= this.begin(tables);
      void this.beginning.then(() => this.sendTable(name));
    }
  }

  pause(): void {
    this.tasksVisible = false;
  }

  unwatch(): void {
    this.tasksVisible = false;
  }

  close(): void {
    this.closed = true;
    this.wake();
  }

  setFocus(focus: Focus): void {
    // A legend shows what it isolates beside the rest: figures are of all prefixes.
    this.focus = { ...focus, prefixes: [] };
    if (this.requested.has(TASKS)) void this.sendTotals(this.focus);
  }

  async ask(what: string, args: object): Promise<unknown> {
    try {
      return await answer(await this.open(), this.sink, what, args);
    } catch (error) {
      throw codedError(error, this.name);
    }
  }

  startOver(): void {
    // Nothing is lost on the way from a file.
  }

  /** What every panel needs; the preview of tasks first, so that no panel calls itself empty. */
  private async begin(tables: readonly string[]): Promise<void> {
    await this.attempt(({ names }) => {
      for (const piece of names.pieces) {
        if (!this.closed) this.sink.takeTable(piece);
      }
    });
    if (tables.includes(TASKS)) await (this.preview = this.sendPreview());
    await this.sendStatus();
  }

  private async sendTable(table: string): Promise<void> {
    if (table === TASKS) {
      await (this.preview ??= this.sendPreview());
      void this.sendTotals(NO_FOCUS); // counted also where a focus hides them
      if (isNarrow(this.focus)) void this.sendTotals(this.focus);
      await this.attempt((recording) => this.sendRows(recording));
    } else if (table === SUMMARY) {
      await this.attempt((recording) => this.take(summaryOf(recording)));
    } else if (tableShape(table)) {
      await this.attempt(async (recording) => {
        const rings = await recording.table(table);
        for (const rows of rings) if (!this.closed) this.sink.takeTable(rows);
      }, table);
    }
  }

  private sendPreview(): Promise<void> {
    return this.attempt(async (recording) => {
      const coarse = await recording.coarse();
      if (!coarse || this.closed) return;
      const { blocks, tasks } = coarse;
      this.end = lastStop(blocks);
      this.sink.takeCoarse(blocks, 0, tasks);
    });
  }

  private sendStatus(): Promise<void> {
    return this.attempt(async (recording) => {
      const { counted, end, left } = this;
      const notices = left > 0 ? [fileFull(left)] : [];
      this.take(await statusOf(recording, counted, end, notices));
    });
  }

  /** Figures of a focus, unless another one is set meanwhile. */
  private sendTotals(focus: Focus): Promise<void> {
    return this.attempt(async (recording) => {
      if (!isNarrow(focus)) {
        const totals = await (this.whole ??= this.wholeTotals(recording));
        if (totals && !isNarrow(this.focus)) this.take(totalsOf(totals, focus));
        return;
      }
      const sums = await sumUp(
        recording,
        focus,
        async () => (await this.waitUntilVisible()) && focus === this.focus,
      );
      if (sums) this.take(totalsOf(sums.figures(), focus));
    });
  }

  /** Figures of everything: those of the file, or else they are counted. */
  private async wholeTotals(
    recording: StoredRecording,
  ): Promise<Figures | null> {
    const hasCounts = storedCounts(recording) !== null;
    const stored = storedTotals(recording);
    if (hasCounts && stored) return stored;
    let sent_ms = performance.now();
    const sums = await sumUp(recording, NO_FOCUS, async (soFar) => {
      await nextTurn();
      if (!hasCounts && performance.now() - sent_ms > COUNTED_MS) {
        this.counted = soFar;
        await this.sendStatus();
        sent_ms = performance.now();
      }
      return !this.closed;
    });
    if (!sums) return null;
    this.counted = sums;
    await this.sendStatus();
    return sums.figures();
  }

  /**
   * Rows, a part a turn, so that the page stays responsive: from the first on, which is
   * several times as fast to take in; where not all will fit, the newest.
   */
  private async sendRows(recording: StoredRecording): Promise<void> {
    const { sink } = this;
    const parts = [...recording.parts];
    const allFit = (storedCounts(recording)?.rows ?? Infinity) <= this.maxRows;
    if (!allFit) parts.reverse();
    let [rows, sent] = [0, 0];
    for (const [place, part] of parts.entries()) {
      if (!(await this.waitUntilTaken(MAX_WAITING_ROWS))) return;
      if (rows >= this.maxRows) return this.sendFull(parts.slice(place));
      await this.attempt(async () => {
        const { batch, first, tasks } = await recording.rowsOf(part);
        rows += batch.rows;
        if (!this.closed) sink.takeRows(batch, first, tasks);
        sent += 1;
      });
    }
    if (sent < parts.length || !(await this.waitUntilTaken(0))) return;
    // Nothing more will come, also in the place of tasks that were dropped.
    sink.takeCoarse(NO_PREVIEW, 0, 0);
  }

  /** The page has no room for some parts; their tasks count. */
  private async sendFull(parts: readonly Part[]): Promise<void> {
    await this.attempt(async (recording) => {
      for (const part of parts) {
        this.left += (await recording.rangeOf(part)).tasks;
      }
    });
    await this.sendStatus();
  }

  /** Wait until it is visible and nearly all rows are taken in; false if never. */
  private async waitUntilTaken(maxWaitingRows: number): Promise<boolean> {
    while (await this.waitUntilVisible()) {
      if (this.sink.waitingRows() <= maxWaitingRows) return true;
    }
    return false;
  }

  /** In the next turn in which it is visible; false if it never will be. */
  private async waitUntilVisible(): Promise<boolean> {
    await nextTurn();
    while (!this.tasksVisible && !this.closed) {
      await new Promise<void>((done) => this.waiting.push(done));
    }
    return !this.closed;
  }

  private wake(): void {
    for (const goOn of this.waiting.splice(0)) goOn();
  }

  private take(message: ControlMessage): void {
    if (!this.closed) this.sink.take(message);
  }

  /** What cannot be read is reported; the rest is sent. */
  private async attempt(
    work: (recording: StoredRecording) => Promise<void> | void,
    table?: string,
  ): Promise<void> {
    try {
      await work(await this.open());
    } catch (error) {
      if (this.closed) return;
      this.sink.failed(asProblem(codedError(error, this.name)), table);
    }
  }
}

const NO_PREVIEW = noRows({
  kind: "log",
  columns: COARSE_COLUMNS,
}) as unknown as CoarseColumns;

function lastStop({ start, duration }: CoarseColumns): number {
  let stop = 0;
  for (let row = 0; row < start.length; row++) {
    const end = start[row] + duration[row];
    if (end > stop) stop = end;
  }
  return stop;
}

const aTask = record({ task: count });
const someTasks = record({ first: count, tasks: count });

/** Answer what a panel asks, as stream/answers.py does. */
async function answer(
  recording: StoredRecording,
  sink: Sink,
  what: string,
  args: object,
): Promise<unknown> {
  switch (what) {
    case "task":
      return describeTask(recording, aTask(args, "args").task);
    case "keys": {
      const { first, tasks } = someTasks(args, "args");
      await sendKeys(recording, sink, first, first + tasks);
      return {};
    }
    default:
      throw unknownQuestion(what);
  }
}

/** Keys come by the block, as they are packed in the file. */
async function sendKeys(
  recording: StoredRecording,
  sink: Sink,
  first: number,
  end: number,
): Promise<void> {
  let at = first;
  while (at < end) {
    const part = await recording.partFrom(at);
    if (!part) return;
    const keys = await recording.keysOf(part);
    if (keys.first >= end) return;
    sink.takeKeys(keys.first, keys.tasks, keys.packed, keys.packing);
    at = keys.first + keys.tasks;
  }
}

/** Everything that is known of one task. */
async function describeTask(
  recording: StoredRecording,
  task: number,
): Promise<TaskDetail> {
  const part = await recording.partFrom(task);
  if (!part || (await recording.rangeOf(part)).first > task)
    throw unknownTask();
  const { names } = recording;
  const { batch } = await recording.rowsOf(part);
  const errors = await recording.log("errors");
  const erred = errors.task.indexOf(task);
  const known = erred >= 0;
  const detail: TaskDetail = {
    task,
    key: await recording.keyOf(part, task),
    prefix: known ? names.prefixes[errors.prefix[erred]] : "",
    worker: known ? errors.worker[erred] : "",
    thread: "",
    nbytes: 0,
    span: [],
    status: STATUSES[known ? 1 : 0],
    startstops: [],
    error: known
      ? {
          exception: errors.exception[erred],
          traceback: errors.traceback[erred],
        }
      : null,
  };
  const row = batch.task.indexOf(task);
  if (row < 0) return detail;
  let end = row;
  while (batch.task[end] === task) end++;
  const lane = names.lanes[batch.lane[row]];
  return {
    ...detail,
    prefix: names.prefixes[batch.prefix[row]],
    worker: lane.worker,
    thread: lane.thread,
    nbytes: batch.nbytes[row],
    span: names.spans[batch.span[row]].name,
    status: STATUSES[batch.status[row]],
    startstops: Array.from({ length: end - row }, (_, i) => {
      const start = batch.start[row + i];
      return {
        action: names.actions[batch.action[row + i]],
        start,
        stop: start + batch.duration[row + i],
      };
    }),
  };
}
