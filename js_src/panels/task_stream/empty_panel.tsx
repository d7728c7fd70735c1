// The panel while there is nothing to draw: why, and the next step.

import type { JSX } from "preact";
import { formatExact, plural } from "../../base/format";
import { allTasks } from "../../session_notices";
import { beforeFirst, NO_CLIENT } from "../../panel/empty_states";
import type { EmptyState } from "../../panel/host";
import type { SeenSession } from "../../panel/seen_session";
import { Empty } from "../../panel/states";
import { StatusLine } from "../../panel/status_line";
import { moreComes } from "./more_comes";
import { runningTasks } from "./running";
import type { ViewState } from "./view_state";

/** Why there is nothing to draw; null once there is. */
export function whyEmpty(view: ViewState): EmptyState | null {
  const why = view.host.emptyState.value;
  const held = view.holdsAny.value;
  // Between sessions, and until the first row is here.
  const something = held || view.arrived.value;
  if (view.session.value && something && (held || !why)) return null;
  return why ?? waitingState(view);
}

/** What stands below the toolbar, in place of the plot. */
export function EmptyBody(props: {
  view: ViewState;
  empty: EmptyState;
}): JSX.Element {
  const { view, empty } = props;
  return (
    <>
      <Empty state={empty} />
      <StatusLine
        facts={statusOf(empty)
          .split(" · ")
          .map((text) => ({ text }))}
        width_px={view.environment.width.value}
        theme={view.environment.theme.value}
      />
    </>
  );
}

/** What is stopped waits for none. */
const statusOf = ({ status, state }: EmptyState): string =>
  status ?? (state === "stopped" ? "0 tasks" : "no tasks yet");

/** A session without tasks: what is there already, and what will come. */
function waitingState(view: ViewState): EmptyState {
  const session = view.session.value;
  if (!session) return NO_CLIENT;
  if (session.now.value === 0) {
    return beforeFirst(view.host.live, session.notices.value);
  }
  if (!view.host.live) return storedState(session, moreComes(view));
  const captured = session.counts.value.captured;
  if (captured > 0) return elsewhere(captured, moreComes(view), true);
  const before = session.notices.value.some(
    ({ code }) => code === "tasks-before",
  );
  const { value: state } = session.state;
  const live = state === "live" || state === "partly";
  const running = live ? runningTasks(session.workers.value) : null;
  // What runs has no rows yet; and where nobody tells, something may.
  const done = running === 0 ? "nothing has run" : "nothing has finished";
  const nothing = before ? `${done} since recording began` : done;
  if (state === "stopped") {
    return {
      state,
      title: `Stopped, ${nothing}`,
      text: "Run `Client()` to begin anew; an inline panel shows it when its cell runs again.",
    };
  }
  if (state === "lost") {
    return {
      state: "waiting",
      trouble: true,
      title: `Connection lost, ${nothing}`,
      text: "This panel goes on by itself when the connection is back.",
    };
  }
  const workers = plural(session.workers.value.length, "worker");
  const none = session.workers.value.length === 0;
  return {
    state: "waiting",
    title: none
      ? "No workers yet"
      : running
        ? `${plural(running, "task")} running on ${workers}`
        : `${workers} connected, ${nothing}`,
    text: none
      ? "Tasks wait for one, and appear here as they finish."
      : "Tasks appear as they finish.",
    status: `0 tasks · ${workers}${running ? ` · ${formatExact(running)} running` : ""}`,
  };
}

/** Tasks were recorded, and none of them is here. */
function elsewhere(
  captured: number,
  comes: boolean,
  live: boolean,
): EmptyState {
  const tasks = plural(captured, "task");
  return comes
    ? {
        state: "waiting",
        title: `${tasks} on the way`,
        text: live
          ? "They were recorded before this panel opened, and arrive now."
          : "They are read from the file now.",
      }
    : {
        state: "stopped",
        title: `${tasks} recorded, none on this page`,
        status: `0 of ${tasks}`,
        text: `\`${allTasks(live)}\` has all that are kept.`,
      };
}

/** Nothing comes to a file any more: what is not in it did not happen, or was dropped. */
function storedState(session: SeenSession, comes: boolean): EmptyState {
  const { captured } = session.counts.value;
  if (captured > 0) return elsewhere(captured, comes, false);
  return {
    state: "stopped",
    title: "This recording has no tasks",
    text: "None finished or failed while it was made.",
  };
}
