// Writes the view of a report (tab and focus) as the fragment of its address, and reads
// it again, so that a link shows what its sender saw. Each part of a fragment is checked.

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

/** Maximum number of names in a link; a recording names no more workers. */
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

/** Read a fragment; parts that are missing or invalid get their defaults. */
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

/** Seven decimals, because epoch seconds are no more precise. */
const seconds = (time: number): string => time.toFixed(7).replace(/\.?0+$/, "");

function timeOf(texts: readonly string[]): [number, number] | null {
  const [start = NaN, stop = NaN] = texts.map((text) =>
    /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN,
  );
  return stop > start && Number.isFinite(stop - start) ? [start, stop] : null;
}

/** Wait for the end of a drag, which would otherwise add many steps to the history. */
const SETTLED_MS = 400;

/**
 * Keep the address of the page and its view in sync. A change of tab or focus is a step
 * in the history, so that back and forward work.
 */
export function followAddress(view: ReportState): () => void {
  let settling: ReturnType<typeof setTimeout> | undefined;
  let tab = view.place().tab;
  /** The fragment that matched the view last. */
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
    // The event of our own change may come late, when the view already shows something
    // that a fragment cannot express.
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

/** A link to this view that can be shared. */
export const linkTo = (place: Place): string =>
  `${addressInLab() ?? ownAddress()}#${toFragment(place)}`;

/** Where JupyterLab opens this page's file; null if no Jupyter server shows it. */
export const addressInLab = (): string | null =>
  self.origin === "null" ? labAddressOfServed(new URL(location.href)) : null;

/** Query parameters that Jupyter servers add for one user, which must not be shared. */
const SECRETS = ["_xsrf", "token"];

function ownAddress(): string {
  const url = new URL(location.href);
  url.hash = "";
  for (const name of SECRETS) {
    // Deleting a missing parameter would still rewrite the rest of the query.
    if (url.searchParams.has(name)) url.searchParams.delete(name);
  }
  return url.href;
}
