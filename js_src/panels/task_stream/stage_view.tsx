// The stage as elements: where the canvases hang, the gutter beside them, the
// card over them. The canvases live as long as this component.

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { plural } from "../../base/format";
import { textWidth } from "../../base/text_width";
import { CoarseCard } from "./coarse_card";
import { bandsOf } from "./bands";
import { Gutter, type BusyOf } from "./gutter";
import { EventCard } from "./event_card";
import type { Geometry } from "./geometry";
import { HoverCard } from "./hover_card";
import { PlotInteraction } from "./interaction";
import { OverviewInteraction } from "./overview_interaction";
import { Stage } from "./stage";
import { threadsLabel } from "./threads_label";
import type { ViewState } from "./view_state";

export interface StageHandle {
  stage: Stage;
  plot: PlotInteraction;
  hit: HTMLElement;
}

export function StageView(props: {
  view: ViewState;
  root: HTMLElement;
  busyOf: BusyOf;
  onStage: (handle: StageHandle | null) => void;
}): JSX.Element {
  const { view, root, onStage } = props;
  const overviewRef = useRef<HTMLDivElement>(null);
  const overviewHit = useRef<HTMLDivElement>(null);
  const plotRef = useRef<HTMLDivElement>(null);
  const overlayRef = useRef<HTMLDivElement>(null);
  const hitRef = useRef<HTMLDivElement>(null);
  const stageRef = useRef<Stage | null>(null);

  useLayoutEffect(() => {
    const stage = new Stage(
      {
        plot: plotRef.current!,
        overlay: overlayRef.current!,
        overview: overviewRef.current!,
      },
      view,
    );
    stageRef.current = stage;
    const plot = new PlotInteraction(hitRef.current!, root, view, stage);
    const overview = new OverviewInteraction(overviewHit.current!, view, stage);
    onStage({ stage, plot, hit: hitRef.current! });
    return () => {
      onStage(null);
      stageRef.current = null;
      plot.dispose();
      overview.dispose();
      stage.dispose();
    };
  }, [view, root]);

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
      <div ref={overlayRef} class="ds-plot ds-overlay" style={place} />
      <div
        class="ds-gutter"
        onWheel={(event) => {
          const ours = view.host.capturesWheel || view.engaged.peek();
          if (ours && stageRef.current?.scrollLanes(event.deltaY)) {
            event.preventDefault();
            event.stopPropagation();
          }
        }}
        style={{ top: `${overview + rows.lanesTop}px`, width: `${gutter}px` }}
      >
        <GutterOf
          view={view}
          stageRef={stageRef}
          busyOf={props.busyOf}
          geometry={geometry}
        />
      </div>
      <div
        class="ds-gutter-rule"
        style={{
          left: `${gutter - 1}px`,
          top: `${overview + rows.axis - 1}px`,
        }}
      />
      <div
        ref={hitRef}
        class="ds-hit"
        style={place}
        tabIndex={0}
        role="application"
        aria-roledescription="timeline"
        aria-label={describe(view)}
      />
      <HoverCard view={view} plot={plotPlace} />
      <CoarseCard view={view} plot={plotPlace} />
      <EventCard view={view} plot={plotPlace} />
      <Note view={view} />
    </div>
  );
}

function describe(view: ViewState): string {
  const session = view.session.value;
  const tasks = plural(session?.counts.value.captured ?? 0, "task");
  const workers = plural(session?.workers.value.length ?? 0, "worker");
  return `Task stream: ${tasks} on ${workers}. W A S D move and zoom, T shows the numbers as a table, ? lists all keys.`;
}

function ThreadsLabel(props: { view: ViewState; full: boolean }): JSX.Element {
  const { view } = props;
  const { text, title } = threadsLabel(
    view.workers.threadsShown.value,
    view.peak.value,
    view.session.value?.store.model.filter?.byRow ?? false,
  );
  return <span title={title}>{props.full ? text : "Threads"}</span>;
}

function GutterOf(props: {
  view: ViewState;
  stageRef: { current: Stage | null };
  busyOf: BusyOf;
  geometry: Geometry;
}): JSX.Element | null {
  const { view } = props;
  // The stage exists only after the first layout.
  void view.settled.value;
  const stage = props.stageRef.current;
  void stage?.laid.value;
  if (!stage) return null;
  const line_px = view.rows.value.line;
  const bands = bandsOf(stage.map, stage.plot.size.pixelRatio, line_px);
  // What is laid out may be older than what is said of memory.
  const now = new Map(
    view.workers.groups.value.map((group) => [group.address, group]),
  );
  const { gutter, gutterSize } = props.geometry;
  const { font, size_px } = view.environment.theme.value;
  return (
    <Gutter
      bands={bands.map((band) => ({
        ...band,
        group: now.get(band.group.address) ?? band.group,
      }))}
      line_px={line_px}
      size={gutterSize}
      room_px={gutter - (gutterSize === "short" ? 5 : 17)}
      widthOf={(name) => textWidth(name, `500 ${size_px}px ${font}`)}
      busyOf={props.busyOf}
      live={view.growing.value}
      isolated={view.focus.value.workers}
      onIsolate={(address, adds) => view.isolateIn("workers", address, adds)}
    />
  );
}

function Note(props: { view: ViewState }): JSX.Element | null {
  const { view } = props;
  const hint = view.hint.value;
  if (hint !== "") {
    return (
      <div class="ds-stage-note" role="status">
        {hint}
      </div>
    );
  }
  return null;
}
