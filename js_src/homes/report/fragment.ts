// The view of a report as the fragment of its address, and back: tab and focus, so that a
// link shows what its sender saw. Each part of an address is checked.

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

/** A link has no more of them: a recording names no more workers. */
const MOST_NAMES = 10_000;
const LONGEST = 1_000_000;
const NAMED = ["prefixes", "workers", "spans", "cells"] as const;

/** `tab=task-stream&time=1.5&time=2&prefixes=a&prefixes=b`, without the `#`. */
export function toFragment({ tab, focus }: Place): string {
  const parts = new URLSearchParams({ tab });
  for (const time of focus.time ?? []) parts.append("time", seconds(time));
  for (const kind of NAMED) {
    for (const name of focus[kind]) parts.append(kind, name);
  }
  return parts.toString();
}

/** What of a fragment can be understood; the rest is as it is without one. */
export function fromFragment(fragment: string): Place {
  const text = fragment.length <= LONGEST ? fragment.replace(/^#/, "") : "";
  const parts = new URLSearchParams(text);
  const tab = panelKind(parts.get("tab") ?? "") ?? PANELS[0];
  const names = NAMED.map((kind) => {
    const some = new Set(parts.getAll(kind).slice(0, MOST_NAMES));
    return [kind, [...some]] as const;
  });
  const time = timeOf(parts.getAll("time"));
  return {
    tab: tab.id,
    focus: { ...NO_FOCUS, time, ...Object.fromEntries(names) },
  };
}

/** As exact as a number of seconds since the epoch is. */
const seconds = (time: number): string => time.toFixed(7).replace(/\.?0+$/, "");

function timeOf(texts: readonly string[]): [number, number] | null {
  const [start = NaN, stop = NaN] = texts.map((text) =>
    /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN,
  );
  return stop > start && Number.isFinite(stop - start) ? [start, stop] : null;
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
