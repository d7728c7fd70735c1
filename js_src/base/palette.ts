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

/**
 * In stacked bars work is quiet, and each kind of overhead has a colour of its own. In the
 * order in which they are stacked.
 */
const ACTIVITY_COLOURS = {
  "thread-cpu": { light: "#4a6785", dark: "#7590a9" },
  "thread-noncpu": { light: "#a9c0d6", dark: "#48607a" },
  p2p: { light: "#8467b5", dark: "#a583d6" },
  executor: { light: "#d2d2d2", dark: "#4c4c4c" },
  "disk-read": { light: "#e8871e", dark: "#f0973c" },
  deserialize: { light: "#9a958c", dark: "#b8b2a8" },
  "disk-write": { light: "#8c4a00", dark: "#a8641c" },
  network: { light: "#d7263d", dark: "#f2555a" },
  serialize: { light: "#504c47", dark: "#6b665f" },
  compress: { light: "#17756c", dark: "#1f9a8c" },
  decompress: { light: "#5cb3a6", dark: "#93e3d8" },
  other: { light: "#e8e8e8", dark: "#3a3a3a" },
} as const;

type ActivityKind = keyof typeof ACTIVITY_COLOURS;
const ACTIVITY_KINDS = Object.keys(ACTIVITY_COLOURS) as ActivityKind[];

/** Actions of tasks, and activities that are called otherwise than their kind. */
const KIND_OF: Readonly<Record<string, ActivityKind>> = {
  compute: "thread-cpu",
  transfer: "network",
  offload: "executor",
  "memory-read": "thread-noncpu",
};
const LONGEST_FIRST = ACTIVITY_KINDS.filter((kind) => kind !== "other").sort(
  (one, other) => other.length - one.length,
);

/**
 * Which kind an activity or action is of; null where its name has a colour of its own. One
 * that is not known by its name is of the longest kind that its name has in it.
 */
export function activityKind(activity: string): ActivityKind | null {
  const known = Object.hasOwn(KIND_OF, activity) ? KIND_OF[activity] : null;
  return (
    known ??
    ACTIVITY_KINDS.find((kind) => kind === activity) ??
    LONGEST_FIRST.find((kind) => activity.includes(kind)) ??
    null
  );
}

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

/** In a stacked bar: the colour of the kind, or of the slot that the name has. */
export function activityColour(
  activity: string,
  dark: boolean,
  slot?: number,
): string {
  const kind = activityKind(activity);
  if (kind === null) return slotColour(slot, dark);
  return ACTIVITY_COLOURS[kind][dark ? "dark" : "light"];
}

/** Where an activity is in a stack: work first, what is of no known kind last. */
export function activityRank(activity: string): number {
  const kind = activityKind(activity);
  return kind === null ? ACTIVITY_KINDS.length : ACTIVITY_KINDS.indexOf(kind);
}

/** Which colour an action of distributed has; null means the prefix's own. */
export function actionColour(action: string): ActionColour | null {
  if (action === "compute") return null;
  if (action === "transfer") return "transfer";
  if (action.startsWith("disk")) return "disk";
  // Also what later versions may add: overhead that is neither of the above.
  return "deserialize";
}

/** Whose code a frame of a profile is: calm, since names are written on it. */
export const FLAME_COLOURS = {
  yours: { light: "#a8cefe", dark: "#284b77" },
  dask: { light: "#ead5ab", dark: "#514019" },
  pandas: { light: "#b3e6c4", dark: "#1f4d32" },
  pyarrow: { light: "#e5ccf8", dark: "#4d385c" },
  numpy: { light: "#aae3ed", dark: "#0e4b54" },
  other: { light: "#d7d7d7", dark: "#424242" },
} as const;

/** From much less to much more; in the middle what is within chance. */
export const DIFFERENCE_COLOURS: Shades = {
  light: six("#2f6db3 #86b0dd #cfe0f2 #ebebeb #f6dcc3 #e3a069 #b85a14"),
  dark: six("#86b5ee #3b6aa0 #2b425c #333333 #4f361f #94561f #eda56a"),
};
