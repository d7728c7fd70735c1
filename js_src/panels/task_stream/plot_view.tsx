// The DOM elements of the plot: the gutter beside it and the cards above it.

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { plural } from "../../base/format";
import { Hint } from "../../panel/panel";
import { CellsLane } from "../../panel/cells_lane";
import { threadsLabel } from "../../panel/threads_busy";
import { OverviewGestures } from "../../timeline/overview";
import { CoarseCard, EventCard, HoverCard } from "./cards";
import { Gutter, type BusyOf } from "./gutter";
import type { PanelState } from "./panel_state";
import { TaskPlot } from "./plot";

export function PlotView(props: {
  view: PanelState;
  root: HTMLElement;
  busyOf: BusyOf;
}): JSX.Element {
  const { view, root } = props;
  const overviewRef = useRef<HTMLDivElement>(null);
  const overviewHit = useRef<HTMLDivElement>(null);
  const plotRef = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const elements = { plot: plotRef.current!, overview: overviewRef.current! };
    const plot = new TaskPlot(elements, root, view);
    const gestures = new OverviewGestures(
      overviewHit.current!,
      view.timeline,
      plot.overview,
    );
    const { hit } = plot.plot;
    hit.classList.add("ds-hit");
    hit.tabIndex = 0;
    hit.role = "application";
    hit.ariaRoleDescription = "timeline";
    view.plot.value = plot;
    return () => {
      view.plot.value = null;
      gestures.dispose();
      plot.dispose();
    };
  }, [view, root]);

  const plot = view.plot.value;
  const described = describe(view);
  useLayoutEffect(() => {
    if (plot) plot.plot.hit.ariaLabel = described;
  }, [plot, described]);

  const rows = view.rows.value;
  const geometry = view.geometry.value;
  const { gutter, overview, bars } = geometry;
  const roomy = geometry.gutterSize === "full";
  const inset = geometry.gutterSize === "short" ? 4 : 0;
  const plotPlace = { left: gutter, top: overview };
  const place = { left: `${gutter}px`, top: `${overview}px` };
  const overviewPlace = {
    left: `${gutter + inset}px`,
    right: `${inset}px`,
    top: "4px",
    height: `${bars}px`,
    display: overview > 0 ? "block" : "none",
  };
  return (
    <div class="ds-stage">
      <div
        class="ds-overview-label"
        style={{
          top: "4px",
          height: `${bars}px`,
          width: `${gutter - 14}px`,
          display: overview > 0 && inset === 0 ? "flex" : "none",
        }}
      >
        <ThreadsLabel view={view} full={roomy} />
      </div>
      <div ref={overviewRef} class="ds-overview" style={overviewPlace} />
      <div
        ref={overviewHit}
        class="ds-overview-hit"
        style={{ ...overviewPlace, top: 0, height: `${overview}px` }}
        aria-hidden="true"
      />
      <div ref={plotRef} class="ds-plot" style={place} />
      <div
        class="ds-gutter"
        onWheel={(event) => {
          const ours = view.host.capturesWheel || view.timeline.engaged.peek();
          if (ours && plot?.scrollLanes(event.deltaY)) {
            event.preventDefault();
            event.stopPropagation();
          }
        }}
        style={{ top: `${overview + rows.lanesTop}px`, width: `${gutter}px` }}
      >
        {plot && <Gutter view={view} plot={plot} busyOf={props.busyOf} />}
      </div>
      <div
        class="ds-gutter-rule"
        style={{
          left: `${gutter - 1}px`,
          top: `${overview + rows.axis - 1}px`,
        }}
      />
      {rows.cells > 0 && (
        <CellsLane
          view={view}
          left_px={gutter}
          right_px={0}
          top_px={overview + rows.axis}
          height_px={rows.cells}
        />
      )}
      <HoverCard view={view} plot={plotPlace} />
      <CoarseCard view={view} plot={plotPlace} />
      <EventCard view={view} plot={plotPlace} />
      <Hint view={view} />
    </div>
  );
}

function describe(view: PanelState): string {
  const tasks = plural(view.counts.value.captured, "task");
  const workers = plural(view.workers.value.length, "worker");
  return `Task stream: ${tasks} on ${workers}. W A S D move and zoom, T shows the numbers as a table, ? lists all keys.`;
}

function ThreadsLabel(props: { view: PanelState; full: boolean }): JSX.Element {
  const { view } = props;
  const { text, title } = threadsLabel(
    view.threadsShown.value,
    view.peak.value,
    view.session.value?.model.filter?.byRow ?? false,
  );
  return <span title={title}>{props.full ? text : "Threads"}</span>;
}
