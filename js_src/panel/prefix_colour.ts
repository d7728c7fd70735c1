// The colour of a task prefix, the same wherever this panel shows it: on lanes,
// in the legend, on cards and in saved pictures.

import { hashName, NO_SLOT, slotColour, SLOTS } from "../base/palette";
import type { ReadonlySignal } from "@preact/signals";
import type { Theme } from "../base/theme";
import type { Focus } from "../model/types";
import type { SessionStore } from "../session";

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

interface Coloured {
  readonly environment: { readonly theme: ReadonlySignal<Theme> };
  readonly focus: ReadonlySignal<Focus>;
}

/** As a panel shows it now; reads the signals of focus and theme. */
export function prefixColoursOf(
  view: Coloured,
  store: SessionStore,
): PrefixColour {
  const { dark } = view.environment.theme.value;
  return prefixColours(store, view.focus.value.prefixes, dark);
}
