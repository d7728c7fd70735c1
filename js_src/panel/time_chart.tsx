// A chart over time as a component, with the focus and the crosshair that all panels
// share: dragging marks a time, a double click takes the mark back.

import { effect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { PanelView } from "./panel_view";
import { TimePlot, type TimePlotContent, withText } from "./time_plot";

export function TimeChart(props: {
  view: PanelView;
  /** What it shows, in words: for who cannot see it. */
  label: string;
  /** With text of the usual size. */
  height_px: number;
  content: Omit<TimePlotContent, "range" | "origin" | "present" | "theme">;
}): JSX.Element {
  const { view } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<TimePlot | null>(null);
  const content: TimePlotContent = {
    ...props.content,
    range: view.range.value,
    origin: view.origin.value,
    present: view.present.value,
    theme: view.theme.value,
  };

  useLayoutEffect(() => {
    if (!place.current) return;
    const made = new TimePlot(place.current, {
      onPoint: (time) => {
        const crosshair = view.session.peek()?.crosshair;
        if (crosshair) crosshair.value = time;
      },
      onBrush: (range) =>
        view.setFocus({
          ...view.focus.peek(),
          time: range && [range[0], range[1]],
        }),
    });
    plot.current = made;
    made.show(content);
    const stops = [
      effect(() => made.point(view.crosshair.value)),
      effect(() => {
        void view.range.value;
        made.shade(view.focus.value.time);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
      plot.current = null;
      made.dispose();
    };
  }, [view]);

  const printing = view.printing.value;
  const printed = useRef(false);
  useLayoutEffect(() => {
    // Afterwards once more: the screen has another width than paper.
    const draws = printing || printed.current;
    printed.current = printing;
    if (!draws || !plot.current) return;
    plot.current.view.onPaper = printing;
    plot.current.show(content);
    plot.current.view.drawAtOnce();
  });

  useEffect(() => {
    if (!plot.current) return;
    plot.current.show(content);
    plot.current.view.request();
    plot.current.shade(view.focus.peek().time);
  });

  return (
    <div
      ref={place}
      class="ds-time-plot"
      role="img"
      aria-label={props.label}
      style={{ height: `${withText(props.height_px, view.theme.value)}px` }}
    />
  );
}
