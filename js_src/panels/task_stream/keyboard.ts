// The keys of the panel. What they do is listed once, here, for the handler
// and for the help sheet.

import type { Shortcut } from "../../panel/help";
import { stretchOf } from "../../derive/task_place";
import { zoomTo } from "./go_to_task";
import type { ViewState } from "./view_state";

export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ["W", "S"], does: "Zoom in, zoom out; also ↑ and ↓, + and −" },
  {
    keys: ["A", "D"],
    does: "Earlier, later; also ← and →. With Shift by a whole page",
  },
  { keys: ["PgUp", "PgDn"], does: "Scroll the lanes where they do not fit" },
  { keys: ["F"], does: "Fit the whole run; also Home" },
  { keys: ["L"], does: "Go to now and follow; also End" },
  { keys: ["Space"], does: "Pause, resume" },
  { keys: ["/"], does: "Search a key or prefix; Enter next, Shift+Enter back" },
  { keys: ["Z"], does: "Zoom to the pinned task or the selected time" },
  { keys: ["T"], does: "The numbers as a table, and every error" },
  { keys: ["Esc"], does: "Close, unpin, clear the search, drop the filters" },
  { keys: ["?"], does: "This sheet" },
];

export const GESTURES: readonly string[] = [
  "Drag to move. Click a task or an error to pin it, double-click a task to zoom to it, an empty place to fit the whole run.",
  "Shift-drag to select time: every panel of the client then shows and counts only that, until you remove it.",
  "In the overview: drag the window or its edges, or drag a new one beside it.",
  "Click a colour or a worker to isolate it; Shift-click adds another.",
  "Several prefixes, or several actions and erred, mean any of them; a prefix with an action means both.",
];

const ZOOM_STEP = 0.65;
const PAN_STEP = 0.2;
const PAGE_STEP = 0.9;

export interface KeyboardTargets {
  /** Time under the pointer, or null: zoom keeps it in place. */
  pointerTime(): number | null;
  scrollLanes(px: number): boolean;
}

/** What a key does; true when it was one of ours. */
export function pressKey(
  key: string,
  shift: boolean,
  view: ViewState,
  targets: KeyboardTargets,
): boolean {
  const at = targets.pointerTime();
  const step = view.window.width * (shift ? PAGE_STEP : PAN_STEP);
  switch (key.length === 1 ? key.toLowerCase() : key) {
    case "w":
    case "ArrowUp":
    case "+":
    case "=":
      view.zoom(ZOOM_STEP, at, true);
      return true;
    case "s":
    case "ArrowDown":
    case "-":
      view.zoom(1 / ZOOM_STEP, at, true);
      return true;
    case "a":
    case "ArrowLeft":
      view.pan(-step, true);
      return true;
    case "d":
    case "ArrowRight":
      view.pan(step, true);
      return true;
    case "PageUp":
      return targets.scrollLanes(-1);
    case "PageDown":
      return targets.scrollLanes(1);
    case "f":
    case "Home":
      view.fit();
      return true;
    case "l":
    case "End":
      view.goToNow();
      return true;
    case " ":
      view.togglePause();
      return true;
    case "/":
      view.openSearch();
      return true;
    case "z":
      zoomToChosen(view);
      return true;
    case "t":
      view.tableOpen.value = !view.tableOpen.peek();
      return true;
    case "?":
      view.helpOpen.value = !view.helpOpen.peek();
      return true;
    case "Escape":
      view.escape();
      return true;
    default:
      return false;
  }
}

function zoomToChosen(view: ViewState): void {
  const pinned = view.pinned.peek();
  const time = view.focus.peek().time;
  if (pinned) {
    zoomTo(view, stretchOf(pinned));
  } else if (time) {
    view.show(time[0], time[1]);
  }
}
