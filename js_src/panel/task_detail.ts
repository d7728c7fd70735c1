// The answer about one task, checked before it is used; what is wrong in it counts as missing.

import { lax, list, num, record, str } from "../base/check";
import type { TaskDetail } from "../model/types";

const text = lax(str, "");
const number = lax(num, NaN);
const startstop = record({ action: text, start: num, stop: num });
const error = record({ exception: text, traceback: text });

const detail = record({
  task: number,
  key: text,
  prefix: text,
  worker: text,
  thread: text,
  nbytes: number,
  span: lax(list(text), []),
  status: text,
  startstops: lax(list(lax(startstop, null)), []),
  error: lax(error, null),
});

export function readTaskDetail(answer: unknown): TaskDetail {
  const read = detail(answer ?? {}, "task");
  return {
    ...read,
    span: read.span.filter(Boolean),
    startstops: read.startstops
      .flatMap((part) => part ?? [])
      .sort((one, other) => one.start - other.start),
  };
}
