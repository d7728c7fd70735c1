// The colours of a graph: by whose code a frame is. During a search, matches have the brand's
// colour and the rest is faded.

import { FLAME_COLOURS } from "../../base/palette";
import { toCss } from "../../base/colour";
import type { Theme } from "../../base/theme";
import { type Look, lookOf } from "./flame_canvas";
import { MODULES, type Module } from "../../derive/profile_modules";
import type { Frames } from "./frames";
import type { Shown } from "./state";

export const MATCH = MODULES.length;
export const ONE_OF = MODULES.length + 1;

/** Opacity of frames that do not match a search. */
export const FADED = 0.45;

export const moduleColour = (module: Module, dark: boolean): string =>
  FLAME_COLOURS[module][dark ? "dark" : "light"];

/** Looks in the order of `MODULES`, then those of matches and of sums of several frames. */
export function moduleLooks(theme: Theme, searching: boolean): Look[] {
  const share = searching ? FADED : 1;
  const looks = MODULES.map((module) =>
    lookOf(moduleColour(module, theme.dark), theme, share),
  );
  return [...looks, lookOf(toCss(theme.brand), theme), hatched(theme, share)];
}

const STRIPE_PX = 6;

/** Stripes over the colour of module `other`. */
export function hatched(theme: Theme, share = 1): Look {
  const look = lookOf(moduleColour("other", theme.dark), theme, share);
  const ratio = window.devicePixelRatio || 1;
  const size = Math.round(STRIPE_PX * ratio);
  const tile = document.createElement("canvas");
  tile.width = tile.height = size;
  const ink = tile.getContext("2d");
  if (!ink) return look;
  ink.fillStyle = look.css;
  ink.fillRect(0, 0, size, size);
  ink.strokeStyle = toCss(theme.text2);
  ink.globalAlpha = 0.25;
  ink.lineWidth = ratio;
  for (const shift of [-size, 0, size]) {
    ink.beginPath();
    ink.moveTo(shift - 1, size + 1);
    ink.lineTo(shift + size + 1, -1);
    ink.stroke();
  }
  return { ...look, fill: ink.createPattern(tile, "repeat") ?? look.fill };
}

/** Index into `moduleLooks`, by node. */
export function modulePaints(
  { tree }: Shown,
  frames: Frames,
  isHit: (node: number) => boolean,
): Uint8Array {
  const paints = new Uint8Array(tree.frame.length);
  for (let node = 0; node < paints.length; node++) {
    const frame = tree.frame[node];
    paints[node] = isHit(node)
      ? MATCH
      : frames.isOneOf(frame)
        ? ONE_OF
        : frames.moduleOf(frame);
  }
  return paints;
}
