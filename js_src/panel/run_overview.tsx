// The whole run in small, and the window that the charts of a panel show.

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { effect } from "@preact/signals";
import { toCss } from "../base/colour";
import { OverviewGestures, OverviewStrip } from "../timeline/overview";
import type { PlotArea } from "../timeline/time_plot";
import type { PanelView } from "./panel_view";

type Paint = (area: PlotArea) => void;

class Strip extends OverviewStrip {
  most = 1;
  paint: Paint = () => {};

  constructor(
    element: HTMLElement,
    private readonly panel: PanelView,
  ) {
    super(element);
  }

  protected extent() {
    const [start, stop] = this.panel.whole.peek();
    return { start, stop };
  }

  protected draw(): void {
    this.measure();
    const { context, size } = this.view;
    const { width, height, pixelRatio } = size;
    const { start, secondsPerPixel } = this.range;
    const theme = this.panel.theme.peek();
    context.fillStyle = toCss(theme.well);
    context.fillRect(0, 0, width, height);
    this.paint({
      ...{ context, theme, pixelRatio, width, height, left: 0, top: 0 },
      range: [start, start + width * secondsPerPixel],
      x: (time) => (time - start) / secondsPerPixel,
      y: (value) => height * (1 - value / this.most),
    });
  }
}

export function RunOverview(props: {
  view: PanelView;
  /** The height stands for it. */
  most: number;
  paint: Paint;
}): JSX.Element {
  const { view, most, paint } = props;
  const place = useRef<HTMLDivElement>(null);
  const strip = useRef<Strip | null>(null);
  useLayoutEffect(() => {
    if (!place.current) return;
    const made = (strip.current = new Strip(place.current, view));
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
  useEffect(() => {
    if (!strip.current) return;
    Object.assign(strip.current, { most: most || 1, paint });
    strip.current.view.request();
    strip.current.place(...view.timeline.shown.peek());
  }, [most, paint, theme, whole, width]);
  return <div ref={place} class="ds-run-overview" aria-hidden="true" />;
}
