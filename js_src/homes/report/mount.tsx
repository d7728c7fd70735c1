// Puts a report into an element, in place of what readers without scripts see.

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

/** A report in a tab of a page that is not its own. */
export interface ReportTab {
  /** What of the report is shown, both ways; the page's own report follows the address. */
  readonly place: Signal<Place>;
  readonly visible: ReadonlySignal<boolean>;
  readonly others: PanelHost["others"];
}

/** Returns what undoes it. */
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
      // Our own step: going there again would move what is there by a rounding.
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

/** What paper has between its margins, A4 or letter. */
const PAPER_PX = 720;

/** A browser lays paper out as soon as who listens has returned. */
function printsAll(state: ReportState, root: HTMLElement): () => void {
  state.prefetch();
  const before = (): void => {
    // Charts are drawn as wide as they will be: else their words would be squeezed.
    root.style.width = `${PAPER_PX}px`;
    state.printing.value = true;
    // What has changed is drawn in a microtask that is before this one.
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
