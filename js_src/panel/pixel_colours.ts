// The colours of a session as pixel values, for painting lanes.

import type { ReadonlySignal } from "@preact/signals";
import {
  mix,
  parseColour,
  textOn,
  toPixel,
  type Rgb,
  toCss,
} from "../base/colour";
import {
  ACTION_COLOURS,
  type ActionColour,
  actionColour,
  NO_SLOT_COLOUR,
  slotColour,
} from "../base/palette";
import type { Theme } from "../base/theme";
import type { TrackColours } from "../derive/columns";
import type { SessionStore } from "../session/session";

const DIMMED = 0.11;

export interface PixelColours {
  readonly compute: TrackColours;
  readonly overlay: TrackColours;
  /** By prefix: black or white, whichever is readable on its colour. */
  readonly labels: readonly string[];
  readonly erredLabel: string;
  readonly background: number;
  readonly grid: number;
  readonly rule: number;
}

export function makePixelColours(
  store: SessionStore,
  theme: Theme,
): PixelColours {
  const rgb = (css: string): Rgb => parseColour(css) ?? theme.text2;
  const colourOf = prefixColours(store, theme.dark);
  const prefixes = store.prefixes.map((_, prefix) => rgb(colourOf(prefix)));
  const other = actionRgb("deserialize", theme);
  const erred = actionRgb("erred", theme);
  const rest =
    ((toPixel(theme.text) & 0xffffff) | (Math.round(255 * DIMMED) << 24)) >>> 0;
  const actions = store.actions.map((action) =>
    actionRgb(actionColour(action) ?? "deserialize", theme),
  );
  const track = (colours: readonly Rgb[], unknown: Rgb): TrackColours => ({
    paints: Uint32Array.from(colours, toPixel),
    other: toPixel(unknown),
    erred: toPixel(erred),
    rest,
  });
  return {
    compute: track(
      prefixes,
      rgb(NO_SLOT_COLOUR[theme.dark ? "dark" : "light"]),
    ),
    overlay: track(actions, other),
    labels: prefixes.map(textOn),
    erredLabel: textOn(erred),
    background: toPixel(theme.panel),
    grid: toPixel(theme.grid),
    rule: toPixel(theme.rule),
  };
}

export function actionRgb(action: ActionColour, theme: Theme): Rgb {
  const css = ACTION_COLOURS[action][theme.dark ? "dark" : "light"];
  return parseColour(css) ?? theme.text2;
}

/** A tint of `colour` on the panel's background, as a CSS colour. */
export function tint(colour: Rgb, theme: Theme, share: number): string {
  return toCss(mix(colour, theme.panel, share));
}

export type PrefixColour = (prefix: number) => string;

export function prefixColours(
  store: Pick<SessionStore, "slots">,
  dark: boolean,
): PrefixColour {
  return (prefix) => slotColour(store.slots[prefix], dark);
}

/** The current colours of a panel; the same object until they change. */
export class ColoursOf {
  private made: PixelColours | null = null;
  private key = "";
  private theme: unknown = null;

  constructor(
    private readonly view: Coloured & {
      readonly session: ReadonlySignal<SessionStore | null>;
    },
  ) {}

  current(): PixelColours | null {
    const store = this.view.session.peek();
    if (!store) return null;
    const theme = this.view.environment.theme.peek();
    const key = `${store.id} ${store.prefixes.length} ${store.actions.length}`;
    if (this.made === null || key !== this.key || theme !== this.theme) {
      this.key = key;
      this.theme = theme;
      this.made = makePixelColours(store, theme);
    }
    return this.made;
  }
}

interface Coloured {
  readonly environment: { readonly theme: ReadonlySignal<Theme> };
}

/** The current prefix colours of a panel; reads the signal of the theme. */
export function prefixColoursOf(
  view: Coloured,
  store: SessionStore,
): PrefixColour {
  return prefixColours(store, view.environment.theme.value.dark);
}

/** Colour of a task's action: its own, black if it erred, or that of the prefix. */
export function actionCss(
  action: string,
  erred: boolean,
  prefixColour: string,
  dark: boolean,
): string {
  const mode = dark ? "dark" : "light";
  const own = actionColour(action);
  if (own) return ACTION_COLOURS[own][mode];
  return erred ? ACTION_COLOURS.erred[mode] : prefixColour;
}
