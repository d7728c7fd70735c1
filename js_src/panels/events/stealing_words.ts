// What Dask's work stealing logs: lists, whose places its source alone tells
// (distributed/stealing.py).

import type { NameOf } from "../../panel/worker_names";

/** Null for what no version that we know logs so. */
export function stealingInWords(
  logged: unknown,
  nameOf: NameOf,
): string | null {
  if (!Array.isArray(logged)) return null;
  const [what, ...rest] = logged as unknown[];
  switch (what) {
    case "request":
      return requested(rest[0], nameOf);
    case "confirm":
    case "already-computing":
      return answered(what, rest, nameOf);
    case "reschedule": // with whether the thief has left
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

/** Keys may be lists; of a task that was released there is no state. */
const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);
