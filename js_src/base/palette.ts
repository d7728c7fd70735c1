// The colours of slots, actions and measures, the same in every panel, page and report.
// Which slot a name has is chosen in Python and stored with it.

export interface Shades {
  readonly light: readonly string[];
  readonly dark: readonly string[];
}

const six = (colours: string): string[] => colours.split(" ");

/** Slots 0–11, then 12–23 for the names that come after them. */
export const PREFIX_SHADES: Shades = {
  light: [
    ...six("#cdc975 #4c6502 #87b686 #3c8763 #015b69 #65d0eb"),
    ...six("#5da5e5 #5a73de #4936a1 #795f94 #bb76aa #832055"),
    ...six("#95935c #81955d #5f7e5e #85b79b #5b8a94 #5296a7"),
    ...six("#42709a #96adfb #7772bf #a896bd #e7b3d9 #ab6483"),
  ],
  dark: [
    ...six("#d1cd89 #516a00 #90c09e #379e68 #30767d #73daf3"),
    ...six("#73b1fb #7085d7 #5e57a7 #9076a1 #d19bbc #9c4368"),
    ...six("#9c9a6d #83975d #6b8a74 #276845 #76a3a8 #61a2b3"),
    ...six("#577fb0 #4b598e #8d8cc6 #bdaaca #957187 #c17f97"),
  ],
};

/** Of a name that has not come: far from the background, and further from what erred. */
export const NO_SLOT_COLOUR = { light: "#b8b8b8", dark: "#5c5c5c" } as const;

export const ACTION_COLOURS = {
  transfer: { light: "#d7263d", dark: "#f2555a" },
  disk: { light: "#e8871e", dark: "#f0973c" },
  deserialize: { light: "#9a9a9a", dark: "#8c8c8c" },
  erred: { light: "#111111", dark: "#e0e0e0" },
} as const;

/** In stacked bars work is quiet, and each kind of overhead has a colour of its own. */
const ACTIVITY_COLOURS = {
  compute: { light: "#4a6785", dark: "#7590a9" },
  transfer: { light: "#d7263d", dark: "#f2555a" },
  "disk-read": { light: "#e8871e", dark: "#f0973c" },
  "disk-write": { light: "#8c4a00", dark: "#a8641c" },
  deserialize: { light: "#9a958c", dark: "#b8b2a8" },
} as const;

/** What lies in memory: what Dask manages, and what else processes hold. */
export const MEMORY_COLOURS = {
  managed: { light: "#2f6db3", dark: "#6ba8e6" },
  unmanaged_old: { light: "#86b0dd", dark: "#416d9e" },
  unmanaged_recent: { light: "#c9def3", dark: "#2d4865" },
} as const;

export type ActionColour = keyof typeof ACTION_COLOURS;

/** The colour of a slot, or of a name whose slot is not known. */
export function slotColour(slot: number | undefined, dark: boolean): string {
  const mode = dark ? "dark" : "light";
  const own = slot === undefined ? undefined : PREFIX_SHADES[mode][slot];
  return own ?? NO_SLOT_COLOUR[mode];
}

/** The colour of an action in a stacked bar; what later versions add is overhead. */
export function activityColour(action: string, dark: boolean): string {
  const known = Object.hasOwn(ACTIVITY_COLOURS, action);
  const own = known ? (action as keyof typeof ACTIVITY_COLOURS) : "deserialize";
  return ACTIVITY_COLOURS[own][dark ? "dark" : "light"];
}

/** Which colour an action of distributed has; null means the prefix's own. */
export function actionColour(action: string): ActionColour | null {
  if (action === "compute") return null;
  if (action === "transfer") return "transfer";
  if (action.startsWith("disk")) return "disk";
  // Also what later versions may add: overhead that is neither of the above.
  return "deserialize";
}
