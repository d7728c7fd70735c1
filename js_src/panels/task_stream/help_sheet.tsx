// The keys and gestures of the task stream.

import type { JSX } from "preact";
import { Help } from "../../panel/help";
import { GESTURES, SHORTCUTS } from "./keyboard";
import type { ViewState } from "./view_state";

export function HelpSheet(props: { view: ViewState }): JSX.Element {
  const { view } = props;
  const wheel = view.host.capturesWheel
    ? "The wheel zooms at the pointer; Shift+wheel moves, Alt+wheel scrolls the lanes."
    : "The wheel scrolls the page until you click the plot, or with Ctrl or ⌘; then it zooms. Alt+wheel scrolls the lanes.";
  return (
    <Help
      title="Task stream: keys and gestures"
      shortcuts={SHORTCUTS}
      notes={[...GESTURES, wheel]}
      onClose={() => view.escape()}
    />
  );
}
