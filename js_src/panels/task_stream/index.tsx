// The PanelKind of the task stream.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { FocusCrumbs, goCrowds, GoToNow, PanelFrame } from "../../panel/panel";
import { mountPanel } from "../../panel/mount";
import { panelIcon, type PanelKind } from "../../panel/host";
import { GESTURES, pressKey, SHORTCUTS } from "./keyboard";
import { PanelState } from "./panel_state";
import { narrows } from "../../panel/narrowing";
import { chooserCrowds, isChosen } from "../../panel/toolbar";
import { whyEmpty } from "./empty_panel";
import { bannerNotice } from "../../panel/states";
import { Pinned } from "./pinned";
import { PanelLegend } from "./legend";
import { panelFacts } from "./status_facts";
import { PlotView } from "./plot_view";
import { TableSheet } from "./table";
import { searchCrowds, Tools } from "./tools";
import { dataMoment } from "../../panel/tasks_ran";
import type { WorkerGroup } from "../../panel/worker_groups";
import { busyShare } from "../../derive/busy_share";

export const TASK_STREAM: PanelKind = {
  id: "task-stream",
  title: "Task stream",
  caption: "every task on every thread",
  icon: panelIcon(
    '<path d="M1 2h6v3H1zM8 2h4v3H8zM3 6.5h4v3H3zM8 6.5h7v3H8zM1 11h3v3H1zM5 11h7v3H5z"/>',
  ),
  group: "Tasks",
  tables: ["tasks", "errors", "workers", "gaps", "cells", "computations"],
  mount: (element, props) =>
    mountPanel(element, props, TASK_STREAM, (root, environment) => {
      const view = new PanelState(environment, props.host);
      view.focusPlot = () =>
        (view.plot.peek()?.plot.hit ?? root).focus({ preventScroll: true });
      return {
        content: <TaskStreamPanel view={view} root={root} />,
        use: (store) => view.use(store),
        press: (key, shift) => pressKey(key, shift, view),
        focusHome: () => view.focusPlot(),
        dispose: view.followRun(),
      };
    }),
};

function TaskStreamPanel(props: {
  view: PanelState;
  root: HTMLElement;
}): JSX.Element {
  const { view, root } = props;
  const busyOf = useBusy(view);
  const empty = whyEmpty(view);
  const plot = empty === null;
  const breadth = view.breadth.value;
  // Filters get a second row if the toolbar is full; in small panels, or with the name of a
  // client in the toolbar, the shown part of the run does, too.
  const narrowing = view.narrowing.value;
  const roomy =
    breadth === "medium" || (breadth === "narrow" && !isChosen(view));
  const secondRow = breadth !== "wide" && (!roomy || narrows(narrowing));
  const crowded = plot && searchCrowds(view);
  const crumbs = <FocusCrumbs view={view} />;
  // Use the same frame with and without a plot, so that an open menu stays open when
  // the first row arrives.
  return (
    <PanelFrame
      view={view}
      title={TASK_STREAM.title}
      empty={empty}
      brief={crowded || chooserCrowds(view) || (plot && goCrowds(view))}
      middle={
        <>
          {plot && !secondRow && crumbs}
          {plot && !crowded && <GoToNow view={view} />}
        </>
      }
      tools={<Tools view={view} />}
      facts={() =>
        panelFacts(view, bannerNotice(view.notices.value, view.dismissed.value))
      }
      shortcuts={SHORTCUTS}
      gestures={[...GESTURES, wheelGesture(view)]}
    >
      {secondRow ? (
        <div class="ds-tool-row">
          {crumbs}
          <PanelLegend view={view} menu />
        </div>
      ) : (
        <PanelLegend view={view} menu={false} />
      )}
      {/* The key keeps Preact from reusing this element for the row of tools. */}
      <div class="ds-body" key="body">
        <PlotView view={view} root={root} busyOf={busyOf} />
        <Pinned view={view} />
        <TableSheet view={view} busyOf={busyOf} />
      </div>
    </PanelFrame>
  );
}

const wheelGesture = ({ host }: PanelState): string =>
  host.capturesWheel
    ? "The wheel zooms at the pointer; Shift+wheel moves, Alt+wheel scrolls the lanes."
    : "The wheel scrolls the page until you click the plot, or with Ctrl or ⌘; then it zooms. Alt+wheel scrolls the lanes.";

/** Busy shares of the shown time, updated when the window has settled. */
function useBusy(view: PanelState): (group: WorkerGroup) => number {
  const settled = view.range.value;
  const moment = dataMoment(view);
  const groups = view.placed.value;
  return useMemo(() => {
    const model = view.session.peek()?.model;
    const { extent, window } = view;
    if (!model || !extent) return () => NaN;
    const start = Math.max(window.start, extent.start);
    const stop = Math.min(window.stop, extent.stop);
    const known = new Map<string, number>();
    return ({ address, lanes }: WorkerGroup): number => {
      const share = known.get(address) ?? busyShare(model, lanes, start, stop);
      known.set(address, share);
      return share;
    };
  }, [settled, groups, moment, view]);
}
