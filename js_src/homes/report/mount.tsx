// Mounts a report in an element, whose static content it replaces.

import {
  effect,
  type ReadonlySignal,
  type Signal,
  untracked,
} from "@preact/signals";
import { render } from "preact";
import { watchEnvironment } from "../../panel/environment";
import type { PanelHost } from "../../panel/host";
import { Report } from "./app";
import {
  followAddress,
  fromFragment,
  type Place,
  toFragment,
} from "./fragment";
import { ReportState } from "./report_state";
import type { ReportSource } from "./source";

/** A report in a tab of another page than its own. */
export interface ReportTab {
  /** What the report shows, in sync both ways; a report on its own page follows the address. */
  readonly place: Signal<Place>;
  readonly visible: ReadonlySignal<boolean>;
  readonly others: PanelHost["others"];
}

/** Mount a report; returns a function that unmounts it. */
export function mountReport(
  element: HTMLElement,
  source: ReportSource,
  tab: ReportTab | null = null,
): () => void {
  const root = document.createElement("div");
  root.className = "ds-root ds-report";
  element.replaceChildren(root);
  const alone = !source.link;
  const environment = watchEnvironment(root, {});
  const state = new ReportState(source, tab?.visible, tab?.others);
  if (alone) state.go(fromFragment(location.hash));
  const stops = [
    effect(() => {
      const { dark } = environment.theme.value;
      root.classList.toggle("ds-dark", dark && !state.printing.value);
    }),
    ...(alone ? [followAddress(state), printsAll(state, root)] : []),
    ...(tab ? [followPlace(state, tab.place)] : []),
  ];
  render(<Report state={state} />, root);

  return () => {
    render(null, root);
    for (const stop of stops) stop();
    state.dispose();
    environment.dispose();
    root.remove();
  };
}

function followPlace(state: ReportState, place: Signal<Place>): () => void {
  const stops = [
    effect(() => {
      const wanted = place.value;
      // Skip our own change: going there again would shift the view by rounding.
      const shown = untracked(() => toFragment(state.place()));
      if (toFragment(wanted) !== shown) untracked(() => state.go(wanted));
    }),
    effect(() => {
      place.value = state.place();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Width between the margins of paper, A4 or letter. */
const PAPER_PX = 720;

/** Change everything in the listener, because the browser lays out the paper after it. */
function printsAll(state: ReportState, root: HTMLElement): () => void {
  state.prefetch();
  const before = (): void => {
    // Draw charts at their width on paper; otherwise their texts would be squeezed.
    root.style.width = `${PAPER_PX}px`;
    state.printing.value = true;
    // The changes are drawn in an earlier microtask than this one.
    queueMicrotask(() => (root.style.width = ""));
  };
  const after = (): void => {
    state.printing.value = false;
  };
  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
  return () => {
    removeEventListener("beforeprint", before);
    removeEventListener("afterprint", after);
  };
}
