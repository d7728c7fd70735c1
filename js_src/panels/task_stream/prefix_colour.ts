// The colour of a task prefix, the same wherever this panel shows it: on lanes,
// in the legend, on cards and in saved pictures.

import { slotColour } from "../../base/palette";
import type { SessionStore } from "../../session";
import type { ViewState } from "./view_state";

export type PrefixColour = (prefix: number) => string;

export function prefixColours(
  store: Pick<SessionStore, "slots">,
  dark: boolean,
): PrefixColour {
  return (prefix) => slotColour(store.slots[prefix], dark);
}

/** As this panel shows it now; reads the signal of the theme. */
export function prefixColoursOf(
  view: ViewState,
  store: SessionStore,
): PrefixColour {
  return prefixColours(store, view.environment.theme.value.dark);
}
