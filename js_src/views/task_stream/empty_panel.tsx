// The panel while there is nothing to draw: why, and the next step.

import type { JSX } from "preact";
import { plural } from "../../base/format";
import type { State } from "../../schema";
import type { EmptyState } from "../host";
import { Empty } from "../panel/states";
import { StatusLine } from "../panel/status_line";
import { Toolbar } from "../panel/toolbar";
import { HelpSheet } from "./help_sheet";
import { Notices } from "./notices";
import { Tools } from "./tools";
import type { ViewState } from "./view_state";

export const TITLE = "Task stream";

export function EmptyPanel(props: { view: ViewState }): JSX.Element {
  const { view } = props;
  const empty = view.host.emptyState.value ?? waitingState(view);
  const session = view.session.value;
  const state: State = session?.state.value ?? empty.state;
  return (
    <>
      <Toolbar
        title={TITLE}
        state={empty.state === "stopped" ? "stopped" : state}
        paused={null}
        tools={<Tools view={view} stage={() => null} />}
      />
      <Notices view={view} />
      <Empty state={empty} />
      <StatusLine
        facts={
          empty.status ? [{ text: empty.status }] : [{ text: "no tasks yet" }]
        }
        width_px={view.environment.width.value}
        font={view.environment.theme.value.font}
      />
      {view.helpOpen.value && <HelpSheet view={view} />}
    </>
  );
}

/** A session without tasks: what is there already, and what will come. */
function waitingState(view: ViewState): EmptyState {
  const session = view.session.value;
  if (!session) {
    return {
      state: "waiting",
      title: "Waiting for a Dask client",
      text: "Run `Client()` and this panel starts by itself.",
    };
  }
  const workers = session.workers.value.length;
  const captured = session.counts.value.captured;
  if (captured > 0) {
    return {
      state: "waiting",
      title: `${plural(captured, "task")} on the way`,
      text: "They were recorded before this panel opened, and arrive now.",
    };
  }
  return {
    state: "waiting",
    title:
      workers === 0
        ? "No workers yet"
        : `${plural(workers, "worker")} connected, nothing has run`,
    text: "Tasks appear as they finish.",
    status: `0 tasks · ${plural(workers, "worker")}`,
  };
}
