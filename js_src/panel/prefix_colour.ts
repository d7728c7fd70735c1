// The colour of a task prefix, the same wherever this panel shows it: on lanes,
// in the legend, on cards and in saved pictures.

import type { ReadonlySignal } from "@preact/signals";
import { slotColour } from "../base/palette";
import type { Theme } from "../base/theme";
import type { SessionStore } from "../session";

export type PrefixColour = (prefix: number) => string;

export function prefixColours(
  store: Pick<SessionStore, "slots">,
  dark: boolean,
): PrefixColour {
  return (prefix) => slotColour(store.slots[prefix], dark);
}

interface Coloured {
  readonly environment: { readonly theme: ReadonlySignal<Theme> };
}

/** As a panel shows it now; reads the signal of the theme. */
export function prefixColoursOf(
  view: Coloured,
  store: SessionStore,
): PrefixColour {
  return prefixColours(store, view.environment.theme.value.dark);
}
