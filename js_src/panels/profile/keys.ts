// The keys of the Profile panel.

import { ROOT } from "./frames";
import type { ProfileState } from "./state";

export function press(
  state: ProfileState,
  key: string,
  shift: boolean,
): boolean {
  // Once the user has clicked the chart over time, arrows move that.
  if (key.startsWith("Arrow")) {
    if (state.view.timeline.engaged.peek()) return false;
    return state.step(key);
  }
  const chosen = state.chosen.peek();
  const frame = chosen?.at(-1) ?? ROOT;
  switch (key.length === 1 ? key.toLowerCase() : key) {
    case "Escape":
      return !state.view.helpOpen.peek() && state.back();
    case "Enter":
      if (chosen) state.choose(chosen, shift);
      return chosen !== null;
    case "c":
      if (chosen) state.setMode("sandwich");
      return true;
    case "r":
      state.rootAt(frame);
      return true;
    case "h":
      state.hide(frame);
      return true;
    case "p":
      if (chosen) state.pinned.value = !state.pinned.peek();
      return true;
    case "i":
      state.changeTree(() => (state.inverted.value = !state.inverted.peek()));
      return true;
    case "o":
      state.order.value = state.order.peek() === "name" ? "weight" : "name";
      return true;
    default:
      return false;
  }
}
