// Keeps the address of the page and what it shows the same, both ways: a change of tab
// or focus is a step in the history, and back and forward go through these.

import { effect } from "@preact/signals";
import { fromFragment, type Place, toFragment } from "./fragment";

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
  const write = (): void => {
    const place = view.place();
    tab = place.tab;
    const wanted = toFragment(place);
    if (toFragment(fromFragment(location.hash)) !== wanted) {
      location.hash = wanted;
    }
  };
  const stop = effect(() => {
    const place = view.place();
    clearTimeout(settling);
    settling = setTimeout(write, place.tab === tab ? SETTLED_MS : 0);
  });
  const read = (): void => {
    const place = fromFragment(location.hash);
    // Our own step: going there again would move what is there by a rounding.
    if (toFragment(place) === toFragment(view.place())) return;
    clearTimeout(settling);
    view.go(place);
  };
  addEventListener("hashchange", read);
  return () => {
    stop();
    clearTimeout(settling);
    removeEventListener("hashchange", read);
  };
}

/** The address of what this page shows now. */
export const linkTo = (place: Place): string =>
  `${location.href.split("#")[0]}#${toFragment(place)}`;
