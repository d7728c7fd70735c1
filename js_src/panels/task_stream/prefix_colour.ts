// The colour of a task prefix, the same wherever this panel shows it: on lanes,
// in the legend, on cards and in saved pictures.

import { hashName, NO_SLOT, slotColour, SLOTS } from "../../base/palette";
import type { SessionStore } from "../../session";
import type { ViewState } from "./view_state";

export type PrefixColour = (prefix: number) => string;

/** Names that came too late for a colour have one while they are isolated. */
export function prefixColours(
  store: Pick<SessionStore, "prefixes" | "slots">,
  isolated: readonly string[],
  dark: boolean,
): PrefixColour {
  return (prefix) => {
    const slot = store.slots[prefix];
    const name = store.prefixes[prefix];
    const late = slot === NO_SLOT && name !== undefined;
    const own = late && isolated.includes(name) ? hashName(name) % SLOTS : slot;
    return slotColour(own, dark);
  };
}

/** As this panel shows it now; reads the signals of focus and theme. */
export function prefixColoursOf(
  view: ViewState,
  store: SessionStore,
): PrefixColour {
  const { dark } = view.environment.theme.value;
  return prefixColours(store, view.focus.value.prefixes, dark);
}
