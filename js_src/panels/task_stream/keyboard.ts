// The keys of the panel, for the handler and the help sheet.

import type { Shortcut } from "../../panel/help";
import {
  pressTimeKey,
  WHOLE_AND_NOW,
  ZOOM_AND_MOVE,
} from "../../timeline/keyboard";
import type { PanelState } from "./panel_state";

export const SHORTCUTS: readonly Shortcut[] = [
  ...ZOOM_AND_MOVE,
  { keys: ["PgUp", "PgDn"], does: "Scroll the lanes where they do not fit" },
  ...WHOLE_AND_NOW,
  { keys: ["Space"], does: "Pause, resume" },
  { keys: ["/"], does: "Search a key or prefix; Enter next, Shift+Enter back" },
  { keys: ["Z"], does: "Zoom to the pinned task or the selected time" },
  { keys: ["T"], does: "Show the figures and all errors as tables" },
  { keys: ["Esc"], does: "Close, unpin, clear the search, clear the filters" },
  { keys: ["?"], does: "This sheet" },
];

export const GESTURES: readonly string[] = [
  "Drag to move. Click a task or an error to pin it, double-click a task to zoom to it, an empty place to fit the whole run.",
  "Shift-drag to select time: every panel of the client then shows and counts only that, until you remove it.",
  "In the overview: drag the window or its edges, or drag a new one beside it.",
  "Click a colour or a worker to isolate it; Shift-click adds another.",
  "Several prefixes, or several actions and erred, mean any of them; a prefix with an action means both.",
];

const PRESSES = new Map<string, (view: PanelState) => void>([
  [" ", (view) => view.togglePause()],
  ["/", (view) => view.openSearch()],
  ["t", ({ tableOpen }) => (tableOpen.value = !tableOpen.peek())],
  ["?", ({ helpOpen }) => (helpOpen.value = !helpOpen.peek())],
  ["Escape", (view) => view.escape()],
  ["PageUp", ({ plot }) => plot.peek()?.scrollPages(-1)],
  ["PageDown", ({ plot }) => plot.peek()?.scrollPages(1)],
]);

/** Handles a key; returns whether the panel uses it. */
export function pressKey(
  key: string,
  shift: boolean,
  view: PanelState,
): boolean {
  const press = PRESSES.get(key.length === 1 ? key.toLowerCase() : key);
  press?.(view);
  return press !== undefined || pressTimeKey(key, shift, view);
}
