// Tasks, seconds and errors by prefix and by action, of everything or of a focus:
// what derive/focus_totals.py counts, counted the same way.

import type { TaskBatch } from "../model/tasks";
import type { ActionTotal, Focus, PrefixTotal } from "../model/types";
import { ACTIONS, STATUSES } from "../schema";
import type { FileNames } from "./names";
import { BadFileError } from "./problems";
import type { PartRows, StoredRecording } from "./recording";

const COMPUTE = ACTIONS.indexOf("compute");

/** Which lanes and spans are in focus; null where all are. */
interface Chosen {
  readonly time: readonly [number, number] | null;
  readonly lanes: readonly boolean[] | null;
  readonly spans: readonly boolean[] | null;
  readonly prefixes: readonly boolean[] | null;
  readonly computations: ReadonlySet<number> | null;
}

/** By number of prefix and of action. */
export interface Figures {
  readonly prefixes: PrefixTotal[];
  readonly actions: ActionTotal[];
}

/** Whether a focus leaves anything away. */
export function isNarrow(focus: Focus): boolean {
  const { time, prefixes, workers, spans, cells } = focus;
  const names = [prefixes, workers, spans, cells];
  return time !== null || names.some((one) => one.length > 0);
}

/** Adds up rows. A task counts once, however many rows it has. */
export class Sums {
  /** Tasks and rows of the file, in focus or not. */
  tasks = 0;
  rows = 0;
  /** One more than the last task's number. */
  nextTask = 0;
  private readonly chosen: Chosen;
  private readonly prefixes: PrefixTotal[] = []; // by number, with holes
  private readonly actions: ActionTotal[] = [];

  constructor(
    names: FileNames,
    focus: Focus,
    computations: ReadonlySet<number> | null = null,
  ) {
    const { time, prefixes, workers, spans } = focus;
    this.chosen = {
      time,
      prefixes: among(names.prefixes, prefixes),
      lanes: among(
        names.lanes.map(({ worker }) => worker),
        workers,
      ),
      spans: among(
        names.spans.map(({ id }) => id),
        spans,
      ),
      computations,
    };
  }

  add({ batch, first, tasks }: PartRows): void {
    this.tasks += tasks;
    this.nextTask = Math.max(this.nextTask, first + tasks);
    this.rows += batch.rows;
    const { start, duration, prefix, action, status, task } = batch;
    let before = -1;
    for (let row = 0; row < batch.rows; row++) {
      if (!this.has(batch, row)) continue;
      // A negative duration (the clocks disagree), or one that is no number, adds nothing.
      const sound = duration[row] >= 0 && duration[row] < Infinity;
      const seconds = sound ? this.inside(start[row], duration[row]) : 0;
      const total = this.actionTotal(action[row]);
      total.rows += 1;
      total.seconds += seconds;
      if (sound && action[row] === COMPUTE) {
        const computed = this.prefixTotal(prefix[row]);
        computed.seconds += seconds;
        computed.computes += 1;
      }
      if (task[row] === before) continue;
      before = task[row];
      this.addTask(prefix[row], status[row] !== 0);
    }
  }

  addTask(prefix: number, erred: boolean): void {
    const total = this.prefixTotal(prefix);
    total.tasks += 1;
    if (erred) total.erred += 1;
  }

  get erred(): number {
    return this.prefixes.reduce((sum, { erred }) => sum + erred, 0);
  }

  /** What there is, in order of the numbers. */
  figures(): Figures {
    const prefixes = this.prefixes.filter(
      ({ tasks, seconds }) => tasks + seconds > 0,
    );
    return { prefixes, actions: this.actions.filter(({ rows }) => rows > 0) };
  }

  private prefixTotal(prefix: number): PrefixTotal {
    const none = { prefix, tasks: 0, seconds: 0, erred: 0, computes: 0 };
    return (this.prefixes[prefix] ??= none);
  }

  private actionTotal(action: number): ActionTotal {
    return (this.actions[action] ??= { action, rows: 0, seconds: 0 });
  }

  private has(batch: TaskBatch, row: number) {
    const { prefix, lane, span, start, duration, computation } = batch;
    const { time, prefixes, lanes, spans, computations } = this.chosen;
    if (prefixes && !prefixes[prefix[row]]) return false;
    if (lanes && !lanes[lane[row]]) return false;
    if (spans && !spans[span[row]]) return false;
    if (computations && !computations.has(computation[row])) return false;
    if (!time) return true;
    return start[row] <= time[1] && start[row] + duration[row] >= time[0];
  }

  /** The seconds of a row that lie in the time in focus. */
  private inside(start: number, duration: number): number {
    const { time } = this.chosen;
    if (!time) return duration;
    const stop = Math.min(start + duration, time[1]);
    return Math.fround(stop - Math.max(start, time[0]));
  }
}

function among(
  names: readonly string[],
  wanted: readonly string[],
): boolean[] | null {
  if (wanted.length === 0) return null;
  const chosen = new Set(wanted);
  return names.map((name) => chosen.has(name));
}

/** Graphs that some cells sent; null where all count. */
async function sentBy(
  recording: StoredRecording,
  cells: readonly string[],
): Promise<ReadonlySet<number> | null> {
  if (cells.length === 0) return null;
  const { cell, computation } = await recording.log("computations");
  const sent = Array.from(computation);
  return new Set(sent.filter((_, row) => cells.includes(cell[row])));
}

/**
 * Add up what is in focus, a part at a time. `goOn` is called before each with what was
 * added up so far; when it says no the answer is null.
 */
export async function sumUp(
  recording: StoredRecording,
  focus: Focus,
  goOn: (soFar: Sums) => Promise<boolean>,
): Promise<Sums | null> {
  const { names } = recording;
  const sums = new Sums(names, focus, await sentBy(recording, focus.cells));
  for (const part of recording.parts) {
    if (!(await goOn(sums))) return null;
    try {
      sums.add(await recording.rowsOf(part));
    } catch (error) {
      // Who shows the rows says that they cannot be read.
      if (!(error instanceof BadFileError)) throw error;
    }
  }
  if (isNarrow(focus)) return sums;
  // Tasks that ran nowhere have no rows.
  const { prefix, status } = await recording.log("rowless");
  prefix.forEach((index, row) => {
    if (status[row] in STATUSES) sums.addTask(index, status[row] !== 0);
  });
  return sums;
}
