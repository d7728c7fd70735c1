// How a panel is, in one word. A session alone knows only that nothing comes any
// more; the home knows whether somebody wanted that, and then nothing is wrong.

import type { State } from "../../schema";
import type { EmptyState } from "../../panel/host";
import type { ViewState } from "./view_state";

/** `why` is what the home says of a session that was cut off. */
export const isAlarming = (why: EmptyState | null): boolean =>
  why === null || why.trouble === true;

/** `empty` is what stands in place of the plot; null while there is one. */
export function stateShown(view: ViewState, empty: EmptyState | null): State {
  const own = view.session.value?.state.value;
  const why = empty ?? view.host.emptyState.value;
  if (own === undefined) return empty?.state ?? "waiting";
  if (own === "lost") return why && !isAlarming(why) ? why.state : own;
  return empty?.state === "stopped" ? "stopped" : own;
}
