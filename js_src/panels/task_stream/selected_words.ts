// How much of a run the filters leave, for the status line.

import { formatExact } from "../../base/format";
import { narrows, type Narrowing } from "../../panel/narrowing";
import type { SeenSession } from "../../panel/seen_session";
import { isCounted, prefixesInFocus } from "./focus_totals";
import { ERRED, legendAction } from "../../panel/action_words";

export interface Selected {
  /** `135` tasks, or `47 × transfer`; null where nobody knows. */
  readonly count: string | null;
  /** Tasks that erred, of those in focus. */
  readonly erred: number;
}

/**
 * Null while nothing is filtered; nobody works it out once the kernel is gone.
 * "uncounted" until the kernel's figures are of this selection.
 */
export function selectedOf(
  session: SeenSession,
  narrowing: Narrowing,
): Selected | "uncounted" | null {
  if (!narrows(narrowing) || session.state.value === "lost") return null;
  if (!isCounted(session)) return "uncounted";
  let [tasks, erred] = [0, 0];
  for (const row of prefixesInFocus(session)) {
    tasks += row.tasks;
    erred += row.erred;
  }
  const { actions, prefixes } = narrowing;
  const only = actions.length === 1 ? actions[0] : undefined;
  if (actions.length === 0) return { count: formatExact(tasks), erred };
  if (only === ERRED) return { count: formatExact(erred), erred };
  // The kernel counts rows by prefix and by action, not by both.
  if (prefixes.length > 0) return { count: null, erred };
  const counts = actions.map((name) => {
    const count = name === ERRED ? erred : rowsOf(session, name);
    return `${formatExact(count)} × ${name}`;
  });
  return { count: counts.join(", "), erred };
}

function rowsOf(session: SeenSession, name: string): number {
  const { actions } = session.store;
  return session.totals.value.actions.reduce(
    (sum, { action, rows }) =>
      legendAction(actions[action] ?? "") === name ? sum + rows : sum,
    0,
  );
}
