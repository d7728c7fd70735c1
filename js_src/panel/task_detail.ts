// The kernel's answer about one task, validated; invalid parts count as missing.

import { useEffect, useState } from "preact/hooks";
import { lax, list, num, record, str } from "../base/check";
import { asProblem, type Problem } from "../errors";
import type { TaskDetail } from "../model/types";
import type { SessionStore } from "../session/session";

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

/** Asks the kernel, which also knows tasks whose rows are not on this page. */
export const askTask = async (
  session: SessionStore,
  task: number,
): Promise<TaskDetail> => readTaskDetail(await session.ask("task", { task }));

export type Asked =
  | { readonly state: "asking" }
  | { readonly state: "known"; readonly detail: TaskDetail }
  | { readonly state: "failed"; readonly problem: Problem };

/** The detail of a task, and a function that requests it again. */
export function useTaskDetail(
  session: SessionStore,
  task: number,
): [Asked, () => void] {
  const [asked, setAsked] = useState<Asked>({ state: "asking" });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let wanted = true;
    const take = (next: Asked): void => {
      if (wanted) setAsked(next);
    };
    take({ state: "asking" });
    askTask(session, task).then(
      (detail) => take({ state: "known", detail }),
      (error: unknown) => take({ state: "failed", problem: asProblem(error) }),
    );
    return () => {
      wanted = false;
    };
  }, [session, task, attempt]);
  return [asked, () => setAttempt(attempt + 1)];
}

export type Part = TaskDetail["startstops"][number];

/** From the first start to the last stop, even if clocks disagree. */
export function endsOf(parts: readonly Part[]): [number, number] {
  let [start, stop] = [Infinity, -Infinity];
  for (const part of parts) {
    start = Math.min(start, part.start, part.stop);
    stop = Math.max(stop, part.start, part.stop);
  }
  return [start, stop];
}
