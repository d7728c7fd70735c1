// Keeps the address of the page and what it shows the same, both ways: a change of tab
// or focus is a step in the history, and back and forward go through these.

import { effect } from "@preact/signals";
import { fromFragment, type Place, toFragment } from "./fragment";
import { labAddressOfServed } from "./lab_address";

/** A focus that is being dragged is one step, not a hundred. */
const SETTLED_MS = 400;

export interface Navigated {
  /** Reads signals. */
  place(): Place;
  go(place: Place): void;
}

export function followAddress(view: Navigated): () => void {
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
    // Our own step, told late: the view may have gone on since, and what it shows may
    // be more than a fragment can say.
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
