// Puts a report into an element, in place of what readers without scripts see.

import { effect } from "@preact/signals";
import { render } from "preact";
import { watchEnvironment } from "../../views/panel/environment";
import { Report } from "./app";
import { fromFragment } from "./fragment";
import { followAddress } from "./navigation";
import { ReportState } from "./report_state";
import type { ReportSource } from "./source";

/** Returns what undoes it. */
export function mountReport(
  element: HTMLElement,
  source: ReportSource,
): () => void {
  const root = document.createElement("div");
  root.className = "ds-root ds-report";
  element.replaceChildren(root);
  const alone = !source.link;
  const environment = watchEnvironment(root, {});
  const state = new ReportState(source, environment.theme);
  if (alone) state.go(fromFragment(location.hash));
  const stops = [
    effect(() => {
      root.classList.toggle("ds-dark", state.theme.value.dark);
    }),
    ...(alone ? [followAddress(state), printsAll(state)] : []),
  ];
  render(<Report state={state} />, root);
  const stopStart = afterPaint(() => state.start());

  return () => {
    stopStart();
    render(null, root);
    for (const stop of stops) stop();
    state.dispose();
    environment.dispose();
    root.remove();
  };
}

/** A browser lays paper out as soon as who listens has returned. */
function printsAll(state: ReportState): () => void {
  const before = (): void => {
    state.printing.value = true;
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

/** When the frame is on the screen; a hidden page has none, and need not wait. */
function afterPaint(run: () => void): () => void {
  if (document.visibilityState === "hidden") {
    const timer = setTimeout(run);
    return () => clearTimeout(timer);
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(run);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
