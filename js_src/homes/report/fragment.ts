// The view of a report as the fragment of its address, and back: tab and focus, so that
// a link shows what its sender saw. What an address says is checked, not believed.

import { type Focus, NO_FOCUS } from "../../model/types";
import { panelKind, PANELS } from "../../panels";

export interface Place {
  /** Id of a panel. */
  readonly tab: string;
  readonly focus: Focus;
}

/** An address with more is no link that somebody was sent: a recording names no more workers. */
const MOST_NAMES = 10_000;
const LONGEST = 1_000_000;
/** Stands for a name without a letter; that name itself is written with a percent sign. */
const EMPTY = "~";

/** `tab=task-stream&time=1.5,2&prefixes=a,b`, without the `#`. */
export function toFragment({ tab, focus }: Place): string {
  const parts = [`tab=${tab}`];
  if (focus.time) parts.push(`time=${focus.time.map(seconds).join(",")}`);
  for (const kind of ["prefixes", "workers", "spans"] as const) {
    if (focus[kind].length === 0) continue;
    parts.push(`${kind}=${focus[kind].map(encode).join(",")}`);
  }
  return parts.join("&");
}

/** What of a fragment can be understood; the rest is as it is without one. */
export function fromFragment(fragment: string): Place {
  const text = fragment.replace(/^#/, "");
  const parts = new Map<string, string>();
  if (text.length <= LONGEST) {
    for (const part of text.split("&")) {
      const at = part.indexOf("=");
      if (at > 0) parts.set(part.slice(0, at), part.slice(at + 1));
    }
  }
  const tab = panelKind(parts.get("tab") ?? "") ?? PANELS[0];
  return {
    tab: tab.id,
    focus: {
      ...NO_FOCUS,
      time: timeOf(parts.get("time")),
      prefixes: namesOf(parts.get("prefixes")),
      workers: namesOf(parts.get("workers")),
      spans: namesOf(parts.get("spans")),
    },
  };
}

/** As exact as a number of seconds since the epoch is. */
const seconds = (time: number): string => time.toFixed(7).replace(/\.?0+$/, "");

function encode(name: string): string {
  if (name === "") return EMPTY;
  if (name === EMPTY) return "%7E";
  // Of a lone half of a pair of surrogates there is no encoding.
  return encodeURIComponent(name.replace(/\p{Surrogate}/gu, "\ufffd"));
}

function timeOf(text: string | undefined): [number, number] | null {
  const match = /^(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)$/.exec(
    decode(text ?? "") ?? "",
  );
  if (!match) return null;
  const [start, stop] = [Number(match[1]), Number(match[2])];
  return Number.isFinite(start) && stop > start && Number.isFinite(stop)
    ? [start, stop]
    : null;
}

function namesOf(text: string | undefined): string[] {
  if (!text) return [];
  const names = text
    .split(",", MOST_NAMES)
    .filter((name) => name !== "")
    .map((name) => (name === EMPTY ? "" : decode(name)));
  return [...new Set(names.filter((name) => name !== null))];
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
