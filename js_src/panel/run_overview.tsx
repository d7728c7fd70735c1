// An overview of the whole run, with the window that the panel's charts show.

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { effect } from "@preact/signals";
import { toCss } from "../base/colour";
import { OverviewGestures, OverviewStrip } from "../timeline/overview";
import type { PlotArea } from "../timeline/time_plot";
import type { PanelView } from "./panel_view";

export function RunOverview(props: {
  view: PanelView;
  /** The value that the full height represents. */
  most: number;
  paint: (area: PlotArea) => void;
}): JSX.Element {
  const { view, most, paint } = props;
  const place = useRef<HTMLDivElement>(null);
  const strip = useRef<OverviewStrip | null>(null);
  const drawn = useRef(props);
  drawn.current = props;
  useLayoutEffect(() => {
    if (!place.current) return;
    const made = (strip.current = new OverviewStrip(place.current, {
      extent() {
        const [start, stop] = view.whole.peek();
        return { start, stop };
      },
      theme: () => view.theme.peek(),
      paint(area) {
        const { context, theme, width, height } = area;
        context.fillStyle = toCss(theme.well);
        context.fillRect(0, 0, width, height);
        const full = drawn.current.most || 1;
        const y = (value: number) => height * (1 - value / full);
        drawn.current.paint({ ...area, y });
      },
    }));
    const gestures = new OverviewGestures(place.current, view.timeline, made);
    const stop = effect(() => {
      void view.whole.value;
      made.place(...view.timeline.shown.value);
    });
    return () => {
      stop();
      gestures.dispose();
      made.dispose();
    };
  }, [view]);
  const theme = view.theme.value;
  const { value: whole } = view.whole;
  const width = view.environment.width.value;
  useLayoutEffect(() => {
    strip.current?.view.request();
    strip.current?.place(...view.timeline.shown.peek());
  }, [most, paint, theme, whole, width]);
  return <div ref={place} class="ds-run-overview" aria-hidden="true" />;
}
