// The kernel's answer about one task, checked before it is believed.

import type { TaskDetail } from "../model/types";

type Loose = Record<string, unknown>;

const record = (value: unknown): Loose =>
  typeof value === "object" && value !== null ? (value as Loose) : {};
const text = (value: unknown): string =>
  typeof value === "string" ? value : "";
const number = (value: unknown): number =>
  typeof value === "number" ? value : NaN;
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export function readTaskDetail(answer: unknown): TaskDetail {
  const from = record(answer);
  const error = from["error"] === null ? null : record(from["error"]);
  return {
    task: number(from["task"]),
    key: text(from["key"]),
    prefix: text(from["prefix"]),
    worker: text(from["worker"]),
    thread: text(from["thread"]),
    nbytes: number(from["nbytes"]),
    span: list(from["span"]).map(text).filter(Boolean),
    status: text(from["status"]),
    startstops: list(from["startstops"])
      .map((part) => {
        const { action, start, stop } = record(part);
        return {
          action: text(action),
          start: number(start),
          stop: number(stop),
        };
      })
      .filter((part) => Number.isFinite(part.start + part.stop))
      .sort((one, other) => one.start - other.start),
    error:
      error && Object.keys(error).length > 0
        ? {
            exception: text(error["exception"]),
            traceback: text(error["traceback"]),
          }
        : null,
  };
}
