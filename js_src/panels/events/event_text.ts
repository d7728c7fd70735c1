// Logged events in words: `update-graph · status OK · metrics: tasks 3, new_tasks 3`.

import { formatClock, formatSeconds, plural } from "../../base/format";
import type { NameOf } from "../../panel/worker_groups";

/** Values nested deeper are shown as logged. */
const MAX_DEPTH = 2;

/** JavaScript would round such integers, so messages that have one are shown as logged. */
const LONG_INTEGER = /(?:^|[^\d.])\d{16,}(?![\d.eE])/;

/**
 * A logged message (JSON) in words. Messages that are neither objects, nor text, nor of
 * Dask's work stealing, are returned as logged.
 */
export function messageInWords(
  message: string,
  topic = "",
  nameOf: NameOf = (address) => address,
): string {
  const steals = topic === "stealing" && message.startsWith("[");
  if (!steals && !/^["{]/.test(message)) return message;
  if (message.startsWith("{") && LONG_INTEGER.test(message)) return message;
  try {
    const logged: unknown = JSON.parse(message);
    if (typeof logged === "string") return logged;
    if (steals) return stealingInWords(logged, nameOf) ?? message;
    if (!isObject(logged)) return message;
    return graphInWords(logged) ?? (objectInWords(logged) || message);
  } catch {
    return message;
  }
}

function objectInWords(logged: Record<string, unknown>): string {
  // The id of the cause goes last: it is the least useful to users.
  const { action, stimulus_id: cause, ...more } = logged;
  const named = typeof action === "string" && action !== "";
  const pairs = Object.entries({
    ...(named || action === undefined ? {} : { action }),
    ...more,
    ...(cause === undefined ? {} : { stimulus_id: cause }),
  });
  return [
    ...(named ? [action] : []),
    ...pairs.map(([name, value]) => pairInWords(name, value, 1)),
  ].join(" · ");
}

/** Only the useful ones of the dozen figures that Dask logs for a graph. */
function graphInWords(logged: Record<string, unknown>): string | null {
  const { action, metrics, status } = logged;
  if (action !== "update-graph" || !isObject(metrics)) return null;
  const { tasks, duration_seconds: seconds } = metrics;
  if (typeof tasks !== "number" || typeof seconds !== "number") return null;
  const trouble =
    typeof status !== "string" || status === "OK" ? "" : ` · status ${status}`;
  return `read a graph of ${plural(tasks, "task")} in ${formatSeconds(seconds)}${trouble}`;
}

function pairInWords(name: string, value: unknown, depth: number): string {
  if (typeof value === "number") return numberInWords(name, value);
  if (!isObject(value) || depth === MAX_DEPTH) {
    return `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`;
  }
  const pairs = Object.entries(value).map(([inner, one]) =>
    pairInWords(inner, one, depth + 1),
  );
  return `${name}: ${pairs.join(", ") || "nothing"}`;
}

const SECONDS = "_seconds";

/** `duration_seconds 0.0013871…` as `duration 1.4 ms`. */
function numberInWords(name: string, value: number): string {
  if (!name.endsWith(SECONDS)) return `${name} ${JSON.stringify(value)}`;
  const what = name.slice(0, -SECONDS.length);
  if (what.endsWith("timestamp")) return `${what} ${formatClock(value, 3)}`;
  // Some of Dask's durations have the wrong sign.
  const backwards = what.endsWith("duration") && value < 0;
  return `${what} ${formatSeconds(backwards ? -value : value)}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Null for messages in an unknown form. */
function stealingInWords(logged: unknown, nameOf: NameOf): string | null {
  if (!Array.isArray(logged)) return null;
  const [what, ...rest] = logged as unknown[];
  switch (what) {
    case "request":
      return requested(rest[0], nameOf);
    case "confirm":
    case "already-computing":
      return answered(what, rest, nameOf);
    case "reschedule": // its first value is whether the thief has left
      return answered(what, rest.slice(1), nameOf);
    case "stale-response":
    case "already-aborted": {
      const [key, state, worker] = rest;
      if (typeof worker !== "string") return null;
      return `${what} · ${textOf(key)} on ${nameOf(worker)} · state ${textOf(state)}`;
    }
    default:
      return null;
  }
}

function requested(moves: unknown, nameOf: NameOf): string | null {
  if (!Array.isArray(moves)) return null;
  const words = (moves as unknown[]).map((move) => {
    const [, , key, , victim, , thief] = Array.isArray(move)
      ? (move as unknown[])
      : [];
    return moved(key, victim, thief, nameOf);
  });
  return words.includes(null) || words.length === 0
    ? null
    : `request · ${words.join(", ")}`;
}

function answered(
  what: string,
  [key, state, victim, thief]: readonly unknown[],
  nameOf: NameOf,
): string | null {
  const words = moved(key, victim, thief, nameOf);
  return words && `${what} · ${words} · state ${textOf(state)}`;
}

function moved(
  key: unknown,
  victim: unknown,
  thief: unknown,
  nameOf: NameOf,
): string | null {
  if (typeof victim !== "string" || typeof thief !== "string") return null;
  return `${textOf(key)} from ${nameOf(victim)} to ${nameOf(thief)}`;
}

/** Keys may be lists, and the state of a released task is null. */
const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);
