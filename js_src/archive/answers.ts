// Answers to what a panel asks about a recording in a file: as stream/answers.py gives
// them.

import { count, record } from "../base/check";
import type { TaskDetail } from "../model/types";
import { STATUSES } from "../schema";
import type { Sink } from "../stream_link";
import { unknownQuestion, unknownTask } from "./problems";
import type { StoredRecording } from "./recording";

const aTask = record({ task: count });
const someTasks = record({ first: count, tasks: count });

export async function answer(
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
