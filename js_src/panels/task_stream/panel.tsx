// The task stream as one panel: toolbar, legend, stage, pinned task, status.

import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { formatMoment } from "../../base/format";
import { Button, Key } from "../../panel/button";
import { Crumbs } from "../../panel/crumbs";
import { narrows } from "../../panel/narrowing";
import { StatusLine } from "../../panel/status_line";
import { Toolbar } from "../../panel/toolbar";
import { EmptyBody, whyEmpty } from "./empty_panel";
import { HelpSheet } from "./help_sheet";
import { busyShare } from "./busy_share";
import { bannerNotice, Notices } from "../../panel/notices";
import { chooserCrowds, isChosen } from "../../panel/chooser";
import { Pinned } from "./pinned";
import { PanelLegend } from "./panel_legend";
import { panelFacts } from "./panel_facts";
import { stateShown } from "../../panel/panel_state";
import { shownPart } from "./shown_part";
import { StageView, type StageHandle } from "./stage_view";
import { TableSheet } from "./table";
import { searchCrowds, Tools } from "./tools";
import type { ViewState } from "./view_state";
import type { WorkerGroup } from "../../panel/worker_groups";

export const TITLE = "Task stream";

export interface PanelParts {
  handle: StageHandle | null;
}

export function TaskStreamPanel(props: {
  view: ViewState;
  root: HTMLElement;
  parts: PanelParts;
}): JSX.Element {
  const { view, root, parts } = props;
  const session = view.session.value;
  const busyOf = useBusy(view);
  const stage = useRef<StageHandle | null>(null);
  const empty = whyEmpty(view);
  const plot = session !== null && empty === null;
  const breadth = view.breadth.value;
  // A filter needs room of its own where the toolbar is full of tools, and so does what
  // is shown where there is hardly any, or the name of a client.
  const narrowing = view.narrowing.value;
  const roomy =
    breadth === "medium" || (breadth === "narrow" && !isChosen(view));
  const secondRow = breadth !== "wide" && (!roomy || narrows(narrowing));
  const crowded = plot && searchCrowds(view);
  const crumbs = (
    <Crumbs
      narrowing={narrowing}
      origin_s={view.origin.value}
      short={breadth === "tiny"}
      part={shownPart(view.window, view.extent, view.origin.value)}
      onRemove={(part) => view.widen(part)}
      onWhole={() => view.showWhole()}
    />
  );
  // The frame is the same with and without a plot, so that a menu which is open
  // in it outlives the first row.
  return (
    <>
      <Toolbar
        title={TITLE}
        state={stateShown(session?.state.value ?? null, view.host, empty)}
        paused={plot ? pausedText(view) : null}
        brief={crowded || chooserCrowds(view) || (plot && goCrowds(view))}
        tools={
          <Tools
            view={view}
            stage={() => (plot ? (stage.current?.stage ?? null) : null)}
          />
        }
      >
        {plot && !secondRow && crumbs}
        {plot && !crowded && <GoToNow view={view} />}
      </Toolbar>
      <Notices
        host={view.host}
        notices={session?.notices.value ?? []}
        dismissed={view.dismissed}
        state={session?.state.value ?? null}
        now={session?.now.value ?? 0}
        shows={view.held.value > 0}
      />
      {empty && <EmptyBody view={view} empty={empty} />}
      {plot && (
        <>
          {secondRow ? (
            <div class="ds-row2">
              {crumbs}
              <PanelLegend view={view} menu />
            </div>
          ) : (
            <PanelLegend view={view} menu={false} />
          )}
          <div class="ds-body">
            <StageView
              view={view}
              root={root}
              busyOf={busyOf}
              onStage={(handle) => {
                stage.current = handle;
                parts.handle = handle;
              }}
            />
            <Pinned view={view} />
            <TableSheet view={view} busyOf={busyOf} />
          </div>
          <StatusOf view={view} />
        </>
      )}
      {view.helpOpen.value && <HelpSheet view={view} />}
    </>
  );
}

/** Shares of the shown time, worked out when the window comes to rest. */
function useBusy(view: ViewState): (group: WorkerGroup) => number {
  const settled = view.settled.value;
  const groups = view.workers.placed.value;
  return useMemo(() => {
    const model = view.session.peek()?.store.model;
    const known = new Map<string, number>();
    return (group: WorkerGroup): number => {
      let share = known.get(group.address);
      if (share === undefined) {
        const { extent, window } = view;
        share =
          model && extent
            ? busyShare(
                model,
                group.lanes,
                Math.max(window.start, extent.start),
                Math.min(window.stop, extent.stop),
              )
            : NaN;
        known.set(group.address, share);
      }
      return share;
    };
  }, [settled, groups, view]);
}

function pausedText(view: ViewState): string | null {
  const paused = view.paused.value;
  if (!paused) return null;
  return `at ${formatMoment(paused.time - view.origin.value, 1)}`;
}

/** Beside the title there would be no room for the way back to now. */
const CROWDED_PX = 310;

function goCrowds(view: ViewState): boolean {
  const goes = view.paused.value !== null || view.anchor.value === "free";
  return goes && view.environment.width.value < CROWDED_PX;
}

function GoToNow(props: { view: ViewState }): JSX.Element | null {
  const { view } = props;
  if (view.paused.value) {
    return (
      <Button primary onClick={() => view.togglePause()}>
        Resume
      </Button>
    );
  }
  if (view.anchor.value !== "free") return null;
  const live = view.growing.value;
  const breadth = view.breadth.value;
  const brief = breadth !== "wide" && breadth !== "medium";
  return (
    <Button
      onClick={() => view.goToNow()}
      hint={live ? "Follow the newest tasks" : "To the end of the recording"}
    >
      <span class="ds-go">
        {brief ? "Now" : live ? "Go to now" : "Go to the end"}
        {!brief && <Key>L</Key>}
      </span>
    </Button>
  );
}

function StatusOf(props: { view: ViewState }): JSX.Element {
  const { view } = props;
  return (
    <StatusLine
      facts={panelFacts(
        view,
        bannerNotice(
          view.session.value?.notices.value ?? [],
          view.dismissed.value,
        ),
      )}
      width_px={view.environment.width.value}
      theme={view.environment.theme.value}
    />
  );
}
