// Tasks, seconds and errors by prefix and by action, of everything or of a focus:
// what derive/totals.py and derive/selection.py count, counted the same way.

import type { TaskBatch } from "../model/tasks";
import type { ActionTotal, Focus, PrefixTotal } from "../model/types";
import { ACTIONS, MAX_NAMES, STATUSES } from "../schema";
import type { FileNames } from "./names";
import { BadFileError } from "./problems";
import type { PartRows, StoredRecording, TaskRange } from "./recording";

const COMPUTE = ACTIONS.indexOf("compute");
const MAX_ACTIONS = 256;

/** Which lanes and spans are in focus; null where all are. */
interface Chosen {
  readonly time: readonly [number, number] | null;
  readonly lanes: readonly boolean[] | null;
  readonly spans: readonly boolean[] | null;
  readonly prefixes: readonly boolean[] | null;
}

/** By number of prefix and of action. */
export interface Figures {
  readonly prefixes: PrefixTotal[];
  readonly actions: ActionTotal[];
}

/** Whether a focus leaves anything away. */
export function isNarrow(focus: Focus): boolean {
  const { time, prefixes, workers, spans } = focus;
  return time !== null || [prefixes, workers, spans].some((one) => one.length);
}

/** Adds up rows. A task counts once, however many rows it has. */
export class Sums {
  /** Tasks and rows of the file, in focus or not. */
  tasks = 0;
  rows = 0;
  /** One more than the last task's number. */
  nextTask = 0;
  private readonly chosen: Chosen;
  private readonly prefixTasks = new Float64Array(MAX_NAMES + 1);
  private readonly prefixSeconds = new Float64Array(MAX_NAMES + 1);
  private readonly prefixErred = new Float64Array(MAX_NAMES + 1);
  private readonly prefixComputes = new Float64Array(MAX_NAMES + 1);
  private readonly actionRows = new Float64Array(MAX_ACTIONS);
  private readonly actionSeconds = new Float64Array(MAX_ACTIONS);

  constructor(names: FileNames, focus: Focus) {
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
    };
  }

  /** Count tasks of the file, whatever their rows are. */
  addRange({ first, tasks }: TaskRange): void {
    this.tasks += tasks;
    this.nextTask = Math.max(this.nextTask, first + tasks);
  }

  add({ batch, ...range }: PartRows): void {
    this.addRange(range);
    this.rows += batch.rows;
    const { start, duration, prefix, action, status, task } = batch;
    let before = -1;
    for (let row = 0; row < batch.rows; row++) {
      if (!this.has(batch, row)) continue;
      // A negative duration (the clocks disagree), or one that is no number, adds nothing.
      const sound = duration[row] >= 0 && duration[row] < Infinity;
      const seconds = sound ? this.inside(start[row], duration[row]) : 0;
      this.actionRows[action[row]] += 1;
      this.actionSeconds[action[row]] += seconds;
      if (sound && action[row] === COMPUTE) {
        this.prefixSeconds[prefix[row]] += seconds;
        this.prefixComputes[prefix[row]] += 1;
      }
      if (task[row] === before) continue;
      before = task[row];
      this.addTask(prefix[row], status[row] !== 0);
    }
  }

  /** Count a task: also one that ran nowhere and has no rows. */
  addTask(prefix: number, erred: boolean): void {
    this.prefixTasks[prefix] += 1;
    if (erred) this.prefixErred[prefix] += 1;
  }

  get erred(): number {
    return this.prefixErred.reduce((sum, tasks) => sum + tasks, 0);
  }

  /** Let no figure be smaller than those, of which one name may have several. */
  raiseTo({ prefixes, actions }: Figures): void {
    raise(this.prefixTasks, prefixes, ({ prefix, tasks }) => [prefix, tasks]);
    raise(this.prefixSeconds, prefixes, ({ prefix, seconds }) => [
      prefix,
      seconds,
    ]);
    raise(this.prefixErred, prefixes, ({ prefix, erred }) => [prefix, erred]);
    raise(this.prefixComputes, prefixes, ({ prefix, computes }) => [
      prefix,
      computes,
    ]);
    raise(this.actionRows, actions, ({ action, rows }) => [action, rows]);
    raise(this.actionSeconds, actions, ({ action, seconds }) => [
      action,
      seconds,
    ]);
  }

  /** What there is, in order of the numbers. */
  figures(): Figures {
    const prefixes: PrefixTotal[] = [];
    this.prefixTasks.forEach((tasks, prefix) => {
      const seconds = this.prefixSeconds[prefix];
      const erred = this.prefixErred[prefix];
      const computes = this.prefixComputes[prefix];
      if (tasks + seconds > 0)
        prefixes.push({ prefix, tasks, seconds, erred, computes });
    });
    const actions: ActionTotal[] = [];
    this.actionRows.forEach((rows, action) => {
      const seconds = this.actionSeconds[action];
      if (rows > 0) actions.push({ action, rows, seconds });
    });
    return { prefixes, actions };
  }

  private has({ prefix, lane, span, start, duration }: TaskBatch, row: number) {
    const { time, prefixes, lanes, spans } = this.chosen;
    if (prefixes && !prefixes[prefix[row]]) return false;
    if (lanes && !lanes[lane[row]]) return false;
    if (spans && !spans[span[row]]) return false;
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

function raise<T>(
  sums: Float64Array,
  least: readonly T[],
  of: (total: T) => readonly [place: number, figure: number],
): void {
  const wanted = new Float64Array(sums.length);
  for (const total of least) {
    const [place, figure] = of(total);
    wanted[place] += figure;
  }
  wanted.forEach((figure, place) => {
    if (figure > sums[place]) sums[place] = figure;
  });
}

function among(
  names: readonly string[],
  wanted: readonly string[],
): boolean[] | null {
  if (wanted.length === 0) return null;
  const chosen = new Set(wanted);
  return names.map((name) => chosen.has(name));
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
  const sums = new Sums(names, focus);
  for (const part of recording.parts) {
    if (!(await goOn(sums))) return null;
    try {
      sums.add(await recording.rowsOf(part));
    } catch (error) {
      // Who shows the rows says that they cannot be read.
      if (!(error instanceof BadFileError)) throw error;
    }
  }
  if (!isNarrow(focus)) await addRowless(recording, sums);
  return sums;
}

/** Add the tasks that ran nowhere to sums of all rows. */
export async function addRowless(
  recording: StoredRecording,
  sums: Sums,
): Promise<void> {
  const { prefix, status } = await recording.log("rowless");
  prefix.forEach((index, row) => {
    if (status[row] in STATUSES) sums.addTask(index, status[row] !== 0);
  });
}
