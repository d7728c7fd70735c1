// The colours of a session as pixels: what the raster paints lanes with.

import { mix, parseColour, textOn, toPixel, type Rgb } from "../../base/colour";
import {
  ACTION_COLOURS,
  actionColour,
  hashName,
  NO_SLOT,
  NO_SLOT_COLOUR,
  slotColour,
  SLOTS,
} from "../../base/palette";
import { toCss } from "../../base/colour";
import type { Theme } from "../../base/theme";
import type { TrackColours } from "../../derive/columns";
import type { SessionStore } from "../../session";

/** How much a row that is not isolated is still seen. */
const DIMMED = 0.11;

export interface Paints {
  readonly compute: TrackColours;
  readonly overlay: TrackColours;
  /** Black or white, by prefix: what is readable on it. */
  readonly labels: readonly string[];
  readonly erredLabel: string;
  readonly background: number;
  readonly grid: number;
  readonly rule: number;
}

export function makePaints(
  store: SessionStore,
  theme: Theme,
  isolated: readonly string[],
): Paints {
  const mode = theme.dark ? "dark" : "light";
  const rgb = (css: string): Rgb => parseColour(css) ?? theme.text2;
  const prefixes = store.prefixes.map((name, at) => {
    let slot = store.slots[at];
    // Names that came too late for a colour get one while they are isolated.
    if (slot === NO_SLOT && isolated.includes(name)) {
      slot = hashName(name) % SLOTS;
    }
    return rgb(slotColour(slot, theme.dark));
  });
  const other = rgb(ACTION_COLOURS.deserialize[mode]);
  const erred = rgb(ACTION_COLOURS.erred[mode]);
  const rest =
    ((toPixel(theme.text) & 0xffffff) | (Math.round(255 * DIMMED) << 24)) >>> 0;
  const actions = store.actions.map((action) =>
    rgb(ACTION_COLOURS[actionColour(action) ?? "deserialize"][mode]),
  );
  const track = (colours: readonly Rgb[], unknown: Rgb): TrackColours => ({
    paints: Uint32Array.from(colours, toPixel),
    other: toPixel(unknown),
    erred: toPixel(erred),
    rest,
  });
  return {
    compute: track(prefixes, rgb(NO_SLOT_COLOUR[mode])),
    overlay: track(actions, other),
    labels: prefixes.map(textOn),
    erredLabel: textOn(erred),
    background: toPixel(theme.panel),
    grid: toPixel(theme.grid),
    rule: toPixel(theme.rule),
  };
}

/** A tint of `colour` on the panel, as canvas code wants it. */
export function tint(colour: Rgb, theme: Theme, share: number): string {
  return toCss(mix(colour, theme.panel, share));
}
