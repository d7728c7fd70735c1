// The empty states of the task stream: why there is nothing to draw, and the next step.

import { formatExact, plural } from "../../base/format";
import { allTasks } from "../../session/session";
import { beforeFirst, NO_CLIENT } from "../../panel/states";
import type { EmptyState } from "../../panel/host";
import { runningTasks } from "../../panel/status_line";
import { moreComes } from "./status_facts";
import type { PanelState } from "./panel_state";

export function whyEmpty(view: PanelState): EmptyState | null {
  const why = view.host.emptyState.value;
  const hasTasks = view.hasTasks.value;
  // False between sessions and until the first row arrives.
  const something = hasTasks || view.arrived.value;
  if (view.session.value && something && (hasTasks || !why)) return null;
  const empty = why ?? waitingState(view);
  // A stopped session does not wait for tasks.
  const status = empty.state === "stopped" ? "0 tasks" : "no tasks yet";
  return { status, ...empty };
}

/** Empty state of a session without tasks. */
function waitingState(view: PanelState): EmptyState {
  if (!view.session.value) return NO_CLIENT;
  if (view.now.value === 0) {
    return beforeFirst(view.host.live, view.notices.value);
  }
  const { live: isLive } = view.host;
  const { captured } = view.counts.value;
  if (captured > 0) return elsewhere(captured, moreComes(view), isLive);
  if (!isLive) return NOTHING_STORED;
  const before = view.notices.value.some(({ code }) => code === "tasks-before");
  const { value: state } = view.state;
  const live = state === "live" || state === "partly";
  const running = live ? runningTasks(view.workers.value) : null;
  // Running tasks have no rows yet; if `running` is null, there may be some.
  const done = running === 0 ? "nothing has run" : "nothing has finished";
  const nothing = before ? `${done} since recording began` : done;
  if (state === "stopped") {
    return {
      state,
      title: `Stopped, ${nothing}`,
      text: "Run `Client()` to start again. For an inline panel, run its cell again, too.",
    };
  }
  if (state === "lost") {
    return {
      state: "waiting",
      trouble: true,
      title: `Connection lost, ${nothing}`,
      text: "This panel continues automatically after reconnecting.",
    };
  }
  const workers = plural(view.workers.value.length, "worker");
  const none = view.workers.value.length === 0;
  return {
    state: "waiting",
    title: none
      ? "No workers yet"
      : running
        ? `${plural(running, "task")} running on ${workers}`
        : `${workers} connected, ${nothing}`,
    text: none
      ? "Tasks wait for a worker and appear here as they finish."
      : "Tasks appear as they finish.",
    status: `0 tasks · ${workers}${running ? ` · ${formatExact(running)} running` : ""}`,
  };
}

function elsewhere(
  captured: number,
  comes: boolean,
  live: boolean,
): EmptyState {
  const tasks = plural(captured, "task");
  return comes
    ? {
        state: "waiting",
        title: `Loading ${tasks}`,
        text: live
          ? "They were recorded before this panel opened."
          : "They are being read from the file.",
      }
    : {
        state: "stopped",
        title: `${tasks} recorded, none on this page`,
        status: `0 of ${tasks}`,
        text: `\`${allTasks(live)}\` has all tasks that are kept.`,
      };
}

/** A recording without tasks: none ran, or all were dropped. */
const NOTHING_STORED: EmptyState = {
  state: "stopped",
  title: "This recording has no tasks",
  text: "No task finished or failed while it was recorded.",
};
