// The stream of a recording in a file: what a kernel would say, a part at a time, and
// answers to what a panel asks.

import { asProblem } from "../errors";
import { type Focus, NO_FOCUS } from "../model/types";
import { type CoarseColumns, LIMITS, SUMMARY, type TableName } from "../schema";
import { tableShape } from "../wire_columns";
import type { SessionFlow, SessionNews, Sink } from "../stream_link";
import type { Message } from "../wire";
import { answer } from "./answers";
import { storedCounts, storedTotals } from "./figures";
import { statusOf, summaryOf, totalsOf } from "./messages";
import { codedError, fileFull } from "./problems";
import type { Part, StoredRecording } from "./recording";
import { addRowless, isNarrow, Sums, sumUp } from "./totals";
import { nextTurn } from "./turns";

/** More than a frame takes in need not lie in wait. */
const MAX_WAITING_ROWS = 200_000;
const TASKS: TableName = "tasks";
/** How often the figures are said of a file that has to be counted first. */
const COUNTED_MS = 300;

export class StoredFlow implements SessionFlow {
  /** What has been sent, or is on its way. */
  private readonly begun = new Set<string>();
  /** Settled once dictionaries and the status have been sent. */
  private beginning: Promise<void> | null = null;
  private picture: Promise<void> | null = null;
  /** Whether somebody sees tasks; tables are short, and said whenever they are asked for. */
  private looks = false;
  private closed = false;
  /** Go on with what waits until somebody looks. */
  private readonly waiting: (() => void)[] = [];
  /** What figures are wanted of: those of another focus are not said any more. */
  private focus = NO_FOCUS;
  private whole: Promise<Message<"totals"> | null> | null = null;
  /** What is in the file, as far as it was counted. */
  private counted: Sums | null = null;
  /** When the last row stops, as far as that is known. */
  private end = 0;
  /** Tasks that this page has no room for. */
  private left = 0;

  constructor(
    private readonly recording: StoredRecording,
    private readonly name: string,
    private readonly sink: Sink,
    private readonly maxRows: number = LIMITS.page_rows,
  ) {}

  watch(visible: boolean, tables: readonly string[]): void {
    this.looks = visible && tables.includes(TASKS);
    this.wake();
    for (const name of tables.filter((one) => !this.begun.has(one))) {
      this.begun.add(name);
      this.beginning ??= this.begin(tables);
      void this.beginning.then(() => this.send(name));
    }
  }

  pause(): void {
    this.looks = false;
  }

  unwatch(): void {
    this.looks = false;
  }

  close(): void {
    this.closed = true;
    this.wake();
  }

  setFocus(focus: Focus): void {
    // A legend shows what it isolates beside the rest: figures are of all prefixes.
    this.focus = { ...focus, prefixes: [] };
    void this.sayTotals(this.focus);
  }

  async ask(what: string, args: object): Promise<unknown> {
    try {
      return await answer(this.recording, this.sink, what, args);
    } catch (error) {
      throw codedError(error, this.name);
    }
  }

  startOver(): void {
    // Nothing is lost on the way from a file.
  }

  /** What every panel needs; the preview of tasks first, so that no panel calls itself empty. */
  private async begin(tables: readonly string[]): Promise<void> {
    for (const piece of this.recording.names.pieces) {
      if (!this.closed) this.sink.takeTable(piece);
    }
    if (tables.includes(TASKS)) await (this.picture = this.sayPicture());
    await this.sayStatus();
  }

  private async send(table: string): Promise<void> {
    if (table === TASKS) {
      await (this.picture ??= this.sayPicture());
      void this.sayTotals(NO_FOCUS); // counted also where a focus hides them
      await this.sayRows();
    } else if (table === SUMMARY) {
      this.take(summaryOf(this.recording));
    } else if (tableShape(table)) {
      await this.attempt(async () => {
        const rings = await this.recording.table(table);
        for (const rows of rings) if (!this.closed) this.sink.takeTable(rows);
      }, table);
    }
  }

  private async sayPicture(): Promise<void> {
    await this.attempt(async () => {
      const coarse = await this.recording.coarse();
      if (!coarse || this.closed) return;
      const { stretches, tasks } = coarse;
      this.end = lastStop(stretches);
      this.sink.takeCoarse(stretches, 0, tasks);
    });
  }

  private async sayStatus(): Promise<void> {
    await this.attempt(async () => {
      const { recording, counted, end, left } = this;
      const notices = left > 0 ? [fileFull(left)] : [];
      this.take(await statusOf(recording, counted, end, notices));
    });
  }

  /** Figures of a focus, unless another one is set meanwhile. */
  private async sayTotals(focus: Focus): Promise<void> {
    await this.attempt(async () => {
      if (!isNarrow(focus)) {
        const totals = await (this.whole ??= this.wholeTotals());
        if (totals && !isNarrow(this.focus)) this.take(totals);
        return;
      }
      const sums = await sumUp(
        this.recording,
        focus,
        async () => (await this.isLookedAt()) && focus === this.focus,
      );
      if (sums) this.take(totalsOf(sums.figures(), focus));
    });
  }

  /** Figures of everything: those of the file, or else they are counted. */
  private async wholeTotals(): Promise<Message<"totals"> | null> {
    const { recording } = this;
    const stored = this.saysAll() && storedTotals(recording);
    if (stored) return totalsOf(stored, NO_FOCUS);
    let said_ms = performance.now();
    const sums = await sumUp(recording, NO_FOCUS, async (soFar) => {
      await nextTurn();
      if (
        !storedCounts(recording) &&
        performance.now() - said_ms > COUNTED_MS
      ) {
        this.counted = soFar;
        await this.sayStatus();
        said_ms = performance.now();
      }
      return !this.closed;
    });
    return sums && this.raised(sums);
  }

  /** Whether the file says figures of everything: these need not be counted to be shown. */
  private saysAll(): boolean {
    const { recording } = this;
    return storedCounts(recording) !== null && storedTotals(recording) !== null;
  }

  /** What the file says, once it is counted: no less than what is in it. */
  private async raised(sums: Sums): Promise<Message<"totals">> {
    const stored = storedTotals(this.recording);
    if (stored) sums.raiseTo(stored);
    this.counted = sums;
    await this.sayStatus();
    return totalsOf(sums.figures(), NO_FOCUS);
  }

  /**
   * Rows, a part a turn, so that the page goes on meanwhile: from the first on, which is
   * several times as fast to take in; where not all will fit, the newest.
   */
  private async sayRows(): Promise<void> {
    const { recording, sink } = this;
    const parts = [...recording.parts];
    if (!this.allFit()) parts.reverse();
    const sums = new Sums(recording.names, NO_FOCUS);
    const saysAll = this.saysAll(); // else it is counted as a whole
    let came = 0;
    for (const [place, part] of parts.entries()) {
      if (!(await this.isAwaited(MAX_WAITING_ROWS))) return;
      if (sums.rows >= this.maxRows) {
        await this.sayFull(parts.slice(place), sums);
        break;
      }
      await this.attempt(async () => {
        const found = await recording.rowsOf(part);
        const { batch, first, tasks } = found;
        // Before the page has them.
        if (saysAll) sums.add(found);
        else sums.rows += batch.rows;
        if (!this.closed) sink.takeRows(batch, first, tasks);
        came += 1;
      });
    }
    if (saysAll) await this.sayRaised(sums);
    if (came < recording.parts.length || !(await this.isAwaited(0))) return;
    // Nothing more will come, also in the place of tasks that were dropped.
    sink.takeCoarse(NO_STRETCHES, 0, 0);
  }

  /** Whether the page has room for all rows, if the file counts them right. */
  private allFit(): boolean {
    const counts = storedCounts(this.recording);
    return counts !== null && counts.rows <= this.maxRows;
  }

  /** The page has no room for some parts; their tasks count. */
  private async sayFull(parts: readonly Part[], sums: Sums): Promise<void> {
    await this.attempt(async () => {
      for (const part of parts) {
        const range = await this.recording.rangeOf(part);
        sums.addRange(range);
        this.left += range.tasks;
      }
    });
    await this.sayStatus();
  }

  /** Say the figures of the file again, raised to what came of it. */
  private async sayRaised(sums: Sums): Promise<void> {
    await this.attempt(async () => {
      await addRowless(this.recording, sums);
      const totals = await this.raised(sums);
      this.whole = Promise.resolve(totals);
      if (!isNarrow(this.focus)) this.take(totals);
    });
  }

  /** Wait until somebody looks and all but some rows are taken in; false if never. */
  private async isAwaited(maxWaitingRows: number): Promise<boolean> {
    while (await this.isLookedAt()) {
      if (this.sink.waitingRows() <= maxWaitingRows) return true;
    }
    return false;
  }

  /** In the next turn in which somebody looks; false if nobody ever will. */
  private async isLookedAt(): Promise<boolean> {
    await nextTurn();
    while (!this.looks && !this.closed) {
      await new Promise<void>((done) => this.waiting.push(done));
    }
    return !this.closed;
  }

  private wake(): void {
    for (const goOn of this.waiting.splice(0)) goOn();
  }

  private take(message: SessionNews): void {
    if (!this.closed) this.sink.take(message);
  }

  /** What of a file cannot be read is said; the rest of it comes all the same. */
  private async attempt(
    work: () => Promise<void>,
    table?: string,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.closed) return;
      this.sink.failed(asProblem(codedError(error, this.name)), table);
    }
  }
}

const NO_STRETCHES: CoarseColumns = {
  start: new Float64Array(0),
  duration: new Float32Array(0),
  lane: new Uint16Array(0),
  prefix: new Uint16Array(0),
  busy: new Float32Array(0),
  rows: new Uint32Array(0),
  erred: new Uint8Array(0),
};

function lastStop({ start, duration }: CoarseColumns): number {
  let stop = 0;
  for (let row = 0; row < start.length; row++) {
    const end = start[row] + duration[row];
    if (end > stop) stop = end;
  }
  return stop;
}
