// The view of a report as the fragment of its address, and back: tab and focus, so that
// a link shows what its sender saw. What an address says is checked, not believed.

import { effect } from "@preact/signals";
import { type Focus, NO_FOCUS } from "../../model/types";
import { panelKind, PANELS } from "../../panels";
import { labAddressOfServed } from "./lab_address";
import type { ReportState } from "./report_state";

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
  for (const kind of ["prefixes", "workers", "spans", "cells"] as const) {
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
      cells: namesOf(parts.get("cells")),
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

/** A focus that is being dragged is one step, not a hundred. */
const SETTLED_MS = 400;

/**
 * Keep the address of the page and what it shows the same, both ways: a change of tab or
 * focus is a step in the history, and back and forward go through these.
 */
export function followAddress(view: ReportState): () => void {
  let settling: ReturnType<typeof setTimeout> | undefined;
  let tab = view.place().tab;
  /** The fragment that the view was last at one with. */
  let known = fragment();
  const write = (): void => {
    const place = view.place();
    tab = place.tab;
    const wanted = toFragment(place);
    if (wanted === known || wanted === toFragment(fromFragment(known))) return;
    known = wanted;
    location.hash = wanted;
  };
  const stop = effect(() => {
    const place = view.place();
    clearTimeout(settling);
    settling = setTimeout(write, place.tab === tab ? SETTLED_MS : 0);
  });
  const read = (): void => {
    // The event of our own change may come late. By then the view may have moved on, to
    // something that a fragment cannot express.
    if (fragment() === known) return;
    known = fragment();
    clearTimeout(settling);
    view.go(fromFragment(known));
  };
  addEventListener("hashchange", read);
  return () => {
    stop();
    clearTimeout(settling);
    removeEventListener("hashchange", read);
  };
}

const fragment = (): string => location.hash.replace(/^#/, "");

/** The address of what this page shows now: one that others may have, and can open. */
export const linkTo = (place: Place): string =>
  `${addressInLab() ?? ownAddress()}#${toFragment(place)}`;

/** Where JupyterLab opens the file of this page; null where no Jupyter server shows it. */
export const addressInLab = (): string | null =>
  self.origin === "null" ? labAddressOfServed(new URL(location.href)) : null;

/** What Jupyter servers write into addresses of theirs: it is for who was given it. */
const SECRETS = ["_xsrf", "token"];

function ownAddress(): string {
  const url = new URL(location.href);
  url.hash = "";
  for (const name of SECRETS) {
    // Else the rest of the query would be written in another way.
    if (url.searchParams.has(name)) url.searchParams.delete(name);
  }
  return url.href;
}
