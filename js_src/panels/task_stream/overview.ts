// The overview of the task stream: busy threads by prefix.

import { OverviewStrip } from "../../timeline/overview";
import { ERRED, legendAction } from "../../panel/action_words";
import type { ColoursOf, PixelColours } from "../../panel/pixel_colours";
import { ThreadsBusyArea } from "../../panel/threads_busy";
import type { PanelState } from "./panel_state";

/** Minimum time between redraws for new data, since each sums all bins. */
const REDRAW_MS = 100;

const PEAK_SHARE = 0.02;

export class Overview extends OverviewStrip {
  private readonly drawn: { at_ms: number };
  private later: ReturnType<typeof setTimeout> | undefined;

  constructor(element: HTMLElement, panel: PanelState, colours: ColoursOf) {
    const busy = new ThreadsBusyArea();
    const drawn = { at_ms: 0 };
    super(element, {
      extent: () => panel.extent,
      theme: () => panel.environment.theme.peek(),
      paint: (area) => {
        drawn.at_ms = performance.now();
        const model = panel.session.peek()?.model;
        const paints = colours.current();
        if (!model || !paints) return;
        const threads = panel.threadsShown.peek();
        const full = busy.update(model, area.range, area.width, threads);
        const differs = Math.abs(full - threads) > PEAK_SHARE * threads;
        panel.peak.value = differs ? full : null;
        const { paints: own, other } = paints.compute;
        const only = onlyColour(panel, paints);
        const all =
          only === null ? own : new Uint32Array(own.length).fill(only);
        busy.paint(area, full, all, only ?? other);
      },
    });
    this.drawn = drawn;
  }

  override dispose(): void {
    clearTimeout(this.later);
    super.dispose();
  }

  /** Redraws for new data, at most once per `REDRAW_MS`. */
  dataChanged(): void {
    const wait = this.drawn.at_ms + REDRAW_MS - performance.now();
    if (wait <= 0) {
      this.view.request();
    } else if (this.later === undefined) {
      this.later = setTimeout(() => {
        this.later = undefined;
        this.view.request();
      }, wait);
    }
  }
}

/** The colour of the isolated action, if there is exactly one. */
function onlyColour(
  view: PanelState,
  { overlay }: PixelColours,
): number | null {
  const [only, ...more] = view.actions.peek();
  if (only === undefined || more.length > 0) return null;
  if (only === ERRED) return overlay.erred;
  const names = view.session.peek()?.actions ?? [];
  const at = names.findIndex((name) => legendAction(name) === only);
  return overlay.paints[at] ?? null;
}
