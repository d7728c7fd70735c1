// The keys that move a window in time, listed once for the handler and the help sheet.

import type { Timeline } from "./timeline";

export const ZOOM_AND_MOVE = [
  { keys: ["W", "S"], does: "Zoom in, zoom out; also ↑ and ↓, + and −" },
  {
    keys: ["A", "D"],
    does: "Earlier, later; also ← and →. With Shift by a whole page",
  },
] as const;

export const WHOLE_AND_NOW = [
  { keys: ["F"], does: "Fit the whole run; also Home" },
  { keys: ["L"], does: "Go to now and follow; also End" },
] as const;

const ZOOM_STEP = 0.65;
const PAN_STEP = 0.2;
const PAGE_STEP = 0.9;

export interface TimeKeys {
  readonly timeline: Timeline;
  /** Time under the pointer, or null. Zooming keeps it in place. */
  readonly pointerTime: number | null;
  goToNow(): void;
  /** Zooms to the chosen item, if any. */
  zoomToChosen(): void;
}

/** `step`: distance to move, in seconds. */
type Press = (view: TimeKeys, step: number) => void;

const closer: Press = ({ timeline, pointerTime }) =>
  timeline.window.zoom(ZOOM_STEP, pointerTime, true);
const wider: Press = ({ timeline, pointerTime }) =>
  timeline.window.zoom(1 / ZOOM_STEP, pointerTime, true);
const earlier: Press = ({ timeline }, step) => timeline.window.pan(-step, true);
const later: Press = ({ timeline }, step) => timeline.window.pan(step, true);
const fit: Press = ({ timeline }) => timeline.window.fit();
const goToNow: Press = (view) => view.goToNow();

const PRESSES = new Map<string, Press>([
  ...["w", "ArrowUp", "+", "="].map((key) => [key, closer] as const),
  ...["s", "ArrowDown", "-"].map((key) => [key, wider] as const),
  ...["a", "ArrowLeft"].map((key) => [key, earlier] as const),
  ...["d", "ArrowRight"].map((key) => [key, later] as const),
  ...["f", "Home"].map((key) => [key, fit] as const),
  ...["l", "End"].map((key) => [key, goToNow] as const),
  ["z", (view) => view.zoomToChosen()],
]);

/** Returns whether the key was handled. */
export function pressTimeKey(
  key: string,
  shift: boolean,
  view: TimeKeys,
): boolean {
  const press = PRESSES.get(key.length === 1 ? key.toLowerCase() : key);
  const { width } = view.timeline.window;
  press?.(view, width * (shift ? PAGE_STEP : PAN_STEP));
  return press !== undefined;
}
