// A plot over time as a Preact component.

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import {
  marginsOf,
  TimePlot,
  type TimePlotContent,
  withText,
} from "../timeline/time_plot";
import { CELLS_PX, CellsLane } from "./cells_lane";
import type { PanelView } from "./panel_view";

export function TimeChart(props: {
  view: PanelView;
  /** Description for screen readers. */
  label: string;
  /** Height for the default text size; without it, the height of the parent. */
  height_px?: number;
  content: Omit<TimePlotContent, "origin" | "present" | "theme">;
}): JSX.Element {
  const { view } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<TimePlot | null>(null);
  const content: TimePlotContent = {
    ...props.content,
    origin: view.origin.value,
    present: view.present.value,
    theme: view.theme.value,
  };

  useLayoutEffect(() => {
    if (!place.current) return;
    const made = new TimePlot(place.current, view);
    plot.current = made;
    return () => {
      plot.current = null;
      made.dispose();
    };
  }, [view]);

  const printing = view.printing.value;
  const printed = useRef(false);
  // A layout effect, so that the plot is drawn in the same frame as the text around it.
  useLayoutEffect(() => {
    // Also draw at once after printing, since the screen has another width.
    const atOnce = printing || printed.current;
    printed.current = printing;
    if (!plot.current) return;
    plot.current.show(content);
    plot.current.view.onPaper = printing;
    if (atOnce) plot.current.view.drawAtOnce();
    else plot.current.view.request();
  });

  const { left, right } = marginsOf(content);
  const chart = (
    <div
      ref={place}
      class="ds-time-plot"
      role="img"
      aria-label={props.label}
      style={{
        height:
          props.height_px === undefined
            ? "100%"
            : `${withText(props.height_px, view.theme.value)}px`,
      }}
    />
  );
  if (props.height_px === undefined) return chart;
  return (
    <>
      {chart}
      {view.table("cells").rows > 0 && (
        <CellsLane
          view={view}
          left_px={left}
          right_px={right}
          height_px={withText(CELLS_PX, view.theme.value)}
        />
      )}
    </>
  );
}
