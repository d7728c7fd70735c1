// How a panel is, in one word. A session alone knows only that nothing comes any
// more; the home knows whether somebody wanted that, and then nothing is wrong.

import type { State } from "../schema";
import type { EmptyState, PanelHost } from "./host";

/** `why` is what the home says of a session that was cut off. */
export const isAlarming = (why: EmptyState | null): boolean =>
  why === null || why.trouble === true;

/**
 * `own` is the session's state; without a session null. `empty` is what the panel shows
 * in place of its body. Null of a recording: each is over.
 */
export function stateShown(
  own: State | null,
  host: PanelHost,
  empty: EmptyState | null,
): State | null {
  if (!host.live) return null;
  const why = empty ?? host.emptyState.value;
  if (own === null) return empty?.state ?? "waiting";
  if (own === "lost") return why && !isAlarming(why) ? why.state : own;
  return empty?.state === "stopped" ? "stopped" : own;
}
